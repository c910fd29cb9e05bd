from .naive_bayes import NaiveBayes

class GAODE(NaiveBayes):
    def __init__(
        self,
        *,
        estimate: str = "m",
        k: float | None = None,
        m: float | None = None,
        limit: float = 1.0,
        var_prior: float | None = None,
        conditional: str = "cg",
        max_values: int = 10_000,
    ) -> None: ...
    def regressions(self) -> list[tuple[str, str, list[float | None]]]: ...
