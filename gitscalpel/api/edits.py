"""Edits of a branch or of the working tree, undo and redo."""

from __future__ import annotations

from collections.abc import Container
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING

from gitscalpel.api.file_view import View
from gitscalpel.api.open_repository import RepositoryMethods
from gitscalpel.changesets.answers import CHECKOUT
from gitscalpel.errors import BadCall
from gitscalpel.errors.messages import arg
from gitscalpel.landing import build, checkout_edit, landing, undo
from gitscalpel.landing.queue import land_queue
from gitscalpel.transaction import recovery, result, static_gates
from gitscalpel.transaction.result import localize_result
from gitscalpel.transaction.worktree import with_worktrees

if TYPE_CHECKING:
    from gitscalpel.api.transaction import Asked
    from gitscalpel.changesets.answers import Shown
    from gitscalpel.changesets.requests import Changeset
    from gitscalpel.edit.unified_diff import UnifiedDiff
    from gitscalpel.landing.queue import Queue
    from gitscalpel.transaction.result import Result
    from gitscalpel.transaction.undo_target import Step


class Edits(RepositoryMethods):
    """Edit a branch or the working tree, and run commands whose changes land."""

    def edit(
        self,
        *operations: Asked,
        message: str | None = None,
        onto: str | None = None,
        allow_broken: bool = False,
        dry_run: bool = False,
        wait: float = 0.0,
        require_approval: bool = False,
    ) -> Result:
        """Apply operations as one transaction: stage, check and land them.

        Args:
            operations: the operations; all are applied, or none.
            message: commit message. None to describe the operations.
            onto: the branch, or ``@checkout``. None for the branch that is checked out.
            allow_broken: True to record files that no longer parse instead of rejecting them.
            dry_run: True to write nothing and report what would change.
            wait: seconds to retry after a temporary failure (``busy``, ``target_moved``, ``branch_in_use``,
                ``operation_in_progress``, ``dirty_overlap``).
            require_approval: True to stage the edit, which lands only after another person has approved it.

        Raises:
            ScalpelError: the first error; nothing has changed then.
        """
        from gitscalpel.changesets.requests import changeset

        request = changeset(
            *operations, message=message, allow_broken=allow_broken, require_approval=require_approval
        )
        return self.apply(request, onto=onto, dry_run=dry_run, wait=wait)

    def apply(
        self,
        changeset: Changeset,
        *,
        onto: str | None = None,
        dry_run: bool = False,
        land: bool = True,
        wait: float = 0.0,
        record: bool = True,
    ) -> Result:
        """Apply a changeset as one transaction; without ``land`` it stays staged.

        With ``onto="@checkout"`` it edits the user's files on disk and leaves them uncommitted; neither a
        branch nor the index changes. Without ``record`` nothing below ``.git`` is written, the edit cannot be
        undone, and only files that equal their blob in the index are edited.

        A request with a known id returns the earlier answer, and lands the change if it is still staged.
        """
        onto = changeset.goes_onto(onto)
        if self._ws.tracker is None:
            return self._apply(changeset, onto, dry_run=dry_run, land=land, wait=wait, record=record)

        def show(path: str, symbol: str) -> Shown:
            return View(self._ws, self._ws.target(onto)).peek(path, symbol)

        would = self._apply(changeset, onto, dry_run=True)
        self._ws.tracker.require_seen(would, changeset, show)
        if dry_run:
            return would
        done = self._apply(changeset, onto, land=land, wait=wait, record=record)
        self._ws.tracker.note_edit(done, changeset, show)
        return done

    def _apply(
        self,
        changeset: Changeset,
        onto: str | None,
        *,
        dry_run: bool = False,
        land: bool = True,
        wait: float = 0.0,
        record: bool = True,
    ) -> Result:
        if not record and (onto != CHECKOUT or not land):
            words = f"{arg('no_record')} is for edits of the checkout; a branch moves only with a record"
            raise BadCall("invalid_args", words, f"add {arg('checkout')}, or leave out {arg('no_record')}")
        if onto == CHECKOUT:
            if not land or changeset.require_approval:
                words = f"nothing can be staged for {CHECKOUT}"
                raise BadCall("invalid_args", words, "stage it for a branch, or edit the checkout")
            if dry_run:
                return checkout_edit.try_out(self._ws, changeset)
            if not record:
                return checkout_edit.edit_unrecorded(self._ws, changeset)
            with self._ws.log_refusals("apply", lambda: changeset.paths):
                return checkout_edit.edit(self._ws, changeset, wait)
        branch = self._ws.repo.branch(onto)
        if dry_run:
            before = result.find_earlier(self._ws, changeset, branch)
            if before is None:
                return build.try_out(self._ws, changeset, self._ws.at(branch))
            return before if isinstance(before, result.Result) else result.result_of(before)
        with self._ws.log_refusals("apply", lambda: changeset.paths):
            done = landing.submit(
                self._ws,
                changeset,
                branch,
                stages_only=not land or changeset.require_approval,
                wait=wait,
            )
        return done if onto is None else self._localize(done)

    def run(
        self,
        *words: str,
        ok: Container[int] = (0,),
        message: str | None = None,
        onto: str | None = None,
        land: bool = True,
        dry_run: bool = False,
        wait: float = 0.0,
    ) -> Result:
        """Land the changes of a command, such as a formatter, as one transaction.

        The command runs in a worktree of the pool, never in the user's checkout.

        Raises:
            GateRefused: ``gate_failed``: the command or a gate failed. Nothing is left.
            DoesNotFit: ``no_change``.
            WorldMoved: the branch or the checkout prevents the landing; the transaction stays open.
            WaitsForPerson: the change needs approval; the transaction stays open.
        """
        static_gates.require_unconfined(self._ws, "a command")
        recovery.recover_pending(self._ws)
        target = self._ws.at(self._ws.repo.branch(onto))
        with nullcontext() if dry_run else self._ws.log_refusals("run"):
            done = landing.land_command(
                self._ws, words, target, message, ok=ok, land=land, dry_run=dry_run, wait=wait
            )
        if land:
            return done if onto is None else self._localize(done)
        return with_worktrees(self._ws, done)[0]

    def queue(
        self,
        *ids: str,
        onto: str | None = None,
        batch: int = 8,
        wait: float = 0.0,
        window: str | None = None,
    ) -> Queue:
        """Land open transactions on top of each other. Those that cannot land stay open, with the reason.

        Args:
            ids: ids of transactions, in this order. Empty for all of the branch, oldest first.
            onto: the branch. None for the one that is checked out.
            batch: maximum number of transactions that are checked together.
            wait: seconds to retry transactions after temporary failures.
            window: daily time window, ``HH:MM-HH:MM``, outside of which nothing lands.

        Raises:
            BadCall: ``invalid_args``.
            DoesNotFit: ``tx_not_found``, or ``tx_closed``.
            TryAgain: ``busy``, or ``too_early``: the window opens after ``wait`` seconds.
        """
        done = land_queue(self._ws, ids, onto, batch=batch, wait=wait, window=window)
        for stayed in done.stayed:
            self._ws.record_refusal("land", stayed.error, partial(self._changed_paths, stayed.tx))
        return done

    def take_fix_in_checkout(self, number: int, *, fresh: bool = False) -> Result:
        """Apply the fix with a number of :meth:`fixes_of_checkout` to the files of the checkout.

        ``fresh`` ignores cached answers.

        Raises:
            DoesNotFit: ``index_out_of_range``: no fix has the number.
        """
        from gitscalpel.landing import checkout_check

        return self.edit(checkout_check.choose_fix(self._ws, number, fresh=fresh), onto=CHECKOUT)

    def _localize(self, done: Result) -> Result:
        return localize_result(self._ws, done)

    def _changed_paths(self, tx: str) -> tuple[str, ...]:
        from gitscalpel.api.transaction import Transactions

        return Transactions(self._ws).transaction(tx).paths


