from typing import Protocol

from ..learners.base import Learner
from ..records.reader import Reader
from ..records.writer import RecordWriter
from .account import Account

NO_CHANGE: int
WARNED: int
DRIFTED: int
NEEDS_BYTES: int
IS_MALFORMED: int
NEEDS_FLUSH: int
PAUSED: int
READ_AGAIN: int

class Watcher(Protocol):
    def saw(self, wrong: bool, record: int, /) -> int: ...

class Prequential:
    def __init__(
        self,
        learner: Learner,
        account: Account,
        writer: RecordWriter | None = None,
        delay: int = 0,
        learning: bool = True,
        fading: float = 1.0,
        window: int = 0,
        watcher: Watcher | None = None,
    ) -> None: ...
    def run(self, reader: Reader, limit: int) -> int: ...
    def waiting(self) -> list[tuple[int, float]]: ...
    def start_again(self) -> tuple[int, int, int]: ...
    def read_again(self, reader: Reader, waiting: list[tuple[int, float]]) -> int: ...
    def settle_all(self) -> None: ...
