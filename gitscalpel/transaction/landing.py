"""Land a changeset or an open transaction on its branch, drop a transaction, or remove a damaged one.

A changeset is built, checked and landed in one call, in memory if possible, and at most once: one with a
known ``request_id`` is answered with the earlier result. Only a change that has to wait, or that hooks or
commands check, gets refs of its own.

Only landing touches the user's checkout. If the branch has moved in the meantime, the change is merged
with the new tip and checked again, so exactly the checked tree lands.

A transaction is damaged if its record or its commit cannot be read or has no ref.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from gitscalpel.changesets.answers import Facts
from gitscalpel.changesets.file_tree import Changes
from gitscalpel.changesets.requests import Changeset
from gitscalpel.errors import DoesNotFit, ScalpelError, WaitsForPerson, WorldMoved
from gitscalpel.errors.messages import call
from gitscalpel.git import oplog, ref_transaction, refs
from gitscalpel.git.oplog import Record
from gitscalpel.git.refs import META, RefUpdate
from gitscalpel.system import repo_lock
from gitscalpel.system.repo_lock import Lock
from gitscalpel.transaction import (
    branch_update,
    gate_result,
    group_landing,
    recovery,
    result,
    staging,
    worktree,
)
from gitscalpel.transaction.branch_update import Movement
from gitscalpel.transaction.change import (
    C,
    Candidate,
    OpenTransaction,
    TakesLong,
    blank_meta,
    candidate,
    from_disk,
    gone,
    naming,
    open_changes,
    refuse_before,
    refuse_nothing,
)
from gitscalpel.transaction.check import gate_runner
from gitscalpel.transaction.group_landing import Sent, turn
from gitscalpel.transaction.rebase import onto_tip
from gitscalpel.transaction.result import Result
from gitscalpel.transaction.retries import again, trying
from gitscalpel.workspace import TreeTarget, Workspace
from gitscalpel.workspace.auto_gc import tidy

if TYPE_CHECKING:
    from gitscalpel.transaction.group_landing import Company


_ATTEMPTS = 10
"""Times that it is tried while others are faster: whoever has the turn competes with git by hand alone, but
on a busy machine it may be faster several times in a row."""
GIT_LOCK_WAIT_S = 10.0
"""Seconds in which a git that somebody runs by hand should have let go of the index and of refs."""
_STANDS_AGAINST = ("dirty_overlap", "branch_in_use", "operation_in_progress", "approval_required", "rejected")
"""What somebody can clear away, so that the edit lands as it is."""


class Blocked(msgspec.Struct, frozen=True):
    """A change that cannot land now: as far as it has come, and what stands against it."""

    change: Candidate
    why: ScalpelError

    @property
    def waits(self) -> bool:
        """Whether somebody can clear that away, so that the change lands as it is."""
        return self.why.code in _STANDS_AGAINST


def land(ws: Workspace, staged: OpenTransaction, timeout: float = repo_lock.PATIENCE) -> Result:
    """Bring a transaction to its target branch, and the user's checkout along.

    If the branch has moved since, the change is put on the new tip; where both changed the same
    files they are merged, and the gates judge the result.

    Raises:
        DoesNotFit: ``no_change``: there is nothing to land.
        GateRefused: a gate said no.
        WorldMoved, TryAgain: see :func:`gitscalpel.transaction.branch_update.move`; the
            transaction stays open.
    """
    with naming(staged):
        return landed(ws, staged, timeout)


def landed(ws: Workspace, staged: OpenTransaction, timeout: float = repo_lock.PATIENCE) -> Result:
    """The same for a transaction that may yet be given up, so that no error names it."""

    def judged() -> OpenTransaction:
        now = staged.refreshed(ws)
        worktree.refuse_unstaged(ws, now)
        return gate_runner.agreed(ws, ready(ws, now))

    # Before its turn, so that nobody has to wait for it; somebody else may land the same meanwhile.
    change = again(judged, _ATTEMPTS)
    with turn(ws, change.meta.branch, timeout):
        outcome = in_turn(ws, change, timeout, partial(ready, ws))
    if isinstance(outcome, Blocked):
        raise outcome.why
    tidy(ws)
    return outcome


def in_turn(
    ws: Workspace,
    change: C,
    timeout: float,
    prepare: Callable[[C], C],
    company: Company | None = None,
) -> Result | Blocked:
    """Make a change ready and land it under the branch lock, while other callers for that branch wait.

    ``prepare`` is :func:`ready`. For a new edit it applies the operations, and applies them again where
    others have landed meanwhile (``group_landing.py``). Waiting callers in ``company`` land as well.

    The lock of the landing itself is held for the landing alone. So a slow gate keeps nobody waiting
    but who would have to wait for its verdict, and only git, undo and redo can still be faster.

    Raises:
        ScalpelError: what refuses it for what it is.
        TakesLong: it was to be built in a moment, and is not.
    """
    is_late = False

    def attempt() -> Result:
        nonlocal change, is_late
        change = prepare(change.refreshed(ws))  # others may have agreed to it, or added to it, meanwhile
        change = gate_runner.agreed(ws, change)
        # Taking others along takes a while, in which somebody has committed by hand; he may do so again.
        fellows = company.join(change) if company and not is_late else []
        is_late = True
        land_them = partial(_locked, ws, change, fellows, timeout)
        mine, *theirs = trying(land_them, min(timeout, GIT_LOCK_WAIT_S), ("busy",))
        if company:
            company.tell(theirs)
        return mine

    try:
        return again(attempt, _ATTEMPTS)
    except (WorldMoved, WaitsForPerson) as error:
        return Blocked(change, error)


def _locked(ws: Workspace, change: Candidate, fellows: Sequence[Candidate], timeout: float) -> list[Result]:
    """Land a change, and others on top of it if that goes: what stands against these keeps nobody else."""
    with recovery.locked(ws, timeout) as held:
        if fellows:
            with suppress(ScalpelError):
                return move(ws, [change, *fellows], held)
        return move(ws, [change], held)


def drop(ws: Workspace, staged: OpenTransaction) -> Result:
    """Give a transaction up, as it is by now; its commit is kept for a while.

    Raises:
        DoesNotFit: ``tx_closed``: somebody else was faster.
    """

    def attempt() -> OpenTransaction:
        with recovery.locked(ws):
            now = staged.refreshed(ws)
            before = {"branch": now.meta.branch, "before": now.meta.base, "after": None}
            record = msgspec.structs.replace(_record(ws, now), kind="drop", **before)
            oplog.append(
                ws.repo, ws.store, record, (*gone(now), RefUpdate(refs.KEEP + now.id, None, now.head))
            )
        return now

    dropped = again(attempt, _ATTEMPTS)  # who adds to it does not need the lock
    tidy(ws)
    return msgspec.structs.replace(result.of(dropped), state="dropped")


def forget(ws: Workspace, staged: OpenTransaction) -> None:
    """Take an open transaction away that nobody has asked for by its name."""
    ref_transaction.update(ws.repo, gone(staged), f"scalpel: give up {staged.id}")


@contextmanager
def held(ws: Workspace, change: Candidate) -> Iterator[OpenTransaction]:
    """A change, held by refs while programs work on it: others can look at it, and no gc takes it.

    It is given up if the block raises; if this process is killed in it, by whoever heals next.
    """
    with recovery.provisional(ws.repo, change.id):
        staged = staging.opened(ws, change, ws.at(change.meta.branch))
        try:
            yield staged
        except BaseException:
            with suppress(ScalpelError, OSError):
                forget(ws, staged.refreshed(ws))
            raise


def ready(ws: Workspace, change: C, *, merging: bool = True) -> C:
    """The change on the branch as it is now, passed by every gate.

    Raises:
        DoesNotFit: ``no_change``.
        ScalpelError: what a gate says, or see :func:`gitscalpel.transaction.rebase.onto_tip`.
    """
    refuse_before(ws, change)
    change = onto_tip(ws, change, merging)
    refuse_nothing(change)
    return gate_runner.ready(ws, change)


def move(ws: Workspace, stack: Sequence[Candidate], held: Lock) -> list[Result]:
    """Move the branch along transactions that stand on each other, and take their own refs away with it.

    Raises:
        WaitsForPerson: somebody has said no while the last gates ran.
        ScalpelError: see :func:`gitscalpel.transaction.branch_update.move_along`.
    """
    stack = [gate_runner.agreed(ws, staged) for staged in stack]
    landed = branch_update.move_along(ws.repo, ws.store, held, [_movement(ws, staged) for staged in stack])
    return [
        msgspec.structs.replace(result.of(staged), state="landed", landed=each, facts=staged.meta.facts)
        for staged, each in zip(stack, landed, strict=True)
    ]


def _movement(ws: Workspace, change: Candidate) -> Movement:
    meta = change.meta
    return Movement(
        meta.branch,
        meta.base,
        change.head,
        _record(ws, change),
        gone(change) if isinstance(change, OpenTransaction) else (),
        adopted=from_disk(ws, meta.base, meta.adopted),
    )


def _record(ws: Workspace, change: Candidate) -> Record:
    meta, hand = change.meta, ws.hand()
    if not change.is_open:
        hand["agent"] = meta.agent
    return Record(
        kind="land",
        tx=change.id,
        **hand,
        message=meta.message,
        paths=tuple(file.path for file in change.files),
        request_ids=meta.request_ids,
        requests=meta.requests,
        adopted=meta.adopted,
        note=msgspec.to_builtins(meta.facts),
        approved=meta.approved,
    )


def drop_damaged(ws: Workspace, prefix: str) -> Result:
    """Take away what is left of it; its commit is kept for a while, if that is there.

    Args:
        ws: where.
        prefix: the id, or its first characters.

    Raises:
        DoesNotFit: ``tx_not_found``.
    """
    tx = _find(ws, prefix)
    with recovery.locked(ws):
        now = refs.values(ws.repo, [refs.TX + tx, META + tx])
        updates = [RefUpdate(ref, oid, None) for ref, oid in now.items()]
        head = now.get(refs.TX + tx)
        if head is not None and not ws.holds(head):
            head = None
        if head is not None:
            updates.append(RefUpdate(refs.KEEP + tx, None, head))
        words = "what was left of it could not be read"
        record = Record(kind="drop", tx=tx, **ws.hand(), message=words)
        oplog.append(ws.repo, ws.store, record, updates)
    return Result(
        tx=tx, state="dropped", branch="", message=words, base=None, head=head, files=Changes(), facts=Facts()
    )


def _find(ws: Workspace, prefix: str) -> str:
    wanted = refs.bare_id(prefix)
    names = refs.values(ws.repo, [refs.TX, META])
    found = {name.rsplit("/", 1)[1] for name in names}
    found = {tx for tx in found if len(wanted) >= refs.SHORTEST and tx.startswith(wanted)}
    if len(found) != 1:
        raise DoesNotFit(
            "tx_not_found",
            f"{'several transactions begin' if found else 'no transaction begins'} with {prefix!r}",
            f"{call('fsck')} names those that are damaged",
        )
    return found.pop()


_RACED = ("tx_closed", "tx_not_found", "target_moved")
"""What somebody hears whose transaction another one lands, or drops, at the same moment."""


class Submission:
    """A changeset that somebody has sent, as a whole transaction.

    Args:
        ws: where.
        changeset: what to do.
        branch: ``refs/heads/…``.
        wait: for how many seconds to try again where something stands against it that may pass.
    """

    def __init__(self, ws: Workspace, changeset: Changeset, branch: str, wait: float = 0.0) -> None:
        self._ws, self._changeset, self._branch, self._wait = ws, changeset, branch, wait
        # What has landed since may be this very changeset.
        self._sent = Sent(changeset, ws.store.resolve(refs.OPS) if changeset.request_id else None)
        self._leads = False

    def landed(self) -> Result:
        """Build, check and land it.

        If others land on the same files meanwhile, the operations are done again on what these have
        become: what they address is found there, unless it is itself no longer what it was.

        Raises:
            ScalpelError: the last refusal; ``stale``, if a target has changed meanwhile. Where somebody
                can clear away what stands against it, it stays as an open transaction.
        """
        return self._once(self._landed, self._goes_on)

    def staged(self) -> Result:
        """Build it, and leave it to somebody to land.

        Raises:
            ScalpelError: the first refusal; then nothing has happened.
        """
        return self._once(self._staged, result.of)

    def _once(self, act: Callable[[], Result], goes_on: Callable[[OpenTransaction], Result]) -> Result:
        """Do it, unless it was done before; one that is still open ``goes_on``."""
        recovery.heal_pending(self._ws)
        try:
            before = self._earlier()
            if before is None:
                return act()
            return before if isinstance(before, Result) else goes_on(before)
        except ScalpelError as error:
            faster = self._by_others(error) if self._changeset.request_id else None
            if faster is None:
                raise
            return faster

    def _earlier(self) -> Result | OpenTransaction | None:
        return result.earlier(self._ws, self._changeset, self._branch)

    def _by_others(self, error: ScalpelError) -> Result | None:
        """What became of it where somebody asks for the same at the same moment, and was faster.

        While he lands, the branch has moved before the log says so: whatever it was refused for may be what
        he has done.
        """
        found = self._earlier()
        if not isinstance(found, Result):
            raced = error.code in _RACED
            with turn(self._ws, self._branch) if raced else recovery.locked(self._ws):
                found = self._earlier()
        return found if isinstance(found, Result) else None

    def _goes_on(self, before: OpenTransaction) -> Result:
        if not before.meta.whole:  # what others have put into it does not land for this
            return result.of(before)

        return trying(lambda: land(self._ws, before.refreshed(self._ws)), self._wait)

    def _staged(self) -> Result:
        from gitscalpel.transaction import build, staging

        target = self._ws.at(self._branch)
        return result.of(staging.opened(self._ws, build.build(self._ws, self._changeset, target), target))

    def _landed(self) -> Result:
        ws = self._ws
        ended = self._ended(ws.at(self._branch))
        if not isinstance(ended, Result):
            if not ended.waits:
                raise ended.why
            from gitscalpel.transaction import staging

            stays = ended.change
            if not isinstance(stays, OpenTransaction):
                stays = self._waiting(stays) or staging.opened(ws, stays, ws.at(self._branch))
            with naming(stays):
                raise ended.why
        if self._leads:
            from gitscalpel.workspace.auto_gc import tidy

            tidy(ws)
        return ended

    def _ended(self, target: TreeTarget) -> Result | Blocked:
        """What becomes of it; it is built before its turn where that may take long."""
        ws, changeset = self._ws, self._changeset
        if group_landing.is_quick(ws, changeset, target):
            with suppress(TakesLong):
                return self._tried(group_landing.nothing_yet(ws, changeset, target))
        from gitscalpel.transaction import build

        change = build.build(ws, changeset, target)
        if not gate_result.have_still_to_judge(change):
            return self._tried(change)

        with held(ws, change) as known:
            ended = self._tried(known)
            if isinstance(ended, Result) or ended.waits:
                return ended
            raise ended.why

    def _waiting(self, change: Candidate) -> OpenTransaction | None:
        """An open transaction that does just the same, left by somebody who asked for it before."""
        tree, meta = change.tree(self._ws), change.meta
        return next(
            (
                known
                for known in open_changes(self._ws)
                if known.meta.whole
                and (known.meta.branch, known.meta.base) == (meta.branch, meta.base)
                and (known.tree(self._ws), known.meta.message) == (tree, meta.message)
                and (known.meta.by, known.meta.agent) == (meta.by, meta.agent)
                and known.meta.request_ids == meta.request_ids
            ),
            None,
        )

    def _tried(self, change: Candidate) -> Result | Blocked:
        """What becomes of the change in so many seconds."""
        merging = False

        def attempt() -> Result:
            nonlocal change, merging
            outcome = self._in_turn(change, merging=merging)
            if isinstance(outcome, Result):
                return outcome
            change = outcome.change
            merging = merging or outcome.waits
            raise outcome.why

        try:
            return trying(attempt, self._wait)
        except (WorldMoved, WaitsForPerson) as error:
            return Blocked(change, error)

    def _in_turn(self, change: Candidate, *, merging: bool) -> Result | Blocked:
        """Land it, or hear what somebody has made of it who had the turn: who hears needs nothing of landing.

        ``merging``: it is merged with what others have landed meanwhile, and stays as it was built.
        """
        ws, branch = self._ws, self._branch
        wish = bytes if merging else partial(group_landing.wish, ws, self._sent, change)
        with turn(ws, branch, repo_lock.PATIENCE, wish) as got:
            told = group_landing.heard(ws, change, got)
            if told is not None:
                return told
            if isinstance(got, Lock) and got.was_interrupted:
                raise KeyboardInterrupt
            from gitscalpel.transaction.group_landing import Company, anew

            self._leads = True
            if merging:
                return in_turn(ws, change, repo_lock.PATIENCE, partial(ready, ws))

            def prepare(now: Candidate) -> Candidate:
                return anew(ws, self._sent, now, ws.at(branch))

            return in_turn(ws, change, repo_lock.PATIENCE, prepare, Company(ws, branch))


def land_command(
    ws: Workspace,
    words: Sequence[str],
    target: TreeTarget,
    message: str | None = None,
    *,
    ok: Container[int] = (0,),
    land: bool = True,
    dry_run: bool = False,
    wait: float = 0.0,
) -> Result:
    """Begin a transaction, run a command in its worktree, and land what it did.

    Args:
        ws: where.
        words: the program and its arguments.
        target: the branch.
        message: of the commit; None: one that names the command.
        ok: the exit statuses that are a success.
        land: else the transaction stays open.
        dry_run: say what would land, and leave nothing.
        wait: for how many seconds to try to land it again.

    Raises:
        WorldMoved, WaitsForPerson: it cannot land now; the transaction stays open.
        ScalpelError: any other refusal; nothing is left.
    """
    empty = candidate(ws, target.snapshot.tree, blank_meta(ws, target, message), Changes())
    with held(ws, empty) as begun:
        staged, done = staging.run_command(ws, begun, words, ok, keep=False)  # nobody knows of it yet
        if dry_run:
            forget(ws, staged)
            return msgspec.structs.replace(done, tx=None, head=None, worktree=None)
        if not land:
            return done
        try:
            return trying(lambda: landed(ws, staged.refreshed(ws)), wait)
        except (WorldMoved, WaitsForPerson) as error:
            stays = error
    with naming(staged):
        raise stays
