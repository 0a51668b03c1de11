"""Rebase a change onto the tip that its branch has moved to, and merge trees three ways.

Git merges first, then files with conflicts are merged by definition. Files that git merges by lines are
checked as well, because lines do not show that both sides added the same name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from gitscalpel.changesets import answers, config
from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, Changes, Entry, Oid, is_path_occupied
from gitscalpel.changesets.rules import LEVELS
from gitscalpel.edit.merge import file_merge
from gitscalpel.edit.merge.part_merge import MergeRegion
from gitscalpel.errors import WorldMoved
from gitscalpel.errors.messages import call
from gitscalpel.git.merges import Stages, merge_trees
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.transaction import summary
from gitscalpel.transaction.change import Change, diff_trees
from gitscalpel.workspace.workspace import TreeTarget, Workspace

Settled = tuple[str, Entry]
"""A path, and the result of both sides' changes for it."""


class Conflict(msgspec.Struct, frozen=True):
    """A file with conflicting changes, and the places if they are known."""

    path: str
    places: tuple[MergeRegion, ...] = ()

    @property
    def words(self) -> str:
        names = list(dict.fromkeys(place.symbol for place in self.places if place.symbol))
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        return answers.quote_path(self.path) + (f" ({', '.join(names[:3])}{more})" if names else "")

    def rows(self) -> Iterator[dict[str, Any]]:
        path = answers.quote_path(self.path)
        for place in self.places or (MergeRegion(None, None, "git cannot merge it"),):
            lines = {"lines": list(place.lines)} if place.lines else {}
            symbol = {"symbol": place.symbol} if place.symbol else {}
            yield {"path": path, **lines, **symbol, "why": place.why}


class MergeResult(msgspec.Struct, frozen=True):
    """Result of the merge of two trees."""

    tree: Oid | None  # merged tree, or None if there are conflicts
    notes: tuple[str, ...] = ()  # descriptions of the files that were merged by symbol
    conflicts: tuple[Conflict, ...] = ()  # conflicts, by file

    @property
    def words(self) -> str:
        more = f" and {len(self.conflicts) - 5} more files" if len(self.conflicts) > 5 else ""
        return ", ".join(conflict.words for conflict in self.conflicts[:5]) + more

    @property
    def data(self) -> dict[str, Any]:
        paths = [answers.quote_path(conflict.path) for conflict in self.conflicts]
        return {"paths": paths, "conflicts": [row for conflict in self.conflicts for row in conflict.rows()]}


def merge_changes(ws: Workspace, base: Oid, ours: Oid, theirs: Oid) -> MergeResult:
    """Merge two trees with the common base ``base``. Additions of ``ours`` come first."""
    merged = merge_trees(ws.repo, ws.store, base, ours, theirs)
    done = [_merge_definitions(ws, item.path, item.stages, known=item.content) for item in merged.conflicts]
    if not any(isinstance(item, Conflict) for item in done):
        conflict_paths = {item.path for item in merged.conflicts}
        done += _check_line_merges(ws, (base, ours, theirs), merged.tree, conflict_paths)
    conflicts = tuple(item for item in done if isinstance(item, Conflict))
    if conflicts:
        return MergeResult(None, conflicts=conflicts)
    settled = [item for item in done if not isinstance(item, Conflict)]
    notes = tuple(
        answers.remark("both sides changed it; merged by symbol", path=path, kind="merged", severity="note")
        for path, _ in settled
    )
    return MergeResult(ws.store.write_tree(merged.tree, settled), notes)


def _merge_definitions(ws: Workspace, path: str, stages: Stages, *, known: bool) -> Settled | Conflict:
    """Return the file merged by definitions, or a conflict. ``known`` means that only its text conflicts."""
    entries = [entry for entry in stages if entry is not None]
    if not known or len(entries) < len(stages):
        return Conflict(path)
    texts = (ws.store.read(entry.oid) for entry in entries)
    merged = file_merge.merge_by_symbols(path, *texts)
    if isinstance(merged, file_merge.Conflict):
        return Conflict(path, merged.places)
    base, ours, theirs = (entry.mode for entry in entries)
    return path, Entry(theirs if ours == base else ours, ws.store.write_blob(merged))


def _check_line_merges(
    ws: Workspace, trees: tuple[Oid, Oid, Oid], merged: Oid, skipped_paths: set[str]
) -> Iterator[Settled | Conflict]:
    """Yield files that git merged by lines although both sides changed the same definition."""
    base, ours, theirs = trees
    our_entries = {delta.path: delta.old for delta in ws.store.difference(ours, merged)}
    for path, old, new in ws.store.difference(theirs, merged):
        if (
            path not in our_entries
            or path in skipped_paths
            or new is None
            or new.mode not in (REGULAR, EXECUTABLE)
        ):
            continue
        our_text, their_text = (
            ws.store.read(entry.oid) if entry else b"" for entry in (our_entries[path], old)
        )
        places = file_merge.find_semantic_conflicts(path, our_text, their_text, ws.store.read(new.oid))
        if places:
            base_entry = TreeSnapshot(ws.store, ws.repo.git, base).entry(path)
            resolved = _merge_definitions(ws, path, (base_entry, our_entries[path], old), known=True)
            yield Conflict(path, places) if isinstance(resolved, Conflict) else resolved


