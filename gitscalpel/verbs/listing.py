"""How transactions stand in a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel.changesets.answers import Risk, subject
from gitscalpel.verbs.decision import Approval

if TYPE_CHECKING:
    from gitscalpel.api import Result


class GateStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What a gate says, in a word."""

    name: str
    status: str


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """An open transaction.

    Attributes:
        tx, state, target, message, base, head: as in the answer of an edit.
        paths: of the files that it changes.
        worktree: the folder that it has leased.
        gates: those that have been asked.
        unchecked: what has not been checked, and why.
        approval: who has to agree to it, where anybody has to.
        risk: how risky it is, where that is asked for, or on record.
        answers: the transaction that it is a suggestion for.
    """

    tx: str | None
    state: str
    target: str
    message: str
    base: str | None
    head: str | None
    paths: tuple[str, ...]
    worktree: str | None
    gates: tuple[GateStatus, ...] | UnsetType = UNSET
    unchecked: tuple[str, ...] | UnsetType = UNSET
    approval: Approval | UnsetType = UNSET
    risk: Risk | UnsetType = UNSET
    answers: str | UnsetType = UNSET


def row(result: Result) -> Row:
    """An open transaction, as data."""
    return Row(
        tx=result.tx,
        state=result.state,
        target=result.target,
        message=result.message,
        base=result.base,
        head=result.head,
        paths=tuple(file.path for file in result.patch.rows),
        worktree=result.worktree,
        answers=result.answers or UNSET,
    )


def line(result: Result) -> str:
    """The same for people."""
    where = f"  in {result.worktree}" if result.worktree else ""
    where += f"  (suggested for {result.answers})" if result.answers else ""
    return f"{result.tx}  {result.state:<7}  {result.target}  {subject(result.message) or '(empty)'}{where}"
