"""Our judges beside a language's own reader.

Nothing that it takes for code is hidden from them, and nothing that it refuses passes without a word.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from gitscalpel.changesets.file_tree import REGULAR, Overlay
from gitscalpel.changesets.rules import Policy
from gitscalpel.edit.outcome import Outcome
from tests.edit.editing import Files
from tests.gates.gate_calls import judge_policy, judge_syntax
from tests.readers import known
from tests.readers.own import REFUSED, Reader
from tests.readers.programs import LANGUAGES, Case, Language, case

_POLICY = Policy(protected=("**::probe",))
HIDDEN, SILENT, KNOWN = "hidden", "silent", "known"


class Found(NamedTuple):
    """Where a judge and a reader are not of one mind: how, who, and the program."""

    how: str
    reader: str
    program: bytes


class Told(NamedTuple):
    """How many programs a reader took and refused, and what was found."""

    counts: Counter[str]
    found: list[Found]


def compare(reader: Reader, number: int, programs: int) -> Told:
    """Judge so many programs, of one seed."""
    language, rng = LANGUAGES[reader.language], random.Random(number)  # noqa: S311
    cases = [case(language, rng) for _ in range(programs)]
    first, *answers = reader.read([language.base.encode(), *(each.program for each in cases)])
    assert first in ("1", "read"), (reader.name, first)
    counts = Counter(REFUSED if answer == REFUSED else "taken" for answer in answers)
    pairs = zip(cases, answers, strict=True)
    return Told(counts, [found for each, answer in pairs for found in _of(reader, language, each, answer)])


def _of(reader: Reader, language: Language, each: Case, answer: str) -> Iterator[Found]:
    overlay = Overlay(Files({language.path: language.base.encode()}))
    overlay.put(language.path, overlay.holding(REGULAR, each.program))
    outcome = Outcome(overlay)
    if answer == "2" and not judge_policy(outcome, _POLICY).findings:
        yield Found(HIDDEN, reader.name, each.program)
    said = judge_syntax(outcome)
    if answer == REFUSED and said.status == "passed" and not said.unchecked:
        how = KNOWN if known.why(reader.name, each.program) else SILENT
        yield Found(how, reader.name, each.program)
