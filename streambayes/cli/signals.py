"""SIGINT and SIGTERM, acted on between records."""

from __future__ import annotations

import os
import select
import signal

from ..records.stream import Interrupted


class Signals:
    """Takes note of SIGINT and SIGTERM while a run lasts; `wait` ends when one comes."""

    def __init__(self):
        self.number = 0
        self._before = {}
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._writing, False)
        os.set_blocking(self._reading, False)

    def __enter__(self) -> Signals:
        for number in (signal.SIGINT, signal.SIGTERM):
            if (
                signal.getsignal(number) != signal.SIG_IGN
            ):  # nohup and shells' background jobs mean it
                self._before[number] = signal.signal(number, self._note)
        self._before_fd = signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)
        return self

    def __exit__(self, *_):
        signal.set_wakeup_fd(self._before_fd)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.close(self._reading)
        os.close(self._writing)

    def _note(self, number, frame):
        self.number = self.number or number

    def wait(self, fd: int) -> None:
        """Until `fd` has bytes; raises Interrupted where a signal came, or comes, first."""
        if not self.number:
            try:
                poll = select.poll()
                poll.register(fd, select.POLLIN)
                poll.register(self._reading, select.POLLIN)
                while not any(ready == fd for ready, _ in poll.poll()) and not self.number:
                    os.read(self._reading, 512)  # another signal's byte
            except OSError:
                pass  # what can't be polled is read at once
        if self.number:
            raise Interrupted
