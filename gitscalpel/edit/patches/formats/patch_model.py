"""Model that every patch format is read into: formats, files, pieces, locations and errors.

A patch consists of whole files and of pieces, the changes inside a file. ``edit/patches`` finds their
places. Locations are as tools give them: positions in a text, and file names in URIs (RFC 3986 and
RFC 8089). In a file with a byte order mark, tools that count characters start behind the mark, and tools
that count bytes start before it.
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
    """One line of a hunk.

    Attributes:
        mark: ``b" "`` stays, ``b"-"`` goes, ``b"+"`` comes.
        text: without its line feed; a carriage return before that is part of it.
        bare: no line feed follows it in the file.
        unmarked: it came without a mark, so it is a line that stays, or is there no more by mistake.
    """

    mark: bytes
    text: bytes
    bare: bool = False
    unmarked: bool = False


class Hunk(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that stand together in a file, and what becomes of them.

    Attributes:
        index: which one of its file it is, from 1.
        lines: old and new ones in order.
        number: the line at which the old ones are said to begin; None if nothing is said.
        exact: the header agrees with the body, so that ``number`` may be believed where there are no
            old lines to look for.
        anchors: lines that stand above it, together where they are in one, each below the one before.
        heading: a line that is said to stand above it, which only tells equal places apart.
        loose: so many lines at its end may be no part of it, but stand below it in what was sent.
        at_end: it is said to end where the file ends.
        opens: its header says that there is nothing in the file before (``-0,0``).
        is_current: its number may count the file as the patch has left it so far.
        corrections: what was mended in reading it, in words.
    """

    index: int
    lines: tuple[Line, ...]
    number: int | None = None
    exact: bool = False
    anchors: tuple[tuple[bytes, ...], ...] = ()
    heading: bytes = b""
    loose: int = 0
    at_end: bool = False
    opens: bool = False
    is_current: bool = False
    corrections: tuple[str, ...] = ()

    @property
    def old(self) -> list[bytes]:
        """The lines that must stand in the file."""
        return [line.text for line in self.lines if line.mark != b"+"]

    @property
    def new(self) -> list[bytes]:
        """The lines that stand there afterwards."""
        return [line.text for line in self.lines if line.mark != b"-"]

    @property
    def changes(self) -> bool:
        """True if it says more than where some lines stand."""
        return any(line.mark != b" " for line in self.lines)

    @property
    def readings(self) -> tuple[Hunk, ...]:
        """What it may say, in the order in which that is tried: with its loose lines, and without."""
        if not self.loose:
            return (self,)
        parted = msgspec.structs.replace(self, lines=self.lines[: -self.loose], loose=0, exact=False)
        return self, parted.noted(f"counted the lines of hunk {self.index}") if self.exact else parted

    def noted(self, note: str) -> Hunk:
        """Return the same with one more correction."""
        return msgspec.structs.replace(self, corrections=(*self.corrections, note))


def pair_lines(old: Sequence[bytes], new: Sequence[bytes]) -> tuple[Line, ...]:
    """Old and new lines as a hunk; what they begin and end with alike is context and stays untouched."""
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
    """Text that stands in the file once, or (``every``) as often as it does.

    Attributes:
        index: which one of the patch or the file it is, from 1.
        old, new: the text, and what comes in its place.
        every: every place is meant.
        count: how many places there must be; all of them are meant.
        call: the number of the call that it came in with others, made for one file; 0 if it came alone.
    """

    index: int
    old: bytes
    new: bytes
    every: bool = False
    count: int | None = None
    call: int = 0


class Rows(msgspec.Struct, frozen=True, kw_only=True):
    """Whole lines by their numbers.

    Attributes:
        index: which one of the patch or the file it is, from 1, as all pieces have it.
        first, last: from 1; nothing is replaced before ``first`` where ``last`` is the line above.
        new: the lines that stand there afterwards, without their endings.
        seen: the same lines with the hashes that they should have.
        shown: the lines as whoever wrote the patch saw them.
        is_current: the numbers count the file as the edits before it have left it, not as it was.
    """

    index: int
    first: int
    last: int
    new: tuple[bytes, ...]
    seen: LineRange | None = None
    shown: tuple[bytes, ...] | None = None
    is_current: bool = False


class Position(Protocol):
    """A place in a text, in whatever a format counts."""

    def offset(self, document: Document, label: str) -> int:
        """Return where it is in ``document.text``; ``label`` is what a refusal calls the edit."""


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """Exact positions in the file as it was, and the text that comes between them.

    Attributes:
        start, end: from where to where.
        new: in UTF-8; it is written in the encoding and with the line endings of the file.
        shown: a text, and where the patch was made it stood from the first to the second position.
        corrections: what is to be told about it, in words.
    """

    index: int
    start: Position
    end: Position
    new: bytes
    shown: tuple[Position, Position, bytes] | None = None
    corrections: tuple[str, ...] = ()


