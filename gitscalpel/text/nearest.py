"""The lines that come closest to a text that was not found, so that the caller can correct it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

_WORD = re.compile(rb"\w+")
_COMPARED = 40
"""Lines that are compared letter by letter; the words they share choose them."""


def nearest(lines: Sequence[bytes], old: Sequence[bytes], count: int = 3) -> list[int]:
    """The numbers of up to ``count`` lines that are most like the longest line of ``old``."""
    wanted = max((line.strip() for line in old), key=len, default=b"")
    words = set(_WORD.findall(wanted.lower()))
    shared = [
        (len(words.intersection(_WORD.findall(line.lower()))), number) for number, line in enumerate(lines, 1)
    ]
    likely = sorted(((n, number) for n, number in shared if n), key=lambda s: (-s[0], s[1]))[:_COMPARED]
    text = wanted.decode("utf-8", "replace")[:400]
    scored = []
    for _, number in likely:
        line = lines[number - 1].strip().decode("utf-8", "replace")[:400]
        ratio = difflib.SequenceMatcher(None, text, line, False).ratio()
        if ratio >= 0.6:
            scored.append((-ratio, number))
    return [number for _, number in sorted(scored)[:count]]
