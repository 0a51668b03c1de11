"""What the operations of a changeset did: to the files, to their symbols, to which lines."""

from __future__ import annotations

import msgspec

from gitscalpel.edit.source import Edit, Source
from gitscalpel.operations import Operation
from gitscalpel.snapshot import SUBMODULE, TREE, Change, Overlay
from gitscalpel.syntax.changes import Intent, changes
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text import splice
from gitscalpel.text.anchors import content_hash
from gitscalpel.text.document import Document
from gitscalpel.text.splice import Splice


class Done(msgspec.Struct, frozen=True):
    """What one operation did.

    Attributes:
        op, path: the operation and the file it ended up in; an operation on several files, such as
            a patch, has one of these for each.
        index: which operation of the changeset it is, from 0.
        before, after: the first and last line it covered and covers; None where there is no file.
        edit: the edit, for operations inside a file.
        intents: what an edit inside a file did to its symbols.
        hash: content hash of the text it left.
        headers: the definitions whose headers stood in the replaced text.
    """

    op: Operation
    path: str
    edit: Edit | None = None
    before: tuple[int, int] | None = None
    after: tuple[int, int] | None = None
    intents: tuple[Intent, ...] = ()
    hash: str | None = None
    headers: tuple[str, ...] = ()
    index: int = 0


class Outcome(msgspec.Struct):
    """All operations of a changeset, done."""

    overlay: Overlay
    done: list[Done] = []

    @property
    def changes(self) -> list[Change]:
        """The files as they are to be written, by path; what came out unchanged is left out."""
        return [c for c in sorted(self.overlay.changes.values()) if not self._is_same(c)]

    def _is_same(self, change: Change) -> bool:
        entry = self.overlay.below.entry(change.path)
        is_there = entry is not None and entry.mode != TREE
        if entry is None or not is_there or change.content is None:
            return not is_there and change.content is None
        if entry.mode != change.mode:
            return False
        if isinstance(change.content, bytes):  # a submodule's commit is in another repository
            return entry.mode != SUBMODULE and self.overlay.below.read(entry.oid) == change.content
        return entry.oid == change.content


def whole(op: Operation, path: str, before: bytes | None, after: bytes | None) -> Done:
    """The report of an operation on a whole file; None is a file that is not there."""
    digest = None if after is None else content_hash(after)
    return Done(op, path, before=_all_lines(before), after=_all_lines(after), hash=digest)


def inside(op: Operation, source: Source, after: Source, edit: Edit) -> Done:
    """The report of an edit inside a file, in lines before (of the file as it was) and after."""
    first, last = edit.splices[0], edit.splices[-1]
    shift = sum(len(s.new) - (s.end - s.start) for s in edit.splices)
    start, end = first.start + edit.margins[0], last.end + shift - edit.margins[1]
    return Done(
        op,
        source.path,
        edit,
        _lines(source.original, *source.origin_of(edit)),
        _lines(after.document, start, end),
        changes(source.judged, after.judged) if source.judged and after.judged else (),
        content_hash(splice.apply(source.text, edit.splices)[start:end]),
        _headers(source, edit),
    )


def _headers(source: Source, edit: Edit) -> tuple[str, ...]:
    if source.judged is None:
        return ()
    return tuple(
        symbol.qualname
        for symbol in source.judged.walk()
        if symbol.defines
        and not symbol.local
        and any(_touches_header(symbol, s, source.text) for s in edit.splices)
    )


def _touches_header(symbol: Symbol, made: Splice, text: bytes) -> bool:
    """Whether a splice replaces a part of the header; the white space before the body is none."""
    header = text[symbol.start : symbol.header_end].rstrip()
    return made.start < symbol.start + len(header) and symbol.start < made.end


def _lines(document: Document, start: int, end: int) -> tuple[int, int]:
    """First and last line of a byte range; an empty range is ``(n, n - 1)``, before line n."""
    if start == end:
        at = document.line_at(start) if start < len(document.text) else document.line_count + 1
        return at, at - 1
    return document.line_at(start), document.line_at(end - 1)


def _all_lines(content: bytes | None) -> tuple[int, int] | None:
    return None if content is None else (1, Document.read(content).line_count)
