"""Log of edits and landings that gates, the policy or people rejected, for the user who made them."""

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
"""Maximum number of rejections in the log; older ones are removed."""
_PATHS = 50
_LETTERS = 300
"""Maximum length of a message. Only its first line is kept, since program output may quote files."""
_BY_A_JUDGE = (GateRefused, NotAllowed, WaitsForPerson, GateTimeout, GateIndeterminate)


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """A rejected edit or landing."""

    code: str
    what: str  # requested action: ``apply``, ``land``, ``undo``, …
    # user and agent: the caller and the program that acted for them; "" if not known
    user: str
    agent: str
    time: int  # time in seconds since the epoch
    message: str  # first line of the error message
    paths: tuple[str, ...] = ()  # the first of the affected files
    tx: str | None = None  # transaction, if there was one


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
        content = trust.read_sealed(file, scalpel_dir, _seal_context(file.name))
        with suppress(msgspec.MsgspecError):
            if content is not None:
                yield serialization.decode(content, Refused)


def _seal_context(name: str) -> str:
    return f"refused {name}"
