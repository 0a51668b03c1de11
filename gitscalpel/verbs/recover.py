"""What a killed landing left is finished or taken back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply, plain


class Request(Asked, frozen=True, kw_only=True):
    """Whose journal is followed."""

    take_over: Annotated[
        str | None,
        said(
            "Follow the journal in FILE, written by another user, or by you under another secret.",
            "FILE",
        ),
    ] = None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What was done; ``recovery`` is how it was before, as ``status`` says it."""

    done: tuple[str, ...]
    message: str
    recovery: str


def perform(caller: Caller, asked: Request) -> Reply:
    """Recover it."""
    found = caller.repo.status().recovery
    done = caller.repo.recover(None if asked.take_over is None else Path(asked.take_over))
    words = done or ["nothing to recover"]
    answer = Answer(done=tuple(done), message="; ".join(words), recovery=found)
    return Reply(answer, plain("\n".join(words)))
