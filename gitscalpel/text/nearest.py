"""The lines that come closest to a text that was not found, and where they differ from it."""

from __future__ import annotations

import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import msgspec

from gitscalpel.text.strategies import normalised

_WORD = re.compile(rb"\w+")
_COMPARED = 40
"""Lines that are compared letter by letter; the words they share choose them."""
_SHOWN = 200
"""Bytes of a line that a message shows."""


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


class Difference(msgspec.Struct, frozen=True):
    """The first line of a text that is not as the file has it, where most of its lines are.

    Attributes:
        nth: which line of the text, from 1.
        sent: that line.
        number: the line of the file, from 1.
        there: that line; None beyond the end of the file.
        blanks: no line differs in more than white space.
    """

    nth: int
    sent: bytes
    number: int
    there: bytes | None
    blanks: bool

    @property
    def words(self) -> str:
        """The same for people."""
        sent = _short(self.sent)
        if self.there is None:
            return f"its line {self.nth} ({sent!r}) would stand below the end of the file"
        there = _short(self.there)
        only = ", as all of it only in white space" if self.blanks else self._form
        return f"its line {self.nth} ({sent!r}) differs from line {self.number} ({there!r}){only}"

    @property
    def _form(self) -> str:
        """Words for two lines that look alike, and are not in the same Unicode normal form; else nothing."""
        there = self.there or b""
        if there.isascii() or self.sent.isascii() or normalised(there) != normalised(self.sent):
            return ""
        return " only in its Unicode normal form"

    @property
    def data(self) -> dict[str, Any]:
        """The same for programs."""
        there = None if self.there is None else _short(self.there)
        said = {"nth": self.nth, "sent": _short(self.sent)}
        return {**said, "line": self.number, "text": there, "white_space": self.blanks}


def _short(line: bytes) -> str:
    """A line as a message can hold it."""
    said = line[:_SHOWN].decode("utf-8", "replace")
    return said if len(line) <= _SHOWN else f"{said}…"


def difference(lines: Sequence[bytes], old: Sequence[bytes]) -> Difference | None:
    """Where ``old`` first differs from the place of its first line, else of most; None without one."""
    where: defaultdict[bytes, list[int]] = defaultdict(list)
    for at, line in enumerate(lines):
        if line.strip():
            where[b" ".join(line.split())].append(at)
    words = [b" ".join(line.split()) for line in old]
    votes = Counter(at - nth for nth, line in enumerate(words) for at in where[line][:_COMPARED])
    begins = where[words[0]] if words else []  # where the first line stands, if that is certain
    start = min(votes, key=lambda at: (begins != [at], -votes[at], at), default=None)
    if start is None or start < 0:
        return None
    own = [*lines[start : start + len(old)], *[None] * max(0, start + len(old) - len(lines))]
    nth = next((nth for nth, line in enumerate(old) if own[nth] != line), None)
    if nth is None:
        return None
    blanks = all(
        line is not None and line.split() == sent.split() for line, sent in zip(own, old, strict=True)
    )
    return Difference(nth + 1, old[nth], start + nth + 1, own[nth], blanks)
