"""What who waits for a branch writes down, and what he is told by whoever lands it: see ``company.py``.

Who waits needs nothing of landing, nor of editing where his change is still to be built.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import msgspec

from gitscalpel.changesets import requests
from gitscalpel.changesets.answers import clean
from gitscalpel.changesets.file_tree import Oid
from gitscalpel.changesets.requests import Changeset
from gitscalpel.git import oplog
from gitscalpel.git.journal import FileFate
from gitscalpel.movement import FileOutcome
from gitscalpel.system import seal, serialization
from gitscalpel.system.repo_lock import Heard, Lock
from gitscalpel.transaction.candidate import Candidate, Meta
from gitscalpel.transaction.check import programs
from gitscalpel.transaction.check.ruling import change_rules
from gitscalpel.transaction.land import healing
from gitscalpel.transaction.land.surroundings import surroundings
from gitscalpel.transaction.land.turn import turns
from gitscalpel.transaction.result import REMEMBERED, Result, closed
from gitscalpel.workspace import Workspace

_WISH, _ANSWER = "wish", "answer"


class Sent(msgspec.Struct, frozen=True):
    """What somebody has sent.

    Attributes:
        changeset: it.
        log: the newest step of the operation log when it came.
    """

    changeset: Changeset
    log: Oid | None


class Wish(msgspec.Struct, frozen=True):
    """What somebody who waits wants landed: where he stands, what he has sent and what he has made of it."""

    surroundings: str
    operations: tuple[dict[str, Any], ...]
    message: str | None
    request_id: str | None
    allow_broken: bool
    structure: Literal["headers", "strict"] | None
    author: str | None
    log: Oid | None
    tx: str
    head: Oid
    meta: Meta

    @property
    def sent(self) -> Sent:
        """What was sent."""
        said = requests.changeset(
            *self.operations,
            message=self.message,
            request_id=self.request_id,
            allow_broken=self.allow_broken,
            structure=self.structure,
        )
        return Sent(msgspec.structs.replace(said, author=self.author), self.log)


class Told(msgspec.Struct, frozen=True):
    """What who waits is told: his entry in the log, and what that does not say."""

    entry: Oid
    files: tuple[tuple[str, FileFate], ...]
    warnings: tuple[str, ...]


def may_go_along(ws: Workspace, change: Candidate) -> bool:
    """Whether a change may land with others."""
    return (
        not change.is_open
        and not programs.have_still_to_judge(change)
        and change.meta.base is not None
        and not change_rules(ws.at(change.meta.branch).rules, change.files)
    )


def wish(ws: Workspace, sent: Sent, change: Candidate) -> bytes:
    """What to write down while one waits; nothing where it has to land alone."""
    if ws.inside is not None or not may_go_along(ws, change):
        return b""
    changeset = sent.changeset
    content = Wish(
        surroundings(ws),
        tuple(msgspec.to_builtins(op) for op in changeset.operations),
        changeset.message,
        changeset.request_id,
        changeset.allow_broken,
        changeset.structure,
        changeset.author,
        sent.log,
        change.id,
        change.head,
        change.meta,
    )
    ws.store.show()
    with suppress(UnicodeEncodeError):  # JSON has no words for bytes that are no text
        return seal.sealed(_place(ws, change.meta.branch), _WISH, msgspec.json.encode(content))
    return b""


def read(ws: Workspace, branch: str, written: bytes) -> Wish | None:
    """What somebody wishes; None: this user has not written it."""
    content = seal.opened(_place(ws, branch), _WISH, written)
    with suppress(msgspec.MsgspecError):  # of another version of ours
        return None if content is None else serialization.decode(content, Wish)
    return None


def answer(ws: Workspace, branch: str, result: Result) -> bytes:
    """What whoever has landed it tells who waits."""
    assert result.landed is not None  # noqa: S101 - nothing else is told of
    files = tuple((row.path, row.what) for row in result.landed.files)
    told = Told(result.landed.entry, files, result.said)
    return seal.sealed(_place(ws, branch), _ANSWER, msgspec.json.encode(clean(msgspec.to_builtins(told))))


def heard(ws: Workspace, change: Candidate, turn: Lock | Heard) -> Result | None:
    """What somebody else has made of the change; None: it is still to be landed."""
    if isinstance(turn, Lock):
        return _found(ws, change) if turn.was_taken else None
    said = seal.opened(_place(ws, change.meta.branch), _ANSWER, turn.answer)
    if said is None:
        return _found(ws, change)
    told = serialization.decode(said, Told)
    result = closed(ws, oplog.entry(ws.store, told.entry))
    assert result.landed is not None  # noqa: S101 - nothing else is told of
    landed = msgspec.structs.replace(result.landed, files=tuple(FileOutcome(*row) for row in told.files))
    return msgspec.structs.replace(result, landed=landed, said=told.warnings)


def _found(ws: Workspace, change: Candidate) -> Result | None:
    """What the log says of the change, for who has not been told: whoever landed it was killed then."""
    steps = oplog.since(ws.store, change.meta.log, REMEMBERED)
    entry = next((step for step in steps if (step.record.kind, step.record.tx) == ("land", change.id)), None)
    if entry is None:
        return None
    healing.heal(ws)
    return closed(ws, entry)


def _place(ws: Workspace, branch: str) -> Path:
    return turns(ws, branch)[0]
