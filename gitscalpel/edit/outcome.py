"""Result of a changeset: its effect on files, symbols and lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TypeAlias

import msgspec

from gitscalpel.changesets.answers import Affected, Propagated, StaleDoc
from gitscalpel.changesets.file_tree import Change, FileOrigin, Overlay, Snapshot
from gitscalpel.changesets.operations import NameFollowingOperation, Operation, Patch, Rename, Replace, Text
from gitscalpel.edit.file_operations import iter_visible_again
from gitscalpel.edit.new_syntax_errors import read_outlines
from gitscalpel.edit.source import Edit, Source
from gitscalpel.syntax import symbol_changes
from gitscalpel.syntax.exemptions import Exemptions
from gitscalpel.syntax.outline import Outline, ParseCache
from gitscalpel.syntax.symbol_changes import Evidence, Intent, find_changes, is_import_change
from gitscalpel.syntax.symbols import Span, Symbol
from gitscalpel.text import splice
from gitscalpel.text.document import Document
from gitscalpel.text.line_refs import content_hash
from gitscalpel.text.splice import Splice


class DefinitionEffect(msgspec.Struct, frozen=True):
    """The effect of an edit on the definitions of a file."""

    intents: tuple[Intent, ...] = ()
    headers: tuple[str, ...] = ()  # the definitions whose headers were in the replaced text
    torn: tuple[str, ...] = ()  # added definitions of which the new text contains only a part


# An edit of the text that the operations before it will leave, and its effect on definitions.
PlannedEdit: TypeAlias = tuple[Edit, DefinitionEffect]


class OperationResult(msgspec.Struct, frozen=True):
    """The result of one operation in one file; a patch has a result for each of its files."""

    op: Operation
    path: str  # path of the file afterwards
    edit: Edit | None = None  # the edit, for operations inside a file
    before: tuple[int, int] | None = None  # first and last line before and after; None if there is no file
    after: tuple[int, int] | None = None
    effect: DefinitionEffect | None = None  # effect on definitions; None if they cannot be judged
    hash: str | None = None  # content hash of the resulting text
    index: int = 0  # index of the operation in the changeset, from 0

    @property
    def intents(self) -> tuple[Intent, ...]:
        return self.effect.intents if self.effect else ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings: unusual things that were done, and members that the new code omits."""
        edit_warnings = self.edit.warnings if self.edit else ()
        if not isinstance(self.op, Replace) or (self.edit and self.edit.is_textual):
            return edit_warnings
        deleted = (i.symbol for i in self.intents if i.kind == "delete" and i.defines)
        return (*edit_warnings, *(f"deletes member {name}, which the code does not have" for name in deleted))


