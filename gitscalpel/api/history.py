"""The operation log, and the state of transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from gitscalpel.api.open_repository import RepositoryMethods
from gitscalpel.changesets.answers import short_branch_name
from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git import oplog
from gitscalpel.transaction import result
from gitscalpel.transaction.change import list_open_changes
from gitscalpel.transaction.worktree import with_worktrees

if TYPE_CHECKING:
    from gitscalpel.git.oplog import Entry
    from gitscalpel.transaction.result import Result
    from gitscalpel.workspace.refusals import Refused


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """State of a repository."""

    branch: str | None  # short name of the branch that is checked out. None if the head is detached.
    tip: Oid | None  # commit of the branch, or None if unborn
    transactions: tuple[Result, ...]  # open transactions, oldest first
    recovery_pending: bool  # True if a command was killed. The next call that changes something recovers.
    # ``none``, ``pending``, or ``untrusted`` if another user wrote the journal of the recovery, which is
    # then not followed
    recovery: Literal["none", "pending", "untrusted"]


class History(RepositoryMethods):
    """Methods that list past operations and open transactions."""

    def lookup(self, id: str) -> Result:  # noqa: A002
        """Return the current state of a transaction, open or closed. Raises ``tx_not_found``."""
        return with_worktrees(self._ws, result.find(self._ws, id))[0]

    def status(self) -> Status:
        from gitscalpel.transaction import recovery  # the other methods need no recovery

        head = self._ws.repo.head
        tip = self._ws.tip(head) if head else None
        recovery_state = recovery.recovery_status(self._ws.repo)
        return Status(
            branch=short_branch_name(head) if head else None,
            tip=tip,
            transactions=with_worktrees(self._ws, *map(result.result_of, list_open_changes(self._ws))),
            recovery_pending=recovery_state != "none",
            recovery=recovery_state,
        )

    def log(self, limit: int | None = None) -> list[Entry]:
        """Return the landings, undos, redos and drops in the operation log, newest first."""
        return list(oplog.read_log(self._ws.repo, limit))

    def refused(self, limit: int | None = None) -> list[Refused]:
        """Return this user's edits and landings that gates, the policy or people rejected, newest first."""
        from gitscalpel.workspace import refusals  # few calls list rejections

        return refusals.list_refusals(self._ws.repo.scalpel_dir, limit)
