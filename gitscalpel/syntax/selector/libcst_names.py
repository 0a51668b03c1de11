"""The node classes of LibCST by name, so that a selector without them never loads it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

LANGUAGE = "python"
ROWS = Path(__file__).parent.parent / "queries" / "python.libcst"


@cache
def classes() -> dict[str, frozenset[str]]:
    """Return the fields of each class that hold one text, flag or node."""
    rows = (row.split() for row in ROWS.read_text("utf-8").splitlines() if not row.startswith("#"))
    return {name: frozenset(fields) for name, *fields in rows}


@cache
def attributes() -> frozenset[str]:
    """Return the fields of all classes."""
    return frozenset().union(*classes().values())


@cache
def _spellings() -> dict[str, str]:
    return {name.lower(): name for name in classes()}


def class_named(name: str) -> str:
    """Return the class of this name in any case. "" if LibCST does not have one."""
    return name if name in classes() else _spellings().get(name.lower(), "")