class Outcome(msgspec.Struct, dict=True):
    """The result of all operations of a changeset."""

    overlay: Overlay  # the resulting files
    done: list[OperationResult] = []
    sources: dict[str, Source] = {}  # the edited files, each with its original text
    carried: dict[str, FileOrigin] = {}  # records of moved or copied files, by their path
    before_all: Snapshot | None = None  # the files before earlier changesets; None if there are none
    kept: ParseCache = msgspec.field(default_factory=ParseCache)  # cache of parsed files
    affected: list[Affected] = []  # symbols whose occurrences were updated
    unchecked: list[str] = []  # description of occurrences that may need an update but are uncertain
    propagated: list[Propagated] = []  # edits that followed from operations on names
    stale_docs: list[StaleDoc] = []  # documentation that is no longer true

    @property
    def first(self) -> Snapshot:
        """The files before this and all earlier changesets."""
        return self.before_all or self.overlay.below

    @cached_property
    def exemptions(self) -> Exemptions:
        return Exemptions(self.first)

    def read(self, path: str, content: bytes) -> Source:
        return Source.read(path, content, self.kept.states_of(path), self.overlay, self.exemptions)

    def unread(self) -> Iterator[Outcome]:
        """Yield a text edit for each file that was edited under a name which hides its definitions."""
        for source, edit, after in iter_visible_again(self.carried, self.first, self.overlay, self.read):
            last = max((done.index for done in self.done if done.path == source.path), default=0)
            done = inside_file_result(Text(path=source.path, old="", new=""), source, after, edit)
            numbered = msgspec.structs.replace(done, index=last)
            yield Outcome(self.overlay, [numbered], {source.path: after}, kept=self.kept)

    def find_unseen(self, path: str) -> tuple[Symbol, ...]:
        """Return the definitions that disappeared outside the text that the edits replaced."""
        outlines = self._outlines_of(path)
        return symbol_changes.find_unseen(*outlines, self.sources[path].track.rounds) if outlines else ()

    def find_duplicates(self, path: str) -> tuple[Symbol, ...]:
        outlines = self._outlines_of(path)
        return symbol_changes.find_duplicates(*outlines) if outlines else ()

    def _outlines_of(self, path: str) -> tuple[Outline, Outline] | None:
        """Return the outlines of an edited file before and after, or None if it is not judged."""
        source = self.sources.get(path)
        before, after = (source.before.judged, source.judged) if source else (None, None)
        return (before, after) if before is not None and after is not None else None

    def intents(self, path: str, before: bytes | None, after: bytes | None) -> tuple[Intent, ...]:
        """Return the effects on the definitions of a file between two texts; None is a missing file.

        A rename counts as one only if an operation requested it, or if new code for a class shows it by the
        position of its members, even if the body changed as well.
        """
        if self.keeps_definitions(path, before, after):
            return ()
        old_outline, new_outline = (
            None if text is None else self.read(path, text).judged for text in (before, after)
        )
        return find_changes(old_outline, new_outline, self.evidence(path))

    def keeps_definitions(self, path: str, before: bytes | None, after: bytes | None) -> bool:
        """Return True if two texts of a file differ only in its imports. If unknown, return False."""
        if before is None or after is None or self.evidence(path).renames:
            return False
        key = (path, before, after)
        if key not in self._import_changes:
            self._import_changes[key] = _changes_imports_only(self.read(path, before), self.read(path, after))
        return self._import_changes[key]

    @cached_property
    def _import_changes(self) -> dict[tuple[str, bytes, bytes], bool]:
        """Result of :meth:`keeps_definitions` by path and texts, as each file is compared several times."""
        return {}

    def evidence(self, path: str) -> Evidence:
        """Return the renames of a file that its operations show."""
        paths = {path, self.carried[path].origin if path in self.carried else path}
        steps = (done for done in self.done if done.path in paths and isinstance(done.op, (Rename, Replace)))
        renames = ((each.symbol, each.to) for done in steps for each in done.intents if each.kind == "rename")
        return Evidence(tuple((old, new) for old, new in renames if new is not None))

    @property
    def changes(self) -> list[Change]:
        return self.overlay.changes


def whole_file_result(op: Operation, path: str, before: bytes | None, after: bytes | None) -> OperationResult:
    digest = None if after is None else content_hash(after)
    return OperationResult(op, path, before=_whole_range(before), after=_whole_range(after), hash=digest)


def inside_file_result(
    op: Operation, source: Source, after: Source, edit: Edit, effect: DefinitionEffect | None = None
) -> OperationResult:
    """Return the result of an edit inside a file; ``effect`` is its effect on definitions, if known."""
    first, last = edit.splices[0], edit.splices[-1]
    shift = sum(len(s.new) - (s.end - s.start) for s in edit.splices)
    start, end = first.start + edit.margins[0], last.end + shift - edit.margins[1]
    covered_start, covered_end = start, end
    if edit.origin is None and edit.target[0] < edit.target[1]:
        # What is kept of the target, such as its lead, is covered as it was.
        covered_start, covered_end = min(start, edit.target[0]), max(end, edit.target[1] + shift)
    return OperationResult(
        op,
        source.path,
        edit,
        _line_range(source.original, *source.origin_of(edit)),
        _line_range(after.document, covered_start, covered_end),
        effect or _find_effect(op, source, after, edit),
        content_hash(splice.apply(source.text, edit.splices)[start:end]),
    )