def rebase_onto_tip(ws: Workspace, change: Change) -> Change:
    """Return the change with the current tip of its branch as base; raises as :func:`rebase_onto` does."""
    if ws.tip(change.meta.branch) == change.meta.base:
        return change
    return rebase_onto(ws, change, ws.at(change.meta.branch))


def rebase_onto(
    ws: Workspace, change: Change, target: TreeTarget, *, merging: bool = True, now: Change | None = None
) -> Change:
    """Return the change on a target that has moved. With ``merging``, files that both changed are merged.

    ``now`` is the current state of the transaction, which the result replaces. None for ``change`` itself.

    Raises:
        WorldMoved: ``target_moved`` if the structure rules are stricter now, or a file has changed without
            ``merging``; ``merge_conflict``.
    """
    before = ws.snapshot(change.meta.base)
    has_other_rules = before.entry(config.PATH) != target.snapshot.entry(config.PATH)
    if has_other_rules and LEVELS.index(target.rules.gates.structure) > LEVELS.index(change.meta.structure):
        raise _moved_error(change, target, [config.PATH])  # its steps can no longer be judged
    overlap = [c.path for c in change.files if is_path_occupied(target.snapshot, c.path, c.old)]
    if overlap and not merging:
        raise _moved_error(change, target, overlap)
    # Policy rules are files of the target too.
    is_checked = change.meta.checked and not (overlap or has_other_rules or target.rules.policy.rules)
    meta, own_tree = change.meta.but(base=target.tip, checked=is_checked), change.tree(ws)
    if meta.adopted is not None:
        adopted = _rebase_adopted(ws, change, target, before.tree, is_merged=bool(overlap))
        meta = meta.but(adopted=adopted)
    if overlap:
        tree, notes = _merge_onto(ws, change, target, before.tree, own_tree)
        files = diff_trees(ws, target.snapshot.tree, tree)
    else:
        tree, notes, files = _apply_files(ws, target, change.files), (), change.files
    words = (*meta.warnings, *notes, *_dangling_uses(ws, change, target, (before.tree, own_tree, tree)))
    meta = meta.but(
        warnings=tuple(dict.fromkeys(map(str, words))), facts=summary.add_findings(meta.facts, words)
    )
    if overlap and meta.decided:  # a person decided about the change before the merge
        from gitscalpel.gates.policy import approval

        meta = meta.but(merged=(*meta.merged, approval.approval_digest(change.files)))
    return (now or change).revise(ws, tree, meta, files, is_rebased=True)


def _dangling_uses(
    ws: Workspace, change: Change, target: TreeTarget, trees: tuple[Oid, Oid, Oid]
) -> tuple[str, ...]:
    """Return notes on uses of a name that the other side renamed or removed.

    ``trees`` are those of the base, the change and the merge.
    """
    from gitscalpel.landing.dangling_references import find_dangling_uses, find_removing_steps

    try:
        base, own, merged = trees
        uses, notes = find_dangling_uses(ws, base, own, target.snapshot.tree, merged)
    except RecursionError:
        return ("skipped: uses of names that the merge removes: the text nests too deeply",)
    steps = find_removing_steps(ws, change.meta.log, target.branch, uses)
    return (*(each.words(target.name, steps.get(each, "")) for each in uses), *notes)


def _rebase_adopted(
    ws: Workspace, change: Change, target: TreeTarget, base: Oid, *, is_merged: bool
) -> Oid | None:
    """Return the commit of the adopted changes on the new tip, or None if the tip contains them."""
    commit = ws.store.commit(str(change.meta.adopted))
    if is_merged:
        tree, _ = _merge_onto(ws, change, target, base, commit.tree)
    else:
        tree = _apply_files(ws, target, diff_trees(ws, base, commit.tree))
    if tree == target.snapshot.tree:
        return None
    parents = [target.tip] if target.tip else []
    return ws.store.write_commit(tree, parents, commit.message, author=commit.author)


def _apply_files(ws: Workspace, target: TreeTarget, files: Changes) -> Oid:
    return ws.store.write_tree(target.snapshot.tree, [(file.path, file.new) for file in files])


def _merge_onto(
    ws: Workspace, change: Change, target: TreeTarget, base: Oid, theirs: Oid
) -> tuple[Oid, tuple[str, ...]]:
    """Return the merged tree, and descriptions of the files that were merged by symbol."""
    merged = merge_changes(ws, base, target.snapshot.tree, theirs)
    if merged.tree is None:
        raise WorldMoved(
            "merge_conflict",
            f"{target.name} has moved since and changed the same places: {merged.words}",
            _resolve_hint(change, target),
            **merged.data,
        )
    return merged.tree, merged.notes


def _moved_error(change: Change, target: TreeTarget, changed_too: list[str]) -> WorldMoved:
    drop = f"; {call('drop', ids=change.id)} gives this one up" if change.is_open else ""
    return WorldMoved(
        "target_moved",
        f"{target.name} has moved since, and changed {', '.join(changed_too[:5])} as well",
        "look at the files again and send the edit again" + drop,
        paths=[answers.quote_path(path) for path in changed_too],
    )


def _resolve_hint(change: Change, target: TreeTarget) -> str:
    if not change.is_open:
        return "look at the files again and send the edit again"
    return (
        f"in the transaction's worktree ({call('worktree', tx=change.id)}) git commit, git merge "
        f"{target.name} and git add what you resolve, then {call('stage', tx=change.id)}; "
        f"or send the edit again and {call('drop', ids=change.id)}"
    )
