"""What landed, was undone and dropped, the newest first."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import msgspec

from gitscalpel.report import CHECKOUT, short, subject
from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply, plain

if TYPE_CHECKING:
    from gitscalpel import Entry


class Request(Asked, frozen=True, kw_only=True):
    """How much of it."""

    n: Annotated[int, said("How many steps to show.", "N")] = 20


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A step.

    Attributes:
        entry: its commit in the log.
        kind: ``land``, ``edit``, ``undo``, ``redo``, ``drop``, ``approve`` or ``reject``.
        tx, branch, message, user, agent, paths: whose landing of what, and who made the step.
        before, after: the branch's commits.
        time: seconds since 1970.
        revert: an undo or redo made a commit.
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


Answer = list[Row]


def perform(caller: Caller, asked: Request) -> Reply:
    """Show it."""
    entries = caller.repo.log(asked.n)
    text = "\n".join(map(_line, entries)) or "nothing has landed yet"
    return Reply([_row(entry) for entry in entries], plain(text, page=True))


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
    )


def _line(entry: Entry) -> str:
    record = entry.record
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(record.time))
    branch = short(record.where)
    where = branch if branch == CHECKOUT else f"{branch}  {str(record.after or '-')[:10]}"
    return f"{when}  {record.kind:<5} {record.tx}  {where}  {subject(record.message)}"
