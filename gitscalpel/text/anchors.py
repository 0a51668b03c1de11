"""Line hashes, content hashes, and references to lines and nodes.

A line hash depends on the line alone, so it says whether the line that the
caller saw is still there, and where it went if not.
"""

from __future__ import annotations

import re
from hashlib import blake2b

import msgspec

from gitscalpel.errors import BadCall
from gitscalpel.errors.messages import arg
from gitscalpel.text.document import ending_of

_NODE = re.compile(r"(?P<type>[^\s:]+):(?P<start>[0-9]{1,18})-(?P<end>[0-9]{1,18})\Z")
_REF = re.compile(r"(?P<n>[0-9]{1,18})(?::(?P<hash>[0-9a-fA-F]{4,16}))?\Z")


class LineRef(msgspec.Struct, frozen=True):
    """A line number from 1, and the hash that the line should have."""

    number: int
    hash: str | None


class LineRange(msgspec.Struct, frozen=True):
    """Lines ``first`` to ``last``, inclusive, and the content hash they should have."""

    first: LineRef
    last: LineRef
    content: str | None


class NodeRef(msgspec.Struct, frozen=True):
    """A syntax node of one blob: its type, and the bytes ``[start, end)`` of the text in UTF-8."""

    type: str
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.type}:{self.start}-{self.end}"


def line_hash(line: bytes, digits: int = 4) -> str:
    """The first hex digits of BLAKE2b-512 over a line without its ending."""
    return blake2b(line[: len(line) - len(ending_of(line))]).hexdigest()[:digits]


def content_hash(content: bytes) -> str:
    """The first 12 hex digits of BLAKE2b-512 over the bytes without the last line ending."""
    return line_hash(content, 12)


def parse_ref(value: int | float | str) -> LineRef:
    """A line reference such as ``42`` or ``"42:9f3c"``.

    Raises:
        BadCall: ``invalid_ref``.
    """
    found = _REF.match(str(value).strip())
    if not found or int(found["n"]) < 1:
        raise BadCall(
            "invalid_ref",
            f"{str(value)!r} is not a line reference",
            "write a whole number from 1 on, with or without the line's hash: 42 or 42:9f3c; several lines "
            "are 42-55",
        )
    return LineRef(int(found["n"]), found["hash"].lower() if found["hash"] else None)


def parse_range(start: int | float | str, end: int | float | str | None = None) -> LineRange:
    """A line range from two references, or from one text such as ``42:9f3c-55:01be@<hash>``.

    Raises:
        BadCall: ``invalid_ref``, or ``invalid_range`` if the end stands before the start.
    """
    text, _, content = str(start).strip().partition("@")
    if content and not re.fullmatch(r"[0-9a-fA-F]{12,128}", content):
        raise BadCall(
            "invalid_ref", f"{content!r} is not a content hash", "copy the range as show printed it"
        )
    left, dash, right = text.partition("-")
    if dash and left and end is not None:
        raise BadCall(
            "invalid_ref",
            f"{arg('start')} is a whole range, and {arg('end')} is given too",
            f"leave {arg('end')} out",
        )
    first = parse_ref(left if dash and left else text)
    last = parse_ref(right) if dash and left else first if end is None else parse_ref(end)
    if last.number < first.number:
        raise _backwards(first.number, last.number)
    return LineRange(first, last, content.lower() or None)


def _backwards(first: int, last: int) -> BadCall:
    """The refusal of a range that ends before it begins; that of nothing between two lines is an insert."""
    hint, retry = "swap the two", {"start": last, "end": first}
    if first == last + 1:
        hint += f"; to insert between {last} and {first}, give {arg('start', last)} with "
        hint += arg("position", "after")
    return BadCall("invalid_range", f"line {last} stands before line {first}", hint, retry=retry)


def parse_node(value: str) -> NodeRef:
    """A node reference as ``find`` prints it, such as ``if_statement:120-164``.

    Raises:
        BadCall: ``invalid_ref``.
    """
    found = _NODE.match(value.strip())
    if not found or int(found["end"]) < int(found["start"]):
        raise BadCall("invalid_ref", f"{value!r} is not a node_id", "copy the node_id that find printed")
    return NodeRef(found["type"], int(found["start"]), int(found["end"]))
