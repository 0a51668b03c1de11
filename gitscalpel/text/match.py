"""Where a text stands in a file: exactly, or as language models remember it.

Models get white space and escapes wrong, never line structure, so every fuzzy
strategy compares whole lines one to one. The ladder is the one that coding
agents share (opencode's replacers); what is dropped from it is what guesses.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Container, Iterator
from functools import cached_property

import msgspec

from gitscalpel.text.strategies import STRATEGIES, Strategy

Known = Callable[[int], Container[int]]
"""From an offset in a file to the numbers of the line there."""


class Hit(msgspec.Struct, frozen=True):
    """A place in the file, as byte offsets, and its own lines if it was compared by lines."""

    start: int
    end: int
    lines: tuple[bytes, ...] = ()


class Found(msgspec.Struct, frozen=True):
    """Every place that one strategy found, in order; places may overlap.

    Attributes:
        old, new: what was sent, as the strategy reads it.
        forgives: in words, what differs from the file; empty if nothing does.
    """

    strategy: str
    hits: tuple[Hit, ...]
    old: bytes = b""
    new: bytes = b""
    forgives: str = ""


class Folded:
    """A text with every CRLF as LF, and the way back to its own byte offsets."""

    def __init__(self, raw: bytes) -> None:
        self.raw_text = raw
        self.text = raw.replace(b"\r\n", b"\n")
        pairs = re.finditer(rb"\r\n", raw) if len(self.text) != len(raw) else ()
        self._feeds = [pair.start() - index for index, pair in enumerate(pairs)]

    def raw(self, offset: int) -> int:
        """The offset in the file of ``offset`` in the folded text."""
        return offset + bisect_left(self._feeds, offset)

    @cached_property
    def lines(self) -> list[bytes]:
        """The lines without their endings; a final newline opens no further line."""
        return split(self.text)

    @cached_property
    def starts(self) -> list[int]:
        """Where each of ``lines`` begins in the folded text."""
        starts, at = [], 0
        for line in self.lines:
            starts.append(at)
            at += len(line) + 1
        return starts


def split(text: bytes) -> list[bytes]:
    """The lines of ``text``, which has LF endings; a final one opens no further line."""
    return text.removesuffix(b"\n").split(b"\n") if text else []


def find(
    text: Folded, old: bytes, new: bytes = b"", *, whole: bool = False, known: Known | None = None
) -> Found | None:
    """Every place of ``old`` (with LF endings), by the first strategy that finds one.

    A text of white space only identifies no place by what it says, so it is
    matched exactly or not at all.

    Args:
        text: the file.
        old: what is looked for.
        new: what comes in its place, which is read as ``old`` is.
        whole: only whole lines count.
        known: the numbers that the line at an offset of the file has or had.
    """
    hits = by_lines(text, old, _itself) if whole else exact(text, old)
    if hits:
        return Found("exact", hits, old, new)
    if not old.strip():
        return None
    for strategy in STRATEGIES:
        meant, put = strategy.rewrite(old, new) if strategy.rewrite else (old, new)
        if strategy.rewrite and (meant == old or not meant.strip()):
            continue
        hits = _places(text, meant, strategy, whole=whole)
        number = strategy.number(old) if strategy.number else None
        if number is not None and known is not None:
            hits = tuple(hit for hit in hits if number in known(hit.start))
        if strategy.ends:
            hits = tuple(hit for hit in hits if hit.end == text.raw(len(text.text)))
        if hits:
            if strategy.fit and not hits[0].lines:
                put = strategy.fit(text.raw_text[hits[0].start : hits[0].end], put)
            return Found(strategy.name, hits, meant, put, strategy.forgives)
    return None


def _places(text: Folded, old: bytes, strategy: Strategy, *, whole: bool) -> tuple[Hit, ...]:
    """Return every place of ``old``, as one strategy reads and compares it."""
    if strategy.search and not whole:
        found = strategy.search(text.text, old)
        return tuple(Hit(text.raw(start), text.raw(end)) for start, end in found)
    key = strategy.key or (_itself if whole else None)
    return by_lines(text, old, key) if key else exact(text, old)


def _itself(line: bytes) -> bytes:
    return line


def exact(text: Folded, old: bytes) -> tuple[Hit, ...]:
    """Every occurrence of ``old`` as it is, overlapping ones as well."""
    return tuple(Hit(text.raw(at), text.raw(at + len(old))) for at in _every(text.text, old))


def by_lines(text: Folded, old: bytes, key: Callable[[bytes], bytes]) -> tuple[Hit, ...]:
    """Every run of lines that equals the lines of ``old`` under ``key``.

    A hit holds the last line's ending if ``old`` ends with one.
    """
    wanted = [key(line) for line in split(old)]
    rows = b"\n" + b"\n".join(map(key, text.lines)) + b"\n"
    whole = old.endswith(b"\n")
    hits, row, seen = [], 0, 0
    for at in _every(rows, b"\n" + b"\n".join(wanted) + b"\n"):
        row, seen = row + rows.count(b"\n", seen, at), at
        last = row + len(wanted) - 1
        end = min(text.starts[last] + len(text.lines[last]) + whole, len(text.text))
        lines = tuple(text.lines[row : last + 1])
        hits.append(Hit(text.raw(text.starts[row]), text.raw(end), lines))
    return tuple(hits)


def apart(hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """The hits that are left when they are taken from left to right without overlap."""
    kept: list[Hit] = []
    for hit in hits:
        if not kept or hit.start >= kept[-1].end:
            kept.append(hit)
    return tuple(kept)


def _every(text: bytes, part: bytes) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)
