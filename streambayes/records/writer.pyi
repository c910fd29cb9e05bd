from .reader import Reader

class RecordWriter:
    @property
    def format(self) -> str: ...
    def __init__(
        self,
        source: str,
        format: str = "same",
        *,
        echo: bool = True,
        proba: bool = False,
        header: bool = True,
        delimiter: str | None = None,
    ) -> None: ...
    def begin(self, reader: Reader, raw_header: bytes | None = None) -> None: ...
    def take(self) -> bytes: ...
