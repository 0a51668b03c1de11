"""A page on this machine on which people review open transactions, until it is interrupted."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gitscalpel.api import BadCall
from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply, plain


class Request(Asked, frozen=True, kw_only=True):
    """Where it is served."""

    port: Annotated[int, said("The port (default: one that is free).", "PORT")] = 0


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """It was interrupted."""

    state: str


def perform(caller: Caller, asked: Request) -> Reply:
    """Serve it until then."""
    if caller.typed is None:
        raise BadCall("invalid_args", "nothing is typed here", "ask the command line for it")
    root = caller.repo.here
    if root is None:
        raise BadCall("invalid_args", "the repository is bare", "review it in a clone")
    caller.typed.review(root, asked.port)
    return Reply(Answer(state="ended"), plain(""))
