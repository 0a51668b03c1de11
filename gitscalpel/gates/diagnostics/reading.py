"""Reads diagnostics out of what a command has printed; adding a format is one line here."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

from gitscalpel.changesets.rules import Output
from gitscalpel.gates.commands import findings
from gitscalpel.gates.diagnostics import lsp, sarif, tools
from gitscalpel.gates.diagnostics.diagnostic import Diagnostic
from gitscalpel.gates.diagnostics.place import Exists
from gitscalpel.text import lenient_json

Reader = Callable[[Any, Exists], Iterable[Diagnostic]]
SHAPES: tuple[tuple[Output, Callable[[Any], bool], Reader], ...] = (
    ("sarif", sarif.claims, sarif.read),
    ("lsp", lsp.claims, lsp.read),
    *(("auto", claims, read) for claims, read in tools.SHAPES),
)
"""Which ``output`` each JSON format is, whether a value is in it, and its reader."""
_ASIDE = re.compile(r"(?:note|info|hint|help)\b")


def read(output: str, form: Output, exists: Exists) -> tuple[Diagnostic, ...] | None:
    """What an output says; None: nothing in it is in that form.

    Args:
        output: what a command has printed.
        form: what the configuration says of it; ``auto`` finds out.
        exists: whether the tree has such a file.
    """
    if form == "lines":
        return tuple(_lines(output, exists))
    shapes = [(claims, reader) for kind, claims, reader in SHAPES if form in ("auto", kind)]
    found: list[Diagnostic] = []
    known = False
    try:
        for value in _values(output):
            reader = next((reader for claims, reader in shapes if claims(value)), None)
            if reader is not None:
                known = True
                found += reader(value, exists)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None  # it looks like the form, and is not
    if known:
        return tuple(dict.fromkeys(found))
    return tuple(_lines(output, exists)) if form == "auto" else None


def _values(output: str) -> Iterator[Any]:
    """The JSON values of an output: all of it, one in each line, or what stands between other lines."""
    with suppress(ValueError, RecursionError):
        yield json.loads(output)
        return
    for text in lenient_json.find_json_values(output):
        yield json.loads(text)


def _lines(output: str, exists: Exists) -> Iterator[Diagnostic]:
    """What stands line by line, ``PATH:LINE:COLUMN: message`` and the like."""
    for failure in findings.of(output, exists):
        finding = failure.finding
        if finding.path and not _ASIDE.match(finding.message):
            yield Diagnostic(
                path=finding.path,
                line=finding.line,
                column=finding.column,
                message=finding.message,
                severity=finding.severity,
            )
