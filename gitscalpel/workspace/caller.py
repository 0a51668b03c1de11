"""The caller of a command: directory, environment, limits and receivers of messages, as one value.

Two sessions of two agents can be at work in one process. All that differs between them is here.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import msgspec

from gitscalpel.changesets.answers import make_json_safe
from gitscalpel.errors import Interrupted
from gitscalpel.errors.messages import BY_NAME, Spelling

AGENT_VARIABLE = "SCALPEL_AGENT"
Tell = Callable[[str], None]


def discard_message(_: str) -> None:
    """Whom to tell, where nobody listens."""


def system_clock() -> float:
    """The time, as this machine has it."""
    return time.time()


def environment(agent: str | None = None) -> dict[str, str]:
    """This process's variables, with the program that acts for the user, if it says so otherwise."""
    return {**os.environ, **({} if agent is None else {AGENT_VARIABLE: agent})}


def set_variables(variables: Mapping[str, str]) -> None:
    """Set variables of this process, which the sessions that are made from now on have."""
    os.environ.update(variables)


class Stop(Protocol):
    """What says that somebody no longer wants what is under way: a ``threading.Event``, say."""

    def is_set(self) -> bool:
        """Return True if it is to be ended now."""


class Tracker(Protocol):
    """What a caller has read, where nothing else may be edited."""

    def note(self, answer: Any) -> None:
        """Note what an answer shows."""

    def note_edit(self, done: Any, changeset: Any, show: Callable[[str, str], Any]) -> None:
        """Note what the caller's own edit has left."""

    def require_seen(self, would: Any, changeset: Any, show: Callable[[str, str], Any]) -> None:
        """Refuse an edit of what the caller has not read."""


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks.

    Attributes:
        folder: where the caller stands; None: in the current folder, where git's own variables count as well.
        environment: the caller's variables.
        notify: told what takes a while, and what was set aside.
        warn: told what killed commands had left, and what became of it.
        show: told what gates print while they run; None: nobody is.
        clock: the time, in seconds since the epoch.
        stop: says when the caller no longer wants what is under way; None: it never does.
        within: globs, as in ``.gitignore``, of the only paths that the caller may change; None: all.
        confirmed: the client that says that a person has agreed to what is asked for; "": nobody was asked.
        spelling: how the caller writes fields and calls; what is recorded is said so, too.
    """

    folder: Path | None = None
    environment: Mapping[str, str] = msgspec.field(default_factory=environment)
    notify: Tell = discard_message
    warn: Tell = discard_message
    show: Tell | None = None
    clock: Callable[[], float] = system_clock
    stop: Stop | None = None
    within: tuple[str, ...] | None = None
    confirmed: str = ""
    spelling: Spelling = BY_NAME

    def refuse_if_stopped(self) -> None:
        """Go on only if the caller still wants it.

        Raises:
            Interrupted: it does not.
        """
        if self.stop is not None and self.stop.is_set():
            words = "cancelled by its caller"
            raise Interrupted("interrupted", words, "call again; what had not landed did not happen")

    @property
    def agent(self) -> str:
        """The program that acts for the user, as a record can hold it; "": none, or it does not say so."""
        return str(make_json_safe(self.environment.get(AGENT_VARIABLE, "")))

    def now(self) -> int:
        """The second that it is."""
        return int(self.clock())
