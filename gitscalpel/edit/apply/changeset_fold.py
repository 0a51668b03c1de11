"""Apply the operations of a changeset to a snapshot, each to the result of those before it.

If the new code of a definition renames it or its members, their uses are renamed too. Several replaced
definitions of one file are planned with one parse, if the result is certainly the same as one by one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

import msgspec

from gitscalpel.changesets import paths
from gitscalpel.changesets.answers import Propagated
from gitscalpel.changesets.file_tree import REGULAR, Entry, FileOrigin, Overlay, Snapshot
from gitscalpel.changesets.operations import (
    AddressedOperation,
    AutoImports,
    CopyFile,
    Delete,
    Insert,
    Lines,
    MovedFiles,
    MoveFile,
    NameFollowingOperation,
    Operation,
    Patch,
    Remove,
    Rename,
    Replace,
    Signature,
    Text,
    Write,
)
from gitscalpel.changesets.requests import empty_field_error
from gitscalpel.edit import file_operations, outcome, placeholder_expansion, preconditions
from gitscalpel.edit.outcome import (
    DefinitionEffect,
    Lower,
    OperationResult,
    Outcome,
    PlannedEdit,
    find_effect,
)
from gitscalpel.edit.source import Edit, Source, require_editable
from gitscalpel.edit.symbols import address_resolution, node_edits, replace, trial_parse
from gitscalpel.edit.symbols.address_resolution import locate
from gitscalpel.edit.symbols.delete import delete, resolve_safe_delete
from gitscalpel.edit.symbols.insert import insert
from gitscalpel.edit.symbols.replace import replace_signature
from gitscalpel.errors import DoesNotFit, ScalpelError
from gitscalpel.syntax.addresses import address_of
from gitscalpel.syntax.outline import Outline, ParseCache
from gitscalpel.syntax.symbol_changes import Evidence, Intent, find_changes
from gitscalpel.syntax.symbols import Span, Symbol
from gitscalpel.syntax.syntax_errors import find_faults
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice


class Claims:
    """The addressed ranges of each file in the original text, so that no operation silently undoes another.

    Text operations and patches claim nothing: they are looked up in the result of the operations before them.
    Line numbers refer to the file before the changeset, and cannot be mapped where a text operation or patch
    has replaced lines.
    """

    def __init__(self) -> None:
        self._claimed: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)

    def claim(self, op: Operation, source: Source, edit: Edit) -> None:
        """Claim the range that ``op`` addresses, or raise ``nested_conflict`` if part of it is claimed."""
        is_text = isinstance(op, (Text, Patch))
        if isinstance(op, NameFollowingOperation):
            return  # it changes words, wherever they are by now
        if edit.origin is not None and not source.track.keeps(*edit.origin):
            raise _nested_error(op, source, edit.origin[0])
        splice_ranges = [source.track.back(s.start, s.end) for s in edit.splices]
        ranges = splice_ranges if is_text else [source.origin_of(edit)]
        claimed = self._claimed[source.path]
        for start, end in ranges:
            if any(start < other_end and other_start < end for other_start, other_end in claimed):
                raise _nested_error(op, source, start)
        if not is_text:
            claimed += ranges

    def follow(self, path: str, to: str) -> None:
        self._claimed[to] = list(self._claimed[path])

    def forget(self, path: str) -> None:
        self._claimed.pop(path, None)


def _nested_error(op: Operation, source: Source, at: int) -> DoesNotFit:
    line = source.original.line_at(at)
    return DoesNotFit(
        "nested_conflict",
        f"{op.word} addresses line {line} of {source.path}, which an earlier operation "
        "of this changeset has changed",
        "combine both in one operation, or send them as two changesets",
        line=line,
    )


class ChangesetMoves:
    """The moves of a changeset so far: the first path of each file by its new path."""

    def __init__(self) -> None:
        self._first_paths: dict[str, str] = {}
        self.last = 0

    def record(self, op: MoveFile, path: str, to: str, index: int) -> None:
        """Record a move; a file that was moved before keeps its first path as its origin."""
        first_path = self._first_paths.pop(path, path)
        if not op.keep_imports:
            self._first_paths[to] = first_path
            self.last = index

    def as_operation(self, overlay: Overlay) -> MovedFiles | None:
        pairs = [(first, to) for to, first in self._first_paths.items() if first != to and overlay.entry(to)]
        return MovedFiles(path=pairs[-1][1], pairs=tuple(sorted(pairs))) if pairs else None


def apply(
    operations: tuple[Operation, ...],
    snapshot: Snapshot,
    roots: Sequence[str] = (),
    carried: Mapping[str, FileOrigin] = MappingProxyType({}),
    before_all: Snapshot | None = None,
    *,
    kept: ParseCache | None = None,
    lower: Lower | None = None,
) -> Outcome:
    """Apply all operations to ``snapshot``, which is not changed.

    ``roots`` are folders on disk that contain these files, for patches with absolute paths. ``carried`` are
    the files that earlier changesets moved or copied, and ``before_all`` the files before those changesets.
    Raises the first error, with the operation's index in ``op``.
    """
    unchanged = Outcome(
        Overlay(snapshot), carried=dict(carried), before_all=before_all, kept=kept or ParseCache()
    )
    fold = _Fold(operations, unchanged, roots, lower)
    step: Callable[[Operation], object]
    for step in (lambda op: [paths.normalize_path(path) for path in op.paths], fold.step):
        for index, operation in enumerate(operations):
            try:
                fold.index = index
                step(operation)
            except ScalpelError as error:
                raise error.at(index, operation.word, operation.path) from error
    fold.follow()
    if not fold.outcome.changes:
        raise DoesNotFit("no_change", "the operations together change nothing", "nothing is left to do")
    return fold.outcome


def edit_alone(op: Operation, source: Source, overlay: Overlay) -> Source:
    """Return a file after one operation inside it; its effect on definitions is not determined.

    Raises:
        ScalpelError: as :func:`apply` does.
    """
    try:
        return source.with_edit(_make_expanded_edit(op, require_editable(source), overlay))
    except ScalpelError as error:
        raise error.at(0, op.word, op.path) from error


class _Fold:
    def __init__(
        self, operations: Sequence[Operation], outcome: Outcome, roots: Sequence[str], lower: Lower | None
    ) -> None:
        self.operations = operations
        self.lower = lower
        self.index = 0
        self.plans: dict[int, PlannedEdit | None] = {}
        self.roots = roots
        self.overlay = outcome.overlay
        self.outcome = outcome
        self.sources = outcome.sources
        self.carried = outcome.carried
        self.claims = Claims()
        self.moves = ChangesetMoves()
        self.renamed: dict[str, str] = {}  # new paths of files that are named after a renamed definition

    def step(self, op: Operation) -> None:
        if isinstance(op, Write):
            path = paths.resolve_path(op.path, self.overlay)
            entry = file_operations.write_file(op, path, self.overlay)
            preconditions.check_file(op, path, self.overlay)
            placeholder_expansion.require_whole_content(
                path, self.overlay.content(path) or b"", self.overlay.read(entry.oid)
            )
            self._apply_to_file(op, path, entry)
        elif isinstance(op, Remove):
            path, _ = paths.require_file(op.path, self.overlay, "remove")
            preconditions.check_file(op, path, self.overlay)
            self._apply_to_file(op, path, None)
        elif isinstance(op, CopyFile):
            self._copy_or_move(op)
        elif isinstance(op, Patch):
            self._apply_patch(op)
        elif isinstance(op, NameFollowingOperation):
            self._apply_to_names(op)
        else:
            self._apply_inside(op)

    def _apply_to_file(self, op: Operation, path: str, entry: Entry | None) -> None:
        before = self.overlay.content(path)
        self.sources.pop(path, None)
        self.carried.pop(path, None)
        self.claims.forget(path)
        self.overlay.put(path, entry)
        self._append_result(outcome.whole_file_result(op, path, before, self.overlay.content(path)))

    def _copy_or_move(self, op: CopyFile) -> None:
        purpose: paths.Purpose = "move" if isinstance(op, MoveFile) else "copy"
        path, entry = paths.require_file(op.path, self.overlay, purpose)
        to = file_operations.resolve_destination(op, path, self.overlay)
        preconditions.check_file(op, path, self.overlay)
        content = self.overlay.content(path)
        self.carried[to] = self._origin_of(path)
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
            self.moves.record(op, path, to, self.index)
        self._append_result(outcome.whole_file_result(op, to, content, content))

    def _apply_patch(self, op: Patch) -> None:
        from gitscalpel.edit.patches.patch_lowering import iter_rounds, lower_patch

        checked_op = op
        for files in iter_rounds(op, self.overlay, self.roots):
            lowered = lower_patch(checked_op, files, self.overlay, self._open_source)
            carried = {to: self._origin_of(path) for to, path in lowered.carried.items()}
            for path, entry in lowered.whole:
                self._apply_to_file(op, path, entry)
            self.carried.update(carried)
            for step in lowered.inside:
                self._take_edit(op, step.source, step.edit, step.after, step.mode)
            checked_op = msgspec.structs.replace(
                op, base=None, expect=None
            )  # the caller has not seen the result of the patch

    def follow(self) -> None:
        """Update imports of moved files: last, so that operations that edit imports find them unchanged."""
        moved = self.moves.as_operation(self.overlay)
        if moved is None or self.lower is None:
            return
        self.index = self.moves.last
        try:
            self._apply_lowered(moved, self.lower)
        except ScalpelError as error:
            raise error.at(self.index, moved.word, moved.path) from error

    def _apply_to_names(self, op: NameFollowingOperation) -> None:
        assert self.lower is not None  # noqa: S101 - callers with such operations pass it
        if isinstance(op, AutoImports):
            self._apply_lowered(op, self.lower)
            return
        path, _ = paths.require_file(op.path, self.overlay)
        preconditions.check_file(op, path, self.overlay)
        if not self._apply_lowered(op, self.lower):
            message = f"{op.word} leaves {path} as it is"
            raise DoesNotFit("no_change", message, "check whether the change has already been made")

    def _apply_lowered(self, op: NameFollowingOperation, lower: Lower) -> bool:
        """Apply an operation on names; return False if it changes no file."""
        lowered = lower(op, self.overlay, self.outcome.read)
        for each in lowered.inside:
            entry = self.overlay.entry(each.path)
            source = self._open_source(each.path, self.overlay.content(each.path) or b"")
            edit = Edit(each.splices, (each.splices[0].start, each.splices[-1].end), is_exempt=True)
            self._take_edit(op, source, edit, source.with_edit(edit), entry.mode if entry else REGULAR)
        for made, content in lowered.made:
            self._apply_to_file(op, made, self.overlay.holding(REGULAR, content))
        for path, to in lowered.moved:
            self._copy_or_move(MoveFile(path=path, to=to, keep_imports=True))
            self.renamed[path] = to
        if lowered.inside or lowered.made:
            edits = sum(len(each.splices) for each in lowered.inside) + len(lowered.made)
            files = len(lowered.inside) + len(lowered.made)
            self.outcome.propagated.append(Propagated(kind=op.word, files=files, edits=edits))
        self.outcome.affected += lowered.affected
        self.outcome.unchecked += lowered.unchecked
        return bool(lowered.inside)

    def _origin_of(self, path: str) -> FileOrigin:
        return self.carried.get(path) or FileOrigin(path)

    def _apply_inside(self, op: Operation) -> None:
        path, entry = paths.require_file(op.path, self.overlay, "edit")
        source = self._open_source(path, self.overlay.content(path) or b"")
        planned = self._find_plan(source)
        edit, effect = planned or (self._make_edit(op, source), None)
        current = self.sources.get(self.renamed.get(path, path), source)  # a name may have changed in it
        after = current.with_edit(edit)
        if planned is None and current is not source and after.text == current.text:
            return  # the renames were all that the code changes
        self._take_edit(op, current, edit, after, entry.mode, effect=effect)

    def _make_edit(self, op: Operation, source: Source) -> Edit:
        """Return the edit of an operation inside a file, after the renames that its code implies."""
        if isinstance(op, Delete) and op.safe and self.lower is not None:
            op, unchecked = resolve_safe_delete(op, source, self.overlay, self.outcome.read, self.lower)
            self.outcome.unchecked += unchecked
        if not isinstance(op, Replace) or not op.rename:
            return _make_expanded_edit(op, source, self.overlay)
        return self._replace_renamed(op, source)

    def _replace_renamed(self, op: Replace, source: Source) -> Edit:
        """Rename a definition and its members as the new code does, and fit the code in."""
        try:
            edit = _make_expanded_edit(op, source, self.overlay)
        except ScalpelError as error:
            if error.code != "name_mismatch":
                raise
            rename_op, make_replacement = plan_rename(op, source, self.overlay, error.data["name"])
            self._apply_to_names(rename_op)
            source = self.sources[self.renamed.get(source.path, source.path)]
            op = make_replacement(source)
            edit = _make_expanded_edit(op, source, self.overlay)
        members = list(iter_member_renames(source, edit))
        if not members:
            return edit
        _, make_replacement = plan_rename(op, source, self.overlay, "")
        for rename in members:
            try:
                self._apply_to_names(rename)
            except ScalpelError as error:
                message = f"{rename.symbol} is not renamed to {rename.to} elsewhere: {error.message}"
                self.outcome.unchecked.append(f"{rename.path}: {message}")
        source = self.sources.get(source.path, source)
        return _make_expanded_edit(make_replacement(source), source, self.overlay)

    def _find_plan(self, source: Source) -> PlannedEdit | None:
        batch = [] if self.index in self.plans else _leading_replaces(self.operations[self.index :])
        if len(batch) > 1:
            plans: Sequence[PlannedEdit | None] = plan_batch(batch, source) or [None] * len(batch)
            self.plans.update(enumerate(plans, self.index))
        return self.plans.get(self.index)

    def _open_source(self, path: str, content: bytes) -> Source:
        return self.sources.get(path) or require_editable(self.outcome.read(path, content))

    def _take_edit(
        self,
        op: Operation,
        source: Source,
        edit: Edit,
        after: Source,
        mode: str,
        *,
        effect: DefinitionEffect | None = None,
    ) -> None:
        path = source.path
        self.claims.claim(op, source, edit)
        if after.text == source.text:
            raise DoesNotFit(
                "no_change",
                f"{op.word} leaves {path} as it is",
                "check whether the change has already been made",
            )
        old_origin = self._origin_of(path)
        # A file of this changeset alone that was not moved is in the same language as before.
        if old_origin.origin != path or self.outcome.before_all is not None:
            new_origin = file_operations.origin_after_edit(old_origin, source, edit, self.outcome.first)
            self.carried.update({path: new_origin} if new_origin != old_origin else {})
        self.sources[path] = after
        self.overlay.rewrite(path, mode, after.document.raw)
        self._append_result(outcome.inside_file_result(op, source, after, edit, effect))

    def _append_result(self, result: OperationResult) -> None:
        self.outcome.done.append(msgspec.structs.replace(result, index=self.index))


def _leading_replaces(operations: Sequence[Operation]) -> list[Replace]:
    replaces: list[Replace] = []
    for op in operations:
        is_plain = isinstance(op, Replace) and op.symbol is not None and op.base is None and not op.rename
        if not isinstance(op, Replace) or not is_plain or op.path != operations[0].path:
            break
        replaces.append(op)
    return replaces


def _make_expanded_edit(op: Operation, source: Source, overlay: Overlay) -> Edit:
    try:
        edit = _make_single_edit(_convert_line_range(op), source, overlay)
    except ScalpelError as error:
        raise placeholder_expansion.placeholder_error(error, getattr(op, "code", ""), source) from None
    return edit if getattr(op, "verbatim", False) else placeholder_expansion.expand_placeholders(edit, source)


def _make_single_edit(op: Operation, source: Source, overlay: Overlay) -> Edit:
    """Return the edit of one operation. Modules are imported here, since most calls need only one of them."""
    base = address_resolution.base_source(op, source, overlay)
    if isinstance(op, Text):
        from gitscalpel.edit.text_edits import replace_text

        return replace_text(op, source)
    if isinstance(op, Lines):
        from gitscalpel.edit.text_edits import edit_lines

        return edit_lines(op if base is None else address_resolution.relocate_lines(op, base, source), source)
    assert isinstance(op, AddressedOperation)  # noqa: S101 - whole files do not come here
    if isinstance(op, Insert) and op.is_of_file and source.language is None:
        from gitscalpel.edit import text_edits

        preconditions.check_span(op, source, (0, len(source.original.text)))
        return text_edits.insert_at_edge(op, source)
    target = locate(op, source) if base is None else address_resolution.relocate_symbol(op, base, source)
    preconditions.check_symbol(op, target, source)
    return _make_symbol_edit(op, target, source, overlay)


def _make_symbol_edit(op: AddressedOperation, target: Symbol, source: Source, overlay: Overlay) -> Edit:
    if target.verbatim and isinstance(op, (Insert, Delete, Replace)):
        return node_edits.edit_node(op, target, source)
    if isinstance(op, (Insert, Replace, Signature)) and not op.code.strip():
        raise empty_field_error(op, "code")
    if isinstance(op, Insert):
        return insert(op, target, source)
    if isinstance(op, Signature):
        return replace_signature(op, target, source)
    if isinstance(op, Delete):
        return delete(op, target, source, overlay)
    from gitscalpel.edit.symbols.replace import replace

    assert isinstance(op, Replace)  # noqa: S101 - these are all that are placed
    return replace(op, target, source)


def _convert_line_range(op: Operation) -> Operation:
    """Return a replace or delete of a line range as a lines operation."""
    if not isinstance(op, (Replace, Delete)) or op.start is None:
        return op
    code = op.code if isinstance(op, Replace) else (op.fill or "")
    return Lines(path=op.path, start=op.start, end=op.end, code=code, expect=op.expect, base=op.base)


def plan_rename(
    op: Replace, source: Source, overlay: Overlay, name: str
) -> tuple[Rename, Callable[[Source], Replace]]:
    """Return the rename of the target to ``name``, and a function that returns the remaining replacement."""
    target = address_resolution.resolve_target(op, source, overlay)
    position = next(n for n, each in enumerate(source.outline.walk()) if each is target)

    def make_replacement(after: Source) -> Replace:
        renamed = next(each for n, each in enumerate(after.outline.walk()) if n == position)
        cleared = dict.fromkeys(("query", "node", "match", "kind", "expect", "base"))
        return msgspec.structs.replace(op, symbol=address_of(after.outline, renamed), **cleared)

    return Rename(path=source.path, symbol=address_of(source.outline, target), to=name), make_replacement


def iter_member_renames(source: Source, edit: Edit) -> Iterator[Rename]:
    """Yield the member renames that new code implies, each parent before its members.

    Uses are not renamed if the member's body changed, since it may be another member. ``source`` has the
    definition under its new name already.
    """
    intents = find_changes(
        source.judged, source.with_edit(edit).judged, Evidence(by_place=True, is_strict=True)
    )
    renames: tuple[tuple[str, str], ...] = ()
    for intent in intents:
        if intent.kind == "rename" and intent.to is not None and intent.defines:
            symbol = Evidence(renames).path_after(intent.symbol)
            renames = (*renames, (symbol, intent.to))
            yield Rename(path=source.path, symbol=symbol, to=intent.to.rpartition(".")[2])


def plan_batch(operations: Sequence[Replace], source: Source) -> list[PlannedEdit] | None:
    """Return the planned edits of all ``operations``, or None if they must be done one by one.

    The definitions must not overlap, each name must mean the same definition after all edits, the file must
    parse before and afterwards, and nothing else may change. Errors come from doing them one by one.
    """
    try:
        before = source.judged
        if before is None or find_faults(before.syntax):
            return None
        targets = [locate(op, source) for op in operations]
        edits = _make_edits(operations, targets, source)
        return _plan_all(operations, targets, edits, source) if edits else None
    except ScalpelError:
        return None


def _make_edits(
    operations: Sequence[Replace], targets: Sequence[Symbol], source: Source
) -> list[Edit] | None:
    for op, target in zip(operations, targets, strict=True):
        preconditions.check_symbol(op, target, source)
    codes = [
        replace.fit_replacement(op, target, source) for op, target in zip(operations, targets, strict=True)
    ]
    splices = [Splice(each.target.full_start, each.target.end, each.code) for each in codes]
    if not _are_on_separate_lines(splices, source) or not all(
        replace.is_ended(each, source) for each in codes
    ):
        return None
    after = source.after(sorted(splices))
    if find_faults(after):
        return None
    result_ranges = dict(zip(sorted(splices), splice.find_results(sorted(splices)), strict=True))
    trials = [trial_parse.Trial(source.text, after, Span(*result_ranges[each]), None) for each in splices]
    replaced_ranges = [(each.start, each.end) for each in splices]
    if _list_outside(source.outline, replaced_ranges) != _list_outside(
        trials[0].outline, list(result_ranges.values())
    ):
        return None
    edits = [
        replace.join_replacement(each, trial, replace.find_replacement(each, trial, source), source)
        for each, trial in zip(codes, trials, strict=True)
    ]
    expanded = [placeholder_expansion.expand_placeholders(edit, source) for edit in edits]
    return edits if edits == expanded else None


def _are_on_separate_lines(splices: Sequence[Splice], source: Source) -> bool:
    return all(
        one.end <= other.start and b"\n" in source.text[one.end : other.start]
        for one, other in pairwise(sorted(splices))
    )


def _list_outside(outline: Outline, spans: Sequence[tuple[int, int]]) -> list[tuple[tuple[str, ...], str]]:
    counts = Counter(id(symbol) for span in spans for symbol in outline.outside(*span))
    return [symbol.identity for symbol in outline.walk() if counts[id(symbol)] == len(spans)]


def _plan_all(
    operations: Sequence[Replace], targets: Sequence[Symbol], edits: Sequence[Edit], source: Source
) -> list[PlannedEdit] | None:
    """Return the edits, each on the text left by those before it, with their effects on symbols."""
    splices = [each.splices[0] for each in edits]
    if not _are_on_separate_lines(splices, source):
        return None
    after = source.with_edit(Edit(tuple(sorted(splices)), (0, 0)))
    old_outline, new_outline = source.outline, after.outline
    intents = _group_by_target(find_changes(old_outline, new_outline, Evidence(by_place=True)), targets)
    if intents is None or find_faults(new_outline.syntax):
        return None
    result_ranges = dict(zip(sorted(splices), splice.find_results(sorted(splices)), strict=True))
    if not all(
        _contains(result_ranges[own_splice], locate(op, after))
        for op, own_splice in zip(operations, splices, strict=True)
    ):
        return None
    planned = []
    for number, (op, edit, own_splice) in enumerate(zip(operations, edits, splices, strict=True)):
        before = [each for each in splices[:number] if each.start < own_splice.start]
        shift = sum(len(each.new) - (each.end - each.start) for each in before)
        effect = find_effect(
            op, (old_outline, new_outline), edit, [result_ranges[own_splice]], intents[number]
        )
        planned.append((_move_edit(edit, shift), effect))
    return planned


def _contains(place: tuple[int, int], symbol: Symbol) -> bool:
    return place[0] <= symbol.start and symbol.end <= place[1]


def _move_edit(edit: Edit, shift: int) -> Edit:
    return msgspec.structs.replace(
        edit,
        splices=tuple(Splice(each.start + shift, each.end + shift, each.new) for each in edit.splices),
        target=(edit.target[0] + shift, edit.target[1] + shift),
    )


def _group_by_target(intents: Sequence[Intent], targets: Sequence[Symbol]) -> list[tuple[Intent, ...]] | None:
    """Return the intents of each target and its members, or None if anything else changed."""
    names = [target.qualname for target in targets]
    groups = [
        tuple(
            each
            for each in intents
            if each.symbol == name or each.symbol.startswith((f"{name}.", f"{name}["))
        )
        for name in names
    ]
    return groups if sum(map(len, groups)) == len(intents) and len(set(names)) == len(names) else None
