"""A real worktree for a transaction, with its change staged."""

from __future__ import annotations

import msgspec

from gitscalpel.changesets.answers import Edited
from gitscalpel.errors.messages import action
from gitscalpel.verbs.asked import Named
from gitscalpel.verbs.reply import Caller, Reply, plain


class Request(Named, frozen=True, kw_only=True):
    """Whose."""


class Answer(Edited, frozen=True, kw_only=True):
    """The transaction, and where its worktree is."""

    path: str


def perform(caller: Caller, asked: Request) -> Reply:
    """Lease it."""
    tx = caller.chosen(asked)
    path = str(tx.worktree())
    result = tx.result
    answer = Answer(**msgspec.structs.asdict(result.answer()), path=path)
    following = (action("stage", tx=result.tx), action("land", tx=result.tx))
    return Reply(answer, plain(path, verbatim=True), next=following)
