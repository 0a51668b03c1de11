"""Which programs that a repository names may be started."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply, plain


class Request(Asked, frozen=True, kw_only=True):
    """What to do about them."""

    list: Annotated[bool, said("Only show them.")] = False
    revoke: Annotated[bool, said("Trust none of them any more.")] = False
    onto: Annotated[
        str | None, said("Also what this branch names, not only the one checked out.", "BRANCH")
    ] = None


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A program, and where it is named."""

    where: str
    what: str
    trusted: bool


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The programs."""

    programs: tuple[Row, ...]


def perform(caller: Caller, asked: Request) -> Reply:
    """Trust them, or not."""
    repo = caller.repo
    if asked.revoke:
        repo.distrust()
    elif not asked.list:
        repo.trust(asked.onto)
    programs = repo.programs(asked.onto)
    rows = tuple(Row(where=p.where, what=p.what, trusted=trusted) for p, trusted in programs)
    lines = [f"{'trusted' if row.trusted else 'NOT trusted'}  {row.where}: {row.what}" for row in rows]
    return Reply(Answer(programs=rows), plain("\n".join(lines) or "this repository names no programs"))
