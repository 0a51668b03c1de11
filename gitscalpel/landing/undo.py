"""Undo and redo landings and edits of the checkout, using only the operation log.

Undoing a landing keeps later work in the same files. Gates and approvals judge the tree that an undo makes,
which has no transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from hashlib import blake2b
from itertools import takewhile
from typing import Literal, NamedTuple

import msgspec

from gitscalpel.changesets import config
from gitscalpel.changesets.answers import CHECKOUT, quote_path, short_branch_name
from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, Changes, Oid, Snapshot, is_path_occupied
from gitscalpel.changesets.file_tree import Change as FileChange
from gitscalpel.changesets.file_tree import Entry as TreeEntry
from gitscalpel.changesets.rules import Policy, Rules
from gitscalpel.edit.unified_diff import UnifiedDiff, describe_changes
from gitscalpel.errors import DoesNotFit, WaitsForPerson, WorldMoved
from gitscalpel.errors.messages import call
from gitscalpel.git import checkout, journal, oplog, refs, working_tree
from gitscalpel.git.journal import DiskRestore
from gitscalpel.git.merges import Overlap, merge_file
from gitscalpel.git.oplog import Entry, Record
from gitscalpel.git.refs import RefUpdate
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.landing import staging
from gitscalpel.landing.checkout_edit import make_record, retry_until_unchanged
from gitscalpel.landing.rebase import merge_changes
from gitscalpel.system.repo_lock import Lock
from gitscalpel.transaction import branch_update, recovery, static_gates, undo_target
from gitscalpel.transaction.branch_update import FileOutcome, Landed, LockedRepository, Movement, Rewrite
from gitscalpel.transaction.change import (
    Change,
    adopted_files,
    diff_commits,
    diff_trees,
    list_open_changes,
    name_in_errors,
    new_change,
    new_meta,
    removal_updates,
)
from gitscalpel.transaction.check import gate_runner
from gitscalpel.transaction.undo_target import Scope, Step
from gitscalpel.workspace.workspace import Workspace

_TRIES = 3
"""Maximum number of plans of an undo while other callers move the branch."""
_PLAIN_MODES = {REGULAR, EXECUTABLE}
Kind = Literal["undo", "redo"]


class _Plan(NamedTuple):
    """A planned undo or redo on a branch: the reverted step, the message, and the movement."""

    reverted: Entry
    message: str
    movement: Movement

    @property
    def is_revert(self) -> bool:
        return self.movement.record.revert


class _Question(NamedTuple):
    """Question to gates and approvers: may this tree follow the tip of a branch?"""

    before: Oid | None  # tip of the branch, or None if it is unborn
    tree: Oid  # the tree
    message: str  # commit message
    is_new: bool  # True if a commit is made for the tree, so that the user's hooks run as for any commit


def undo(ws: Workspace, onto: str | None = None, tx: str | None = None) -> Step:
    """Undo the caller's last landing on a branch or edit of the checkout, or the named one.

    Raises:
        DoesNotFit: ``nothing_to_undo``.
        WorldMoved: ``merge_conflict``, or an error of :func:`gitscalpel.transaction.branch_update.move`.
        ScalpelError: a gate, the policy or a reviewer rejects the result of a revert.
    """
    recovery.recover_pending(ws)
    scope = undo_target.parse_scope(ws, onto)
    passed: list[Oid] = []
    while True:
        meant = undo_target.find_undo_target(ws, scope, tx, passed, report=True)
        if meant.record.where != CHECKOUT:
            branch = meant.record.branch
            return _move_branch(ws, branch, partial(_plan_undo, ws, branch, tx))
        try:
            return _rewrite_files(ws, "undo", [meant])[0]
        except DoesNotFit as error:
            if tx is not None or not error.data.get("by_hand"):
                raise
            passed.append(meant.oid)  # the user has reverted it by hand


def undo_since(ws: Workspace, tx: str, onto: str | None = None) -> list[Step]:
    """Undo a step and all later ones of the caller in the same place, newest first.

    Edits of the checkout are undone all together or not at all; landings one by one until one cannot be
    undone.

    Raises as :func:`undo` does.
    """
    recovery.recover_pending(ws)
    first = undo_target.find_undo_target(ws, undo_target.parse_scope(ws, onto), tx)
    branch = first.record.branch
    entries: list[Entry] = []
    for entry in undo_target.iter_in_force(ws, Scope(branch or None, not branch)):
        entries += [entry] if undo_target.is_own(ws, entry.record) or entry.oid == first.oid else []
        if entry.oid == first.oid:
            break
    if not branch:
        return _rewrite_files(ws, "undo", entries)
    return [_move_branch(ws, branch, partial(_plan_undo, ws, branch, each.record.tx)) for each in entries]


def preview_undo(ws: Workspace, onto: str | None = None, tx: str | None = None) -> tuple[Step, UnifiedDiff]:
    """Return the step that :func:`undo` would undo, and its effect as a diff; no ref moves.

    Raises as :func:`undo` does.
    """
    entry = undo_target.find_undo_target(ws, undo_target.parse_scope(ws, onto), tx, report=True)
    if entry.record.where == CHECKOUT:
        files = _CheckoutFiles(ws)
        changes = files.take_back(entry.record)
        return _edit_step(entry, changes, Oid("")), describe_changes(Changes(changes, files.read))
    branch = entry.record.branch
    at, (before, after) = ws.tip(branch), _record_commits(entry.record)
    is_revert = at != after or _is_published(ws, after)
    tree = _tree_without(ws, branch, at, entry) if is_revert else ws.store.tree_of(before)
    if tree is not None and _is_judged(
        ws.snapshot(at), TreeSnapshot(ws.store, ws.repo.git, tree), is_new=is_revert
    ):
        ws.at(branch).read_rules()  # unreadable rules reject it now, as they would the undo itself
    landed = Landed(at, None if is_revert else before, Oid(""), ())
    step = Step(entry.record.tx, branch, landed, is_revert, entry.record.message)
    return step, describe_changes(diff_trees(ws, ws.store.tree_of(at), tree))


def redo(ws: Workspace, onto: str | None = None) -> Step:
    """Redo the landing or the edit of the checkout that the last undo reverted.

    Raises as :func:`undo` does.
    """
    recovery.recover_pending(ws)
    meant = undo_target.find_redo_target(ws, undo_target.parse_scope(ws, onto))
    if meant.record.where == CHECKOUT:
        return _rewrite_files(ws, "redo", [meant])[0]
    branch = meant.record.branch
    return _move_branch(ws, branch, partial(_plan_redo, ws, branch))


def _move_branch(ws: Workspace, branch: str, plan: Callable[[], _Plan]) -> Step:
    """Move a branch as planned under the lock. Gates and approvers are asked before, without the lock."""
    answer: tuple[_Question, Change] | None = None
    for _ in range(_TRIES):
        with recovery.hold_lock(ws) as held:
            planned = plan()
            move = planned.movement
            if ws.session.within is not None:  # no gates run if a branch only moves back
                static_gates.require_allowed_changes(ws, diff_trees(ws, *_read_trees(ws, move.old, move.new)))
            question = _make_question(ws, branch, planned)
            is_answered = answer is not None and question == answer[0]
            if question is None or is_answered:
                if answer and is_answered:
                    move = _with_answer(ws, move, *answer)
                (landed,) = branch_update.move(LockedRepository(ws.repo, ws.store, held), [move])
                return Step(planned.reverted.record.tx, branch, landed, planned.is_revert, planned.message)
        answer = question, _run_all_gates(ws, branch, question)
    raise WorldMoved(
        "target_moved",
        f"{short_branch_name(branch)} keeps moving while gates are checking the result",
        "try again later",
    )


def _plan_undo(ws: Workspace, branch: str, tx: str | None) -> _Plan:
    entry = undo_target.find_undo_target(ws, Scope(branch, False), tx)
    landing = entry.record
    at, (before, after) = ws.tip(branch), _record_commits(landing)
    new: Oid | None = before
    keep_refs: tuple[RefUpdate, ...] = ()
    if at != after or _is_published(ws, after):
        words = f"Undo: {landing.message.rstrip()}\n\nThis takes back {after}, landed as {landing.tx}."
        new = _revert(ws, branch, at, entry, words)
    else:
        keep = refs.KEEP + landing.tx
        keep_refs = (RefUpdate(keep, refs.read_refs(ws.repo, [keep]).get(keep), after),)
    move = Movement(
        branch,
        at,
        new,
        _make_record(ws, "undo", entry, is_revert=not keep_refs),
        keep_refs,
        restored=adopted_files(ws, before, _parse_oid(landing.adopted)),
        restores=_disk_before(ws, landing),
    )
    return _Plan(entry, landing.message, move)


def _plan_redo(ws: Workspace, branch: str) -> _Plan:
    entry = undo_target.find_redo_target(ws, Scope(branch, False))
    undone = entry.record
    message = oplog.read_log_entry(ws.store, Oid(str(undone.undoes))).record.message
    at, (before, after) = ws.tip(branch), _record_commits(undone)
    if before is not None and not ws.has_commit(before):
        raise DoesNotFit(
            "nothing_to_undo",
            f"the commit of {undone.tx} has expired",
            "edit again; undone commits are kept for 14 days (git config scalpel.keepDays)",
            tx=undone.tx,
        )
    move = Movement(
        branch,
        at,
        before if at == after else _revert(ws, branch, at, entry, f"Redo: {message}"),
        _make_record(ws, "redo", entry, is_revert=at != after),
        adopted=adopted_files(ws, after, _parse_oid(undone.adopted)),
        restores=_disk_before(ws, undone),
    )
    return _Plan(entry, message, move)


def _make_record(ws: Workspace, kind: Kind, reverted: Entry, *, is_revert: bool) -> Record:
    return Record(
        kind=kind,
        tx=reverted.record.tx,
        **ws.author_fields(),
        message=reverted.record.message,
        paths=reverted.record.paths,
        undoes=reverted.oid,
        revert=is_revert,
        adopted=reverted.record.adopted,
    )


def _disk_before(ws: Workspace, record: Record) -> Mapping[str, DiskRestore]:
    """Return the state of the disk before a step, if the step was made in this worktree."""
    if not record.disk or record.place != journal.worktree_name(ws.repo):
        return {}
    old, new = (ws.store.tree_of(each) for each in _record_commits(record))
    return journal.plan_restores(record.disk, ws.store.difference(old, new))


def _record_commits(record: Record) -> tuple[Oid | None, Oid | None]:
    return _parse_oid(record.before), _parse_oid(record.after)


def _parse_oid(text: str | None) -> Oid | None:
    return Oid(text) if text else None


def _read_trees(ws: Workspace, *commits: Oid | None) -> tuple[Oid, ...]:
    return tuple(ws.snapshot(commit).tree for commit in commits)


def _revert(ws: Workspace, branch: str, at: Oid | None, reverted: Entry, message: str) -> Oid:
    """Write a commit on the tip ``at`` of a branch that reverts a step."""
    return ws.store.write_commit(_tree_without(ws, branch, at, reverted), [at] if at else [], message)


def _tree_without(ws: Workspace, branch: str, at: Oid | None, reverted: Entry) -> Oid:
    """Return the tree of a branch's tip ``at`` without a step.

    Files that have changed again since are merged three ways, and gates check a tree that the branch never
    had. If the branch's rules cannot judge any change, files can still be reverted as a whole.
    """
    tip, (before, after) = ws.snapshot(at), _record_commits(reverted.record)
    changes = diff_commits(ws, before, after)
    overlap = sorted(change.path for change in changes if is_path_occupied(tip, change.path, change.new))
    is_back = bool(changes) and all(tip.entry(change.path) == change.old for change in changes)
    if is_back and not _is_in_history(ws, at, after):
        raise DoesNotFit(
            "nothing_to_undo",
            "the branch no longer contains any of its changes: its files are as they were before",
            f"{call('log')} lists the landings; name another one to undo",
            paths=overlap,
        )
    if not overlap:
        tree = ws.store.write_tree(tip.tree, [(change.path, change.old) for change in changes])
    else:
        old, new = _read_trees(ws, before, after)
        merged = merge_changes(ws, new, tip.tree, old)
        if merged.tree is None or merged.tree == tip.tree:
            why = merged.words or "none of its changes is left"
            words = f"later changes are in the same places: {why}"
            raise WorldMoved("merge_conflict", words, _later_step_hint(ws, branch, reverted), **merged.data)
        tree = merged.tree
    if overlap or (tree != ws.store.tree_of(before) and static_gates.rules_error(tip) is None):
        static_gates.require_passing_tree(ws, branch, tip.tree, tree)
    return tree


def _later_step_hint(ws: Workspace, branch: str, reverted: Entry) -> str:
    """Return the hint for a step that cannot be undone. It names the later step that prevents it."""
    paths = set(reverted.record.paths)
    newer = {
        entry.oid for entry in takewhile(lambda entry: entry.oid != reverted.oid, oplog.read_log(ws.repo))
    }
    for entry in takewhile(
        lambda entry: entry.oid in newer, undo_target.iter_in_force(ws, Scope(branch, False))
    ):
        if paths.intersection(entry.record.paths):
            later, author = entry.record.tx, undo_target.author_of(entry.record)
            undo_call = call(
                "undo", tx=later, onto=None if branch == ws.repo.head else short_branch_name(branch)
            )
            return f"first undo {later}, which {author} landed since: {undo_call}; or edit the files"
    since = f"{reverted.record.after}..{short_branch_name(branch)}"
    return f"`git log {since}` shows what was committed since: revert that first, or edit the files"


def _is_in_history(ws: Workspace, tip: Oid | None, commit: Oid | None) -> bool:
    """Return True if ``commit`` is in the history of ``tip``; git itself may have moved the branch."""
    if tip is None or commit is None:
        return tip == commit
    return not ws.repo.git("rev-list", "--max-count=1", commit, f"^{tip}").strip()


def _is_published(ws: Workspace, commit: Oid | None) -> bool:
    """Return True if a remote-tracking branch contains the commit."""
    if commit is None:
        return False
    return bool(ws.repo.git("for-each-ref", "--count=1", "--contains", commit, "refs/remotes").strip())


def _make_question(ws: Workspace, branch: str, planned: _Plan) -> _Question | None:
    """Return the question for gates and approvers if the tree is new to the branch, or has other rules.

    A user who may not change the rules may not restore earlier ones either. If people have approved an undo,
    its redo needs their approval as well.
    """
    move, record = planned.movement, planned.reverted.record
    is_unapproved = record.kind == "undo" and bool(record.approved)
    if move.new is None:
        return None
    before, after = ws.snapshot(move.old), ws.snapshot(move.new)
    if not _is_judged(before, after, is_new=planned.is_revert or is_unapproved):
        return None
    commit = ws.store.commit(move.new)
    # The message of the restored commit does not describe the undo.
    words = commit.message if planned.is_revert else f"{move.record.kind.capitalize()}: {planned.message}"
    question = _Question(move.old, commit.tree, words, planned.is_revert)
    rules = ws.at(branch).rules
    is_asked = rules.policy != Policy() or rules.requires_approvals or _needs_programs(ws, rules, question)
    return question if is_asked else None


def _is_judged(before: Snapshot, after: Snapshot, *, is_new: bool) -> bool:
    """Return True if gates run before a branch goes from ``before`` to ``after``.

    They run if the tree is new to the branch (``is_new``) or the rules change, but not if unreadable rules
    are replaced. Replacing readable rules by unreadable ones raises.
    """
    if before.entry(config.PATH) == after.entry(config.PATH):
        return is_new
    old, new = (static_gates.rules_error(files) for files in (before, after))
    if new is not None and old is None:
        raise new.but(hint="edit again; nothing could land under these rules")
    return old is None or new is not None


def _needs_programs(ws: Workspace, rules: Rules, question: _Question) -> bool:
    before = ws.snapshot(question.before)
    outcome = static_gates.outcome_between(before, diff_trees(ws, before.tree, question.tree))
    return gate_runner.is_concerned(ws, rules, outcome, is_committed=question.is_new)


def _run_all_gates(ws: Workspace, branch: str, question: _Question) -> Change:
    """Run the policy, hooks, commands and approvals on a tree that is to land on a branch.

    Return the change as the hooks left it, open if people have approved it. If approvals are missing, an open
    transaction stays for the reviewers, and the same question finds it again.
    """
    words = (branch, question.before or "", question.tree, question.message, ws.user())
    name = blake2b("\0".join(words).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
    change = next((each for each in list_open_changes(ws) if _is_about(each, name, question)), None)
    with ExitStack() as provisional:
        if change is None:  # otherwise the decisions of people are kept, whatever the outcome
            files = diff_trees(ws, ws.store.tree_of(question.before), question.tree)
            meta = new_meta(ws, ws.at(branch), question.message, by=(ws.user(),))
            change = new_change(ws, question.tree, meta.but(base=question.before, request_ids=(name,)), files)
            if _needs_programs(ws, ws.at(branch).rules, question):
                change = provisional.enter_context(staging.hold_refs(ws, change))
        static_gates.run_policy_gate(ws, change)
        change = gate_runner.ask_programs(ws, change, is_committed=question.is_new)
        try:
            # If a person landed it by its id, it would be an ordinary change, which no call can redo.
            change = gate_runner.require_approvals(ws, change, next_command="the same command again")
        except WaitsForPerson:
            provisional.pop_all().close()
            staged = change if change.is_open else staging.open_transaction(ws, change, ws.at(branch))
            with name_in_errors(staged, waits=False):
                raise
    if change.is_open and not change.meta.approved:
        staging.forget(ws, change)
        return msgspec.structs.replace(change, record=None)
    return change


def _is_about(staged: Change, name: str, question: _Question) -> bool:
    """Return True if a transaction was made for this question, and only hooks have added to it since."""
    meta = staged.meta
    return name in meta.request_ids and meta.base == question.before and not meta.steps


def _with_answer(ws: Workspace, move: Movement, question: _Question, answer: Change) -> Movement:
    """Return the movement with the changes of the hooks and the names of the approvers."""
    tree, message = answer.tree(ws), answer.meta.message
    if question.is_new and (tree, message) != (question.tree, question.message):
        new = ws.store.write_commit(tree, [move.old] if move.old else [], message)
        move = msgspec.structs.replace(move, new=new)
    if not answer.is_open:
        return move
    staged = gate_runner.require_approvals(ws, answer.refresh(ws))
    record = msgspec.structs.replace(move.record, approved=staged.meta.approved)
    return msgspec.structs.replace(move, record=record, refs=(*move.refs, *removal_updates(staged)))


def _rewrite_files(ws: Workspace, kind: Kind, reverted: Sequence[Entry]) -> list[Step]:
    """Revert edits of the checkout in this order, or an undo of one edit: all of them or none."""
    with recovery.hold_lock(ws) as held:
        return retry_until_unchanged(partial(_rewrite_once, ws, kind, reverted, held))


def _rewrite_once(ws: Workspace, kind: Kind, reverted: Sequence[Entry], held: Lock) -> list[Step]:
    files = _CheckoutFiles(ws)
    wanted: list[Rewrite] = []
    for each in reverted:
        changes = files.take_back(each.record)
        static_gates.require_allowed_changes(ws, changes)
        record = make_record(ws, kind, each.record.tx, each.record.message, changes)
        wanted.append(Rewrite(tuple(changes), msgspec.structs.replace(record, undoes=each.oid)))
    entries = branch_update.rewrite(LockedRepository(ws.repo, ws.store, held), wanted)
    triples = zip(reverted, wanted, entries, strict=True)
    return [_edit_step(each, rewrite.changes, entry) for each, rewrite, entry in triples]


def _edit_step(reverted: Entry, changes: Iterable[FileChange], entry: Oid) -> Step:
    outcomes = tuple(FileOutcome(path, "written" if new else "removed") for path, _, new in changes)
    return Step(
        reverted.record.tx, CHECKOUT, Landed(None, None, entry, outcomes), False, reverted.record.message
    )


class _CheckoutFiles:
    """Files of the checkout, first as they are, then as each reverted step leaves them."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._work = working_tree.open_working_tree(ws.repo, ws.store)
        self._now: dict[str, TreeEntry | None] = {}
        self._read: dict[Oid, bytes] = {}

    def take_back(self, record: Record) -> list[FileChange]:
        """Return the changes that revert a step.

        Raises:
            DoesNotFit: ``nothing_to_undo``: the files are reverted already, or their old contents have
                expired.
            WorldMoved: ``merge_conflict``.
        """
        before, after = (Oid(str(commit)) for commit in (record.before, record.after))
        if not (self._ws.has_commit(before) and self._ws.has_commit(after)):
            raise DoesNotFit(
                "nothing_to_undo",
                f"the old content of the files that {record.tx} changed has expired",
                "edit again; old contents are kept for 14 days (git config scalpel.keepDays)",
                tx=record.tx,
            )
        step_changes = diff_commits(self._ws, before, after)
        # Deleted files make room for restored files in place of their directories.
        for each in step_changes:
            self._read_file(each.path, {change.path for change in step_changes if change.old is None})
        found = [
            FileChange(each.path, self._now[each.path], self._find_goal(each, record.tx))
            for each in step_changes
        ]
        changes = [change for change in found if change.old != change.new]
        if not changes:
            raise DoesNotFit(
                "nothing_to_undo",
                f"the files contain no change of {record.tx} any more: they are as they would be without it",
                f"{call('log')} lists the steps; name another one to undo",
                tx=record.tx,
                by_hand=True,
            )
        self._now.update((path, new) for path, _, new in changes)
        return changes

    def read(self, oid: Oid) -> bytes:
        return self._read[oid] if oid in self._read else self._ws.store.read(oid)

    def _read_file(self, path: str, leaving: set[str]) -> None:
        if path in self._now:
            return
        entry = checkout.find_remaining(self._work, path, leaving)
        self._now[path] = entry
        if entry is not None and entry.oid:
            self._read[entry.oid] = self._work.read(path)

    def _find_goal(self, change: FileChange, tx: str) -> TreeEntry | None:
        """Return the new state of a path that a step changed from ``made.old`` to ``made.new``."""
        now, old, new = self._now[change.path], change.old, change.new
        if self._work.same(now, new) or self._work.same(now, old):
            return old
        if now is None or old is None or new is None or {now.mode, old.mode, new.mode} - _PLAIN_MODES:
            raise _changed_since(change.path, tx)
        repo = self._ws.repo
        texts = (self.read(entry.oid) for entry in (now, new, old))
        merged = merge_file(repo.git, repo.scalpel_dir, *texts)
        if isinstance(merged, Overlap):
            raise _changed_since(change.path, tx, merged.lines)
        return TreeEntry(now.mode if old.mode == new.mode else old.mode, self._ws.store.write_blob(merged))


def _changed_since(path: str, tx: str, lines: tuple[tuple[int, int], ...] = ()) -> WorldMoved:
    spans = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in lines)
    place = f" (line{'s' * (not spans.isdecimal())} {spans})" if spans else ""
    return WorldMoved(
        "merge_conflict",
        f"{quote_path(path)} was later edited in the same places as by {tx}{place}",
        f"first undo the later changes ({call('log')} lists them), or edit the file by hand",
        files=[{"path": quote_path(path), "lines": [list(span) for span in lines]}],
    )
