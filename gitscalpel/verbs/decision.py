"""What verbs for decisions about a transaction share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel.phrases import action
from gitscalpel.verbs.asked import Named, said
from gitscalpel.verbs.reply import Caller, Reply, plain

if TYPE_CHECKING:
    from gitscalpel import Standing

_PAST = {"approve": "approved", "reject": "rejected"}

Expect = Annotated[str, said("Refuse unless its commit id begins with this.", "COMMIT")]


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody said of a transaction; ``why_not`` says why it does not count."""

    kind: str
    user: str
    time: int
    message: str
    counts: bool
    why_not: str


class Approval(msgspec.Struct, frozen=True, kw_only=True):
    """Who has to agree to a transaction: why, how many more, and what was said; ``tx`` is which it is."""

    tx: str | UnsetType = UNSET
    needed: tuple[str, ...]
    missing: int
    decisions: tuple[Decision, ...]


def decide(caller: Caller, asked: Named, verb: str, message: str, expect: str) -> Reply:
    """Decide, and say where the transaction stands."""
    tx = caller.chosen(asked)
    standing = (tx.approve if verb == "approve" else tx.reject)(message, expect)
    text = "\n".join([f"{_PAST[verb]} {tx.id}", *words(standing)])
    following = () if standing.missing or standing.rejected else (action("land", tx=tx.id),)
    answer = msgspec.structs.replace(approval(standing), tx=tx.id)
    return Reply(answer, plain(text), next=following)


def approval(standing: Standing) -> Approval:
    """Where a transaction stands, as data."""
    decisions = tuple(
        Decision(
            kind=each.kind,
            user=each.user,
            time=each.time,
            message=each.message,
            counts=each.counts,
            why_not=each.why_not,
        )
        for each in standing.decisions
    )
    return Approval(needed=tuple(standing.needed.why), missing=standing.missing, decisions=decisions)


def words(standing: Standing) -> list[str]:
    """The same for people."""
    lines = [
        f"  {_PAST[each.kind]} by {each.user}{': ' * bool(each.message)}{each.message}"
        + (f" (not counted: {each.why_not})" if not each.counts else "")
        for each in standing.decisions
    ]
    if standing.missing:
        lines.append(f"  needs {standing.missing} more for {', '.join(standing.needed.why)}")
    return lines
