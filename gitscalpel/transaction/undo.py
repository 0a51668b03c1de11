"""Undo and redo landings and edits of the checkout, using only the operation log.

Undoing a landing keeps later work in the same files. Edits of the checkout are undone byte for byte, from
the commits of their steps. If a file has been edited elsewhere since, the versions are merged by lines.

The policy, hooks, commands and approvals judge the tree that an undo makes, which has no transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from hashlib import blake2b
from itertools import takewhile
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from gitscalpel.changesets import config
from gitscalpel.changesets.answers import CHECKOUT, quoted, short
from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, Changes, Oid, Snapshot, is_in_the_way
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
from gitscalpel.git.working_tree import WorkTree
from gitscalpel.system.repo_lock import Lock
from gitscalpel.transaction import branch_update, recovery, staging, static_gates, undo_target
from gitscalpel.transaction.branch_update import FileOutcome, Ground, Landed, Movement, Rewrite
from gitscalpel.transaction.change import (
    Change,
    adopted_files,
    diff_commits,
    diff_trees,
    naming,
    new_change,
    new_meta,
    open_changes,
    removing_refs,
)
from gitscalpel.transaction.check import gate_runner
from gitscalpel.transaction.checkout_edit import record_of, until_still
from gitscalpel.transaction.rebase import merge_changes
from gitscalpel.transaction.undo_target import Scope, Step
from gitscalpel.workspace import Workspace

if TYPE_CHECKING:
    from gitscalpel.edit.unified_diff import UnifiedDiff


class Taken(NamedTuple):
    """A landing that is taken back: the commits before and after it."""

    before: Oid | None
    after: Oid | None


def without(ws: Workspace, branch: str, at: Oid | None, taken: Taken) -> Oid:
    """The tree of the branch's tip ``at`` without ``taken``.

    Files that were changed again since are merged three ways, and the gates judge what the branch has
    never held; but where nobody can be judged by its rules, files that go back whole go back.

    Raises:
        DoesNotFit: ``nothing_to_undo``: the branch holds nothing of it.
        WorldMoved: ``merge_conflict``.
        GateRefused: a gate said no.
    """
    tip = ws.snapshot(at)
    made = diff_commits(ws, *taken)
    overlap = sorted(change.path for change in made if is_in_the_way(tip, change.path, change.new))
    back = bool(made) and all(tip.entry(change.path) == change.old for change in made)
    if back and not _holds(ws, at, taken.after):
        raise DoesNotFit(
            "nothing_to_undo",
            "the branch holds nothing of it: its files are as they were before",
            f"{call('log')} lists the landings; name another one to take that back",
            paths=overlap,
        )
    if overlap:
        tree = _merged(ws, tip.tree, taken)
    else:
        tree = ws.store.write_tree(tip.tree, [(change.path, change.old) for change in made])
    was = ws.store.tree_of(taken.before)
    if overlap or (tree != was and static_gates.rules_error(tip) is None):
        static_gates.require(ws, branch, tip.tree, tree)
    return tree


def _merged(ws: Workspace, tip: Oid, taken: Taken) -> Oid:
    before, after = (ws.snapshot(commit).tree for commit in taken)
    merged = merge_changes(ws, after, tip, before)
    if merged.tree is None or merged.tree == tip:
        raise WorldMoved(
            "merge_conflict",
            f"what stands on it has changed the same places since: {merged.words or 'nothing of it is left'}",
            "take back what was done since first, or edit the files",
            **merged.data,
        )
    return merged.tree


def _holds(ws: Workspace, tip: Oid | None, commit: Oid | None) -> bool:
    """Whether ``commit`` is in the history of ``tip``; git itself may have moved the branch since."""
    if tip is None or commit is None:
        return tip == commit
    return not ws.repo.git("rev-list", "--max-count=1", commit, f"^{tip}").strip()


_ATTEMPTS = 3


class _Plan(msgspec.Struct, frozen=True):
    """What taking back or making again comes to: the step, and the movement of the branch."""

    taken: Entry
    message: str
    movement: Movement

    @property
    def revert(self) -> bool:
        return self.movement.record.revert


def undo(ws: Workspace, onto: str | None = None, tx: str | None = None) -> Step:
    """Take back your own last landing on a branch or edit of the checkout, or the one named.

    Raises:
        DoesNotFit: ``nothing_to_undo``.
        WorldMoved: ``merge_conflict``, or an error of
            :func:`gitscalpel.transaction.branch_update.move`.
        ScalpelError: a gate, the policy or people say no to what a revert would leave.
    """
    recovery.heal_pending(ws)
    scope = undo_target.scope(ws, onto)
    passed: list[Oid] = []
    while True:
        meant = undo_target.to_undo(ws, scope, tx, passed)
        if meant.record.where != CHECKOUT:
            branch = meant.record.branch
            return _done(ws, branch, partial(_undoing, ws, branch, tx))

        try:
            (step,) = undo_edits(ws, [meant])
        except DoesNotFit as error:
            if tx is not None or not error.data.get("by_hand"):
                raise
            passed.append(meant.oid)  # the files hold nothing of it: somebody has taken it back by hand
        else:
            return step


def undo_since(ws: Workspace, tx: str, onto: str | None = None) -> list[Step]:
    """Take back a step and all of the caller's own after it in the same place, the newest first.

    Edits of the checkout go back all together or not at all; landings one by one, up to one that cannot.

    Raises:
        ScalpelError: as :func:`undo`.
    """
    recovery.heal_pending(ws)
    first = undo_target.to_undo(ws, undo_target.scope(ws, onto), tx)
    branch = first.record.branch
    where = Scope(branch or None, not branch)
    taken: list[Entry] = []
    for entry in undo_target.in_force(ws, where):
        taken += [entry] if undo_target.is_own(ws, entry.record) or entry.oid == first.oid else []
        if entry.oid == first.oid:
            break
    if not branch:
        return undo_edits(ws, taken)
    return [_done(ws, branch, partial(_undoing, ws, branch, each.record.tx)) for each in taken]


def undoing(ws: Workspace, onto: str | None = None, tx: str | None = None) -> tuple[Step, UnifiedDiff]:
    """What :func:`undo` would take back, and what that would change; no ref moves.

    Raises:
        DoesNotFit, WorldMoved, GateRefused: as :func:`undo`.
    """
    entry = undo_target.to_undo(ws, undo_target.scope(ws, onto), tx)
    if entry.record.where == CHECKOUT:
        return undo_preview(ws, entry)
    branch = entry.record.branch
    at = ws.tip(branch)
    from gitscalpel.edit.unified_diff import describe_changes

    before, after = _oid(entry.record.before), _oid(entry.record.after)
    revert = at != after or _is_published(ws, after)
    tree = _without(ws, branch, at, entry) if revert else ws.store.tree_of(before)
    if tree is not None and _is_judged(
        ws.snapshot(at), TreeSnapshot(ws.store, ws.repo.git, tree), is_new=revert
    ):
        ws.at(branch).read_rules()  # who cannot be judged by them is refused now, as by the undo itself
    files = diff_trees(ws, ws.store.tree_of(at), tree)
    landed = Landed(at, None if revert else before, Oid(""), ())
    step = Step(entry.record.tx, branch, landed, revert, entry.record.message)
    return step, describe_changes(files)


def redo(ws: Workspace, onto: str | None = None) -> Step:
    """Make the landing, or the edit of the checkout, again that the last undo took back.

    Raises:
        ScalpelError: see :func:`undo`.
    """
    recovery.heal_pending(ws)
    meant = undo_target.to_redo(ws, undo_target.scope(ws, onto))
    if meant.record.where == CHECKOUT:
        return redo_edit(ws, meant)
    return _done(ws, meant.record.branch, lambda: _redoing(ws, meant.record.branch))


def _done(ws: Workspace, branch: str, plan: Callable[[], _Plan]) -> Step:
    """Move a branch as planned under the lock; who has to be asked is asked before, and without it."""
    asked: tuple[Question, Answered] | None = None
    for _ in range(_ATTEMPTS):
        with recovery.locked(ws) as held:
            planned = plan()
            _refuse_outside(ws, planned.movement)
            question = _question(ws, branch, planned)
            answered = asked is not None and question == asked[0]
            if question is None or answered:
                move = _as_said(ws, planned.movement, *asked) if asked and answered else planned.movement
                (landed,) = branch_update.move(Ground(ws.repo, ws.store, held), [move])
                return Step(planned.taken.record.tx, branch, landed, planned.revert, planned.message)

        asked = question, ask_everybody(ws, branch, question)
    raise WorldMoved(
        "target_moved", f"{short(branch)} moves faster than it can be judged", "try again when it is quieter"
    )


def _refuse_outside(ws: Workspace, move: Movement) -> None:
    """Refuse what changes files that its caller may not change; a branch that goes back meets no gate."""
    if ws.session.within is not None:
        before, after = (ws.snapshot(oid).tree for oid in (move.old, move.new))
        static_gates.refuse_outside(ws, diff_trees(ws, before, after))


def _question(ws: Workspace, branch: str, planned: _Plan) -> Question | None:
    """What is to be judged: what the branch has never held.

    So are other rules, that it has held: who may not change them may not go back to those before. And
    what people have agreed to take back is not made again without them.
    """
    move, taken = planned.movement, planned.taken.record
    undone = taken.kind == "undo" and bool(taken.approved)
    if move.new is None:
        return None
    if not _is_judged(ws.snapshot(move.old), ws.snapshot(move.new), is_new=planned.revert or undone):
        return None

    commit = ws.store.commit(move.new)
    # Not the message of a commit that is gone back to, which says nothing of that.
    words = commit.message if planned.revert else f"{move.record.kind.capitalize()}: {planned.message}"
    question = Question(move.old, commit.tree, words, planned.revert)
    return question if concerns(ws, ws.at(branch).rules, question) else None


def _as_said(ws: Workspace, move: Movement, question: Question, said: Answered) -> Movement:
    """The movement with what the hooks have made of it, and the names of those who agree to it.

    Raises:
        WaitsForPerson: somebody has said no since.
    """
    if question.is_new and (said.tree, said.message) != (question.tree, question.message):
        new = ws.store.write_commit(said.tree, [move.old] if move.old else [], said.message)
        move = msgspec.structs.replace(move, new=new)
    return move if said.agreed is None else _agreed(ws, move, said.agreed)


def _agreed(ws: Workspace, move: Movement, staged: Change) -> Movement:
    """The movement with the names of those who agree to it; the transaction that they know goes with it.

    Raises:
        WaitsForPerson: somebody has said no since.
    """
    staged = gate_runner.agreed(ws, staged.refreshed(ws))
    record = msgspec.structs.replace(move.record, approved=staged.meta.approved)
    return msgspec.structs.replace(move, record=record, refs=(*move.refs, *removing_refs(staged)))


def _is_judged(before: Snapshot, after: Snapshot, *, is_new: bool) -> bool:
    """Return True if somebody is asked before a branch goes from ``before`` to ``after``.

    That is where the branch has never held it (``is_new``), or where the rules change; but where rules
    that nobody can be judged by give way to others, nobody can be asked.

    Raises:
        Misconfigured: it is the other way round.
    """
    if before.entry(config.PATH) == after.entry(config.PATH):
        return is_new
    faults = [static_gates.rules_error(files) for files in (before, after)]
    if faults[1] is not None and faults[0] is None:
        raise faults[1].but(hint="nothing could land under it; edit anew")
    return faults[0] is None or faults[1] is not None


def _undoing(ws: Workspace, branch: str, tx: str | None) -> _Plan:
    entry = undo_target.to_undo(ws, Scope(branch, False), tx)
    landing_record = entry.record
    at = ws.tip(branch)
    before, after = _oid(landing_record.before), _oid(landing_record.after)
    revert = at != after or _is_published(ws, after)
    message = (
        f"Undo: {landing_record.message.rstrip()}\n\nThis takes back {after}, landed as {landing_record.tx}."
    )
    new = _reverted(ws, branch, at, entry, message) if revert else before
    record = _record(ws, "undo", entry, revert)
    keep = refs.KEEP + entry.record.tx
    held_by = refs.values(ws.repo, [keep]).get(keep)
    kept = () if revert else (RefUpdate(keep, held_by, after),)
    disk = adopted_files(ws, before, _oid(landing_record.adopted))
    back = _back(ws, landing_record)
    move = Movement(branch, at, new, record, kept, restored=disk, back=back)
    return _Plan(entry, landing_record.message, move)


def _redoing(ws: Workspace, branch: str) -> _Plan:
    undone = undo_target.to_redo(ws, Scope(branch, False))
    original = oplog.entry(ws.store, Oid(str(undone.record.undoes)))
    at = ws.tip(branch)
    before, after = _oid(undone.record.before), _oid(undone.record.after)
    if before is not None and not ws.holds(before):
        raise DoesNotFit(
            "nothing_to_undo",
            f"the commit of {undone.record.tx} has expired",
            "what was undone is kept for 14 days (git config scalpel.keepDays); edit anew",
            tx=undone.record.tx,
        )
    direct = at == after
    new = before if direct else _reverted(ws, branch, at, undone, f"Redo: {original.record.message}")
    record = _record(ws, "redo", undone, not direct)
    disk = adopted_files(ws, after, _oid(undone.record.adopted))
    move = Movement(branch, at, new, record, adopted=disk, back=_back(ws, undone.record))
    return _Plan(undone, original.record.message, move)


def _back(ws: Workspace, record: Record) -> Mapping[str, DiskRestore]:
    """How the disk was before a step, if it was in this worktree."""
    if not record.disk or record.place != journal.worktree_name(ws.repo):
        return {}
    old, new = (ws.store.tree_of(_oid(each)) for each in (record.before, record.after))
    return journal.plan_restores(record.disk, ws.store.difference(old, new))


def _reverted(ws: Workspace, branch: str, at: Oid | None, taken: Entry, message: str) -> Oid:
    """Return a commit on the tip ``at`` of a branch that takes back what a step did."""
    return ws.store.write_commit(_without(ws, branch, at, taken), [at] if at else [], message)


def _without(ws: Workspace, branch: str, at: Oid | None, taken: Entry) -> Oid:
    """Return the tree of a branch's tip ``at`` without what a step did.

    Raises:
        DoesNotFit, WorldMoved, GateRefused: see :func:`without`.
    """
    try:
        return without(ws, branch, at, Taken(_oid(taken.record.before), _oid(taken.record.after)))
    except WorldMoved as error:
        raise error.but(hint=_way_around(ws, branch, taken)) from error


def _way_around(ws: Workspace, branch: str, taken: Entry) -> str:
    """Return the hint for a caller who cannot take a step back: what stands in the way of it."""
    paths = set(taken.record.paths)
    newer = {entry.oid for entry in takewhile(lambda entry: entry.oid != taken.oid, oplog.read(ws.repo))}
    for entry in takewhile(lambda entry: entry.oid in newer, undo_target.in_force(ws, Scope(branch, False))):
        if paths.intersection(entry.record.paths):
            later, who = entry.record.tx, undo_target.author(entry.record)
            back = call("undo", tx=later, onto=None if branch == ws.repo.head else short(branch))
            return f"take back {later} first, which {who} has landed since: {back}; or edit the files"
    since = f"{taken.record.after}..{short(branch)}"
    return f"`git log {since}` shows what was committed since: revert that first, or edit the files"


def _is_published(ws: Workspace, commit: Oid | None) -> bool:
    """Whether a remote-tracking branch holds the commit."""
    if commit is None:
        return False
    return bool(ws.repo.git("for-each-ref", "--count=1", "--contains", commit, "refs/remotes").strip())


def _record(ws: Workspace, kind: Literal["undo", "redo"], taken: Entry, revert: bool) -> Record:
    return Record(
        kind=kind,
        tx=taken.record.tx,
        **ws.hand(),
        message=taken.record.message,
        paths=taken.record.paths,
        undoes=taken.oid,
        revert=revert,
        adopted=taken.record.adopted,
    )


def _oid(text: str | None) -> Oid | None:
    return Oid(text) if text else None


_PLAIN = {REGULAR, EXECUTABLE}


def undo_edits(ws: Workspace, taken: Sequence[Entry]) -> list[Step]:
    """Take edits back in this order, all of them or none.

    Raises:
        DoesNotFit: ``nothing_to_undo``.
        WorldMoved: ``merge_conflict``: the same place has been edited since; ``stale``.
    """
    with recovery.locked(ws) as held:
        return until_still(lambda: _stepped(ws, "undo", taken, held))


def redo_edit(ws: Workspace, taken: Entry) -> Step:
    """Make the edit again that an undo took back.

    Raises:
        DoesNotFit, WorldMoved: as :func:`undo`.
    """
    with recovery.locked(ws) as held:
        (step,) = until_still(lambda: _stepped(ws, "redo", [taken], held))
        return step


def undo_preview(ws: Workspace, taken: Entry) -> tuple[Step, UnifiedDiff]:
    """What :func:`undo` would take back, and what that would change; nothing is written.

    Raises:
        DoesNotFit, WorldMoved: as :func:`undo`.
    """
    files = _CheckoutFiles(ws)
    changes = files.taken_back(taken.record)
    return _edit_step(taken, changes, None), describe_changes(Changes(changes, files.read))


def _stepped(ws: Workspace, kind: Literal["undo", "redo"], taken: Sequence[Entry], held: Lock) -> list[Step]:
    files = _CheckoutFiles(ws)
    wanted = [_rewrite(ws, kind, each, files.taken_back(each.record)) for each in taken]
    entries = branch_update.rewrite(Ground(ws.repo, ws.store, held), wanted)
    return [
        _edit_step(each, rewrite.changes, entry)
        for each, rewrite, entry in zip(taken, wanted, entries, strict=True)
    ]


def _rewrite(
    ws: Workspace, kind: Literal["undo", "redo"], taken: Entry, changes: list[FileChange]
) -> Rewrite:
    static_gates.refuse_outside(ws, changes)
    record = record_of(ws, kind, taken.record.tx, taken.record.message, changes)
    return Rewrite(tuple(changes), msgspec.structs.replace(record, undoes=taken.oid))


def _edit_step(taken: Entry, changes: Iterable[FileChange], entry: Oid | None) -> Step:
    became = tuple(FileOutcome(path, "written" if new else "removed") for path, _, new in changes)
    landed = Landed(None, None, entry or Oid(""), became)
    return Step(taken.record.tx, CHECKOUT, landed, False, taken.record.message)


class _CheckoutFiles:
    """The files of the checkout as they are, and as the steps that are taken back leave them one by one."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._work: WorkTree = working_tree.files_of(ws.repo, ws.store)
        self._now: dict[str, TreeEntry | None] = {}
        self._read: dict[Oid, bytes] = {}

    def taken_back(self, record: Record) -> list[FileChange]:
        """What brings the files to where they were before a step.

        Raises:
            DoesNotFit: ``nothing_to_undo``: they are there, or nobody holds any more what they were.
            WorldMoved: ``merge_conflict``.
        """
        before, after = (Oid(str(commit)) for commit in (record.before, record.after))
        if not (self._ws.holds(before) and self._ws.holds(after)):
            raise DoesNotFit(
                "nothing_to_undo",
                f"what {record.tx} had found in the files has expired",
                "it is kept for 14 days (git config scalpel.keepDays); edit anew",
                tx=record.tx,
            )
        made = diff_commits(self._ws, before, after)
        # Those that go away make room for files that come back where their folders are.
        for each in made:
            self._look(each.path, {change.path for change in made if change.old is None})
        found = [FileChange(each.path, self._now[each.path], self._goal(each, record.tx)) for each in made]
        changes = [change for change in found if change.old != change.new]
        if not changes:
            raise DoesNotFit(
                "nothing_to_undo",
                f"the files hold nothing of {record.tx}: they are as they would be without it",
                f"{call('log')} lists the steps; name another one to take that back",
                tx=record.tx,
                by_hand=True,
            )
        self._now.update((path, new) for path, _, new in changes)
        return changes

    def read(self, oid: Oid) -> bytes:
        """The bytes of a state."""
        return self._read[oid] if oid in self._read else self._ws.store.read(oid)

    def _look(self, path: str, leaving: set[str]) -> None:
        if path in self._now:
            return
        entry = checkout.unless_emptied(self._work, path, leaving)
        self._now[path] = entry
        if entry is not None and entry.oid:
            self._read[entry.oid] = self._work.read(path)

    def _goal(self, made: FileChange, tx: str) -> TreeEntry | None:
        """What becomes of a path that a step brought from ``made.old`` to ``made.new``."""
        now, was, became = self._now[made.path], made.old, made.new
        if self._work.same(now, became) or self._work.same(now, was):
            return was
        if now is None or was is None or became is None or {now.mode, was.mode, became.mode} - _PLAIN:
            raise _changed_since(made.path, tx)
        repo = self._ws.repo
        texts = (self.read(entry.oid) for entry in (now, became, was))
        merged = merge_file(repo.git, repo.scalpel_dir, *texts)
        if isinstance(merged, Overlap):
            raise _changed_since(made.path, tx, merged.lines)
        return TreeEntry(now.mode if was.mode == became.mode else was.mode, self._ws.store.write_blob(merged))


