"""The caller of a repository, and the log of what was refused to it.

The caller of a command: directory, environment, limits and receivers of messages, as one value.

Two sessions of two agents can share one process. All differences between them are here.
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
    """Do nothing with a message, for callers that do not want any."""


def system_clock() -> float:
    """Return the time of this machine's clock."""
    return time.time()


def environment(agent: str | None = None) -> dict[str, str]:
    """Return this process's variables, with ``agent`` as the program that acts for the user, if given."""
    return {**os.environ, **({} if agent is None else {AGENT_VARIABLE: agent})}


def set_variables(variables: Mapping[str, str]) -> None:
    """Set variables of this process for all sessions that are created from now on."""
    os.environ.update(variables)


class Stop(Protocol):
    """Stop condition that is set when the caller cancels a request, such as a ``threading.Event``."""

    def is_set(self) -> bool:
        """Return True if the request is cancelled."""


class Tracker(Protocol):
    """Record of what a caller has read, for callers that may edit nothing else."""

    def note(self, answer: Any) -> None:
        """Record the contents of an answer."""

    def note_edit(self, done: Any, changeset: Any, show: Callable[[str, str], Any]) -> None:
        """Record the result of the caller's own edit."""

    def require_seen(self, would: Any, changeset: Any, show: Callable[[str, str], Any]) -> None:
        """Raise if an edit changes what the caller has not read."""


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """The caller of a command.

    Attributes:
        folder: directory of the caller. None for the current one, where git's own variables count as well.
        environment: the caller's variables.
        notify: receives messages about slow actions and quarantined files.
        warn: receives messages about the recovery of killed commands.
        show: receives the output of gates while they run. None to discard it.
        clock: returns the time in seconds since the epoch.
        stop: stop condition, set when the caller cancels the request. None if it cannot.
        within: globs, as in ``.gitignore``, of the only paths that the caller may change. None for all.
        confirmed: client that says that a person has agreed to the request. Empty if no person was asked.
        spelling: spelling of fields and calls, also in records.
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
        """Raise if the caller has cancelled the request.

        Raises:
            Interrupted: the request is cancelled.
        """
        if self.stop is not None and self.stop.is_set():
            words = "cancelled by its caller"
            raise Interrupted("interrupted", words, "call again; what had not landed did not happen")

    @property
    def agent(self) -> str:
        """Return the program that acts for the user, in the form of a record. Empty if it is not known."""
        return str(make_json_safe(self.environment.get(AGENT_VARIABLE, "")))

    def now(self) -> int:
        """Return the current time in whole seconds."""
        return int(self.clock())


FOLDER = "refused"
KEPT = 200
"""Maximum number of rejections in the log; older ones are removed."""
_PATHS = 50
_LETTERS = 300
"""Maximum length of a message. Only its first line is kept, since program output may quote files."""
_BY_A_JUDGE = (GateRefused, NotAllowed, WaitsForPerson, GateTimeout, GateIndeterminate)


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """A rejected edit or landing.

    Attributes:
        code: error code.
        what: requested action: ``apply``, ``land``, ``undo``, …
        user, agent: the caller and the program that acted for them; "" if not known.
        time: time in seconds since the epoch.
        message: first line of the error message.
        paths: the first of the affected files.
        tx: transaction, if there was one.
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
    """Action that may be rejected: ``what`` it is, its files, user and time."""

    what: str
    paths: tuple[str, ...]
    user: str
    agent: str
    time: int


def is_judgement(error: BaseException) -> bool:
    """Return True if a gate, the policy or a person caused the error, and not the call or the environment."""
    return isinstance(error, _BY_A_JUDGE)


def record_refusal(scalpel_dir: Path, attempt: Attempt, error: ScalpelError) -> None:
    """Log a rejection. Failures to do so are ignored."""
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
    """Return this user's logged rejections, newest first, at most ``limit``."""
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
