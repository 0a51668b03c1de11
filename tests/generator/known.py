"""What is known to go wrong, each with a case that shows it and the reason; mended, it has to go."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from tests.generator.running import Finding

FILE = Path(__file__).with_name("known.jsonl")


@cache
def rows() -> tuple[dict[str, Any], ...]:
    """``why``, ``language`` (a list, or ``*``), ``oracle``, ``words`` and the case that shows it."""
    if not FILE.exists():
        return ()
    return tuple(json.loads(line) for line in FILE.read_text("utf-8").splitlines() if line)


def known(finding: Finding) -> bool:
    """Whether somebody wrote down that this kind of edit does this in this language."""
    return any(_covers(row, finding) for row in rows())


def _covers(row: dict[str, Any], finding: Finding) -> bool:
    languages, kinds = row["language"], row.get("kinds", [row["kind"]])
    return (
        (languages == "*" or finding.language in languages)
        and finding.case.kind in kinds
        and (row["oracle"], row["words"]) == finding.violation.key
    )
