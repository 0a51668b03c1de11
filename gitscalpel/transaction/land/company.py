"""Those who wait for a branch land together with whoever has its turn: one landing, and as many commits.

Who waits writes down what he has sent, and what he has made of it where that takes long (``wishes.py``). Who
has the turn does that on top of his own change, lands it all at once, and tells each what the log says of
his. What does not go there is left alone: its own turn comes, and it hears why. Who is not told, since the
other was killed, looks into the log. What is judged by programs, and what changes the rules, has its turn to
itself.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress

import msgspec

from gitscalpel.changesets.file_tree import SUBMODULE
from gitscalpel.errors import ScalpelError
from gitscalpel.system import repo_lock
from gitscalpel.system.ticket_lock import Waiting
from gitscalpel.transaction.candidate import Candidate
from gitscalpel.transaction.check import judging
from gitscalpel.transaction.land import wishes
from gitscalpel.transaction.land.anew import anew
from gitscalpel.transaction.land.surroundings import surroundings
from gitscalpel.transaction.land.turn import turns
from gitscalpel.transaction.land.wishes import Wish
from gitscalpel.transaction.result import Result
from gitscalpel.transaction.shadow import between
from gitscalpel.transaction.stage.begun import TakesLong
from gitscalpel.workspace import Workspace

_MOST = 64
_LONGEST = 1.0
"""Seconds in which others are taken along: who has the turn waits for them."""


class _Fellow(msgspec.Struct, frozen=True):
    """Somebody who waits, and his change on top of those before it."""

    waiting: Waiting
    change: Candidate


class Company:
    """Whoever lands on one branch at the same time.

    Args:
        ws: where.
        branch: ``refs/heads/…``.
    """

    def __init__(self, ws: Workspace, branch: str) -> None:
        self._ws, self._branch = ws, branch
        self._fellows: list[_Fellow] = []

    def join(self, first: Candidate) -> list[Candidate]:
        """The changes of those who wait, each on top of the one before, the first of them on ``first``."""
        self._fellows = []
        if not wishes.may_go_along(self._ws, first):
            return []
        line = turns(self._ws, self._branch)
        here, end, known = "", time.monotonic() + _LONGEST, set[str]()
        while new := [each for each in repo_lock.in_line(*line) if each.ticket.name not in known]:
            here = here or surroundings(self._ws)
            known |= {each.ticket.name for each in new}
            for each in new:
                if len(self._fellows) == _MOST or time.monotonic() > end:
                    return self._changes
                wish = wishes.read(self._ws, self._branch, each.wish)
                taken = each.take() if wish is not None and wish.surroundings == here else None
                if wish is not None and taken is not None:
                    known |= {taken.ticket.name}
                    self._fellows += self._on([first, *self._changes], taken, wish)
        return self._changes

    def tell(self, results: Sequence[Result]) -> None:
        """Tell those who have joined what became of theirs; nothing where these were not landed."""
        for fellow, result in zip(self._fellows, results, strict=False):
            fellow.waiting.answer(wishes.answer(self._ws, self._branch, result))

    @property
    def _changes(self) -> list[Candidate]:
        return [fellow.change for fellow in self._fellows]

    def _on(self, stack: Sequence[Candidate], waiting: Waiting, wish: Wish) -> Iterator[_Fellow]:
        ws, below = self._ws, stack[-1]
        request = wish.request_id
        with suppress(ScalpelError, TakesLong):  # its own turn comes, and it hears why
            if request and any(request in each.meta.request_ids for each in stack):
                return
            change = Candidate(wish.tx, wish.head, wish.meta, between(ws, wish.meta.base, wish.head))
            change = anew(ws, wish.sent, change, ws.seen(below.meta.branch, below.head))
            change = judging.agreed(ws, change)
            if wishes.may_go_along(ws, change):
                self._own(change)
                yield _Fellow(waiting, change)

    def _own(self, change: Candidate) -> None:
        """Write what is in its files once more: what somebody else has written need not last."""
        for file in change.files:
            if file.new is not None and file.new.mode != SUBMODULE:
                self._ws.store.write_blob(self._ws.store.read(file.new.oid))
