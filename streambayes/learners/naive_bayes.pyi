from .base import Learner
from .parameters import Parameter

ESTIMATES: dict[str, tuple[float, float | None, float]]
MAX_VALUES: Parameter
PRIOR_K: Parameter
VAR_PRIOR: Parameter

class NaiveBayes(Learner):
    def __init__(
        self,
        *,
        estimate: str = "m",
        k: float | None = None,
        m: float | None = None,
        var_prior: float | None = None,
        max_values: int = 10_000,
    ) -> None: ...
