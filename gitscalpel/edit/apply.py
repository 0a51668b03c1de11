"""Folds a changeset over a snapshot: each operation sees the result of those before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from gitscalpel.changesets import paths
from gitscalpel.changesets.answers import Propagated
from gitscalpel.changesets.file_tree import REGULAR, Entry, Overlay, Snapshot
from gitscalpel.changesets.operations import (
    CopyFile,
    Delete,
    Following,
    Insert,
    Lines,
    Missing,
    MoveFile,
    Operation,
    Patch,
    Placed,
    Remove,
    Replace,
    Signature,
    Text,
    Write,
)
from gitscalpel.edit import elided, outcome, relocate, stale
from gitscalpel.edit.carried import after_edit
from gitscalpel.edit.claims import Claims
from gitscalpel.edit.opening import require_editable
from gitscalpel.edit.origin import Carried
from gitscalpel.edit.outcome import Done, Outcome, Planned
from gitscalpel.edit.source import Edit, Source
from gitscalpel.errors import DoesNotFit, ScalpelError
from gitscalpel.syntax.parse_cache import Kept
from gitscalpel.syntax.symbols import Symbol

if TYPE_CHECKING:
    from gitscalpel.edit.lowered import Lower
    from gitscalpel.edit.moves import Moves


def apply(
    operations: tuple[Operation, ...],
    snapshot: Snapshot,
    roots: Sequence[str] = (),
    carried: Mapping[str, Carried] = MappingProxyType({}),
    before_all: Snapshot | None = None,
    *,
    kept: Kept | None = None,
    lower: Lower | None = None,
) -> Outcome:
    """Do all operations on ``snapshot``, which is left as it is.

    Args:
        operations: in their order.
        snapshot: the files.
        roots: folders on the disk that hold these files, for patches with absolute names.
        carried: the files that changesets before this one have moved or copied; see :class:`Outcome`.
        before_all: the files before these changesets.
        kept: what others have parsed of the files; None: nothing yet.
        lower: makes plain edits of an operation on names; None: there is none among them.

    Raises:
        ScalpelError: the first refusal, with the operation's index in ``op``.
    """
    nothing = Outcome(Overlay(snapshot), carried=dict(carried), before_all=before_all, kept=kept or Kept())
    fold = _Fold(operations, nothing, roots, lower)
    step: Callable[[Operation], object]
    for step in (lambda op: [paths.clean(path) for path in op.paths], fold.step):
        for index, operation in enumerate(operations):
            try:
                fold.index = index
                step(operation)
            except ScalpelError as error:
                raise error.at(index, operation.word, operation.path) from error
    fold.follow()
    if not fold.outcome.changes:
        raise DoesNotFit(
            "no_change", "all operations together leave everything as it was", "nothing is left to do"
        )
    return fold.outcome


class _Fold:
    """The state between operations: files as left so far, and which places were addressed."""

    def __init__(
        self, operations: Sequence[Operation], outcome: Outcome, roots: Sequence[str], lower: Lower | None
    ) -> None:
        self.operations = operations
        self.lower = lower
        self.index = 0
        self.plans: dict[int, Planned | None] = {}
        self.roots = roots
        self.overlay = outcome.overlay
        self.outcome = outcome
        self.sources = outcome.sources
        self.carried = outcome.carried
        self.claims = Claims()
        self.moves: Moves | None = None
        self.renamed: dict[str, str] = {}
        """New paths of the files that are called after what has been renamed."""

    def step(self, op: Operation) -> None:
        if isinstance(op, Write):
            from gitscalpel.edit import files

            path = paths.resolve(op.path, self.overlay)
            entry = files.write(op, path, self.overlay)
            stale.check_file(op, path, self.overlay)
            elided.refuse_in_file(path, self.overlay.content(path) or b"", self.overlay.read(entry.oid))
            self._whole(op, path, entry)
        elif isinstance(op, Remove):
            path, _ = paths.existing(op.path, self.overlay)
            stale.check_file(op, path, self.overlay)
            self._whole(op, path, None)
        elif isinstance(op, CopyFile):
            self._carry(op)
        elif isinstance(op, Patch):
            self._patch(op)
        elif isinstance(op, Following):
            self._following(op)
        else:
            self._inside(op)

    def _whole(self, op: Operation, path: str, entry: Entry | None) -> None:
        before = self.overlay.content(path)
        self.sources.pop(path, None)
        self.carried.pop(path, None)
        self.claims.forget(path)
        self.overlay.put(path, entry)
        self._report(outcome.whole(op, path, before, self.overlay.content(path)))

    def _carry(self, op: CopyFile) -> None:
        """Move or copy a file, with what operations before this one have done to it."""
        from gitscalpel.edit import files

        path, entry = paths.existing(op.path, self.overlay)
        to = files.goal(op, path, self.overlay)
        stale.check_file(op, path, self.overlay)
        content = self.overlay.content(path)
        self.carried[to] = self._carried(path)
        if path in self.sources:
            self.sources[to] = self.sources[path].at(to)
        self.outcome.kept.follow(path, to)
        self.claims.follow(path, to)
        self.overlay.put(to, entry)
        if isinstance(op, MoveFile):
            self.overlay.put(path, None)
            self.sources.pop(path, None)
            self.carried.pop(path, None)
            self.claims.forget(path)
            self._moves().take(op, path, to, self.index)
        self._report(outcome.whole(op, to, content, content))

    def _moves(self) -> Moves:
        from gitscalpel.edit.moves import Moves

        self.moves = self.moves or Moves()
        return self.moves

    def _patch(self, op: Patch) -> None:
        from gitscalpel.edit.patches.lower import lower, rounds

        seen = op
        for part in rounds(op, self.overlay, self.roots):
            lowered = lower(seen, part, self.overlay, self._source)
            carried = {to: self._carried(path) for to, path in lowered.carried.items()}
            for path, entry in lowered.whole:
                self._whole(op, path, entry)
            self.carried.update(carried)
            for step in lowered.inside:
                self._edited(op, step.source, step.edit, step.after, step.mode)
            seen = msgspec.structs.replace(op, base=None, expect=None)  # nobody saw what the patch made

    def follow(self) -> None:
        """Have what imports the files that were moved follow them.

        This comes last, so that who has changed imports in the same changeset finds them as they were, and
        none is changed twice.
        """
        moved = self.moves.moved(self.overlay) if self.moves else None
        if moved is None or self.lower is None:
            return
        self.index = self._moves().last
        try:
            self._lowered(moved, self.lower)
        except ScalpelError as error:
            raise error.at(self.index, moved.word, moved.path) from error

    def _following(self, op: Following) -> None:
        """Give a name, or another one, wherever it stands."""
        assert self.lower is not None  # noqa: S101 - whoever has such an operation says who follows names
        if isinstance(op, Missing):
            self._lowered(op, self.lower)
            return
        path, _ = paths.existing(op.path, self.overlay)
        stale.check_file(op, path, self.overlay)
        if not self._lowered(op, self.lower):
            words = f"{op.word} leaves {path} as it is"
            raise DoesNotFit("no_change", words, "check whether the change was made before")

    def _lowered(self, op: Following, lower: Lower) -> bool:
        """Do an operation on names; false: it changes no file."""
        lowered = lower(op, self.overlay, self.outcome.read)
        for each in lowered.inside:
            entry = self.overlay.entry(each.path)
            source = self._source(each.path, self.overlay.content(each.path) or b"")
            edit = Edit(each.splices, (each.splices[0].start, each.splices[-1].end), is_exempt=True)
            self._edited(op, source, edit, source.edited(edit), entry.mode if entry else REGULAR)
        for made, content in lowered.made:
            self._whole(op, made, self.overlay.holding(REGULAR, content))
        for path, to in lowered.moved:
            self._carry(MoveFile(path=path, to=to, keep_imports=True))
            self.renamed[path] = to
        if lowered.inside or lowered.made:
            edits = sum(len(each.splices) for each in lowered.inside) + len(lowered.made)
            files = len(lowered.inside) + len(lowered.made)
            self.outcome.propagated.append(Propagated(kind=op.word, files=files, edits=edits))
        self.outcome.affected += lowered.affected
        self.outcome.unchecked += lowered.unchecked
        return bool(lowered.inside)

    def _carried(self, path: str) -> Carried:
        """Where the file at ``path`` was at first."""
        return self.carried.get(path) or Carried(path)

    def _inside(self, op: Operation) -> None:
        path, entry = paths.existing(op.path, self.overlay)
        source = self._source(path, self.overlay.content(path) or b"")
        planned = self._planned(source)
        made = planned or self._made(op, source)
        renamed = self.sources.get(self.renamed.get(path, path), source)  # a name may have changed in it
        edit = made if isinstance(made, Edit) else made.edit
        after = renamed.edited(edit)
        if planned is None and renamed is not source and after.text == renamed.text:
            return  # the renames were all that the code changes
        self._edited(op, renamed, made, after, entry.mode)

    def _made(self, op: Operation, source: Source) -> Edit:
        """Return the edit of an operation inside a file, after the renames that its code asks for."""
        if isinstance(op, Delete) and op.safe and self.lower is not None:
            from gitscalpel.edit.uses import resolved

            op, left = resolved(op, source, self.overlay, self.outcome.read, self.lower)
            self.outcome.unchecked += left
        if not isinstance(op, Replace) or not op.rename:
            return _without_placeholders(op, source, self.overlay)
        return self._renaming(op, source)

    def _renaming(self, op: Replace, source: Source) -> Edit:
        """Give a definition and its members the names that new code has for them, and fit the code in."""
        from gitscalpel.edit.renaming import member_renames, renaming

        try:
            edit = _without_placeholders(op, source, self.overlay)
        except ScalpelError as error:
            if error.code != "name_mismatch":
                raise
            first, then = renaming(op, source, self.overlay, error.data["name"])
            self._following(first)
            source = self.sources[self.renamed.get(source.path, source.path)]
            op = then(source)
            edit = _without_placeholders(op, source, self.overlay)
        members = list(member_renames(source, edit))
        if not members:
            return edit
        _, then = renaming(op, source, self.overlay, "")
        for rename in members:
            try:
                self._following(rename)
            except ScalpelError as error:
                words = f"{rename.symbol} is not renamed to {rename.to} elsewhere: {error.message}"
                self.outcome.unchecked.append(f"{rename.path}: {words}")
        source = self.sources.get(source.path, source)
        return _without_placeholders(then(source), source, self.overlay)

    def _planned(self, source: Source) -> Planned | None:
        """What the operation does, if it is one of several that can be looked at together."""
        several = [] if self.index in self.plans else _alike(self.operations[self.index :])
        if len(several) > 1:
            from gitscalpel.edit.together import plan

            plans: Sequence[Planned | None] = plan(several, source) or [None] * len(several)
            self.plans.update(enumerate(plans, self.index))
        return self.plans.get(self.index)

    def _source(self, path: str, content: bytes) -> Source:
        """The file as the operations so far have left it."""
        return self.sources.get(path) or require_editable(self.outcome.read(path, content))

    def _edited(self, op: Operation, source: Source, made: Edit | Planned, after: Source, mode: str) -> None:
        path = source.path
        edit, did = (made, None) if isinstance(made, Edit) else (made.edit, made.effect)
        self.claims.claim(op, source, edit)
        if after.text == source.text:
            raise DoesNotFit(
                "no_change",
                f"{op.word} leaves {path} as it is",
                "check whether the change was made before",
            )
        was = self._carried(path)
        if was.origin != path or self.outcome.before_all is not None:  # else it is in the same language
            now = after_edit(was, source, edit, self.outcome.first)
            self.carried.update({path: now} if now != was else {})
        self.sources[path] = after
        self.overlay.rewrite(path, mode, after.document.raw)
        self._report(outcome.inside(op, source, after, edit, did))

    def _report(self, done: Done) -> None:
        self.outcome.done.append(msgspec.structs.replace(done, index=self.index))


def _alike(operations: Sequence[Operation]) -> list[Replace]:
    """Those at the beginning that replace definitions of one file, each by its name."""
    found: list[Replace] = []
    for op in operations:
        is_plain = isinstance(op, Replace) and op.symbol is not None and op.base is None and not op.rename
        if not isinstance(op, Replace) or not is_plain or op.path != operations[0].path:
            break
        found.append(op)
    return found


def _without_placeholders(op: Operation, source: Source, overlay: Overlay) -> Edit:
    """Do one operation, and put what placeholders stand for in their places."""
    try:
        edit = _edit(_lowered(op), source, overlay)
    except ScalpelError as error:
        raise elided.instead_of(error, getattr(op, "code", ""), source) from None
    return edit if getattr(op, "verbatim", False) else elided.filled(edit, source)


def _edit(op: Operation, source: Source, overlay: Overlay) -> Edit:
    """Do one operation; each family is imported where it is used, since a start mostly needs one."""
    base = relocate.seen(op, source, overlay)
    if isinstance(op, Text):
        from gitscalpel.edit.texts import text

        return text(op, source)
    if isinstance(op, Lines):
        from gitscalpel.edit.lines import lines

        return lines(op if base is None else relocate.lines(op, base, source), source)
    assert isinstance(op, Placed)  # noqa: S101 - whole files do not come here
    if isinstance(op, Insert) and op.is_of_file and source.language is None:
        from gitscalpel.edit import unread

        stale.check_span(op, source, (0, len(source.original.text)))
        return unread.insert(op, source)
    from gitscalpel.edit.symbols.locate import locate

    target = locate(op, source) if base is None else relocate.place(op, base, source)
    stale.check_symbol(op, target, source)
    return _placed(op, target, source, overlay)


def _placed(op: Placed, target: Symbol, source: Source, overlay: Overlay) -> Edit:
    """Do one operation on the definition or node that it addresses."""
    if target.verbatim and isinstance(op, (Insert, Delete, Replace)):
        from gitscalpel.edit.symbols import spans

        return spans.edit(op, target, source)
    if isinstance(op, (Insert, Replace, Signature)) and not op.code.strip():
        from gitscalpel.changesets.validation import empty_field

        raise empty_field(op, "code")
    if isinstance(op, Insert):
        from gitscalpel.edit.symbols.insert import insert

        return insert(op, target, source)
    if isinstance(op, Signature):
        from gitscalpel.edit.symbols.signature import signature

        return signature(op, target, source)
    if isinstance(op, Delete):
        from gitscalpel.edit.symbols.delete import delete

        return delete(op, target, source, overlay)
    from gitscalpel.edit.symbols.replace import replace

    assert isinstance(op, Replace)  # noqa: S101 - these are all that are placed
    return replace(op, target, source)


def _lowered(op: Operation) -> Operation:
    """A replace or delete of a line range is a lines operation."""
    if not isinstance(op, (Replace, Delete)) or op.start is None:
        return op
    code = op.code if isinstance(op, Replace) else (op.fill or "")
    return Lines(path=op.path, start=op.start, end=op.end, code=code, expect=op.expect, base=op.base)
