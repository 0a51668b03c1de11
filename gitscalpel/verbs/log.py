"""What landed, was undone and dropped, or was refused, the newest first."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel.changesets.answers import CHECKOUT, short, subject
from gitscalpel.verbs.asked import Asked, Count, said
from gitscalpel.verbs.reply import Caller, Reply, plain

if TYPE_CHECKING:
    from gitscalpel.api import Entry


class Request(Asked, frozen=True, kw_only=True):
    """How much of it."""

    n: Annotated[Count, said("How many steps to show.", "N")] = 20
    refused: Annotated[
        bool, said("Show what gates, the policy and people refused you, instead of what was done.")
    ] = False


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A step.

    Attributes:
        entry: its commit in the log.
        kind: ``land``, ``edit``, ``undo``, ``redo``, ``drop``, ``approve``, ``reject`` or ``push``.
        tx, branch, message, user, agent, paths: whose landing of what, and who made the step.
        before, after: the branch's commits.
        time: seconds since 1970.
        revert: an undo or redo made a commit.
        confirmed: the client that said that a person had agreed before.
    """

    entry: str
    kind: str
    tx: str
    branch: str
    before: str | None
    after: str | None
    message: str
    user: str
    agent: str | None
    time: int
    paths: tuple[str, ...]
    revert: bool
    confirmed: str | UnsetType = UNSET


class RefusedRow(msgspec.Struct, frozen=True, kw_only=True):
    """An edit or landing that a gate, the policy or people refused.

    Attributes:
        code, message: of the error, and the first line of it.
        what: was tried: ``apply``, ``land``, ``run``, ``stage``, ``undo`` or ``redo``.
        user, agent: who tried.
        time: seconds since 1970.
        paths: the files that it was about.
        tx: the transaction, where there was one.
    """

    code: str
    what: str
    user: str
    agent: str | None
    time: int
    paths: tuple[str, ...]
    message: str
    tx: str | None


Answer = list[Row] | list[RefusedRow]


def perform(caller: Caller, asked: Request) -> Reply:
    """Show it."""
    if asked.refused:
        return _refused(caller, asked.n)
    entries = caller.repo.log(asked.n)
    text = "\n".join(map(_line, entries)) or "nothing has landed yet"
    return Reply([_row(entry) for entry in entries], plain(text, page=True))


def _refused(caller: Caller, limit: int) -> Reply:
    found = caller.repo.refused(limit)
    rows = [RefusedRow(**msgspec.structs.asdict(each)) for each in found]
    lines = [
        f"{_when(row.time)}  {row.code}  {row.what}  {_flat(', '.join(filter(None, (row.user, row.agent))))}"
        f"{'  ' * bool(row.paths)}{_flat(', '.join(row.paths[:5]))}\n    {_flat(row.message)}"
        for row in rows
    ]
    return Reply(rows, plain("\n".join(lines) or "nothing was refused", page=True))


def _flat(text: str) -> str:
    """On one line, whatever somebody has called himself or a file."""
    return " ".join(text.split())


def _when(seconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _row(entry: Entry) -> Row:
    record = entry.record
    return Row(
        entry=entry.oid,
        kind=record.kind,
        tx=record.tx,
        branch=short(record.where),
        before=record.before,
        after=record.after,
        message=record.message,
        user=record.user,
        agent=record.agent,
        time=record.time,
        paths=tuple(record.paths),
        revert=record.revert,
        confirmed=record.confirmed or UNSET,
    )


def _line(entry: Entry) -> str:
    record = entry.record
    branch = short(record.where)
    where = branch if branch == CHECKOUT else f"{branch}  {str(record.after or '-')[:10]}"
    return f"{_when(record.time)}  {record.kind:<5} {record.tx}  {where}  {subject(record.message)}"
