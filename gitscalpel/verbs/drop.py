"""Open transactions are given up."""

from __future__ import annotations

from typing import Annotated

from gitscalpel.api import Result
from gitscalpel.verbs import editing
from gitscalpel.verbs.asked import Asked, Named, said
from gitscalpel.verbs.reply import Caller, Reply, plain

Answer = editing.Answer | list[editing.Answer]


class Request(Asked, frozen=True, kw_only=True):
    """Which ones."""

    ids: Annotated[
        tuple[str, ...],
        said("The transactions; in the worktree of one it need not be named.", "ID", place=True),
    ] = ()


def perform(caller: Caller, asked: Request) -> Reply:
    """Drop them."""
    ids = list(dict.fromkeys(asked.ids or (caller.named(Named()),)))
    if len(ids) > 1:
        ids = list(dict.fromkeys(caller.repo.transaction(tx).id for tx in ids))  # all of them, or none
    results = [caller.repo.drop(tx) for tx in ids]
    answers = [result.answer() for result in results]
    text = "\n".join(map(_line, results))
    return Reply(answers if len(answers) > 1 else answers[0], plain(text))


def _line(result: Result) -> str:
    kept = f"; its commit {result.head[:12]} is kept as refs/scalpel/keep/{result.tx}" if result.head else ""
    return f"dropped {result.tx}{kept}"
