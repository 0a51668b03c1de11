"""Data for the review page: the open transactions, riskiest first, and the details of one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import msgspec
from msgspec import UNSET

from gitscalpel.api import DoesNotFit, Repository, Result, ScalpelError, Standing, Transaction
from gitscalpel.changesets.answers import Risk, subject
from gitscalpel.review import diff_view
from gitscalpel.review.diff_view import FileDiff


class Pending(msgspec.Struct, frozen=True):
    """An open transaction in the list.

    Attributes:
        tx, target, state: its id, the branch that it is for, ``open`` or ``checked``.
        title: the first line of its message.
        who: who has put something into it, and the program that began it.
        risk: from 0 to 1; None: it could not be told.
        missing: how many have still to agree.
        rejected: somebody has said no.
        files, added, removed: how large it is, in files and lines.
    """

    tx: str
    target: str
    state: str
    title: str
    who: str
    risk: Risk | None
    missing: int
    rejected: bool
    files: int
    added: int
    removed: int


class Seen(msgspec.Struct, frozen=True):
    """One of them: its row in the list, all that is known of it, who has to agree, and its diff."""

    row: Pending
    result: Result
    standing: Standing
    files: Sequence[FileDiff]

    @property
    def why(self) -> str:
        """Its message below the first line."""
        return self.result.message.partition("\n")[2].strip()


def pending(repo: Repository) -> list[Pending]:
    """All that change something; the riskiest first, then the oldest."""
    rows = []
    for result in repo.status().transactions:
        with suppress(DoesNotFit):  # it has landed, or was dropped, in this very moment
            rows += [_row(repo, result)] if result.files else []
    return sorted(rows, key=lambda row: -(row.risk.score if row.risk else 0))


def seen(repo: Repository, tx: str) -> Seen:
    """One of them.

    Raises:
        DoesNotFit: ``tx_not_found``, or ``tx_closed``.
    """
    transaction = repo.transaction(tx)
    result = transaction.result
    files = diff_view.files(result.patch.diff, transaction.view())
    return Seen(_row(repo, result), result, transaction.standing, files)


def _row(repo: Repository, result: Result) -> Pending:
    transaction = repo.transaction(str(result.tx))
    standing, files = transaction.standing, result.patch.rows
    return Pending(
        tx=str(result.tx),
        target=result.target,
        state=result.state,
        title=subject(result.message) or "(no message)",
        who=transaction.who,
        risk=_risk(transaction, result),
        missing=standing.missing,
        rejected=standing.rejected is not None,
        files=len(files),
        added=sum(file.added for file in files),
        removed=sum(file.removed for file in files),
    )


def _risk(transaction: Transaction, result: Result) -> Risk | None:
    """How risky it is, as is on record, or as it comes out now."""
    if result.facts.risk is not UNSET:
        return result.facts.risk
    try:
        return transaction.risk
    except ScalpelError:  # the page is there all the same
        return None
