"""Record of what gates, the policy and reviewers have refused: who tried, when, and on which files.

The operation log contains what happened, and a refusal did not, so each is a file next to the log, of
which only the newest stay. They may be lost, and nothing follows their content.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from gitscalpel.changesets.answers import make_json_safe, quote_path
from gitscalpel.errors import (
    GateIndeterminate,
    GateRefused,
    GateTimeout,
    NotAllowed,
    ScalpelError,
    WaitsForPerson,
)
from gitscalpel.git import scratch
from gitscalpel.system import private_files, serialization, trust
from gitscalpel.system.failpoint import step

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
