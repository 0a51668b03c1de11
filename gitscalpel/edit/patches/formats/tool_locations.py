"""Locations as tools give them: positions in a text, and file names in URIs.

In a file with a byte order mark, tools that count characters start behind the mark, and tools that
count bytes start before it. URIs follow RFC 3986 and RFC 8089.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal
from urllib.parse import unquote_to_bytes

import msgspec

from gitscalpel.edit.patches.formats.patch_errors import out_of_range_error, patch_error
from gitscalpel.edit.patches.formats.patch_model import Position
from gitscalpel.errors import DoesNotFit, NotAllowed
from gitscalpel.text.document import BYTES, Document

Unit = Literal["utf16", "points", "unsaid"]
"""UTF-16 code units, Unicode code points, or one of both, which must not make a difference."""


class LineColumn(msgspec.Struct, frozen=True):
    """A line and a column in it, both from 0; no column means the end of the line.

    Attributes:
        breaks: what ends a line, as a regular expression.
        clamps: a column beyond the end of the line means that end.
    """

    line: int
    column: int | None
    unit: Unit
    breaks: bytes
    clamps: bool = False

    def offset(self, document: Document, label: str) -> int:
        """See :meth:`Position.offset`."""
        lines = _lines(document.text, self.breaks)
        if self.line >= len(lines):
            raise out_of_range_error(label, f"line {self.line + 1}", f"{len(lines)} lines")
        start, end = lines[self.line]
        if self.column is None or (self.clamps and self.column > end - start):
            return end  # no unit is shorter than a byte
        where = f"line {self.line + 1}"
        text = document.text[start:end]
        column = min(self.column, _units(text)) if self.clamps else self.column
        return start + _length(text, column, self.unit, f"{label} in {where}")


class Characters(msgspec.Struct, frozen=True):
    """A number of characters from the beginning of the text."""

    number: int
    unit: Unit

    def offset(self, document: Document, label: str) -> int:
        """See :meth:`Position.offset`."""
        return _length(document.text, self.number, self.unit, label)


class Bytes(msgspec.Struct, frozen=True):
    """A number of bytes from the beginning of the file as it is stored."""

    number: int

    def offset(self, document: Document, label: str) -> int:
        """See :meth:`Position.offset`."""
        inner = self.number - len(document.bom) if self.number else 0
        body = document.raw[len(document.bom) :]
        if inner > len(body):
            raise out_of_range_error(label, f"byte {self.number}", f"{len(document.raw)} bytes")
        if document.encoding == BYTES:
            return max(inner, 0)
        try:
            return (
                len(body[:inner].decode(document.encoding).encode("utf-8")) if inner >= 0 else _split(label)
            )
        except UnicodeDecodeError:
            return _split(label)


class Agreed(msgspec.Struct, frozen=True):
    """One position that is said in several ways."""

    ways: tuple[Position, ...]

    def offset(self, document: Document, label: str) -> int:
        """See :meth:`Position.offset`."""
        found = {way.offset(document, label) for way in self.ways}
        if len(found) > 1:
            raise patch_error(
                f"{label} says in several ways where it is, and they do not agree",
                "give lines and columns, or an offset, but not both",
            )
        return found.pop()


@lru_cache(maxsize=2)
def _lines(text: bytes, breaks: bytes) -> tuple[tuple[int, int], ...]:
    """Where each line begins and ends, without what ends it; there is always a last one."""
    found = [(mark.start(), mark.end()) for mark in re.finditer(breaks, text)]
    starts = [0, *(end for _, end in found)]
    return tuple(zip(starts, [*(start for start, _ in found), len(text)], strict=True))


def _length(text: bytes, count: int, unit: Unit, label: str) -> int:
    """The bytes that the first ``count`` units of ``text`` take."""
    if unit == "unsaid":
        ways = {_length(text, count, way, label) for way in _UNITS} if not text.isascii() else None
        if ways is not None and len(ways) > 1:
            raise DoesNotFit(
                "ambiguous",
                f"{label} counts columns in a unit that is not said, and there it makes a difference",
                "say columnKind: utf16CodeUnits or unicodeCodePoints",
            )
        unit = "points"
    known, rest = _decoded(text)
    units = len(known) if unit == "points" else len(known.encode("utf-16-le")) // 2
    if count > units and rest:
        raise patch_error(f"{label} counts across bytes that are not text", "edit it with lines or text")
    if count > units:
        raise out_of_range_error(label, f"column {count + 1}", f"{units} columns there")
    if unit == "points":
        return len(known[:count].encode("utf-8"))
    try:
        return len(known.encode("utf-16-le")[: 2 * count].decode("utf-16-le").encode("utf-8"))
    except UnicodeDecodeError:
        return _split(label)


_UNITS: tuple[Unit, Unit] = ("utf16", "points")


def _units(text: bytes) -> int:
    """How many UTF-16 code units a line has; bytes that are not text count for as many as they may be."""
    known, rest = _decoded(text)
    return len(known.encode("utf-16-le")) // 2 + len(rest)


def _decoded(text: bytes) -> tuple[str, bytes]:
    """The characters up to the first byte that is none, and what follows."""
    try:
        return text.decode("utf-8"), b""
    except UnicodeDecodeError as error:
        return text[: error.start].decode("utf-8"), text[error.start :]


def _split(label: str) -> int:
    raise patch_error(f"{label} begins or ends inside a character", "give positions between characters")


_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):")


def path_of_uri(uri: str) -> str:
    """The path that ``uri`` names: absolute for ``file:`` URIs, else from the repository root.

    Raises:
        NotAllowed: ``path_denied``, for other schemes, other machines, and URIs with a query.
    """
    scheme = _SCHEME.match(uri)
    rest = uri[scheme.end() :] if scheme else uri
    if scheme and scheme["scheme"].lower() != "file":
        raise _denied(uri, "it names no file")
    if scheme and rest.startswith("//"):
        host, slash, name = rest[2:].partition("/")
        if host not in ("", "localhost"):
            raise _denied(uri, "its file is on another machine")
        rest = slash + name
    if "?" in rest or "#" in rest:
        raise _denied(uri, "it has a query or a fragment")
    # Folders may end with a slash.
    name = unquote_to_bytes(rest.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")
    return name.rstrip("/") or name


def _denied(uri: str, why: str) -> NotAllowed:
    return NotAllowed(
        "path_denied",
        f"{uri[:200]!r} is refused: {why}",
        "name a file of the repository, as file:///ROOT/src/app.py or src/app.py",
    )
