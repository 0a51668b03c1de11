"""What came together from a client, and what it is answered with: each request once, or not at all."""

from __future__ import annotations

import threading
from collections.abc import Callable

Write = Callable[[bytes], None]


class Exchange:
    """Answers to what came together, wherever and whenever they are found.

    Args:
        write: takes a line.
        requests: how many of them are answered.
        batch: the answers go back together (JSON-RPC 2.0, section 6).
        ended: told when nothing more follows.
    """

    def __init__(
        self, write: Write, requests: int, *, batch: bool = False, ended: Callable[[], None] | None = None
    ) -> None:
        self._write, self._left, self._is_batch, self._ended = write, requests, batch, ended
        self._lock = threading.Lock()
        self._kept: list[bytes] = []
        if not requests:
            self._end()

    def tell(self, line: bytes) -> None:
        """Tell what is no answer."""
        self._write(line)

    def answer(self, line: bytes | None) -> None:
        """Answer one request; None: it is cancelled, and has no answer."""
        with self._lock:
            self._left -= 1
            last = self._left == 0
            if line is not None and self._is_batch:
                self._kept.append(line.rstrip(b"\n"))
            elif line is not None:
                self._write(line)
        if last:
            self._end()

    def _end(self) -> None:
        if self._kept:
            self._write(b"[" + b",".join(self._kept) + b"]\n")
        if self._ended is not None:
            self._ended()
