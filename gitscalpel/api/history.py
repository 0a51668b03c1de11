"""Operations that happened, and transactions as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from gitscalpel.changesets.answers import short_branch_name
from gitscalpel.changesets.file_tree import Oid

if TYPE_CHECKING:
    from gitscalpel.git.oplog import Entry
    from gitscalpel.transaction.result import Result
    from gitscalpel.workspace.caller import Refused
from gitscalpel.api.open_repository import OpenRepository
from gitscalpel.git import oplog
from gitscalpel.transaction import result
from gitscalpel.transaction.change import list_open_changes
from gitscalpel.transaction.worktree import with_worktrees
from gitscalpel.workspace import caller


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """A repository as it is now.

    Attributes:
        branch: the one that is checked out, by its short name; None: the head is detached.
        tip: its commit; None: unborn.
        transactions: the open ones, the oldest first.
        recovery_pending: a command was killed; the next call that changes something heals what it left.
        recovery: ``none``, ``pending``, or ``untrusted``: what says that one was killed was not written by
            this user, and is not followed.
    """

    branch: str | None
    tip: Oid | None
    transactions: tuple[Result, ...]
    recovery_pending: bool
    recovery: Literal["none", "pending", "untrusted"]


class History(OpenRepository):
    """List what happened and what is open."""

    def lookup(self, id: str) -> Result:  # noqa: A002
        """A transaction, open or closed, as it is now.

        Raises:
            DoesNotFit: ``tx_not_found``.
        """
        return with_worktrees(self._ws, result.find(self._ws, id))[0]

    def status(self) -> Status:
        """The branch, the open transactions, and whether something needs recovery."""
        from gitscalpel.transaction import recovery, result

        head = self._ws.repo.head
        tip = self._ws.tip(head) if head else None
        found = recovery.recovery_status(self._ws.repo)
        return Status(
            branch=short_branch_name(head) if head else None,
            tip=tip,
            transactions=with_worktrees(self._ws, *map(result.result_of, list_open_changes(self._ws))),
            recovery_pending=found != "none",
            recovery=found,
        )

    def log(self, limit: int | None = None) -> list[Entry]:
        """What landed, was undone, redone and dropped, the newest first."""
        return list(oplog.read_log(self._ws.repo, limit))

    def refused(self, limit: int | None = None) -> list[Refused]:
        """The edits and landings of this user that gates, the policy or people refused, the newest first."""
        return caller.list_refusals(self._ws.repo.scalpel_dir, limit)
