"""Build, check and land a changeset in one call, in memory if possible, and at most once.

Only a change that has to wait, or that hooks or commands check, gets refs of its own. A changeset with a
known ``request_id`` is answered with the earlier result.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from gitscalpel.changesets.requests import Changeset
from gitscalpel.errors import ScalpelError, WaitsForPerson, WorldMoved
from gitscalpel.git import refs
from gitscalpel.system import repo_lock
from gitscalpel.system.repo_lock import Lock
from gitscalpel.transaction import gate_result, result
from gitscalpel.transaction.candidate import Candidate, TakesLong
from gitscalpel.transaction.land import group_landing
from gitscalpel.transaction.land.branch_lock import turn
from gitscalpel.transaction.land.group_landing import Sent
from gitscalpel.transaction.movement import auto_recovery
from gitscalpel.transaction.movement.retry import trying
from gitscalpel.transaction.open_transaction import OpenTransaction, every, naming
from gitscalpel.transaction.result import Result
from gitscalpel.workspace import TreeTarget, Workspace

if TYPE_CHECKING:
    from gitscalpel.transaction.land.finish import Blocked

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
        auto_recovery.heal(self._ws)
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
            with turn(self._ws, self._branch) if raced else auto_recovery.locked(self._ws):
                found = self._earlier()
        return found if isinstance(found, Result) else None

    def _goes_on(self, before: OpenTransaction) -> Result:
        if not before.meta.whole:  # what others have put into it does not land for this
            return result.of(before)
        from gitscalpel.transaction.land import finish

        return trying(lambda: finish.land(self._ws, before.refreshed(self._ws)), self._wait)

    def _staged(self) -> Result:
        from gitscalpel.transaction.stage import build, stage

        target = self._ws.at(self._branch)
        return result.of(stage.opened(self._ws, build.build(self._ws, self._changeset, target), target))

    def _landed(self) -> Result:
        ws = self._ws
        ended = self._ended(ws.at(self._branch))
        if not isinstance(ended, Result):
            if not ended.waits:
                raise ended.why
            from gitscalpel.transaction.stage import stage

            stays = ended.change
            if not isinstance(stays, OpenTransaction):
                stays = self._waiting(stays) or stage.opened(ws, stays, ws.at(self._branch))
            with naming(stays):
                raise ended.why
        if self._leads:
            from gitscalpel.transaction.land.auto_gc import tidy

            tidy(ws)
        return ended

    def _ended(self, target: TreeTarget) -> Result | Blocked:
        """What becomes of it; it is built before its turn where that may take long."""
        ws, changeset = self._ws, self._changeset
        if group_landing.is_quick(ws, changeset, target):
            with suppress(TakesLong):
                return self._tried(group_landing.nothing_yet(ws, changeset, target))
        from gitscalpel.transaction.stage import build

        change = build.build(ws, changeset, target)
        if not gate_result.have_still_to_judge(change):
            return self._tried(change)
        from gitscalpel.transaction.land import finish

        with finish.held(ws, change) as known:
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
                for known in every(self._ws)
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
            from gitscalpel.transaction.land.finish import Blocked

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
            from gitscalpel.transaction.land import finish
            from gitscalpel.transaction.land.group_landing import Company, anew

            self._leads = True
            if merging:
                return finish.in_turn(ws, change, repo_lock.PATIENCE, partial(finish.ready, ws))

            def prepare(now: Candidate) -> Candidate:
                return anew(ws, self._sent, now, ws.at(branch))

            return finish.in_turn(ws, change, repo_lock.PATIENCE, prepare, Company(ws, branch))