def _changed_since(path: str, tx: str, lines: tuple[tuple[int, int], ...] = ()) -> WorldMoved:
    spans = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in lines)
    where = f" (line{'s' * (not spans.isdecimal())} {spans})" if spans else ""
    return WorldMoved(
        "merge_conflict",
        f"{quoted(path)} has been edited since where {tx} had edited it{where}",
        f"take back first what was done since ({call('log')} lists it), or edit it by hand",
        files=[{"path": quoted(path), "lines": [list(span) for span in lines]}],
    )


class Question(msgspec.Struct, frozen=True):
    """What people and programs are asked: a tree on top of a commit, and the message of what makes it.

    Attributes:
        before: the tip of the branch; None: unborn.
        tree: what is to follow it.
        message: of the commit.
        is_new: whether a commit is made for it: then the user's hooks have a say, as in any commit.
    """

    before: Oid | None
    tree: Oid
    message: str
    is_new: bool


class Answered(msgspec.Struct, frozen=True):
    """What came of it: the tree and the message as the hooks leave them.

    Attributes:
        tree, message: what may land.
        agreed: the open transaction in which people have agreed to it, to be taken away when it lands;
            None: nobody had to.
    """

    tree: Oid
    message: str
    agreed: Change | None


def concerns(ws: Workspace, rules: Rules, question: Question) -> bool:
    """Whether these rules, and the user's hooks, leave anybody to ask."""
    return rules.policy != Policy() or rules.ask_people or _is_judged_by_programs(ws, rules, question)


