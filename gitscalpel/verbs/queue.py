"""Many open transactions land in order; what cannot land stays open, with the reason."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gitscalpel.api import Queue, ScalpelError
from gitscalpel.changesets.answers import subject
from gitscalpel.errors.messages import MARKED, Spelling, arg
from gitscalpel.system import serialization
from gitscalpel.verbs.asked import Asked, Onto, Wait, said
from gitscalpel.verbs.reply import Caller, Reply, Words


class Request(Asked, frozen=True, kw_only=True):
    """Which ones, and how."""

    ids: Annotated[
        tuple[str, ...], said("Which, in this order; else all, the oldest first.", "ID", place=True)
    ] = ()
    onto: Onto = None
    batch: Annotated[int, said("Judge at most so many together (default: 8).", "N")] = 8
    wait: Wait = 0.0
    window: Annotated[
        str | None,
        said(
            f"Only in this part of the day: wait for it as long as {arg('wait')} says, else refuse; what is "
            "left at its end stays open.",
            "HH:MM-HH:MM",
        ),
    ] = None


class OneLanded(msgspec.Struct, frozen=True, kw_only=True):
    """A transaction that landed."""

    tx: str
    commit: str | None
    message: str


class OneStayed(msgspec.Struct, frozen=True, kw_only=True):
    """A transaction that stays open, and the refusal of its landing."""

    tx: str
    code: str
    message: str
    hint: str


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What became of them, in the order in which it was settled."""

    target: str
    landed: tuple[OneLanded, ...]
    stayed: tuple[OneStayed, ...]


def perform(caller: Caller, asked: Request) -> Reply:
    """Land them."""
    done = caller.repo.queue(
        *asked.ids, onto=asked.onto, batch=asked.batch, wait=asked.wait, window=asked.window
    )
    answer = serialization.convert(done.data(caller.spelling), Answer)
    wrong = _wrong(done, answer) if done.stayed else None
    warnings = tuple(dict.fromkeys(words for one in done.landed for words in one.said))
    return Reply(
        answer, lambda spelling: Words(_text(done, spelling), complete=True), warnings=warnings, wrong=wrong
    )


def _wrong(done: Queue, answer: Answer) -> ScalpelError:
    """The refusal of the first that stays, for all."""
    first = done.stayed[0].error
    message, hint = first.told(MARKED)
    said = f"{len(done.stayed)} stayed open; {done.stayed[0].tx}: {message}"
    return type(first)(first.code, said, hint, **{**first.data, **msgspec.to_builtins(answer)})


def _text(done: Queue, spelling: Spelling) -> str:
    lines = [f"landed  {one.tx}  {subject(one.message)}" for one in done.landed]
    for one in done.stayed:
        message, hint = one.error.told(spelling)
        lines += [f"stayed  {one.tx}  {one.error.code}: {message}", f"        hint: {hint}"]
    return "\n".join(lines) or "no open transactions"
