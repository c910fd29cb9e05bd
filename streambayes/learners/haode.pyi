from .naive_bayes import NaiveBayes

class HAODE(NaiveBayes):
    def __init__(
        self,
        *,
        estimate: str = "m",
        m: float | None = None,
        limit: float = 1.0,
        weight: str = "none",
        units: str = "sd",
        var_prior: float | None = None,
        bins: int = 64,
        warmup: int = 200,
        cuts: str = "mdl",
        bins_file: object = None,
        max_values: int = 10_000,
    ) -> None: ...