def _is_judged_by_programs(ws: Workspace, rules: Rules, question: Question) -> bool:
    before = ws.snapshot(question.before)
    outcome = static_gates.outcome_between(before, diff_trees(ws, before.tree, question.tree))
    return gate_runner.concerned(ws, rules, outcome, made=question.is_new)


def ask_everybody(ws: Workspace, branch: str, question: Question) -> Answered:
    """Ask the policy, the hooks, the commands and people about a tree that is to land on a branch.

    Raises:
        ScalpelError: the first refusal. If people are asked, an open transaction stays that they can
            look at, and the same question finds it again.
    """
    name = _question_name(branch, question, ws.user())
    asked = next((each for each in open_changes(ws) if _is_about(each, name, question)), None)
    with ExitStack() as provisional:
        if asked is None:  # else what people have said stays, whatever comes of it
            files = diff_trees(ws, ws.store.tree_of(question.before), question.tree)
            meta = new_meta(ws, ws.at(branch), question.message, by=(ws.user(),))
            asked = new_change(ws, question.tree, meta.but(base=question.before, request_ids=(name,)), files)
            if _is_judged_by_programs(ws, ws.at(branch).rules, question):
                asked = provisional.enter_context(staging.held(ws, asked))
        static_gates.run_policy_gate(ws, asked)
        asked = gate_runner.ask_programs(ws, asked, made=question.is_new)
        try:
            # Landed by its name it would be a change like any other, which no call can redo.
            asked = gate_runner.agreed(ws, asked, then="ask for the same again")
        except WaitsForPerson:
            provisional.pop_all().close()
            staged = asked if asked.is_open else staging.opened(ws, asked, ws.at(branch))
            with naming(staged, waits=False):
                raise
    tree, message = asked.tree(ws), asked.meta.message
    if asked.is_open and asked.meta.approved:
        return Answered(tree, message, asked)
    if asked.is_open:
        staging.forget(ws, asked)
    return Answered(tree, message, None)


def _is_about(staged: Change, name: str, question: Question) -> bool:
    """Whether this was asked in a transaction, to which nobody has added anything since but the hooks."""
    meta = staged.meta
    return name in meta.request_ids and meta.base == question.before and not meta.steps


def _question_name(branch: str, question: Question, user: str) -> str:
    """By what the open transaction is found again in which people were asked exactly this."""
    words = (branch, question.before or "", question.tree, question.message, user)
    return blake2b("\0".join(words).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
