"""Apply operations to the files of a target in memory and run the static gates.

Bare line numbers are refused if a caller may have counted in another version of the file, because the edit
would change a line that the caller never saw.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from gitscalpel.changesets import answers, paths
from gitscalpel.changesets.answers import quote_path
from gitscalpel.changesets.file_tree import TREE, Changes, Oid, Overlay, Snapshot
from gitscalpel.changesets.operations import (
    NO_FILE,
    AddressedOperation,
    Lines,
    MoveFile,
    Operation,
    Patch,
    Write,
)
from gitscalpel.changesets.requests import Changeset
from gitscalpel.changesets.rules import LEVELS, Rules, Structure
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import ScalpelError, WorldMoved
from gitscalpel.errors.messages import call, place, spell_all
from gitscalpel.git import refs
from gitscalpel.syntax.languages import read_document
from gitscalpel.system import serialization
from gitscalpel.text.document import Document
from gitscalpel.text.line_refs import LineRange, line_hash
from gitscalpel.transaction import static_gates, summary
from gitscalpel.transaction.change import (
    Change,
    Meta,
    load_change,
    new_change,
    new_meta,
    spell_origins,
)
from gitscalpel.transaction.check import gate_runner
from gitscalpel.transaction.result import Result, draft_result
from gitscalpel.workspace.workspace import Target, TreeTarget, Workspace, is_dirty

if TYPE_CHECKING:
    from gitscalpel.changesets.operations import NameFollowingOperation
    from gitscalpel.edit.outcome import LoweredOperation, OpenSource

_NOT_THERE = ("not_found", "symbol_not_found", "query_no_match", "out_of_range", "stale", "file_not_found")


class TooSlow(Exception):
    """Raised if a change that should be built quickly needs long, so that no other caller waits for it."""


class Draft(NamedTuple):
    """Operations that were applied and checked in memory; no object is written yet."""

    meta: Meta  # metadata of a change that consists of these operations
    files: Changes
    fresh: tuple[bytes, ...]  # blobs of these files that are not stored yet


def apply_operations(
    ws: Workspace,
    changeset: Changeset,
    target: Target,
    staged: Change | None = None,
    *,
    briefly: bool = False,
) -> Draft:
    """Apply operations to the target's files and run the static gates; nothing is written.

    ``staged`` is the transaction if the target is one. ``briefly`` means that other callers wait for the
    result.

    Raises:
        ScalpelError: the first error of an operation or gate.
        TooSlow: other callers would wait for long.
    """
    # Absolute names in a patch mean files of these folders.
    folders = (ws.here.work_tree, ws.repo.work_tree)
    roots = tuple(dict.fromkeys(str(folder) for folder in folders if folder is not None))
    if target.branch != answers.CHECKOUT:  # there, callers count lines in the file on disk
        changeset.require_single_commit(is_more=bool(staged and staged.meta.steps))
        _refuse_bare_numbers(ws, changeset.operations, target, roots)
    try:
        outcome = apply(
            changeset.operations,
            target.snapshot,
            roots,
            spell_origins(staged.meta.carried, serialization.decode_path) if staged else {},
            ws.snapshot(staged.meta.base) if staged else None,
            kept=ws.kept,
            lower=partial(_lower, ws),
        )
        static_gates.require_allowed_changes(ws, outcome.changes)
        rules = target.rules
        if changeset.structure is not None:
            rules = _tighten_structure(rules, changeset.structure)
        verdicts = static_gates.judge(outcome, rules, changeset.allow_broken)
        static_gates.raise_failure(verdicts)
        _add_consequences(outcome, briefly=briefly)
    except ScalpelError as error:
        path = changeset.operations[error.op].path if error.op is not None else ""
        raise _mention_uncommitted(ws, path, target, error) from error
    meta = new_meta(ws, target, changeset.message).but(
        author=changeset.author,
        steps=tuple(map(answers.replace_surrogates, summary.describe_outcome(outcome))),
        facts=summary.collect_facts(outcome, verdicts, outcome.unchecked),
        pending=gate_runner.pending(ws, target.rules, outcome, require_approval=changeset.require_approval),
        warnings=(*summary.warnings(outcome, verdicts), *map(str, outcome.unchecked)),
        request_ids=tuple(changeset.requests),
        requests=changeset.requests,
        structure=target.rules.gates.structure,
        carried=spell_origins(outcome.carried, serialization.encode_path),
        allow_broken=changeset.allow_broken,
        require_approval=changeset.require_approval,
        checked=not target.rules.whole_change_keys,
    )
    files = Changes(outcome.changes, outcome.overlay.read)
    return Draft(spell_all(meta, ws.session.spelling), files, tuple(outcome.overlay.fresh))


def _tighten_structure(rules: Rules, wanted: Structure) -> Rules:
    """Return the rules for a changeset. It may request a stricter gate, but not a looser one."""
    level = max(rules.gates.structure, wanted, key=LEVELS.index)
    gates = msgspec.structs.replace(rules.gates, structure=level)
    return msgspec.structs.replace(rules, gates=gates)


def _lower(ws: Workspace, op: NameFollowingOperation, overlay: Overlay, read: OpenSource) -> LoweredOperation:
    """Return a name operation as plain edits. Only such operations load the modules that resolve names."""
    from gitscalpel.refactor.rename import lower_name_operation

    return lower_name_operation(op, overlay, read, ws.cross_checker())


def _add_consequences(outcome: Outcome, *, briefly: bool) -> None:
    """Note uses of definitions that were removed or changed. Modules for that are loaded only if needed."""
    kinds = ("delete", "rename", "signature_change")
    if any(d.effect is None or any(i.kind in kinds for i in d.intents) for d in outcome.done):
        from gitscalpel.transaction import edit_impact

        if not edit_impact.add_impact(outcome, briefly=briefly):
            raise TooSlow
    if any(each.old is None and each.path.endswith(".py") for each in outcome.changes):
        from gitscalpel.refactor.python.module_names import list_hidden

        moved = {d.op.to: d.op.path for d in outcome.done if isinstance(d.op, MoveFile)}
        outcome.unchecked += list_hidden(outcome.overlay, outcome.read, moved)


def build(ws: Workspace, changeset: Changeset, target: TreeTarget) -> Change:
    """Return operations as a change in memory; raises as :func:`apply_operations` does."""
    draft = apply_operations(ws, changeset, target)
    meta = draft.meta.but(by=(ws.user(),), whole=True)
    return new_change(ws, write_tree(ws, target, draft), meta, draft.files)


def rebuild(
    ws: Workspace, changeset: Changeset, target: TreeTarget, change: Change, *, briefly: bool = False
) -> Change:
    """Return the change with these operations, but its own id, author and start time.

    Raises as :func:`apply_operations` does.
    """
    draft = apply_operations(ws, changeset, target, briefly=briefly)
    own_fields = {field: getattr(change.meta, field) for field in ("log", "begun", "decided", "agent", "by")}
    tree = write_tree(ws, target, draft)
    return change.revise(ws, tree, draft.meta.but(whole=True, **own_fields), draft.files)


def write_tree(ws: Workspace, target: TreeTarget, draft: Draft) -> Oid:
    edits = [(change.path, change.new) for change in draft.files]
    return ws.store.write_tree(target.snapshot.tree, edits, draft.fresh)


def pin_seen_blobs(snapshot: Snapshot, changeset: Changeset) -> Changeset:
    """Return the changeset, each operation with the blob of its file in ``snapshot``, which the caller saw.

    If a file has changed since, the operation still finds its target, unless the target itself has changed.
    """
    overlay = Overlay(snapshot)
    operations = tuple(_pin_seen_blob(overlay, op) for op in changeset.operations)
    return msgspec.structs.replace(changeset, operations=operations)


def _pin_seen_blob(overlay: Overlay, op: Operation) -> Operation:
    if op.base is not None or not op.path:
        return op
    entry = overlay.entry(paths.resolve_path(op.path, overlay))
    if entry is not None:
        return msgspec.structs.replace(op, base=entry.oid)
    replaces_anything = isinstance(op, Write) and op.overwrite
    return msgspec.structs.replace(op, base=NO_FILE) if replaces_anything else op


def try_out(ws: Workspace, changeset: Changeset, target: Target, staged: Change | None = None) -> Result:
    """Return the result that :func:`apply_operations` would have; nothing is written."""
    draft = apply_operations(ws, changeset, target, staged)
    return draft_result(draft.meta, draft.files)


def _mention_uncommitted(ws: Workspace, path: str, target: Target, error: ScalpelError) -> ScalpelError:
    """Return the error. If the caller may have looked at uncommitted text, its hint says so."""
    if path and error.code in _NOT_THERE and is_dirty(ws, target, path):
        note = f"; {place(path)} has uncommitted changes, which edits do not see: they see {target.name}"
        return error.but(more=note)
    return error


def _refuse_bare_numbers(
    ws: Workspace, operations: Sequence[Operation], target: Target, roots: Sequence[str] = ()
) -> None:
    """Raise ``stale`` for line numbers that nothing confirms in files with uncommitted changes.

    A hash, ``base`` or ``expect`` confirms the lines.

    ``roots`` are the directories on disk that absolute paths in a patch refer to.
    """
    for index, op in enumerate(operations):
        error = None
        if op.base is not None or op.expect is not None:
            continue
        if isinstance(op, (Lines, AddressedOperation)) and op.lines is not None:
            error = _lines_error(ws, op.path, op.lines, target)
        elif isinstance(op, Patch):
            error = _patch_error(ws, op, target, roots)
        if error is not None:
            raise error.at(index)


def _lines_error(ws: Workspace, path: str, lines: LineRange, target: Target) -> WorldMoved | None:
    ends = (lines.first, lines.last)
    if lines.content is not None or all(end.hash is not None for end in ends):
        return None
    versions = _read_both_versions(ws, target, path)
    return _stale_error(path, [end.number for end in ends], target, *versions) if versions else None


def _patch_error(ws: Workspace, op: Patch, target: Target, roots: Sequence[str]) -> WorldMoved | None:
    from gitscalpel.edit.patches import patch_lowering

    with suppress(ScalpelError):  # said where the edit is tried
        for file in patch_lowering.iter_numbered_files(op, Overlay(target.snapshot), roots):
            versions = _read_both_versions(ws, target, file.path)
            numbers = (
                [patch_lowering.find_numbered_line(piece, versions[0]) for piece in file.pieces]
                if versions
                else []
            )
            bare = [number for number in numbers if number is not None]
            if versions and bare:
                return _stale_error(file.path, bare, target, *versions, is_patch=True)
    return None


def _read_both_versions(ws: Workspace, target: Target, sent_path: str) -> tuple[Document, Document] | None:
    """Return a file of the target and its version in the caller's directory, or None if no line differs."""
    before = Overlay(target.snapshot)
    try:
        path = paths.resolve_path(sent_path, before)
        paths.require_no_trailing_slash(sent_path, path)
    except ScalpelError:  # said where the edit is tried
        return None
    entry = before.entry(path)
    if entry is None or entry.mode == TREE:  # reported there as well, with suggestions, which are expensive
        return None
    target_document = read_document(path, before.read(entry.oid))
    disk_document = _read_from_disk(ws, target, path)
    return (
        None
        if disk_document is None or _normalize_endings(disk_document) == _normalize_endings(target_document)
        else (target_document, disk_document)
    )


