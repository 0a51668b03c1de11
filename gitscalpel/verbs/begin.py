"""A transaction that stays open until it lands or is dropped."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

from gitscalpel.api import BadCall, Result, ScalpelError
from gitscalpel.errors.messages import Spelling, arg
from gitscalpel.verbs import editing
from gitscalpel.verbs.asked import Asked, Message, Onto, said
from gitscalpel.verbs.reply import Caller, Reply, Words

Answer = editing.Answer


class Request(Asked, frozen=True, kw_only=True):
    """What it starts with."""

    adopt: Annotated[bool, said("Take in the uncommitted changes in PATHS.")] = False
    paths: Annotated[
        tuple[str, ...], said(f"Files or folders, for {arg('adopt')}.", "PATH", place=True, path=True)
    ] = ()
    worktree: Annotated[bool, said("Lease a worktree for it at once.")] = False
    message: Message = None
    onto: Onto = None


def perform(caller: Caller, asked: Request) -> Reply:
    """Begin it."""
    if asked.adopt != bool(asked.paths):
        adopt = arg("adopt")
        raise BadCall("invalid_args", f"{adopt} and PATHS go together", f"such as: begin {adopt} src new.py")
    tx = caller.repo.begin(asked.message, onto=asked.onto, adopt=asked.paths)
    if asked.worktree:
        try:
            tx.worktree()
        except ScalpelError:
            with suppress(ScalpelError, OSError):
                tx.forget()
            raise
    result = tx.result
    return Reply(result.answer(), lambda spelling: Words(_text(result, spelling)), next=result.next)


def _text(result: Result, spelling: Spelling) -> str:
    lines = [f"began {result.tx} for {result.target}", *editing.files(result)]
    lines += [f"worktree: {result.worktree}"] if result.worktree else []
    return "\n".join([*lines, f"edit in it with: {spelling.field('tx', str(result.tx))}"])
