"""What completes commands and options in a shell, also behind ``git scalpel``."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gitscalpel.api import BadCall
from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply, plain


class Request(Asked, frozen=True, kw_only=True):
    """For which shell."""

    shell: Annotated[Literal["bash", "zsh", "fish", "powershell"], said("The shell.", place=True)]


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The script, which the shell reads at its start."""

    shell: str
    script: str


def perform(caller: Caller, asked: Request) -> Reply:
    """Write it."""
    if caller.typed is None:
        raise BadCall("invalid_args", "nothing is typed here", "ask the command line for it")
    script = caller.typed.completion(asked.shell)
    return Reply(Answer(shell=asked.shell, script=script), plain(script))
