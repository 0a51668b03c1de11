"""Which words of two lines differ, for marks within a diff."""

from __future__ import annotations

import difflib
import re
from typing import NamedTuple

_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)
_LONGEST = 500
"""Characters of a line that is looked at word by word; difflib is quadratic."""
_ALIKE = 0.3
"""Two lines that have less in common (``SequenceMatcher.ratio``) are two lines, not one that has changed."""


class Piece(NamedTuple):
    """A part of a line; ``changed``: the other line does not have it."""

    text: str
    changed: bool


def marked(old: str, new: str) -> tuple[list[Piece], list[Piece]]:
    """Both lines in pieces."""
    whole = [Piece(old, False)], [Piece(new, False)]
    if max(len(old), len(new)) > _LONGEST:
        return whole
    words = _WORD.findall(old), _WORD.findall(new)
    found = difflib.SequenceMatcher(None, *words, autojunk=False)
    if found.ratio() < _ALIKE:
        return whole
    left: list[Piece] = []
    right: list[Piece] = []
    for tag, a, b, c, d in found.get_opcodes():
        if a < b:
            left.append(Piece("".join(words[0][a:b]), tag != "equal"))
        if c < d:
            right.append(Piece("".join(words[1][c:d]), tag != "equal"))
    return left, right