class Sketch(msgspec.Struct, frozen=True, kw_only=True):
    """A whole file, line by line, in which comments with an ellipsis stand for lines that stay."""

    index: int
    lines: tuple[bytes, ...]


Piece = Hunk | Passage | Rows | Span | Sketch
"""A change inside a file."""


class WholeContent(msgspec.Struct, frozen=True):
    """New content of a file: as it is, or as a delta on the old content."""

    data: bytes
    is_delta: bool = False


Kind = Literal["edit", "create", "delete", "rename", "copy"]
Taken = Literal["refuse", "replace", "keep", "fill"]


class ReadPatch(NamedTuple):
    """The files that a text says something of, and its lines that are no part of that."""

    files: tuple[FilePatch, ...]
    around: bytes


class TextFormat(msgspec.Struct, frozen=True, kw_only=True):
    """A patch format that is text.

    Attributes:
        name: noun phrase for messages.
        usage: description of a patch in this format, for hints.
        priority: order of the formats in messages, and in which a text is claimed; the lowest comes first.
        sign: the pattern of the first mark of a patch.
        read: the reader, called with the text and the path that is meant where the text has none.
        example: a patch that replaces ``old``, the first line of ``a.txt``, by ``new``. The second line
            is ``end``.
    """

    name: str
    usage: str
    priority: int
    sign: re.Pattern[bytes]
    read: Callable[[bytes, str], ReadPatch]
    example: str


class JsonFormat(msgspec.Struct, frozen=True, kw_only=True):
    """A patch format that is JSON.

    Attributes:
        name: noun phrase for messages and hints.
        priority: order in which the formats are asked for an object; the lowest comes first.
        claims: returns True if an object is in this format.
        read: the reader, called with all objects and the path that is meant where they have none.
        example: the same patch as that of text formats.
    """

    name: str
    priority: int
    claims: Callable[[dict[str, Any]], bool]
    read: Callable[[Sequence[dict[str, Any]], str], tuple[FilePatch, ...]]
    example: str


