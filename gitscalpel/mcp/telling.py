"""What a client hears while a call is done: progress where it has asked for that, and a log (``logging``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gitscalpel.mcp import wire
from gitscalpel.mcp.exchange import Write
from gitscalpel.mcp.wire import INVALID_PARAMS, Fault, Message

Tell = Callable[[str], None]
_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""Those of RFC 5424, the least important first."""
_OURS = _LEVELS.index("info")


def level(asked: Any) -> str:
    """A level of the log, as a client has asked for it.

    Raises:
        Fault: there is none that is called so.
    """
    if asked not in _LEVELS:
        raise Fault(INVALID_PARAMS, f"there is no level {asked!r}: {', '.join(_LEVELS)}")
    return str(asked)


def teller(message: Message, write: Write, least: str | None) -> Tell | None:
    """Who tells a client what takes a while; None: it wants to hear nothing.

    Args:
        message: its call.
        write: takes what is told.
        least: the level from which on it wants the log; None: it wants none.
    """
    token = message.meta.get("progressToken")
    logs = least is not None and _LEVELS.index(least) <= _OURS
    if token is None and not logs:
        return None
    steps = 0

    def tell(words: str) -> None:
        nonlocal steps
        steps += 1
        if token is not None:
            said = {"progressToken": token, "progress": steps, "message": words}
            write(wire.notification("notifications/progress", said))
        if logs:
            entry = {"level": _LEVELS[_OURS], "logger": str(message.params.get("name")), "data": words}
            write(wire.notification("notifications/message", entry))

    return tell
