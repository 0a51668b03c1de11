"""Heeds an event of a coding agent, which its hooks send: judges what it edits, records what it did."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from gitscalpel.agents import event_handler, events
from gitscalpel.api import BadCall, Misconfigured, Repository
from gitscalpel.changesets.answers import clean
from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply, plain


class Request(Asked, frozen=True, kw_only=True):
    """Whose event, and which."""

    of: Annotated[Literal["claude", "codex"], said("The agent.", place=True)]
    event: Annotated[
        str, said("The event, as the agent sends it; - is standard input.", "FILE|-", form="file")
    ]


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it.

    Attributes:
        refused: the code of what speaks against the tool; null: nothing does.
        steps: the steps that were made, which undo takes back.
        mended: files that were given the bytes that the edit leads to.
        folder: the worktree that was made.
        tx: the transaction that took in a worktree's work.
    """

    refused: str | None
    steps: tuple[str, ...]
    mended: tuple[str, ...]
    folder: str
    tx: str


def perform(caller: Caller, asked: Request) -> Reply:
    """Heed it; outside of any repository there is nothing to do.

    Raises:
        Misconfigured: ``unavailable``: the event cannot be heeded. Agents take the exit status of a bad call
            (2) for a refusal of their tool, which goes on after any other.
    """
    if caller.typed is None:
        caller.repo.refuse_confined("an event of an agent")
    try:
        return _heeded(caller, asked.of, events.read(asked.event))
    except BadCall as error:
        raise Misconfigured("unavailable", error.message, error.hint) from None


def _heeded(caller: Caller, of: str, event: events.Event) -> Reply:
    agent = f"{of} {event.agent_type}".strip()
    place = event.worktree_path if event.kind == "no worktree" else event.cwd
    folder = Path(place) if place and os.path.isdir(place) else None  # noqa: PTH112 - a text
    try:
        with Repository(folder, agent=agent, long_lived=False, spelling=caller.spelling) as repo:
            heeded = event_handler.heed(repo, event)
        if event.hook_event_name == "SessionStart":
            event_handler.tell(agent)
    except Misconfigured as error:
        if error.code != "not_a_repository":
            raise
        heeded = event_handler.Heeded()
    answer = Answer(
        refused=heeded.refused.code if heeded.refused else None,
        steps=heeded.steps,
        mended=heeded.mended,
        folder=heeded.folder,
        tx=heeded.tx,
    )
    words = event_handler.answer(heeded, event, caller.spelling)
    text = heeded.folder if words is None else msgspec.json.encode(clean(words, caller.spelling)).decode()
    return Reply(answer, plain(text, verbatim=True))
