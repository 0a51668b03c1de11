"""What a transaction remembers of files that went by other names, so that its next step knows as well."""

from __future__ import annotations

from collections.abc import Mapping

from gitscalpel.edit.origin import Carried
from gitscalpel.edit.outcome import Outcome
from gitscalpel.system import serialization


def noted(outcome: Outcome) -> dict[str, Carried]:
    """What is to be remembered, as a record holds it."""
    known = outcome.carried.items()
    return {
        serialization.spelt(path): Carried(serialization.spelt(was.origin), was.by) for path, was in known
    }


def read(record: Mapping[str, Carried]) -> dict[str, Carried]:
    """What :func:`noted` has put into a record."""
    return {
        serialization.read(path): Carried(serialization.read(was.origin), was.by)
        for path, was in record.items()
    }
