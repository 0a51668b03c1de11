"""Answers at a terminal: coloured and paged as git does it. Loaded only where one is."""

from __future__ import annotations

import os
from collections.abc import Callable

Setting = Callable[[str], "str | None"]
"""What git's configuration says of a key."""

_RESET, _BOLD = "\x1b[m", "\x1b[1m"
_LINES = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}
_NEVER = frozenset({"never", "false", "no", "off", "0"})
_BARE, _SMALLEST = 24, 10


def height() -> int:
    """Lines of the terminal."""
    try:
        return os.get_terminal_size().lines or _BARE
    except OSError:
        return _BARE


def coloured(diff: str, setting: Setting) -> str:
    """A unified diff in git's colours, where the user wants any."""
    if not _wants_colour(setting):
        return diff
    found, inside = [], False
    for line in diff.split("\n"):
        inside = line.startswith("@@") or (inside and not line.startswith("diff --git "))
        colour = _LINES.get(line[:1], "") if inside else _BOLD
        found.append(f"{colour}{line}{_RESET}" if colour and line else line)
    return "\n".join(found)


def _wants_colour(setting: Setting) -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    said = setting("color.scalpel") or setting("color.ui") or "auto"
    return said.lower() not in _NEVER


def shortened(diff: str, beside: int) -> str:
    """As much of a diff as the screen holds with so many lines beside it."""
    lines, room = diff.splitlines(), max(_SMALLEST, height() - beside - 2)
    if len(lines) <= room:
        return diff
    left = len(lines) - room
    return "\n".join([*lines[:room], f"… {left} more line{'s' * (left > 1)}"])


def pager(text: str, setting: Setting) -> str:
    """The program that is to show a text; empty: none is needed, or wanted."""
    if text.count("\n") < height() or os.environ.get("GIT_PAGER_IN_USE"):
        return ""
    given = os.environ.get("GIT_PAGER"), setting("core.pager"), os.environ.get("PAGER"), "less"
    said = next(words for words in given if words is not None)
    return "" if said in ("", "cat") or os.environ.get("TERM") == "dumb" else said
