from .base import Learner

class DiscreteNaiveBayes(Learner):
    def __init__(
        self,
        *,
        estimate: str = "m",
        k: float | None = None,
        m: float | None = None,
        bins: int = 64,
        warmup: int = 200,
        cuts: str = "mdl",
        bins_file: object = None,
        max_values: int = 10_000,
    ) -> None: ...
    def cuts(self) -> dict[str, list[float]]: ...
