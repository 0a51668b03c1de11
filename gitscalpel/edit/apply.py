"""Folds a changeset over a snapshot: each operation sees the result of those before it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from gitscalpel import paths
from gitscalpel.edit import files, stale
from gitscalpel.edit.claims import Claims
from gitscalpel.edit.opening import editable, source_of
from gitscalpel.edit.source import Edit, Source
from gitscalpel.errors import DoesNotFit, ScalpelError
from gitscalpel.operations import (
    Delete,
    Insert,
    Lines,
    Operation,
    Placed,
    Remove,
    Replace,
    Signature,
    Text,
    Write,
)
from gitscalpel.snapshot import Change, Overlay, Snapshot
from gitscalpel.syntax.changes import Intent, changes
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text import splice
from gitscalpel.text.anchors import content_hash
from gitscalpel.text.document import Document
from gitscalpel.text.splice import Splice


class Done(msgspec.Struct, frozen=True):
    """What one operation did.

    Attributes:
        op, path: the operation and the file it ended up in.
        before, after: the first and last line it covered and covers; None for whole files.
        edit: the edit, for operations inside a file.
        intents: what it did to the file's symbols.
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
        if entry is None or change.content is None:
            return entry is None and change.content is None
        return entry.mode == change.mode and self.overlay.below.read(entry.oid) == change.content


def apply(operations: tuple[Operation, ...], snapshot: Snapshot) -> Outcome:
    """Do all operations on ``snapshot``, which is left as it is.

    Raises:
        ScalpelError: the first refusal, with the operation's index in ``op``.
    """
    fold = _Fold(Overlay(snapshot))
    step: Callable[[Operation], object]
    for step in (lambda op: paths.clean(op.path), fold.step):
        for index, operation in enumerate(operations):
            try:
                step(operation)
            except ScalpelError as error:
                error.op = index
                raise
    if not fold.outcome.changes:
        raise DoesNotFit(
            "no_change", "all operations together leave everything as it was", "nothing is left to do"
        )
    return fold.outcome


class _Fold:
    """The state between operations: files as left so far, and which places were addressed."""

    def __init__(self, overlay: Overlay) -> None:
        self.overlay = overlay
        self.outcome = Outcome(overlay)
        self.sources: dict[str, Source] = {}
        self.claims = Claims()

    def step(self, op: Operation) -> None:
        if isinstance(op, Write):
            path = paths.resolve(op.path, self.overlay)
            self._whole(op, files.write(op, path, self.overlay))
        elif isinstance(op, Remove):
            path, _ = paths.existing(op.path, self.overlay)
            self._whole(op, files.remove(op, path, self.overlay))
        else:
            self._inside(op)

    def _whole(self, op: Operation, change: Change) -> None:
        stale.check_file(op, change.path, self.overlay)
        before = self.sources.pop(change.path, None) or source_of(change.path, self.overlay)
        self.claims.forget(change.path)
        self.overlay.put(change)
        after = source_of(change.path, self.overlay)
        intents = changes(before.outline if before else None, after.outline if after else None)
        whole = change.content if isinstance(change.content, bytes) else None
        self.outcome.done.append(
            Done(
                op,
                change.path,
                None,
                (1, before.document.line_count) if before else None,
                (1, after.document.line_count) if after else None,
                intents,
                content_hash(whole) if whole is not None else None,
            )
        )

    def _inside(self, op: Operation) -> None:
        path, entry = paths.existing(op.path, self.overlay)
        source = self.sources.get(path) or editable(path, self.overlay)
        placed = stale.relocate(_lowered(op), source, self.overlay)
        if isinstance(placed, Placed):
            stale.check_symbol(placed, source)
        edit = _edit(placed, source, self.overlay)
        self.claims.claim(op, source, edit)
        after = source.edited(edit)
        if after.text == source.text:
            raise DoesNotFit(
                "no_change",
                f"{op.name} leaves {path} as it is",
                "check whether the change was made before",
            )
        self.sources[path] = after
        self.overlay.put(Change(path, entry.mode, after.document.raw))
        self.outcome.done.append(_done(op, source, after, edit))


def _edit(op: Operation, source: Source, overlay: Overlay) -> Edit:
    """Do one operation; each family is imported where it is used, since a start mostly needs one."""
    if isinstance(op, Text):
        from gitscalpel.edit.texts import text

        return text(op, source)
    if isinstance(op, Lines):
        from gitscalpel.edit.lines import lines

        return lines(op, source)
    if isinstance(op, Insert):
        from gitscalpel.edit.symbols.insert import insert

        return insert(op, source)
    if isinstance(op, Signature):
        from gitscalpel.edit.symbols.signature import signature

        return signature(op, source)
    if isinstance(op, Delete):
        from gitscalpel.edit.symbols.delete import delete

        return delete(op, source, overlay)
    from gitscalpel.edit.symbols.replace import replace

    assert isinstance(op, Replace)  # noqa: S101 - whole files do not come here
    return replace(op, source)


def _lowered(op: Operation) -> Operation:
    """A replace or delete of a line range is a lines operation."""
    if not isinstance(op, (Replace, Delete)) or op.start is None:
        return op
    code = op.code if isinstance(op, Replace) else (op.fill or "")
    return Lines(path=op.path, start=op.start, end=op.end, code=code, expect=op.expect, base=op.base)


def _done(op: Operation, source: Source, after: Source, edit: Edit) -> Done:
    """The report of an edit inside a file, in lines before (of the file as it was) and after."""
    first, last = edit.splices[0], edit.splices[-1]
    shift = sum(len(s.new) - (s.end - s.start) for s in edit.splices)
    start, end = first.start, last.end + shift
    return Done(
        op,
        source.path,
        edit,
        _lines(source.original, *source.origin_of(edit)),
        _lines(after.document, start, end),
        changes(source.outline, after.outline) if source.language else (),
        content_hash(splice.apply(source.text, edit.splices)[start:end]),
        _headers(source, edit),
    )


def _headers(source: Source, edit: Edit) -> tuple[str, ...]:
    if source.outline is None:
        return ()
    return tuple(
        symbol.qualname
        for symbol in source.outline.walk()
        if not symbol.local and any(_touches_header(symbol, s, source.text) for s in edit.splices)
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
