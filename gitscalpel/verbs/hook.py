"""What git asks in one of its hooks; who installs hooks has them call this."""

from __future__ import annotations

from typing import Annotated, Literal

from gitscalpel.api import GateRefused
from gitscalpel.changesets.answers import Judged
from gitscalpel.verbs import check
from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply, plain

Answer = Judged


class Request(Asked, frozen=True, kw_only=True):
    """Which hook, and what git gives it."""

    what: Annotated[
        Literal["pre-commit", "commit-msg", "pre-push", "pre-receive", "reference-transaction"],
        said("The hook.", place=True),
    ]
    words: Annotated[tuple[str, ...], said("What git gives it.", "ARG", place=True)] = ()
    lines: Annotated[
        str,
        said(
            "What git says at its standard input.",
            form="told",
            of=("pre-push", "pre-receive", "reference-transaction"),
        ),
    ] = ""


def perform(caller: Caller, asked: Request) -> Reply:
    """Say it; nothing, where there is nothing against it."""
    try:
        done = caller.repo.hook(asked.what, *asked.words, lines=asked.lines)
    except GateRefused as error:
        if "findings" not in error.data:
            raise
        return check.refused(error)
    return Reply(done, plain(""))
