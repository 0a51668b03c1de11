"""Result of a changeset: its effect on files, symbols and lines.

Operations on names are lowered to plain edits of files, with the places that are left for review. This
package does not resolve names: the caller that applies operations passes in the function that lowers
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TypeAlias

import msgspec

from gitscalpel.changesets.answers import Affected, Propagated, StaleDoc
from gitscalpel.changesets.file_tree import Change, FileOrigin, Overlay, Snapshot
from gitscalpel.changesets.operations import Following, Operation, Patch, Rename, Replace, Text
from gitscalpel.edit.file_operations import iter_visible_again
from gitscalpel.edit.new_syntax_errors import read_outlines
from gitscalpel.edit.source import Edit, Source
from gitscalpel.syntax import symbol_changes
from gitscalpel.syntax.exemptions import Exemptions
from gitscalpel.syntax.outline import Kept, Outline
from gitscalpel.syntax.symbol_changes import Evidence, Intent, changes
from gitscalpel.syntax.symbols import Span, Symbol
from gitscalpel.text import splice
from gitscalpel.text.document import Document
from gitscalpel.text.line_refs import content_hash
from gitscalpel.text.splice import Splice


class Effect(msgspec.Struct, frozen=True):
    """What an edit inside a file did to definitions.

    Attributes:
        intents: what it did to symbols of any sort.
        headers: the definitions whose headers stood in the replaced text.
        torn: added definitions that the new text holds only a part of.
    """

    intents: tuple[Intent, ...] = ()
    headers: tuple[str, ...] = ()
    torn: tuple[str, ...] = ()


PlannedEdit: TypeAlias = tuple[Edit, Effect]
"""An edit of the text as the operations before it will leave it, and its effect on definitions."""


class Done(msgspec.Struct, frozen=True):
    """What one operation did.

    Attributes:
        op, path: the operation and the file it ended up in; an operation on several files, such as
            a patch, has one of these for each.
        index: which operation of the changeset it is, from 0.
        before, after: the first and last line it covered and covers; None where there is no file.
        edit: the edit, for operations inside a file.
        effect: what that did to definitions; None where the file has none that can be judged.
        hash: content hash of the text it left.
    """

    op: Operation
    path: str
    edit: Edit | None = None
    before: tuple[int, int] | None = None
    after: tuple[int, int] | None = None
    effect: Effect | None = None
    hash: str | None = None
    index: int = 0

    @property
    def intents(self) -> tuple[Intent, ...]:
        """What an edit inside a file did to its symbols."""
        return self.effect.intents if self.effect else ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What looks odd but was done, in words: also the members that new code for a definition lacks."""
        told = self.edit.warnings if self.edit else ()
        if not isinstance(self.op, Replace) or (self.edit and self.edit.is_textual):
            return told
        gone = (i.symbol for i in self.intents if i.kind == "delete" and i.defines)
        return (*told, *(f"deletes member {name}, which the code does not have" for name in gone))


class Outcome(msgspec.Struct, dict=True):
    """All operations of a changeset, done.

    Attributes:
        overlay: the files as they leave them.
        done: what each did.
        sources: the files that were edited inside, as they are left; each knows what it was before.
        carried: by path, the files that were moved or copied there.
        before_all: the files before all of this, where other changesets came before it; None: those below.
        kept: what was parsed of each file.
        affected: what had to follow names.
        unchecked: what may have to, and why nobody can tell, in words.
        propagated: the edits that followed from operations on names.
        stale_docs: documentation that is untrue now.
    """

    overlay: Overlay
    done: list[Done] = []
    sources: dict[str, Source] = {}
    carried: dict[str, FileOrigin] = {}
    before_all: Snapshot | None = None
    kept: Kept = msgspec.field(default_factory=Kept)
    affected: list[Affected] = []
    unchecked: list[str] = []
    propagated: list[Propagated] = []
    stale_docs: list[StaleDoc] = []

    @property
    def first(self) -> Snapshot:
        """The files before all that has led to this."""
        return self.before_all or self.overlay.below

    @cached_property
    def exemptions(self) -> Exemptions:
        """The files that the rules and attributes before the change exempt."""
        return Exemptions(self.first)

    def read(self, path: str, content: bytes) -> Source:
        """Return a file of this path as it was or is; what was parsed of it is not parsed again."""
        return Source.read(path, content, self.kept.of(path), self.overlay, self.exemptions)

    def unread(self) -> Iterator[Outcome]:
        """Yield an edit of text for each file that was edited under a name which shows no definitions."""
        for source, edit, after in iter_visible_again(self.carried, self.first, self.overlay, self.read):
            last = max((done.index for done in self.done if done.path == source.path), default=0)
            done = inside(Text(path=source.path, old="", new=""), source, after, edit)
            numbered = msgspec.structs.replace(done, index=last)
            yield Outcome(self.overlay, [numbered], {source.path: after}, kept=self.kept)

    def unseen(self, path: str) -> tuple[Symbol, ...]:
        """Return the definitions of a file that are gone, though no edit shows them in what it replaces."""
        both = self._outlines(path)
        return symbol_changes.unseen(*both, self.sources[path].track.rounds) if both else ()

    def doubled(self, path: str) -> tuple[Symbol, ...]:
        """Return the definitions of a file that became a further one of their name in their block."""
        both = self._outlines(path)
        return symbol_changes.doubled(*both) if both else ()

    def _outlines(self, path: str) -> tuple[Outline, Outline] | None:
        """Of a file that was edited inside, as it was and as it is left; None where it is not judged."""
        source = self.sources.get(path)
        before, after = (source.before.judged, source.judged) if source else (None, None)
        return (before, after) if before is not None and after is not None else None

    def intents(self, path: str, before: bytes | None, after: bytes | None) -> tuple[Intent, ...]:
        """Return what became of the definitions of a file between two texts, None where it is not there.

        Renames count as such that an operation asked for, or that new code for a class shows by the places of
        its members, also where the body changed as well.
        """
        was, now = (None if text is None else self.read(path, text).judged for text in (before, after))
        return changes(was, now, self.evidence(path))

    def evidence(self, path: str) -> Evidence:
        """Return the renames of a file that its operations show."""
        paths = {path, self.carried[path].origin if path in self.carried else path}
        steps = (done for done in self.done if done.path in paths and isinstance(done.op, (Rename, Replace)))
        renames = ((each.symbol, each.to) for done in steps for each in done.intents if each.kind == "rename")
        return Evidence(tuple((old, new) for old, new in renames if new is not None))

    @property
    def changes(self) -> list[Change]:
        """The files that come out otherwise than they were, by path."""
        return self.overlay.changes


