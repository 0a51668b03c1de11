"""Tries edits of every kind in every language, counts what became of them and keeps what was violated."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from tests.generator.case import Case, Violation
from tests.generator.fixtures import NAMES, pick
from tests.generator.judging import shrunk, told
from tests.generator.plain_kinds import KINDS

Cell = tuple[str, str]
"""A language and a kind."""


class Finding(NamedTuple):
    """A case that refutes an oracle."""

    language: str
    case: Case
    violation: Violation

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Two with the same are likely to have one cause."""
        return self.language, self.case.kind, *self.violation.key


class Run:
    """What has been tried so far."""

    def __init__(self, seed: int, *, shrink: bool = True) -> None:
        self.seed = seed
        self.shrink = shrink
        self.codes: dict[Cell, Counter[str]] = {}
        self.counts: Counter[tuple[str, str, str, str]] = Counter()
        self.findings: dict[tuple[str, str, str, str], Finding] = {}
        self.slowest = (0.0, "")

    def cell(self, language: str, kind: str, edits: int, number: int = 0) -> None:
        """Try ``edits`` of one kind in one language; the seed says which."""
        rng = random.Random(f"{self.seed} {language} {kind} {number}")  # noqa: S311 - to be had again
        codes = self.codes.setdefault((language, kind), Counter())
        made = tries = 0
        while made < edits and tries < 20 * edits + 20:
            tries += 1
            case = KINDS[kind](rng, pick(rng, language))
            if case is None:
                continue
            made += 1
            began = time.process_time()
            result = told(case)
            self.slowest = max(self.slowest, (time.process_time() - began, f"{language} {kind}"))
            codes[result.code] += 1
            for violation in result.violations:
                self._keep(Finding(language, case, violation))

    def _keep(self, finding: Finding) -> None:
        self.counts[finding.key] += 1
        if finding.key not in self.findings:
            small = shrunk(finding.case, finding.violation) if self.shrink else finding.case
            again = [v for v in told(small).violations if v.key == finding.violation.key]
            self.findings[finding.key] = Finding(
                finding.language, small, again[0] if again else finding.violation
            )

    @property
    def edits(self) -> int:
        """How many have been tried."""
        return sum(codes.total() for codes in self.codes.values())

    def table(self) -> str:
        """Language and kind: edits, accepted, violations, and the codes of the refusals."""
        rows = [f"{'language':<16} {'kind':<12} {'edits':>7} {'accepted':>9} {'violations':>11}  refused"]
        for (language, kind), codes in sorted(self.codes.items()):
            wrong = sum(n for key, n in self.counts.items() if key[:2] == (language, kind))
            refused = ", ".join(f"{code} {n}" for code, n in codes.most_common() if code != "accepted")
            rows.append(
                f"{language:<16} {kind:<12} {codes.total():>7} {codes['accepted']:>9} {wrong:>11}  {refused}"
            )
        return "\n".join(rows)


def run(
    seed: int,
    edits: int,
    languages: Sequence[str],
    kinds: Sequence[str],
    minutes: float,
    after_round: Callable[[Run], None] = lambda _: None,
) -> Run:
    """Rounds of a few edits in each cell, until there are as many as asked for or the time is over."""
    begun, ended = Run(seed), time.monotonic() + minutes * 60
    share = min(edits, 20)
    for number in range(-(-edits // share)):
        for language in languages or NAMES:
            for kind in kinds or KINDS:
                begun.cell(language, kind, share, number)
            if time.monotonic() > ended:
                break
        after_round(begun)
        if time.monotonic() > ended:
            break
    return begun