def _read_from_disk(ws: Workspace, target: Target, path: str) -> Document | None:
    """Return the file in the caller's directory, or None if it is missing or equal to git's version."""
    compared, root = target, ws.repo.work_tree
    tx = target.branch.removeprefix(refs.TX)
    if ws.inside is not None and tx == ws.inside:
        root = ws.here.work_tree
    elif tx != target.branch:
        compared = ws.at(load_change(ws, tx).meta.branch)
    if root is None or not is_dirty(ws, compared, path):
        return None
    with suppress(OSError):
        return read_document(path, (Path(str(root)) / path).read_bytes())
    return None


def _normalize_endings(document: Document) -> bytes:
    """Return the text with uniform line endings, since a checkout may have converted them."""
    return document.text.replace(b"\r\n", b"\n")


def _stale_error(
    path: str,
    numbers: Sequence[int],
    target: Target,
    target_document: Document,
    disk_document: Document,
    *,
    is_patch: bool = False,
) -> WorldMoved:
    name = target.name if target.branch.startswith("refs/heads/") else "the transaction"
    number = next(
        (n for n in numbers if _line_row(target_document, n) != _line_row(disk_document, n)), numbers[0]
    )
    target_row, disk_row = _line_row(target_document, number), _line_row(disk_document, number)
    suffix = f":{target_row['hash']}" if target_row else ":HASH"
    advice = (
        "send the lines around it as well, or the blob you counted in as base"
        if is_patch
        else f"give its line with its hash, {place(path)}:{number}{suffix} if it is this one "
        f"({call('show', path=path)} prints them)"
    )
    return WorldMoved(
        "stale",
        f"{path} has uncommitted changes: line {number} of {name} {_line_words(target_row)}, "
        f"on disk {_line_words(disk_row)}, "
        f"so a line number alone is ambiguous",
        f"edits see {name}: {advice}, or commit first",
        path=quote_path(path),
        committed=target_row,
        on_disk=disk_row,
    )


def _line_words(row: dict[str, Any]) -> str:
    return f"reads {row['text']!r}" if row else "is not there"


def _line_row(document: Document, number: int) -> dict[str, Any]:
    """Return a line as ``show`` lists it; empty if it does not exist."""
    if not 1 <= number <= document.line_count:
        return {}
    line = document.line(number)
    return {"n": number, "hash": line_hash(line), "text": line.decode("utf-8", "replace")}
