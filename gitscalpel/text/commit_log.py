"""Commits with patches, as ``git show`` and ``git log -p`` print them.

The header of a commit says who made a change, when, and why. Without it the patch would be a commit of
whoever lands it, and several commits would become one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from gitscalpel.text.mails import PATCH, Mail, decode, make_author, strip_space

_COLOUR = re.compile(rb"\x1b\[[0-9;]*[mK]")
_COMMIT = re.compile(rb"commit [0-9a-f]{7,64}(?: |\Z)")
_AUTHOR = re.compile(rb"(?:Author: +|author )(.*)\Z")
_DATE = re.compile(rb"(?:AuthorDate|Date): +(.*)\Z")
_RAW = re.compile(rb"(.*>) (-?\d+ [-+]\d{4})\Z")
"""Author and date in one line, as in a commit object."""
_ONE_LINE = re.compile(rb"[0-9a-f]{7,64} (?:\([^()]*\) )?(.+)\Z")
_LONGEST_HEADER = 64
_INDENT = b"    "


def read_commits(raw: bytes) -> tuple[Mail, ...]:
    """Return the commits in ``raw`` that hold a patch; none if ``raw`` does not begin with a commit."""
    first = _plain(raw.lstrip().partition(b"\n")[0])
    if not _COMMIT.match(first) and not _ONE_LINE.match(first):
        return ()
    lines = raw.split(b"\n")
    starts = list(_iter_starts(lines))
    if not starts or any(line.strip() for line in lines[: starts[0]]):
        return ()
    found = (_read_commit(lines[at:end]) for at, end in pairwise([*starts, len(lines)]))
    return tuple(commit for commit in found if PATCH.search(_COLOUR.sub(b"", commit.patch)))


def _plain(line: bytes) -> bytes:
    """Return a line without colours and without a carriage return at its end."""
    return _COLOUR.sub(b"", line).rstrip(b"\r")


def _iter_starts(lines: Sequence[bytes]) -> Iterator[int]:
    """Yield the index of the first line of each commit."""
    for at, line in enumerate(lines):
        plain = _plain(line) if line[:1] in b"c\x1b0123456789abcdef" else b""
        if _COMMIT.match(plain):
            if any(_AUTHOR.match(_plain(each)) for each in lines[at + 1 : _header_end(lines, at)]):
                yield at
        elif _ONE_LINE.match(plain):
            below = [each for each in map(_plain, lines[at + 1 : at + 3]) if each]
            if below and below[0].startswith(b"diff -"):
                yield at


def _header_end(lines: Sequence[bytes], at: int) -> int:
    """Return the index of the blank line below the header that begins at a line."""
    most = min(len(lines), at + _LONGEST_HEADER)
    return next((n for n in range(at, most) if not _plain(lines[n]).strip()), most)


def _read_commit(lines: Sequence[bytes]) -> Mail:
    if not _COMMIT.match(_plain(lines[0])):
        title = _ONE_LINE.match(_plain(lines[0]))
        return Mail(decode(title[1], "utf-8") if title else "", None, b"\n".join(lines[1:]))
    end = _header_end(lines, 0)
    author, date = b"", b""
    for line in map(_plain, lines[1:end]):
        if not author and (found := _AUTHOR.match(line)):
            author = found[1]
        if not date and (found := _DATE.match(line)):
            date = found[1]
    if whole := _RAW.match(author):
        author, date = whole[1], whole[2]
    stop = next((n for n in range(end, len(lines)) if not _is_message(lines[n])), len(lines))
    message = b"\n".join(_plain(line).removeprefix(_INDENT) for line in lines[end:stop])
    named = make_author(decode(author, "utf-8"), decode(date, "utf-8"))
    return Mail(strip_space(decode(message, "utf-8")), named, b"\n".join(lines[stop:]))


def _is_message(line: bytes) -> bool:
    return line.startswith(_INDENT) or not _plain(line).strip()
