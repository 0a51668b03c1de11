"""An open transaction, and how to begin, find and drop one."""

from __future__ import annotations

from collections.abc import Container, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import msgspec

from gitscalpel.api.file_view import View
from gitscalpel.api.open_repository import RepositoryMethods
from gitscalpel.changesets.answers import GateRow, Risk
from gitscalpel.errors import BadCall, Damaged, DoesNotFit, WorldMoved
from gitscalpel.git.pool import untracked_files
from gitscalpel.landing import build, checkout_check, landing, push, queue, staging, suggestions
from gitscalpel.transaction import recovery, result, static_gates, worktree
from gitscalpel.transaction.change import Change, load_change, target_of
from gitscalpel.transaction.check import approval_gate, diagnostics_gate, gate_runner
from gitscalpel.transaction.result import Result
from gitscalpel.transaction.retries import Retries
from gitscalpel.transaction.worktree import furnish
from gitscalpel.workspace.workspace import Workspace

if TYPE_CHECKING:
    from gitscalpel.changesets.answers import Fixes, Shown
    from gitscalpel.changesets.operations import Operation
    from gitscalpel.changesets.requests import Changeset
    from gitscalpel.landing.push import Pushed
    from gitscalpel.landing.suggestions import Suggestion
    from gitscalpel.transaction.check.approval_gate import Standing

    Asked = Operation | dict[str, Any]
    """An operation, typed or as the JSON object that stands for it."""


