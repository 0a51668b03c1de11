"""The branch, the open transactions, and whether something needs recovery."""

from __future__ import annotations

import msgspec

from gitscalpel.errors.messages import call
from gitscalpel.server import client
from gitscalpel.verbs import listing
from gitscalpel.verbs.asked import Asked
from gitscalpel.verbs.reply import Caller, Reply, plain

_KILLED = f"a command was interrupted; {call('recover')} heals what it left (so does the next edit)"

_UNTRUSTED = (
    "recovery: untrusted: .git/scalpel says that a command was interrupted, and you have not written that; "
    f"nothing follows it, and {call('recover')} sets it aside"
)


class Request(Asked, frozen=True, kw_only=True):
    """Nothing is asked."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The repository as it is; ``recovery`` is ``none``, ``pending`` or ``untrusted``.

    ``server`` is the process that serves the command line of whoever asks.
    """

    branch: str | None
    tip: str | None
    transactions: tuple[listing.Row, ...]
    recovery_pending: bool
    recovery: str
    server: int | None = None


def perform(caller: Caller, asked: Request) -> Reply:
    """Say so."""
    del asked
    status = caller.repo.status()
    at = status.tip[:12] if status.tip else "no commit yet"
    lines = [f"on {status.branch} at {at}" if status.branch else "no branch is checked out"]
    lines += [f"  {listing.line(result)}" for result in status.transactions] or ["no open transactions"]
    answer = Answer(
        branch=status.branch,
        tip=status.tip,
        transactions=tuple(map(listing.row, status.transactions)),
        recovery_pending=status.recovery_pending,
        recovery=status.recovery,
        server=client.listens(caller.typed.environment) if caller.typed is not None else None,
    )
    warnings = {"none": (), "pending": (_KILLED,), "untrusted": (_UNTRUSTED,)}[status.recovery]
    return Reply(answer, plain("\n".join(lines)), warnings)
