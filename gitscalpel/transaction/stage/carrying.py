"""What a transaction remembers of files that went by other names, so that its next step knows as well."""

from __future__ import annotations

from collections.abc import Mapping

from gitscalpel.edit.file_origin import FileOrigin
from gitscalpel.edit.outcome import Outcome
from gitscalpel.system import serialization


def noted(outcome: Outcome) -> dict[str, FileOrigin]:
    """What is to be remembered, as a record holds it."""
    known = outcome.carried.items()
    return {
        serialization.spelt(path): FileOrigin(serialization.spelt(was.origin), was.by) for path, was in known
    }


def read(record: Mapping[str, FileOrigin]) -> dict[str, FileOrigin]:
    """What :func:`noted` has put into a record."""
    return {
        serialization.read(path): FileOrigin(serialization.read(was.origin), was.by)
        for path, was in record.items()
    }
