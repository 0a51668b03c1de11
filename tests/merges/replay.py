"""One conflicting file after another, merged as a landing would, and what became of it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from gitscalpel.edit.merge.file_merge import Conflict, merge_by_symbols
from tests.merges.history import Case
from tests.merges.refuted import refutation

Outcome = Literal["equal", "differing", "refused", "refuted", "failed"]
_ALLOWED = 0.05
"""Seconds of processor time that any file may take."""


class Replayed(NamedTuple):
    """What became of a file.

    Attributes:
        case: the file.
        outcome: ``equal`` to what was committed, or ``differing``; ``refused``; ``refuted`` by git;
            ``failed`` with an error.
        merged: what came of it, if anything.
        why: what speaks against it, or the places that contradict each other.
        seconds: of processor time.
    """

    case: Case
    outcome: Outcome
    merged: bytes | None
    why: str
    seconds: float

    @property
    def is_slow(self) -> bool:
        """Whether it took more than a second for each megabyte of the three versions."""
        return self.seconds > _ALLOWED + sum(map(len, self.case[2:5])) / 1e6

    @property
    def words(self) -> str:
        """In a line."""
        took = f"{self.seconds:.2f} s for {max(map(len, self.case[2:5])) / 1000:.0f} kB"
        return f"{self.outcome} {self.case.commit[:10]} {self.case.path} {took} {self.why}"


def replay(cases: Iterable[Case]) -> Iterator[Replayed]:
    """Merge each of them, and hold what comes of it against the commit and against git."""
    for case in cases:
        began = time.process_time()
        try:
            merged = merge_by_symbols(case.path, case.base, case.ours, case.theirs)
        except Exception as error:
            yield Replayed(case, "failed", None, repr(error), time.process_time() - began)
            continue
        took = time.process_time() - began
        if isinstance(merged, Conflict):
            why = "; ".join(dict.fromkeys(place.why for place in merged.places))
            yield Replayed(case, "refused", None, why, took)
            continue
        against = refutation(case, merged)
        same = merged == case.committed
        outcome: Outcome = "equal" if same else "refuted" if against else "differing"
        yield Replayed(case, outcome, merged, against or "", took)
