"""Those who wait for a branch land together with whoever has its turn: one landing, and as many commits.

Who waits writes down what he has sent and what he has made of it. Who has the turn does that again on top
of his own change, lands it all at once, and tells each what the log says of his. What does not go there
is left alone: its own turn comes, and it hears why. Who is not told, since the other was killed, looks into
the log. What is judged by programs, and what changes the rules, has its turn to itself.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from gitscalpel import lock, requests, seal, wire
from gitscalpel.errors import ScalpelError
from gitscalpel.git import oplog
from gitscalpel.git.plan import What
from gitscalpel.line import Waiting
from gitscalpel.lock import Heard, Lock
from gitscalpel.movement import FileOutcome
from gitscalpel.snapshot import SUBMODULE, Oid
from gitscalpel.transaction.candidate import Candidate, Meta
from gitscalpel.transaction.check import judging
from gitscalpel.transaction.check.ruling import change_rules
from gitscalpel.transaction.land.anew import Sent, anew
from gitscalpel.transaction.land.surroundings import surroundings
from gitscalpel.transaction.result import REMEMBERED, Result, closed
from gitscalpel.transaction.shadow import between
from gitscalpel.transaction.stage import staging
from gitscalpel.workspace import Workspace

_MOST = 64
_LONGEST = 1.0
"""Seconds in which others are taken along: who has the turn waits for them."""


class _Wish(msgspec.Struct, frozen=True):
    """What somebody who waits wants landed: where he stands, what he has sent and what he has made of it."""

    surroundings: str
    operations: tuple[dict[str, Any], ...]
    message: str | None
    request_id: str | None
    allow_broken: bool
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
        )
        return Sent(msgspec.structs.replace(said, author=self.author), self.log)


class _Told(msgspec.Struct, frozen=True):
    """What who waits is told: his entry in the log, and what that does not say."""

    entry: Oid
    files: tuple[tuple[str, What], ...]
    warnings: tuple[str, ...]


class _Fellow(msgspec.Struct, frozen=True):
    """Somebody who waits, and his change on top of those before it."""

    waiting: Waiting
    change: Candidate


class Alone:
    """Who lands without anybody else."""

    def wish(self, change: Candidate) -> bytes:  # noqa: ARG002
        """What to write down while one waits; nothing where it has to land alone."""
        return b""

    def landed(self, change: Candidate, turn: Lock | Heard) -> Result | None:  # noqa: ARG002
        """What somebody else has made of the change; None: it is still to be landed."""
        return None

    def join(self, first: Candidate) -> list[Candidate]:  # noqa: ARG002
        """The changes of those who wait, each on top of the one before, the first of them on ``first``."""
        return []

    def tell(self, results: Sequence[Result]) -> None:
        """Tell those who have joined what became of theirs; nothing where these were not landed."""


class Company(Alone):
    """Whoever lands on one branch at the same time.

    Args:
        ws: where.
        sent: what this one has sent.
        turns: the folder and the name of the branch's turn.
    """

    def __init__(self, ws: Workspace, sent: Sent, turns: tuple[Path, str]) -> None:
        self._ws, self._sent, self._turns = ws, sent, turns
        self._fellows: list[_Fellow] = []

    def wish(self, change: Candidate) -> bytes:
        """See :class:`Alone`."""
        ws, changeset = self._ws, self._sent.changeset
        if not self._goes_along(change) or ws.inside is not None:
            return b""
        seen = staging.as_seen(ws.snapshot(change.meta.base), changeset)
        wish = _Wish(
            surroundings(ws),
            tuple(msgspec.to_builtins(op) for op in seen.operations),
            changeset.message,
            changeset.request_id,
            changeset.allow_broken,
            changeset.author,
            self._sent.log,
            change.id,
            change.head,
            change.meta,
        )
        ws.store.show()
        with suppress(UnicodeEncodeError):  # JSON has no words for bytes that are no text
            return self._sealed("wish", msgspec.json.encode(wish))
        return b""

    def landed(self, change: Candidate, turn: Lock | Heard) -> Result | None:
        """See :class:`Alone`."""
        if isinstance(turn, Lock):
            return self._found(change) if turn.was_taken else None
        said = seal.opened(self._turns[0], "answer", turn.answer)
        if said is None:
            return self._found(change)
        told = wire.decode(said, _Told)
        result = closed(self._ws, oplog.entry(self._ws.store, told.entry))
        assert result.landed is not None  # noqa: S101 - nothing else is told of
        landed = msgspec.structs.replace(result.landed, files=tuple(FileOutcome(*row) for row in told.files))
        return msgspec.structs.replace(result, landed=landed, warnings=told.warnings)

    def join(self, first: Candidate) -> list[Candidate]:
        """See :class:`Alone`."""
        self._fellows = []
        if not self._goes_along(first):
            return []
        here, end, known = "", time.monotonic() + _LONGEST, set[str]()
        while new := [each for each in lock.in_line(*self._turns) if each.ticket.name not in known]:
            here = here or surroundings(self._ws)
            known |= {each.ticket.name for each in new}
            for each in new:
                if len(self._fellows) == _MOST or time.monotonic() > end:
                    return self._changes
                wish = self._read(each.wish)
                taken = each.take() if wish is not None and wish.surroundings == here else None
                if wish is not None and taken is not None:
                    known |= {taken.ticket.name}
                    self._fellows += self._on([first, *self._changes], taken, wish)
        return self._changes

    def tell(self, results: Sequence[Result]) -> None:
        """See :class:`Alone`."""
        for fellow, result in zip(self._fellows, results, strict=False):
            assert result.landed is not None  # noqa: S101
            files = tuple((row.path, row.what) for row in result.landed.files)
            told = _Told(result.landed.entry, files, result.warnings)
            fellow.waiting.answer(self._sealed("answer", msgspec.json.encode(told)))

    @property
    def _changes(self) -> list[Candidate]:
        return [fellow.change for fellow in self._fellows]

    def _goes_along(self, change: Candidate) -> bool:
        return (
            not change.is_open
            and not judging.by_programs(change)
            and change.meta.base is not None
            and not change_rules(self._ws.at(change.meta.branch).rules, change.files)
        )

    def _on(self, stack: Sequence[Candidate], waiting: Waiting, wish: _Wish) -> Iterator[_Fellow]:
        ws, below = self._ws, stack[-1]
        request = wish.request_id
        with suppress(ScalpelError):  # its own turn comes, and it hears why
            if request and any(request in each.meta.request_ids for each in stack):
                return
            change = Candidate(wish.tx, wish.head, wish.meta, between(ws, wish.meta.base, wish.head))
            change = anew(ws, wish.sent, change, ws.seen(below.meta.branch, below.head))
            change = judging.agreed(ws, change)
            if self._goes_along(change):
                self._own(change)
                yield _Fellow(waiting, change)

    def _own(self, change: Candidate) -> None:
        """Write what is in its files once more: what somebody else has written need not last."""
        for file in change.files:
            if file.new is not None and file.new.mode != SUBMODULE:
                self._ws.store.write_blob(self._ws.store.read(file.new.oid))

    def _found(self, change: Candidate) -> Result | None:
        """What the log says of the change, for who has not been told."""
        steps = oplog.since(self._ws.store, change.meta.log, REMEMBERED)
        entry = next(
            (step for step in steps if (step.record.kind, step.record.tx) == ("land", change.id)), None
        )
        return None if entry is None else closed(self._ws, entry)

    def _read(self, wish: bytes) -> _Wish | None:
        content = seal.opened(self._turns[0], "wish", wish)
        with suppress(msgspec.MsgspecError):  # of another version of ours
            return None if content is None else wire.decode(content, _Wish)
        return None

    def _sealed(self, about: str, content: bytes) -> bytes:
        return seal.sealed(self._turns[0], about, content)
