"""References to lines and nodes by number and hash, and the lines of a file to which they refer.

A line hash depends on the line alone, so it shows whether the line that the caller saw is unchanged. A line
that moved can be followed only if no other line has the same hash.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Any

import msgspec

from gitscalpel.errors import BadCall, DoesNotFit, WorldMoved
from gitscalpel.errors.messages import arg
from gitscalpel.text.document import Document, ending_of

_NODE = re.compile(r"(?P<type>[^\s:]+):(?P<start>[0-9]{1,18})-(?P<end>[0-9]{1,18})\Z")
_REF = re.compile(r"(?P<n>[0-9]{1,18})(?::(?P<hash>[0-9a-fA-F]{4,16}))?\Z")


class LineRef(msgspec.Struct, frozen=True):
    """A line number (from 1), and the expected hash of the line."""

    number: int
    hash: str | None


class LineRange(msgspec.Struct, frozen=True):
    """Lines ``first`` to ``last``, inclusive, and their expected content hash."""

    first: LineRef
    last: LineRef
    content: str | None


class NodeRef(msgspec.Struct, frozen=True):
    """A syntax node of one blob: its type, and the bytes ``[start, end)`` of the UTF-8 text."""

    type: str
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.type}:{self.start}-{self.end}"


def line_hash(line: bytes, digits: int = 4) -> str:
    """Return the first hex digits of BLAKE2b-512 over a line without its ending."""
    return blake2b(line[: len(line) - len(ending_of(line))]).hexdigest()[:digits]


def content_hash(content: bytes) -> str:
    """Return the first 12 hex digits of BLAKE2b-512 over the bytes without the last line ending."""
    return line_hash(content, 12)


def parse_ref(value: int | float | str) -> LineRef:
    """Return a line reference such as ``42`` or ``"42:9f3c"``. Raises ``BadCall``: ``invalid_ref``."""
    match = _REF.match(str(value).strip())
    if not match or int(match["n"]) < 1:
        raise BadCall(
            "invalid_ref",
            f"{str(value)!r} is not a line reference",
            "give a line number (1 or higher), optionally with the line's hash: 42 or 42:9f3c; for several "
            "lines, 42-55",
        )
    return LineRef(int(match["n"]), match["hash"].lower() if match["hash"] else None)


def parse_range(start: int | float | str, end: int | float | str | None = None) -> LineRange:
    """Return a line range from two references, or from one text such as ``42:9f3c-55:01be@<hash>``.

    Raises:
        BadCall: ``invalid_ref``, or ``invalid_range`` if the end is before the start.
    """
    text, _, content = str(start).strip().partition("@")
    if content and not re.fullmatch(r"[0-9a-fA-F]{12,128}", content):
        raise BadCall(
            "invalid_ref", f"{content!r} is not a content hash", "copy the range from the output of show"
        )
    left, dash, right = text.partition("-")
    if dash and left and end is not None:
        raise BadCall(
            "invalid_ref",
            f"{arg('start')} is already a range, so {arg('end')} cannot be given too",
            f"leave {arg('end')} out",
        )
    first = parse_ref(left if dash and left else text)
    last = parse_ref(right) if dash and left else first if end is None else parse_ref(end)
    if last.number < first.number:
        raise _reversed_range_error(first.number, last.number)
    return LineRange(first, last, content.lower() or None)


def _reversed_range_error(first: int, last: int) -> BadCall:
    """Return the error for a range that ends before it begins, with a hint to insert if it is empty."""
    hint, retry = "swap the two", {"start": last, "end": first}
    if first == last + 1:
        hint += f"; to insert between {last} and {first}, give {arg('start', last)} with "
        hint += arg("position", "after")
    return BadCall("invalid_range", f"line {last} is before line {first}", hint, retry=retry)


def parse_node(value: str) -> NodeRef:
    """Return a node reference as ``find`` prints it, such as ``if_statement:120-164``.

    Raises:
        BadCall: ``invalid_ref``.
    """
    match = _NODE.match(value.strip())
    if not match or int(match["end"]) < int(match["start"]):
        raise BadCall("invalid_ref", f"{value!r} is not a node_id", "copy the node_id that find printed")
    return NodeRef(match["type"], int(match["start"]), int(match["end"]))


_SHOWN = 1  # lines of context around a stale range


class Located(msgspec.Struct, frozen=True):
    """Lines ``first`` to ``last``, and the number of lines by which they moved since the caller saw them."""

    first: int
    last: int
    moved: int = 0


def locate_lines(lines: LineRange, document: Document, relocate: bool = False) -> Located:
    """Return the lines of ``document`` to which ``lines`` refers.

    With ``relocate``, follow the range if its hashed lines moved, all by the same distance.

    Raises:
        DoesNotFit: ``out_of_range``.
        WorldMoved: ``stale``, with the current lines and the range to use.
    """
    references = (lines.first, lines.last)
    moved = 0
    if not all(_has_hash(document, reference) for reference in references):
        followed = _find_distance(document, references) if relocate else None
        if followed is None or not 1 <= lines.first.number + followed <= document.line_count:
            followed = 0
        moved = followed
    located = Located(lines.first.number + moved, lines.last.number + moved, moved)
    if not 1 <= located.first <= located.last <= document.line_count:
        raise _out_of_range_error(document, lines)
    start, end = document.span(located.first, located.last)
    content = lines.content is None or _same_content(document.text[start:end], lines.content)
    if not content or not all(_has_hash(document, LineRef(r.number + moved, r.hash)) for r in references):
        raise _stale_error(document, lines, located)
    return located


def format_reference(document: Document, first: int, last: int) -> str:
    """Return the range as ``show`` prints it, ``42:9f3c-55:01be@<content hash>``."""
    start, end = document.span(first, last)
    ends = [f"{number}:{line_hash(document.line(number))}" for number in (first, last)]
    return f"{'-'.join(ends)}@{content_hash(document.text[start:end])}"


def _has_hash(document: Document, reference: LineRef) -> bool:
    if not 1 <= reference.number <= document.line_count:
        return False
    return reference.hash is None or _matches_hash(document.line(reference.number), reference.hash)


def _matches_hash(line: bytes, digest: str) -> bool:
    return line_hash(line, len(digest)) == digest


def _same_content(content: bytes, digest: str) -> bool:
    # Not content_hash(): a longer hash than show prints is accepted as well.
    return line_hash(content, len(digest)) == digest


def _find_distance(document: Document, references: tuple[LineRef, ...]) -> int | None:
    """Return the distance in lines by which the hashed lines moved, or None if it is ambiguous."""
    distances = set()
    for reference in set(references):
        if reference.hash is None:
            continue
        numbers = _find_lines_with_hash(document, reference.hash)
        if len(numbers) != 1:
            return None
        distances.add(numbers[0] - reference.number)
    return distances.pop() if len(distances) == 1 else None


def _find_lines_with_hash(document: Document, digest: str) -> list[int]:
    return [n for n in range(1, document.line_count + 1) if _matches_hash(document.line(n), digest)]


def _out_of_range_error(document: Document, lines: LineRange) -> DoesNotFit:
    total = document.line_count
    beyond = next(r.number for r in (lines.first, lines.last) if r.number > total)
    data: dict[str, Any] = {"total_lines": total}
    hint = f"insert at line 1 with {arg('position', 'before')}" if not total else f"use lines 1 to {total}"
    if total and lines.first.number == total + 1:
        data["retry"] = {"start": total, "position": "after"}
        hint = f"to add at the end, give {arg('start', total)} with {arg('position', 'after')}"
    has = "is empty" if not total else f"has {total} line{'s' if total > 1 else ''}"
    return DoesNotFit("out_of_range", f"line {beyond} does not exist: the file {has}", hint, **data)


def _stale_error(document: Document, lines: LineRange, at: Located) -> WorldMoved:
    current_range = format_reference(document, at.first, at.last)
    data: dict[str, Any] = {
        "range": current_range,
        "lines": _list_lines(document, max(1, at.first - _SHOWN), min(document.line_count, at.last + _SHOWN)),
        "content": _decode_line(document.text[slice(*document.span(at.first, at.last))]),
        "retry": {"start": current_range},
    }
    hint = f"these are the current lines; if they are still the ones to edit, use {current_range}"
    moved = _find_distance(document, (lines.first, lines.last))
    if moved and 1 <= at.first + moved <= at.last + moved <= document.line_count:
        moved_range = format_reference(document, at.first + moved, at.last + moved)
        data |= {"moved_to": moved_range, "retry": {"start": moved_range}}
        hint = f"the lines moved: use {moved_range}, or give {arg('relocate')}"
    subject = f"line {at.first}" if at.first == at.last else f"lines {at.first}-{at.last}"
    return WorldMoved("stale", f"{subject} changed since you looked", hint, **data)


def _list_lines(document: Document, first: int, last: int) -> list[dict[str, Any]]:
    lines = ((n, document.line(n)) for n in range(first, last + 1))
    return [{"n": n, "hash": line_hash(x), "text": _decode_line(x)} for n, x in lines]


def _decode_line(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")
