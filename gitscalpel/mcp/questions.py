"""Requests of ours to the client, and who waits for their answers."""

from __future__ import annotations

import threading
from typing import Any

from gitscalpel.mcp import wire
from gitscalpel.mcp.exchange import Write
from gitscalpel.mcp.wire import Message

_PREFIX = "gitscalpel-"
_LOOKS_UP = 0.2
"""Seconds after which somebody who waits looks whether he still has to."""


class _Open:
    def __init__(self) -> None:
        self.answered = threading.Event()
        self.result: Any = None


class Questions:
    """Those of one client that are open."""

    def __init__(self) -> None:
        self._open: dict[str, _Open] = {}
        self._lock = threading.Lock()
        self._asked = 0
        self._gone = threading.Event()

    def ask(self, method: str, params: dict[str, Any], write: Write, stop: threading.Event) -> Any:
        """Ask, and wait for the result.

        Args:
            method: what is asked.
            params: with what.
            write: takes the request.
            stop: is set when nobody wants to know any more.

        Returns:
            None where there is none: the client says that it failed, has gone, or nobody wants to know.
        """
        with self._lock:
            self._asked += 1
            id_ = f"{_PREFIX}{self._asked}"
            waiting = self._open[id_] = _Open()
        write(wire.request(id_, method, params))
        while not (waiting.answered.wait(_LOOKS_UP) or stop.is_set() or self._gone.is_set()):
            pass
        with self._lock:
            self._open.pop(id_, None)
        return waiting.result

    def hear(self, message: Message) -> bool:
        """Take an answer; whether it is one that somebody waits for."""
        with self._lock:
            waiting = self._open.get(message.id) if isinstance(message.id, str) else None
        if waiting is None or message.method:
            return False
        waiting.result = message.result
        waiting.answered.set()
        return True

    def close(self) -> None:
        """The client has gone: nobody will answer."""
        self._gone.set()