class Transaction:
    """An open transaction.

    In a ``with`` statement it lands at the end, and is dropped if an exception leaves the block. Edits in its
    worktree that were not staged prevent the landing. A transaction that was landed or dropped in the block
    stays so::

        with repository.begin("Rename the flag") as tx:
            tx.edit(Text(path="a.py", old="verbose", new="loud"))
    """

    def __init__(self, ws: Workspace, staged: Change) -> None:
        self._ws = ws
        self._staged = staged
        self._ended: Result | None = None

    def __enter__(self) -> Transaction:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._ended is not None:
            return
        if kind is not None or not (self._now.files or worktree.is_edited(self._ws, self._now)):
            self.drop()
        else:
            self.land()

    @property
    def id(self) -> str:
        """Return the id; ``scalpel/tx/<id>`` is a revision for git."""
        return self._staged.id

    @property
    def result(self) -> Result:
        """Return the transaction as a whole: its state, files, operations and verdicts."""
        return self._ended or self._with_worktree(result.result_of(self._now))

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(file.path for file in self._now.files)

    @property
    def who(self) -> str:
        meta = self._now.meta
        return ", ".join(meta.by) + (f" with {meta.agent}" if meta.agent else "")

    @property
    def _now(self) -> Change:
        """Return the current state; other processes may have changed or closed the transaction."""
        self._staged = self._staged.refresh(self._ws)
        return self._staged

    @property
    def _recovered(self) -> Change:
        """Return the state after any pending recovery, for a caller who may change its files."""
        recovery.recover_pending(self._ws)
        if self._ws.session.within is not None:
            static_gates.require_allowed_changes(self._ws, self._now.files)
        return self._now

    def _with_worktree(self, what: Result) -> Result:
        return worktree.with_worktrees(self._ws, what)[0]

    def view(self) -> View:
        return View(self._ws, target_of(self._ws, self._now))

    def edit(self, *operations: Asked, allow_broken: bool = False, dry_run: bool = False) -> Result:
        """Apply operations to the files of the transaction, and return their result.

        Raises:
            ScalpelError: the first error; the transaction has not changed then.
        """
        from gitscalpel.changesets.requests import changeset

        return self.apply(changeset(*operations, allow_broken=allow_broken), dry_run=dry_run)

    def apply(self, changeset: Changeset, *, dry_run: bool = False) -> Result:
        """Apply a changeset; see :meth:`edit`."""
        tracker = self._ws.tracker
        if tracker is None:
            return self._apply(changeset, dry_run=dry_run)

        def show(path: str, symbol: str) -> Shown:
            return self.view().peek(path, symbol)

        would = self._apply(changeset, dry_run=True)
        tracker.require_seen(would, changeset, show)
        if dry_run:
            return would
        done = self._apply(changeset)
        tracker.note_edit(done, changeset, show)
        return done

    def _apply(self, changeset: Changeset, *, dry_run: bool = False) -> Result:
        if changeset.onto is not None:
            words = f"the changeset is for {changeset.onto}, and transaction {self.id} was named"
            raise BadCall("invalid_args", words, "leave one of them out")
        if dry_run:
            target = target_of(self._ws, self._now)
            return build.try_out(self._ws, changeset, target, self._now)
        if changeset.request_id and changeset.request_id in self._now.meta.request_ids:
            result.require_same_operations(changeset, self._now.meta.requests, self.id)
            return self.result
        result.require_unused_request(self._ws, changeset, self._now.meta.branch)
        # If another process has added to it in the meantime, the operations are applied on top.
        with self._ws.log_refusals("apply", lambda: changeset.paths):
            retries = Retries("stage")
            while True:
                try:
                    self._staged, done = staging.add(self._ws, changeset, self._recovered)
                    break
                except WorldMoved as error:
                    if not retries.pause(error):
                        raise
        return self._with_worktree(done)

    def worktree(self) -> Path:
        """Lease a worktree from the pool, with the change staged, to view, test and edit by hand.

        The transaction keeps it until it lands or is dropped. :meth:`stage` stages the edits made there.

        Raises:
            TryAgain: ``busy``: another process works there.
        """
        staged = self._recovered
        with worktree.lease_worktree(self._ws, staged) as place:
            branch = staged.meta.branch
            furnish(self._ws, place, branch, self._ws.at(branch).rules)
            if self._ws.repo.work_tree is not None:
                untracked_files.copy_included(self._ws.repo.git, self._ws.repo.work_tree, place.root)
            return place.root

    def stage(self, *, message: str | None = None) -> Result:
        """Stage the edits and commits made by hand in the worktree, and return their result.

        A failing gate does not prevent this, but the transaction cannot land then. ``message`` replaces the
        message of the transaction.

        Raises:
            BadCall: ``invalid_args``: the message is blank, or not text.
            DoesNotFit: ``no_change``, or ``conflicted``: a merge there is not resolved.
        """
        if message is not None:
            staging.require_valid_message(message)
        with self._ws.log_refusals("stage", lambda: self.paths):
            self._staged, done = staging.stage_worktree(self._ws, self._recovered)
        if message is not None:
            self.reword(message)
        return self._with_worktree(done)

    def take(self, *paths: str, message: str | None = None) -> Result:
        """Adopt uncommitted changes of the checkout as a commit of their own, and return their result.

        After the landing these changes are no longer uncommitted in the checkout. ``message`` replaces the
        message of the transaction.

        Raises:
            BadCall: ``invalid_args``: the branch is not checked out here; the message is blank, or not text.
            DoesNotFit: ``file_not_found``, or ``no_change``: the paths have no uncommitted changes.
            NotAllowed: ``path_denied``: a path is ignored, or outside the repository.
            WorldMoved: ``merge_conflict``: the transaction has changed the same places.
        """
        if message is not None:
            staging.require_valid_message(message)
        with self._ws.log_refusals("stage", lambda: paths):
            self._staged, done = checkout_check.take(self._ws, self._recovered, paths)
        if message is not None:
            self.reword(message)
        return self._with_worktree(done)

    def run(self, *words: str, ok: Container[int] = (0,)) -> Result:
        """Run a command in the transaction's worktree, stage its changes, and return their result.

        Edits made there by hand are staged first. ``ok`` contains the exit statuses of success.

        Raises:
            GateRefused: ``gate_failed``: the command failed; tracked files in the worktree are restored.
            DoesNotFit: ``no_change``.
            BadCall: ``invalid_args``: there is no such program.
        """
        static_gates.require_unconfined(self._ws, "a command")
        if worktree.is_edited(self._ws, self._recovered):
            self.stage()
        # A person or agent may edit in the leased worktree while the command runs.
        keep = worktree.worktree_of(self._ws, self.id) is not None
        self._staged, done = staging.run_command(self._ws, self._now, words, ok, keep=keep)
        return self._with_worktree(done)

    def reword(self, message: str) -> Result:
        self._staged = staging.reword(self._ws, self._recovered, message)
        return self.result

    def check(self, *, fresh: bool = False) -> Result:
        """Run every gate except approvals on the transaction as a whole, and record its risk.

        ``fresh`` ignores cached verdicts of commands.

        Raises:
            GateRefused: the first failure.
            NotAllowed: ``policy_denied`` or ``untrusted``.
            WorldMoved: ``dirty_overlap``: its worktree contains edits that are not staged.
        """
        self._staged = approval_gate.record_risk(
            self._ws, gate_runner.check(self._ws, self._recovered, fresh=fresh)
        )
        return self.result

    def fixes(self, *, fresh: bool = False) -> Fixes:
        """Return new problems that servers and linters find in the transaction, with the offered fixes.

        ``fresh`` ignores cached answers.

        Raises:
            NotAllowed: ``untrusted``.
        """
        return diagnostics_gate.list_fixes(self._ws, self._now, fresh=fresh)

    def take_fix(self, number: int, *, fresh: bool = False) -> Result:
        """Apply the fix with a number of :meth:`fixes`, as an edit of the transaction.

        ``fresh`` ignores cached answers.

        Raises:
            DoesNotFit: ``index_out_of_range``: no fix has the number.
        """
        return self.edit(diagnostics_gate.choose_fix(self._ws, self._now, number, fresh=fresh))

    def policy(self) -> GateRow:
        """Return the verdict of its branch's policy on the whole transaction. The verdict is not recorded.

        Raises:
            NotAllowed: ``policy_denied``.
            Misconfigured: ``config_error`` or ``unavailable``: a rule cannot be evaluated.
        """
        verdict = static_gates.run_policy_gate(self._ws, self._now)
        return verdict.row

    def suggest(self, only: str | None = None) -> list[Suggestion]:
        """Run the team's commands (``[[suggest]]``) that suggest changesets, all or ``only`` one.

        Each suggestion is staged as a transaction on top of this one and checked; nothing lands.

        Raises:
            DoesNotFit: ``no_change``.
            BadCall: ``invalid_args``: the rules name no such command.
            NotAllowed: ``untrusted``.
        """
        return suggestions.suggest(self._ws, self._recovered, only)

    def approve(self, message: str = "", expect: str = "", stage: str | None = None) -> Standing:
        """Approve the transaction as it is. The approval is signed if the user has a key.

        ``expect`` is a prefix of the commit that was reviewed, if any. Without a ``stage``, it is the one
        that waits.

        Raises:
            WorldMoved: ``stale``: the transaction has another commit now.
            BadCall: ``invalid_args``: you are the author or may not approve in the stage, or there is no such
                stage.
            WaitsForPerson: ``approval_required``: an earlier stage waits.
            DoesNotFit: ``no_change``.
        """
        return approval_gate.approve(self._ws, self._recovered, message, expect, stage)

    def reject(self, message: str, expect: str = "") -> Standing:
        """Reject the transaction as it is, with a reason; arguments as for :meth:`approve`.

        Raises:
            WorldMoved: ``stale``.
            BadCall: ``invalid_args``: there is no reason.
            DoesNotFit: ``no_change``.
        """
        return approval_gate.reject(self._ws, self._recovered, message, expect)

    @property
    def risk(self) -> Risk:
        """Return the risk and its reasons: as recorded by the last :meth:`check`, or assessed now."""
        return approval_gate.recorded_risk(self._ws, self._now)

    @property
    def standing(self) -> Standing:
        return approval_gate.approval_status(self._ws, self._now)

    def land(
        self,
        message: str | None = None,
        *,
        wait: float = 0.0,
        expect: str = "",
        not_before: str | None = None,
    ) -> Result:
        """Land the transaction on its branch, and update the user's checkout.

        ``message`` replaces the commit message. ``wait`` is the number of seconds to retry after a temporary
        failure. ``expect`` is a prefix of the commit that was reviewed. ``not_before`` is the earliest time,
        ``HH:MM`` of today or in ISO 8601; ``wait`` has to be long enough for it.

        Raises:
            BadCall: ``invalid_args``: ``not_before`` is not a time.
            DoesNotFit: ``no_change``.
            GateRefused: a gate failed; the transaction stays open.
            WorldMoved: the branch or the checkout prevents the landing; the transaction stays open.
            WaitsForPerson: ``approval_required`` or ``rejected``; the transaction stays open.
            TryAgain: ``busy``, or ``too_early``.
        """
        if not_before is not None:
            queue.await_moment(queue.read_moment(not_before), wait)
        if expect:
            approval_gate.require_unchanged(self._now, expect)
        if message is not None:
            self.reword(message)
        with self._ws.log_refusals("land", lambda: self.paths):
            landed = landing.land(self._ws, self._recovered, wait)
        self._ended = result.localize_result(self._ws, landed)
        return self._ended

    def push(self, remote: str | None = None, branch: str | None = None) -> Pushed:
        """Publish the transaction as a branch of a remote, on the remote's target branch. It stays open.

        Raises as :func:`gitscalpel.landing.push.push` does.
        """
        return push.push(self._ws, self._recovered, remote, branch)

    def drop(self) -> Result:
        """Drop the transaction; its commit is kept for a while as ``refs/scalpel/keep/<id>``."""
        self._ended = landing.drop(self._ws, self._recovered)
        return self._ended

    def forget(self) -> None:
        """Remove the transaction without a record, as if it had never begun."""
        last_result = self.result
        staging.forget(self._ws, self._now)
        self._ended = msgspec.structs.replace(last_result, state="dropped")