def whole(op: Operation, path: str, before: bytes | None, after: bytes | None) -> Done:
    """Return the report of an operation on a whole file; None is a file that is not there."""
    digest = None if after is None else content_hash(after)
    return Done(op, path, before=_all_lines(before), after=_all_lines(after), hash=digest)


def inside(op: Operation, source: Source, after: Source, edit: Edit, did: Effect | None = None) -> Done:
    """Return the report of an edit inside a file, in lines before (of the file as it was) and after.

    ``did`` is what it did to definitions, where that is known.
    """
    first, last = edit.splices[0], edit.splices[-1]
    shift = sum(len(s.new) - (s.end - s.start) for s in edit.splices)
    start, end = first.start + edit.margins[0], last.end + shift - edit.margins[1]
    begins, ends = start, end
    if edit.origin is None and edit.target[0] < edit.target[1]:
        # What is kept of the target, such as its lead, is covered as it was.
        begins, ends = min(start, edit.target[0]), max(end, edit.target[1] + shift)
    return Done(
        op,
        source.path,
        edit,
        _lines(source.original, *source.origin_of(edit)),
        _lines(after.document, begins, ends),
        did or _effect(op, source, after, edit),
        content_hash(splice.apply(source.text, edit.splices)[start:end]),
    )


def _effect(op: Operation, source: Source, after: Source, edit: Edit) -> Effect | None:
    was, now = source.judged, after.judged
    if was is None or now is None:
        if was is not None:
            after.require_readable()
        return None
    was, now = read_outlines(was.syntax, now.syntax)
    intents = changes(was, now, Evidence(by_place=isinstance(op, Replace)))
    return effect(op, (was, now), edit, splice.results(edit.splices), intents)


def effect(
    op: Operation,
    outlines: tuple[Outline, Outline],
    edit: Edit,
    new: Iterable[tuple[int, int]],
    intents: tuple[Intent, ...],
) -> Effect:
    """Return what an edit did to definitions.

    Args:
        op: the operation.
        outlines: of the text that the edit is about, and of one with the edit.
        edit: what was done.
        new: where the new texts of the edit stand in the latter.
        intents: those of the edit.
    """
    was, now = outlines
    headers = tuple(symbol.qualname for symbol in symbol_changes.headers(was, edit.splices))
    return Effect(intents, headers, tuple(_torn(op, now, [Span(*span) for span in new], intents)))


def _torn(op: Operation, now: Outline, spans: list[Span], intents: Iterable[Intent]) -> Iterator[str]:
    """Yield the additions that go on in text that was there; the pieces of a patch show one text."""
    if isinstance(op, Patch):
        spans = [Span(spans[0].start, spans[-1].end)]
    added = {(intent.symbol, intent.at) for intent in intents if intent.kind == "add" and intent.defines}
    for symbol in now.walk() if added else ():
        if (symbol.qualname, symbol.outer) in added and not symbol_changes.is_whole(symbol, spans):
            yield symbol.qualname


def _lines(document: Document, start: int, end: int) -> tuple[int, int]:
    """First and last line of a byte range; an empty range is ``(n, n - 1)``, before line n."""
    if start == end:
        at = document.line_at(start) if start < len(document.text) else document.line_count + 1
        return at, at - 1
    return document.line_at(start), document.line_at(end - 1)


def _all_lines(content: bytes | None) -> tuple[int, int] | None:
    return None if content is None else (1, Document.read(content).line_count)


class FileSplices(msgspec.Struct, frozen=True):
    """A file in which names are put.

    Attributes:
        path: of the file.
        splices: on its text as it is, ascending, without overlap.
    """

    path: str
    splices: tuple[Splice, ...]


class Lowered(msgspec.Struct, frozen=True):
    """An operation as edits.

    Attributes:
        inside: one for each file.
        affected: what had to follow.
        made: files that were not there, with their bytes.
        moved: paths of files that go to another path, after the edits, with that path.
        unchecked: what may have to, and why nobody can tell, in words.
    """

    inside: tuple[FileSplices, ...]
    affected: tuple[Affected, ...] = ()
    unchecked: tuple[str, ...] = ()
    made: tuple[tuple[str, bytes], ...] = ()
    moved: tuple[tuple[str, str], ...] = ()


OpenSource: TypeAlias = Callable[[str, bytes], Source]
"""Opens a file of a path with its bytes."""
Lower: TypeAlias = Callable[[Following, Overlay, OpenSource], Lowered]
"""Raises a ``ScalpelError`` where the operation is refused."""