class Undoing(RepositoryMethods):
    """Methods that undo and redo operations."""

    def undo(self, id: str | None = None, *, onto: str | None = None) -> Step:  # noqa: A002
        """Undo your own last landing on a branch, or the named one.

        Raises:
            DoesNotFit: ``nothing_to_undo``.
            WorldMoved: ``merge_conflict``, or the checkout prevents it.
        """
        with self._ws.log_refusals("undo"):
            return undo.undo(self._ws, onto, id)

    def undo_since(self, id: str, *, onto: str | None = None) -> list[Step]:  # noqa: A002
        """Undo a step and all your later ones in the same place, newest first.

        Edits of the checkout are undone all together or not at all; landings one by one.

        Raises as :meth:`undo` does.
        """
        with self._ws.log_refusals("undo"):
            return undo.undo_since(self._ws, id, onto)

    def undoing(self, id: str | None = None, *, onto: str | None = None) -> tuple[Step, UnifiedDiff]:  # noqa: A002
        """Return the step that :meth:`undo` would undo, and a diff of its effect. Nothing is undone.

        Raises as :meth:`undo` does.
        """
        return undo.preview_undo(self._ws, onto, id)

    def redo(self, *, onto: str | None = None) -> Step:
        """Redo the landing that the last undo reverted; raises as :meth:`undo` does."""
        with self._ws.log_refusals("redo"):
            return undo.redo(self._ws, onto)
