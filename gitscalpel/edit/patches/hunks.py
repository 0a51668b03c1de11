"""Reads one hunk of a unified diff, also where its header is wrong about it.

A hunk's counts say where it ends, and only they tell a removed line ``-- x`` from a header. Where
they cannot be right, the hunk goes on to the next header.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from gitscalpel.edit.patches.pieces import Hunk, Line

_HEADER = re.compile(rb"@@+ -(\d{1,18})(?:,(\d{1,18}))? \+(\d{1,18})(?:,(\d{1,18}))? @@")
_MARKS = (b" ", b"-", b"+")
SIGNATURE = b"-- "
"""What format-patch puts below the last hunk, above git's version."""


class Read(NamedTuple):
    """A hunk, and the index of the line after it."""

    hunk: Hunk
    end: int


def read(lines: Sequence[bytes], at: int, index: int) -> Read:
    """The hunk whose header is ``lines[at]``, the ``index``-th of its file."""
    header = _HEADER.match(lines[at])
    number = int(header[1]) if header else None
    if header is not None and number is not None:
        olds, news = (int(count) if count is not None else 1 for count in header.group(2, 4))
        counted = _counted(lines, at + 1, olds, news)
        if counted is not None:
            body, end = counted
            # A range without lines stands after the line that it names.
            begin = number + (olds == 0)
            opens = (number, olds) == (0, 0)
            return Read(Hunk(index=index, lines=tuple(body), number=begin, exact=True, opens=opens), end)
    body, end = _to_next_header(lines, at + 1)
    title = lines[at].strip(b"@ \r")
    anchors = ((title,),) if header is None and title.strip(b". -+,0123456789") else ()
    note = f"counted the lines of hunk {index}" if header else f"hunk {index} came without line numbers"
    return Read(
        Hunk(index=index, lines=tuple(body), number=number, anchors=anchors, corrections=(note,)), end
    )


def is_file_header(lines: Sequence[bytes], at: int) -> bool:
    """Whether a file's part begins at ``lines[at]``."""
    if lines[at].startswith(b"diff --git "):
        return True
    following = lines[at + 1] if at + 1 < len(lines) else b""
    return lines[at].startswith(b"--- ") and following.startswith(b"+++ ")


def _counted(lines: Sequence[bytes], at: int, olds: int, news: int) -> tuple[list[Line], int] | None:
    """The body by its counts; None if they cannot be right."""
    body: list[Line] = []
    while olds > 0 or news > 0 or _is_bare(lines, at):
        if at >= len(lines):
            return None
        if _is_bare(lines, at):
            if not body:
                return None
            body[-1] = body[-1]._replace(bare=True)
        else:
            line = _line(lines[at])
            if line is None:
                return None
            body.append(line)
            olds -= line.mark != b"+"
            news -= line.mark != b"-"
        at += 1
    return None if min(olds, news) < 0 or _goes_on(lines, at) else (body, at)


def _goes_on(lines: Sequence[bytes], at: int) -> bool:
    """Whether what follows can only be more of the hunk."""
    if at >= len(lines) or lines[at].rstrip(b"\r") in (SIGNATURE, b"--"):
        return False
    return lines[at][:1] in _MARKS and not is_file_header(lines, at)


def _to_next_header(lines: Sequence[bytes], at: int) -> tuple[list[Line], int]:
    body: list[Line] = []
    filled = 0
    while at < len(lines) and not is_file_header(lines, at) and not _is_signature(lines, at):
        if _is_bare(lines, at) and body:
            body[-1] = body[-1]._replace(bare=True)
        elif (line := _line(lines[at])) is not None:
            body.append(line)
        elif _goes_on_below(lines, at):
            body.append(Line(b" ", lines[at], unmarked=True))
        else:
            break
        # Empty lines at the end separate; they are part of the hunk only if more of it follows.
        filled = len(body) if lines[at].rstrip(b"\r") else filled
        at += 1
    return body[:filled], at


def _goes_on_below(lines: Sequence[bytes], at: int) -> bool:
    """Whether lines without a mark lead to lines with one: then they are context that lost its blank."""
    for line in lines[at:]:
        if not line.rstrip(b"\r") or line.startswith(
            (b"@@", b"diff ", b"--- ", b"+++ ", b"```", b"~~~", b"***")
        ):
            return False
        if line[:1] in _MARKS:
            return True
    return False


def _is_signature(lines: Sequence[bytes], at: int) -> bool:
    return (
        lines[at] == SIGNATURE and at + 1 < len(lines) and re.match(rb"\d+\.\d+", lines[at + 1]) is not None
    )


def _is_bare(lines: Sequence[bytes], at: int) -> bool:
    return at < len(lines) and lines[at].startswith(b"\\")


def _line(raw: bytes) -> Line | None:
    """A line of a body; a blank context line may have lost the blank before it."""
    if raw.rstrip(b"\r") == b"":
        return Line(b" ", raw)
    return Line(raw[:1], raw[1:]) if raw[:1] in _MARKS else None
