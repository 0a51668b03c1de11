"""A sample of the generator: what is asked for happens, nothing else does; what is known to fail still does.

``python -m tests.generator`` makes as many as you have time for.
"""

from __future__ import annotations

from typing import Any

import pytest

from gitscalpel.syntax.languages import LANGUAGES
from tests.generator.case import Case, reproducer
from tests.generator.fixtures import of_language
from tests.generator.judging import told
from tests.generator.known import known, rows
from tests.generator.running import run

SEEDS = (1, 20_779)
"""The same for everybody and each day: others are for the command, whose time it is to find something."""


def test_every_language_has_a_text() -> None:
    assert [language.name for language in LANGUAGES if not of_language(language.name)] == []


@pytest.mark.parametrize("part", range(4))
def test_edits_hold(part: int) -> None:
    seed = SEEDS[part % len(SEEDS)]
    done = run(seed, 1, [language.name for language in LANGUAGES][part::4], (), minutes=5)
    print(f"seed {seed}, {done.edits} edits")  # noqa: T201 - pytest shows it where something was found
    new = [finding for finding in done.findings.values() if not known(finding)]
    assert not new, "\n\n".join(reproducer(finding.case, finding.violation) for finding in new)


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row['kind']}-{row['oracle']}-{row['path']}")
def test_what_is_known_still_fails(row: dict[str, Any]) -> None:
    found = [violation.key for violation in told(Case.load(row)).violations]
    assert (row["oracle"], row["words"]) in found, f"mended, so take it out of known.jsonl: {row['why']}"


def test_what_is_known_has_a_reason() -> None:
    assert [row for row in rows() if not row["why"].strip()] == []


def test_the_oracles_see_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each planted mistake is found: an oracle that finds nothing proves nothing."""
    from tests.generator import judging
    from tests.generator.doing import do

    case = Case(
        "delete",
        "a.py",
        "x = 1\n\n\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n",
        ({"op": "delete", "symbol": "/f"},),
    )
    assert not told(case).violations
    did = do(case.path, case.before.encode(), case.ops)
    assert did.after is not None
    for old, new in (
        (b"x = 1", b"x = 2"),
        (b"return 2", b"return  2"),
        (b"def g", b"def h"),
        (b"2\n", b"2\r\n"),
    ):
        wrong = did._replace(after=did.after.replace(old, new))
        monkeypatch.setattr(judging, "do", lambda *_, wrong=wrong: wrong)
        assert told(case).violations, (old, new)