class FilePatch(msgspec.Struct, frozen=True, kw_only=True):
    """What a patch does to one file.

    Attributes:
        path: the file afterwards, or the one that is deleted.
        source: where its content comes from; for all but ``rename`` and ``copy`` the same.
        kind: what happens to it as a whole.
        pieces: what happens inside; they are looked up in the text before the patch.
        mode: the file mode it gets; None keeps it.
        link: it is a symbolic link and means the link itself.
        base: the blob id that it was made from, where only that will do: whole for what is written
            by hand, perhaps shortened for a binary diff.
        blobs: the ids, perhaps shortened, of its content before and after, where a diff of git says so.
        content: its new content; ``pieces`` of a new file are looked up in that.
        by_hand: the format is one in which edits are written by hand, piece by piece, so that each
            sees the one before.
        as_text: its edits are what text and line operations are, and the structure gate judges them so.
        taken: what becomes of a file that stands where a new or a renamed one goes; ``fill`` takes an
            empty one for none.
        may_miss: a file that is to be deleted need not be there.
        deep: it may be a folder, and all that is in it is meant.
    """

    path: str
    source: str
    kind: Kind = "edit"
    pieces: tuple[Piece, ...] = ()
    mode: str | None = None
    link: bool = False
    base: str | None = None
    blobs: tuple[str, str] | None = None
    content: WholeContent | None = None
    by_hand: bool = False
    as_text: bool = False
    taken: Taken = "refuse"
    may_miss: bool = False
    deep: bool = False

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """Those pieces that are hunks."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Hunk))

    @property
    def opens(self) -> bool:
        """True if it says that there is nothing in the file before, or no file."""
        return any(hunk.opens for hunk in self.hunks)


_BLOB = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def whole_file(path: str, text: str, base: str | None, index: int) -> FilePatch:
    """Return a whole file: with ellipses, in place of the blob ``base``, or where nothing is (None).

    Raises:
        BadCall: ``invalid_ref``, for a base that is not a blob id.
    """
    if base is not None and not _BLOB.fullmatch(base):
        raise BadCall("invalid_ref", f"{base[:80]!r} is not a blob id", "copy the blob id that show printed")
    if any(map(is_placeholder, text_lines(text))):
        sketch = Sketch(index=index, lines=text_lines(text))
        return FilePatch(path=path, source=path, pieces=(sketch,), base=base, by_hand=True, as_text=True)
    if base is None:
        return new_file(path, text)
    return FilePatch(
        path=path, source=path, content=WholeContent(encode_text(text)), base=base, by_hand=True, as_text=True
    )


def new_file(path: str, text: str) -> FilePatch:
    """Return a new file."""
    return FilePatch(
        path=path,
        source=path,
        kind="create",
        content=WholeContent(encode_text(text)),
        by_hand=True,
        as_text=True,
    )


def text_lines(text: str) -> tuple[bytes, ...]:
    """Return the lines of a text without their endings; a last ending opens no further line."""
    return tuple(encode_text(text).replace(b"\r\n", b"\n").removesuffix(b"\n").split(b"\n"))


def encode_text(text: str) -> bytes:
    """Return the bytes of a text; those that were no UTF-8 are again what they were."""
    return text.encode("utf-8", "surrogateescape")


_HINT = "make the patch again from the files as they are on the target branch"


def patch_error(message: str, hint: str = _HINT, **data: Any) -> DoesNotFit:
    """A patch that cannot be applied."""
    return DoesNotFit("patch_failed", message, hint, **data)


def out_of_range_error(label: str, what: str, size: str) -> DoesNotFit:
    """A position that the file does not have."""
    return DoesNotFit("out_of_range", f"{label} names {what}, and the file has {size}", _HINT)


def outdated_error(path: str, label: str, document: Document, start: int, end: int) -> WorldMoved:
    """A place that holds other text than the patch was made for."""
    first = document.line_at(start)
    now = document.text[start:end].decode("utf-8", "replace")
    return WorldMoved(
        "stale",
        f"{label} was made for other text than line {first} of the file holds now",
        _HINT,
        path=path,
        line=first,
        content=now,
    )


def no_change_error(path: str, label: str = "the patch") -> DoesNotFit:
    """A patch, or the part of one that ``label`` names, that leaves a file as it is."""
    return DoesNotFit(
        "no_change",
        f"{label} leaves {path} as it is",
        "check whether the change was made before",
        path=path,
    )


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
        column = min(self.column, _count_units(text)) if self.clamps else self.column
        return start + _measure(text, column, self.unit, f"{label} in {where}")


class Characters(msgspec.Struct, frozen=True):
    """A number of characters from the beginning of the text."""

    number: int
    unit: Unit

    def offset(self, document: Document, label: str) -> int:
        """See :meth:`Position.offset`."""
        return _measure(document.text, self.number, self.unit, label)


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
                len(body[:inner].decode(document.encoding).encode("utf-8"))
                if inner >= 0
                else _raise_split(label)
            )
        except UnicodeDecodeError:
            return _raise_split(label)


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
    """Return where each line begins and ends, without what ends it; there is always a last one."""
    found = [(mark.start(), mark.end()) for mark in re.finditer(breaks, text)]
    starts = [0, *(end for _, end in found)]
    return tuple(zip(starts, [*(start for start, _ in found), len(text)], strict=True))


def _measure(text: bytes, count: int, unit: Unit, label: str) -> int:
    """Return the bytes that the first ``count`` units of ``text`` take."""
    if unit == "unsaid":
        ways = {_measure(text, count, way, label) for way in _UNITS} if not text.isascii() else None
        if ways is not None and len(ways) > 1:
            raise DoesNotFit(
                "ambiguous",
                f"{label} counts columns in a unit that is not said, and there it makes a difference",
                "say columnKind: utf16CodeUnits or unicodeCodePoints",
            )
        unit = "points"
    known, rest = _decode_start(text)
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
        return _raise_split(label)


_UNITS: tuple[Unit, Unit] = ("utf16", "points")


def _count_units(text: bytes) -> int:
    """How many UTF-16 code units a line has; bytes that are not text count for as many as they may be."""
    known, rest = _decode_start(text)
    return len(known.encode("utf-16-le")) // 2 + len(rest)


def _decode_start(text: bytes) -> tuple[str, bytes]:
    """Return the characters up to the first byte that is none, and what follows."""
    try:
        return text.decode("utf-8"), b""
    except UnicodeDecodeError as error:
        return text[: error.start].decode("utf-8"), text[error.start :]


def _raise_split(label: str) -> int:
    raise patch_error(f"{label} begins or ends inside a character", "give positions between characters")


_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):")


def path_of_uri(uri: str) -> str:
    """Return the path that ``uri`` names: absolute for ``file:`` URIs, else from the repository root.

    Raises:
        NotAllowed: ``path_denied``, for other schemes, other machines, and URIs with a query.
    """
    scheme = _SCHEME.match(uri)
    rest = uri[scheme.end() :] if scheme else uri
    if scheme and scheme["scheme"].lower() != "file":
        raise _denied_error(uri, "it names no file")
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
