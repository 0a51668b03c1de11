"""Places of a text as the Language Server Protocol counts them: lines from 0, and units of an encoding."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

_WIDTHS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
"""Bytes of one unit."""


class Positions:
    """The places of one text.

    Args:
        text: in UTF-8.
        encoding: ``utf-8``, ``utf-16`` or ``utf-32``: in whose units columns are counted.
    """

    def __init__(self, text: bytes, encoding: str) -> None:
        self._text = text
        self._encoding = f"{encoding}-le" if encoding != "utf-8" else encoding
        self._width = _WIDTHS[encoding]
        self._starts = [0]
        at = -1
        while (at := text.find(b"\n", at + 1)) >= 0:
            self._starts.append(at + 1)

    def of(self, byte: int) -> dict[str, int]:
        """The position of a byte."""
        line = bisect_right(self._starts, byte) - 1
        before = self._text[self._starts[line] : byte].decode("utf-8", "replace")
        return {"line": line, "character": len(before.encode(self._encoding)) // self._width}

    def byte(self, position: Any) -> int | None:
        """The byte at a position; None: there is none."""
        try:
            line, column = int(position["line"]), int(position["character"])
            start = self._starts[line] if line >= 0 else None
        except (TypeError, KeyError, ValueError, IndexError):
            return None
        if start is None or column < 0:
            return None
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self._text)
        units = self._text[start:end].decode("utf-8", "replace").encode(self._encoding)
        before = units[: column * self._width].decode(self._encoding, "ignore")
        return start + len(before.encode("utf-8"))
