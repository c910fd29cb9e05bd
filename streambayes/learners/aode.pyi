from .discrete_naive_bayes import DiscreteNaiveBayes

class AODE(DiscreteNaiveBayes):
    def __init__(
        self,
        *,
        estimate: str = "m",
        m: float | None = None,
        limit: float = 1.0,
        subsumption: bool = False,
        critical: float = 100.0,
        weight: str = "none",
        bins: int = 64,
        warmup: int = 200,
        cuts: str = "mdl",
        bins_file: object = None,
        max_values: int = 10_000,
    ) -> None: ...
    @property
    def pair_bytes(self) -> int: ...
