"""Reads one hunk of a unified diff, also where its header is wrong about it.

A hunk's counts say where it ends, and only they tell a removed line ``-- x`` from a header. Where
they cannot be right, the hunk goes on as far as there are lines of one (``extent``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from gitscalpel.edit.patches import extent
from gitscalpel.edit.patches.pieces import Hunk, Line

_HEADER = re.compile(rb"@@+ -(\d{1,18})(?:,(\d{1,18}))? \+(\d{1,18})(?:,(\d{1,18}))? @@(.*)\Z", re.DOTALL)
_AT = re.compile(rb"(?:\A|(?<=\s))@@+(?=\s|\Z)")
_PLACEHOLDER = re.compile(rb"[\s.,\-+\d]*|-\S+ \+\S+")


class Read(NamedTuple):
    """A hunk, and the index of the line after it; lines that may be no part of it come after that."""

    hunk: Hunk
    end: int


class _Counts(NamedTuple):
    """How many old and new lines there are; ``opens``: the header says that there was no line before."""

    olds: int
    news: int
    opens: bool


class _Body(msgspec.Struct, frozen=True):
    """The lines of a hunk, from the first to the one before ``end``."""

    lines: list[Line]
    end: int


def read(lines: Sequence[bytes], at: int, index: int, fence: bytes) -> Read:
    """The hunk whose header is ``lines[at]``, the ``index``-th of its file.

    Args:
        lines: the whole text.
        at: where the header stands.
        index: from 1.
        fence: what began the Markdown block around it, empty if nothing.
    """
    header = _HEADER.match(lines[at])
    if header is None:
        return _without_numbers(lines, at + 1, index, fence, _titles(lines[at]))
    number, heading = int(header[1]), header[5].strip()
    olds, news = (int(count) if count is not None else 1 for count in header.group(2, 4))
    said = _Counts(olds, news, opens=(number, olds) == (0, 0))
    for is_strict in (True, False):
        body = _counted(lines, at + 1, said, fence, is_strict=is_strict)
        if body is not None:
            loose = _loose(lines, body)
            hunk = Hunk(
                index=index,
                lines=tuple(body.lines),
                number=number + (said.olds == 0),  # a range without lines stands after the line it names
                exact=is_strict,
                opens=said.opens,
                heading=heading,
                loose=loose,
            )
            return Read(hunk, body.end - loose)
    body, loose = _to_boundary(lines, at + 1, fence, said)
    note = f"counted the lines of hunk {index}"
    hunk = Hunk(index=index, lines=tuple(body.lines), number=number, heading=heading, loose=loose)
    return Read(hunk.noted(note), body.end - loose)


def read_bare(lines: Sequence[bytes], at: int, index: int, fence: bytes) -> Read | None:
    """The hunk that begins at ``lines[at]`` without a header; None if nothing there is a line of one."""
    stop = extent.boundary(lines, at, fence)
    return _without_numbers(lines, at, index, fence) if extent.end(lines, at, stop) > at else None


def _without_numbers(
    lines: Sequence[bytes], at: int, index: int, fence: bytes, anchors: tuple[tuple[bytes, ...], ...] = ()
) -> Read:
    body, loose = _to_boundary(lines, at, fence)
    hunk = Hunk(index=index, lines=tuple(body.lines), anchors=anchors, loose=loose)
    return Read(hunk.noted(f"hunk {index} came without line numbers"), body.end - loose)


def _titles(header: bytes) -> tuple[tuple[bytes, ...], ...]:
    """What a header without numbers names; what stands for numbers is no name."""
    said = (part.strip() for part in _AT.split(header))
    return tuple((part.strip(b"@ "),) for part in said if not _PLACEHOLDER.fullmatch(part))


def _counted(
    lines: Sequence[bytes], at: int, said: _Counts, fence: bytes, *, is_strict: bool
) -> _Body | None:
    """The body by its counts; None if they cannot be right.

    Args:
        lines: the whole text.
        at: where the body begins.
        said: the counts.
        fence: what began the Markdown block around it, empty if nothing.
        is_strict: no line of it has lost its mark, other than blank ones.
    """
    body: list[Line] = []
    olds, news, _ = said
    while olds > 0 or news > 0 or _is_bare(lines, at):
        if at >= len(lines) or extent.is_certain_header(lines, at):
            return None
        if _is_bare(lines, at):
            if not body:
                return None
            body[-1] = body[-1]._replace(bare=True)
        else:
            line = _line(lines[at])
            if line.unmarked and (is_strict or lines[at].startswith((b"@@", b"diff ", b"*** "))):
                return None
            body.append(line)
            olds -= line.mark != b"+"
            news -= line.mark != b"-"
        at += 1
    stop = extent.boundary(lines, at, fence)
    # Where nothing but the number says the place, what stands right below may be its context.
    is_told = said.olds == 0 and at < stop and lines[at].strip() and not extent.is_end(lines[at])
    may_lack_context = is_told and not said.opens
    return (
        None
        if min(olds, news) < 0 or may_lack_context or extent.goes_on(lines, at, stop)
        else _Body(body, at)
    )


def _loose(lines: Sequence[bytes], body: _Body) -> int:
    """How many lines at the end of a counted body may be blank lines and prose that stand below it."""
    begin = body.end
    while begin > body.end - len(body.lines) and lines[begin - 1][:1] not in (*extent.MARKS, b"\\"):
        begin -= 1
    parting = (n for n in range(begin, body.end) if not lines[n].strip() or extent.FENCE.match(lines[n]))
    return body.end - next(parting, body.end)


def _to_boundary(
    lines: Sequence[bytes], at: int, fence: bytes, said: _Counts | None = None
) -> tuple[_Body, int]:
    """The body as far as there are lines of a hunk, and how many at its end may be no part of it.

    These are the lines right below; where counts say that there are more, also what is parted by blanks.
    """
    stop = extent.boundary(lines, at, fence)
    end = extent.end(lines, at, stop)
    body: list[Line] = []
    for n in range(at, end):
        if _is_bare(lines, n) and body:
            body[-1] = body[-1]._replace(bare=True)
        else:
            body.append(_line(lines[n]))
    more = max(0, said.news - sum(line.mark != b"-" for line in body)) if said else 0
    below = end
    while below < stop and (lines[below].strip() or below - end < more):
        below += 1
    while below > end and not lines[below - 1].strip():
        below -= 1
    body += map(_line, lines[end:below])
    return _Body(body, below), below - end


def _is_bare(lines: Sequence[bytes], at: int) -> bool:
    return at < len(lines) and lines[at].startswith(b"\\")


def _line(raw: bytes) -> Line:
    """A line of a body; a blank context line may have lost the blank before it, and others too."""
    if raw.rstrip(b"\r") == b"":
        return Line(b" ", raw)
    return Line(raw[:1], raw[1:]) if raw[:1] in extent.MARKS else Line(b" ", raw, unmarked=True)
