"""The caller of a repository, and the log of what was refused to it.

The caller of a command: directory, environment, limits and receivers of messages, as one value.

Two sessions of two agents can be at work in one process. All that differs between them is here.

Record of what gates, the policy and reviewers have refused: who tried, when, and on which files.

The operation log contains what happened, and a refusal did not, so each is a file next to the log, of
which only the newest stay. They may be lost, and nothing follows their content.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import msgspec

from gitscalpel.changesets.answers import make_json_safe, quote_path
from gitscalpel.errors import (
    GateIndeterminate,
    GateRefused,
    GateTimeout,
    Interrupted,
    NotAllowed,
    ScalpelError,
    WaitsForPerson,
)
from gitscalpel.errors.messages import BY_NAME, Spelling
from gitscalpel.git import scratch
from gitscalpel.system import private_files, serialization, trust
from gitscalpel.system.failpoint import step

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


FOLDER = "refused"
KEPT = 200
"""Refusals; older ones go."""
_PATHS = 50
_LETTERS = 300
"""Of a message, of whose lines only the first is kept: what programs print may quote files."""
_BY_A_JUDGE = (GateRefused, NotAllowed, WaitsForPerson, GateTimeout, GateIndeterminate)


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """An edit or a landing that was refused.

    Attributes:
        code: of the error.
        what: was asked for: ``apply``, ``land``, ``undo``, …
        user, agent: who asked, and the program that acted for them; "": not known.
        time: seconds since 1970.
        message: the first line of the refusal.
        paths: the files that it was about, the first of them.
        tx: the transaction, where there was one.
    """

    code: str
    what: str
    user: str
    agent: str
    time: int
    message: str
    paths: tuple[str, ...] = ()
    tx: str | None = None


class Attempt(msgspec.Struct, frozen=True):
    """What somebody tried: ``what`` it was, on which files, by whom, and when."""

    what: str
    paths: tuple[str, ...]
    user: str
    agent: str
    time: int


def is_judgement(error: BaseException) -> bool:
    """Return True if it was a gate, the policy or a person that said no, and not the call or the world."""
    return isinstance(error, _BY_A_JUDGE)


def record_refusal(scalpel_dir: Path, attempt: Attempt, error: ScalpelError) -> None:
    """Put a refusal on record; where that cannot be done, nothing is said of it."""
    row = Refused(
        code=error.code,
        what=attempt.what,
        user=attempt.user,
        agent=attempt.agent,
        time=attempt.time,
        message=error.message.partition("\n")[0].rstrip(":")[:_LETTERS],
        paths=tuple(map(quote_path, dict.fromkeys(attempt.paths)))[:_PATHS],
        tx=error.data.get("tx"),
    )
    name = f"{time.time_ns():020}-{os.urandom(4).hex()}"
    with suppress(OSError, ScalpelError):
        folder = private_files.ensure_folder(scalpel_dir / FOLDER)
        content = msgspec.json.encode(make_json_safe(msgspec.to_builtins(row)))
        step()
        with scratch.make_scratch(scalpel_dir) as notes:  # removes what a killed process left there
            trust.write_sealed(folder / name, scalpel_dir, _seal_context(name), content, notes.path / name)
        for old in private_files.list_folder(folder)[:-KEPT]:
            step()
            private_files.remove_path(old)


def list_refusals(scalpel_dir: Path, limit: int | None = None) -> list[Refused]:
    """The refusals of this user on record, the newest first; no more than ``limit``."""
    found = _iter_readable(scalpel_dir, reversed(private_files.list_folder(scalpel_dir / FOLDER)))
    return [row for _, row in zip(range(KEPT if limit is None else limit), found, strict=False)]


def _iter_readable(scalpel_dir: Path, files: Iterable[Path]) -> Iterable[Refused]:
    for file in files:
        said = trust.read_sealed(file, scalpel_dir, _seal_context(file.name))
        with suppress(msgspec.MsgspecError):
            if said is not None:
                yield serialization.decode(said, Refused)


def _seal_context(name: str) -> str:
    return f"refused {name}"