def _changes_imports_only(source: Source, after: Source, splices: Iterable[Splice] = ()) -> bool:
    if source.unparsed or after.unparsed:
        return False
    old, new = source.syntax, after.syntax
    return old is not None and new is not None and is_import_change(old, new, splices)


def _find_effect(op: Operation, source: Source, after: Source, edit: Edit) -> DefinitionEffect | None:
    if _changes_imports_only(source, after, edit.splices):
        return DefinitionEffect()
    old_outline, new_outline = source.judged, after.judged
    if old_outline is None or new_outline is None:
        if old_outline is not None:
            after.require_readable()
        return None
    old_outline, new_outline = read_outlines(old_outline.syntax, new_outline.syntax)
    intents = find_changes(old_outline, new_outline, Evidence(by_place=isinstance(op, Replace)))
    return find_effect(op, (old_outline, new_outline), edit, splice.find_results(edit.splices), intents)


def find_effect(
    op: Operation,
    outlines: tuple[Outline, Outline],
    edit: Edit,
    new: Iterable[tuple[int, int]],
    intents: tuple[Intent, ...],
) -> DefinitionEffect:
    """Return the effect of an edit on definitions.

    ``new`` are the ranges of the new texts in the file after the edit, and ``intents`` its effects on
    symbols.
    """
    old_outline, new_outline = outlines
    headers = tuple(
        symbol.qualname for symbol in symbol_changes.iter_changed_headers(old_outline, edit.splices)
    )
    return DefinitionEffect(
        intents, headers, tuple(_iter_torn(op, new_outline, [Span(*span) for span in new], intents))
    )


def _iter_torn(
    op: Operation, outline: Outline, spans: list[Span], intents: Iterable[Intent]
) -> Iterator[str]:
    """Yield added definitions that continue in old text; the pieces of a patch count as one text."""
    if isinstance(op, Patch):
        spans = [Span(spans[0].start, spans[-1].end)]
    added = {(intent.symbol, intent.at) for intent in intents if intent.kind == "add" and intent.defines}
    for symbol in outline.walk() if added else ():
        if (symbol.qualname, symbol.full_start) in added and not symbol_changes.is_whole(symbol, spans):
            yield symbol.qualname


def _line_range(document: Document, start: int, end: int) -> tuple[int, int]:
    """Return the first and last line of a byte range; ``(n, n - 1)`` for an empty one before line n."""
    if start == end:
        line = document.line_at(start) if start < len(document.text) else document.line_count + 1
        return line, line - 1
    return document.line_at(start), document.line_at(end - 1)


def _whole_range(content: bytes | None) -> tuple[int, int] | None:
    return None if content is None else (1, Document.read(content).line_count)


class FileSplices(msgspec.Struct, frozen=True):
    """The splices of one file on its current text, ascending, without overlap."""

    path: str
    splices: tuple[Splice, ...]


class LoweredOperation(msgspec.Struct, frozen=True):
    """File edits that implement an operation on names."""

    inside: tuple[FileSplices, ...]  # edits of files, one for each
    affected: tuple[Affected, ...] = ()  # symbols whose occurrences were updated
    unchecked: tuple[str, ...] = ()  # description of occurrences that may need an update but are uncertain
    made: tuple[tuple[str, bytes], ...] = ()  # new files, with their bytes
    moved: tuple[tuple[str, str], ...] = ()  # old and new paths of files to move after the edits


OpenSource: TypeAlias = Callable[[str, bytes], Source]  # opens a file from its path and content
# Lowers an operation on names, or raises a ``ScalpelError``.
Lower: TypeAlias = Callable[[NameFollowingOperation, Overlay, OpenSource], LoweredOperation]