class Transactions(RepositoryMethods):
    """Methods that open, find and drop transactions."""

    def begin(
        self, message: str | None = None, *, onto: str | None = None, adopt: Sequence[str] = ()
    ) -> Transaction:
        """Open a transaction. Uncommitted changes at the paths ``adopt`` become a commit of their own in it.

        Raises:
            BadCall: ``invalid_args``.
            DoesNotFit: ``file_not_found``, or ``no_change``: the paths have no uncommitted changes.
            NotAllowed: ``path_denied``: a path is ignored, or outside the repository.
        """
        recovery.recover_pending(self._ws)
        return Transaction(
            self._ws, staging.begin(self._ws, self._ws.at(self._ws.repo.branch(onto)), message, adopt)
        )

    def transaction(self, id: str) -> Transaction:  # noqa: A002 - what it is called everywhere
        """Return an open transaction by its id or a prefix of it.

        Raises:
            DoesNotFit: ``tx_not_found``, or ``tx_closed`` if it has landed or was dropped.
        """
        return Transaction(self._ws, load_change(self._ws, id))

    def drop(self, id: str) -> Result:  # noqa: A002
        """Drop an open transaction, even if its record is damaged; its commit is kept for a while.

        Raises:
            DoesNotFit: ``tx_not_found``, or ``tx_closed``.
        """
        try:
            return self.transaction(id).drop()
        except (Damaged, DoesNotFit, KeyError) as error:  # KeyError: an object is missing
            if isinstance(error, DoesNotFit) and error.code != "tx_not_found":
                raise
            with suppress(DoesNotFit):
                return landing.drop_damaged(self._ws, id)
            raise
