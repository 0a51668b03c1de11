"""Data model of all patch formats: formats, files, pieces, positions and errors.

A patch consists of whole files and of pieces, the changes inside a file. In a file with a byte order mark,
tools that count characters start behind the mark, and tools that count bytes start before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple, Protocol
from urllib.parse import unquote_to_bytes

import msgspec

from gitscalpel.errors import BadCall, DoesNotFit, NotAllowed, WorldMoved
from gitscalpel.text.document import BYTES, Document
from gitscalpel.text.line_refs import LineRange
from gitscalpel.text.placeholders import is_placeholder


class Line(NamedTuple):
    """One line of a hunk."""

    mark: bytes  # ``b" "`` for context, ``b"-"`` for removed, ``b"+"`` for added
    text: bytes  # the line without its line feed, and with a carriage return before it
    bare: bool = False  # True if no line feed follows in the file
    unmarked: bool = False  # True if the line came without a mark, so it is context or was lost by mistake


class Hunk(msgspec.Struct, frozen=True, kw_only=True):
    """Adjacent lines of a file, and their changes."""

    index: int  # number of the hunk in its file, from 1
    lines: tuple[Line, ...]
    number: int | None = None  # claimed line number of the first old line, or None
    # True if the header agrees with the body, so that ``number`` is reliable without old lines.
    exact: bool = False
    # Groups of adjacent lines above the hunk, each group below the one before.
    anchors: tuple[tuple[bytes, ...], ...] = ()
    heading: bytes = b""  # line that is said to be above the hunk, used only to choose among equal places
    loose: int = 0  # number of final lines that may be text below the hunk
    at_end: bool = False  # True if the hunk claims to end at the end of the file
    opens: bool = False  # True if the header says that the file was empty before (``-0,0``)
    is_current: bool = False  # True if ``number`` may count lines of the file as the patch has left it so far
    corrections: tuple[str, ...] = ()

    @property
    def old(self) -> list[bytes]:
        return [line.text for line in self.lines if line.mark != b"+"]

    @property
    def new(self) -> list[bytes]:
        return [line.text for line in self.lines if line.mark != b"-"]

    @property
    def changes(self) -> bool:
        return any(line.mark != b" " for line in self.lines)

    @property
    def readings(self) -> tuple[Hunk, ...]:
        """The possible readings in order of trial: with its loose lines, and without."""
        if not self.loose:
            return (self,)
        parted = msgspec.structs.replace(self, lines=self.lines[: -self.loose], loose=0, exact=False)
        return self, parted.with_correction(
            f"counted the lines of hunk {self.index}"
        ) if self.exact else parted

    def with_correction(self, note: str) -> Hunk:
        return msgspec.structs.replace(self, corrections=(*self.corrections, note))


def pair_lines(old: Sequence[bytes], new: Sequence[bytes]) -> tuple[Line, ...]:
    """Return old and new lines as a hunk; common lines at both ends are context and stay untouched."""
    both = min(len(old), len(new))
    head = next((n for n in range(both) if old[n] != new[n]), both)
    tail = next((n for n in range(both - head) if old[-1 - n] != new[-1 - n]), both - head)
    return (
        *(Line(b" ", text) for text in old[:head]),
        *(Line(b"-", text) for text in old[head : len(old) - tail]),
        *(Line(b"+", text) for text in new[head : len(new) - tail]),
        *(Line(b" ", text) for text in old[len(old) - tail :]),
    )


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """Text that occurs in the file once, or with ``every`` any number of times."""

    index: int  # number of the passage in the patch or the file, from 1
    old: bytes
    new: bytes
    every: bool = False
    count: int | None = None  # required number of occurrences, all of which are replaced
    call: int = 0  # number of the call if it has several passages for one file, else 0


class LineEdit(msgspec.Struct, frozen=True, kw_only=True):
    """Whole lines by number."""

    index: int  # number of the piece in the patch or the file, from 1
    first: int  # line numbers from 1. If ``last`` is the line above ``first``, lines are inserted there.
    last: int
    new: tuple[bytes, ...]  # new lines, without their endings
    seen: LineRange | None = None  # the same line range with expected hashes
    shown: tuple[bytes, ...] | None = None  # the lines as the author of the patch saw them
    # True if the numbers refer to the file after the earlier edits, not before the patch.
    is_current: bool = False


class Position(Protocol):
    """A position in a text, in the unit of its format."""

    def offset(self, document: Document, label: str) -> int:
        """Return the byte offset in ``document.text``; ``label`` names the edit in an error."""


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """An exact range in the file before the patch, and its new text in UTF-8.

    ``shown`` is the text that was between two positions when the patch was made.
    """

    index: int
    start: Position
    end: Position
    new: bytes
    shown: tuple[Position, Position, bytes] | None = None
    corrections: tuple[str, ...] = ()


class Sketch(msgspec.Struct, frozen=True, kw_only=True):
    """A whole file, line by line, with placeholder comments for unchanged lines."""

    index: int
    lines: tuple[bytes, ...]


Piece = Hunk | Passage | LineEdit | Span | Sketch  # a change inside a file


class WholeContent(msgspec.Struct, frozen=True):
    """New content of a file: complete, or as a delta on the old content."""

    data: bytes
    is_delta: bool = False


Kind = Literal["edit", "create", "delete", "rename", "copy"]
Taken = Literal["refuse", "replace", "keep", "fill"]


class ReadPatch(NamedTuple):
    """The files of a patch, and the lines of the text outside the patch."""

    files: tuple[FilePatch, ...]
    around: bytes


class TextFormat(msgspec.Struct, frozen=True, kw_only=True):
    """A patch format that is text."""

    name: str  # noun phrase for messages
    usage: str  # description of a patch in this format, for hints
    priority: int  # order of the formats in messages, and of recognition; the lowest comes first
    sign: re.Pattern[bytes]  # pattern of the first mark of a patch
    read: Callable[[bytes, str], ReadPatch]  # the reader, called with the text and the default path
    # A patch that replaces ``old``, the first line of ``a.txt``, by ``new``; the second is ``end``.
    example: str


class JsonFormat(msgspec.Struct, frozen=True, kw_only=True):
    """A patch format that is JSON; see :class:`TextFormat`."""

    name: str
    priority: int
    claims: Callable[[dict[str, Any]], bool]  # returns True if an object is in this format
    # The reader, called with all objects and the default path.
    read: Callable[[Sequence[dict[str, Any]], str], tuple[FilePatch, ...]]
    example: str


class FilePatch(msgspec.Struct, frozen=True, kw_only=True):
    """Changes of one file by a patch."""

    path: str  # path after the patch, or of the deleted file
    source: str  # path of the old content, which differs only for ``rename`` and ``copy``
    kind: Kind = "edit"
    pieces: tuple[Piece, ...] = ()  # changes inside the file, found in the text before the patch
    mode: str | None = None  # new file mode, or None to keep it
    link: bool = False  # True if the file is a symbolic link and the link itself is meant
    base: str | None = None  # required blob id of the old content, which may be abbreviated in a binary diff
    # Blob ids before and after, maybe abbreviated, if a git diff gives them.
    blobs: tuple[str, str] | None = None
    content: WholeContent | None = None  # new content; ``pieces`` of a new file are found in it
    # True for handwritten formats, in which each edit sees the result of the one before.
    by_hand: bool = False
    as_text: bool = False  # True if the structure gate treats the edits like text and line operations
    # What to do if a new or renamed file already exists; ``fill`` accepts an empty one.
    taken: Taken = "refuse"
    may_miss: bool = False  # True if a file to delete may be missing
    deep: bool = False  # True if the path may be a folder, with everything in it

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        return tuple(piece for piece in self.pieces if isinstance(piece, Hunk))

    @property
    def opens(self) -> bool:
        """True if the patch says that the file was empty or missing before."""
        return any(hunk.opens for hunk in self.hunks)


_BLOB = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def whole_file(path: str, text: str, base: str | None, index: int) -> FilePatch:
    """Return a patch of a whole file: with placeholders, in place of the blob ``base``, or new (None).

    Raises ``invalid_ref`` if ``base`` is not a blob id.
    """
    if base is not None and not _BLOB.fullmatch(base):
        raise BadCall(
            "invalid_ref", f"{base[:80]!r} is not a blob id", "copy the blob id from the output of show"
        )
    if any(map(is_placeholder, text_lines(text))):
        sketch = Sketch(index=index, lines=text_lines(text))
        return FilePatch(path=path, source=path, pieces=(sketch,), base=base, by_hand=True, as_text=True)
    if base is None:
        return new_file(path, text)
    return FilePatch(
        path=path, source=path, content=WholeContent(encode_text(text)), base=base, by_hand=True, as_text=True
    )


def new_file(path: str, text: str) -> FilePatch:
    return FilePatch(
        path=path,
        source=path,
        kind="create",
        content=WholeContent(encode_text(text)),
        by_hand=True,
        as_text=True,
    )


def text_lines(text: str) -> tuple[bytes, ...]:
    """Return the lines of a text without endings; a final newline starts no further line."""
    return tuple(encode_text(text).replace(b"\r\n", b"\n").removesuffix(b"\n").split(b"\n"))


def encode_text(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


_HINT = "make the patch again from the files as they are on the target branch"


def patch_error(message: str, hint: str = _HINT, **data: Any) -> DoesNotFit:
    return DoesNotFit("patch_failed", message, hint, **data)


def out_of_range_error(label: str, what: str, size: str) -> DoesNotFit:
    return DoesNotFit("out_of_range", f"{label} names {what}, but the file has {size}", _HINT)


def outdated_error(path: str, label: str, document: Document, start: int, end: int) -> WorldMoved:
    first = document.line_at(start)
    content = document.text[start:end].decode("utf-8", "replace")
    return WorldMoved(
        "stale",
        f"{label} does not match line {first} of the file, which has changed since",
        _HINT,
        path=path,
        line=first,
        content=content,
    )


def no_change_error(path: str, label: str = "the patch") -> DoesNotFit:
    """Return the error of a patch, or its part ``label``, that changes nothing."""
    return DoesNotFit(
        "no_change",
        f"{label} leaves {path} as it is",
        "check whether the change has already been made",
        path=path,
    )


# UTF-16 code units, Unicode code points, or either if both give the same place.
Unit = Literal["utf16", "points", "unsaid"]


class LineColumn(msgspec.Struct, frozen=True):
    """A line and a column, both from 0. Without a column it is the end of the line."""

    line: int
    column: int | None
    unit: Unit
    breaks: bytes  # regular expression of a line break
    clamps: bool = False  # True if a column beyond the end of the line means its end

    def offset(self, document: Document, label: str) -> int:
        lines = _line_ranges(document.text, self.breaks)
        if self.line >= len(lines):
            raise out_of_range_error(label, f"line {self.line + 1}", f"{len(lines)} lines")
        start, end = lines[self.line]
        if self.column is None or (self.clamps and self.column > end - start):
            return end  # no unit is shorter than a byte
        place = f"line {self.line + 1}"
        text = document.text[start:end]
        column = min(self.column, _count_units(text)) if self.clamps else self.column
        return start + _measure_units(text, column, self.unit, f"{label} in {place}")


class CharacterPosition(msgspec.Struct, frozen=True):
    """A number of characters from the start of the text."""

    number: int
    unit: Unit

    def offset(self, document: Document, label: str) -> int:
        return _measure_units(document.text, self.number, self.unit, label)


class BytePosition(msgspec.Struct, frozen=True):
    """A number of bytes from the start of the stored file."""

    number: int

    def offset(self, document: Document, label: str) -> int:
        inner = self.number - len(document.bom) if self.number else 0
        body = document.raw[len(document.bom) :]
        if inner > len(body):
            raise out_of_range_error(label, f"byte {self.number}", f"{len(document.raw)} bytes")
        if document.encoding == BYTES:
            return max(inner, 0)
        if inner < 0:
            raise _split_character_error(label)
        try:
            return len(body[:inner].decode(document.encoding).encode("utf-8"))
        except UnicodeDecodeError:
            raise _split_character_error(label) from None


class EquivalentPositions(msgspec.Struct, frozen=True):
    """One position given in several ways, which must agree."""

    ways: tuple[Position, ...]

    def offset(self, document: Document, label: str) -> int:
        offsets = {way.offset(document, label) for way in self.ways}
        if len(offsets) > 1:
            raise patch_error(
                f"{label} gives its place in several ways that do not agree",
                "give lines and columns, or an offset, but not both",
            )
        return offsets.pop()


@lru_cache(maxsize=2)
def _line_ranges(text: bytes, breaks: bytes) -> tuple[tuple[int, int], ...]:
    matches = [(mark.start(), mark.end()) for mark in re.finditer(breaks, text)]
    starts = [0, *(end for _, end in matches)]
    return tuple(zip(starts, [*(start for start, _ in matches), len(text)], strict=True))


def _measure_units(text: bytes, count: int, unit: Unit, label: str) -> int:
    """Return the length in bytes of the first ``count`` units of ``text``."""
    if unit == "unsaid":
        lengths = {_measure_units(text, count, way, label) for way in _UNITS} if not text.isascii() else None
        if lengths is not None and len(lengths) > 1:
            raise DoesNotFit(
                "ambiguous",
                f"{label} does not give the unit of its columns, so its position is ambiguous",
                "set columnKind to utf16CodeUnits or unicodeCodePoints",
            )
        unit = "points"
    characters, rest = _decode_start(text)
    units = len(characters) if unit == "points" else len(characters.encode("utf-16-le")) // 2
    if count > units and rest:
        raise patch_error(
            f"{label} has a column behind bytes that are not text", "edit it with lines or text"
        )
    if count > units:
        raise out_of_range_error(label, f"column {count + 1}", f"{units} columns there")
    if unit == "points":
        return len(characters[:count].encode("utf-8"))
    try:
        return len(characters.encode("utf-16-le")[: 2 * count].decode("utf-16-le").encode("utf-8"))
    except UnicodeDecodeError:
        raise _split_character_error(label) from None


_UNITS: tuple[Unit, Unit] = ("utf16", "points")


def _count_units(text: bytes) -> int:
    """Return the number of UTF-16 code units of a line, at most one for each invalid byte."""
    characters, rest = _decode_start(text)
    return len(characters.encode("utf-16-le")) // 2 + len(rest)


def _decode_start(text: bytes) -> tuple[str, bytes]:
    """Return the characters before the first invalid byte, and the remaining bytes."""
    try:
        return text.decode("utf-8"), b""
    except UnicodeDecodeError as error:
        return text[: error.start].decode("utf-8"), text[error.start :]


def _split_character_error(label: str) -> DoesNotFit:
    return patch_error(f"{label} begins or ends inside a character", "give positions between characters")


_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):")


def path_of_uri(uri: str) -> str:
    """Return the path of ``uri`` (RFC 3986, RFC 8089): absolute for ``file:``, else from the root.

    Raises ``path_denied`` for other schemes, other machines, and URIs with a query.
    """
    scheme = _SCHEME.match(uri)
    rest = uri[scheme.end() :] if scheme else uri
    if scheme and scheme["scheme"].lower() != "file":
        raise _denied_error(uri, "it does not name a file")
    if scheme and rest.startswith("//"):
        host, slash, name = rest[2:].partition("/")
        if host not in ("", "localhost"):
            raise _denied_error(uri, "its file is on another machine")
        rest = slash + name
    if "?" in rest or "#" in rest:
        raise _denied_error(uri, "it has a query or a fragment")
    # Folders may end with a slash.
    name = unquote_to_bytes(rest.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")
    return name.rstrip("/") or name


def _denied_error(uri: str, why: str) -> NotAllowed:
    return NotAllowed(
        "path_denied",
        f"{uri[:200]!r} is refused: {why}",
        "name a file of the repository, as file:///ROOT/src/app.py or src/app.py",
    )
