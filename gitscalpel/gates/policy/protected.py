"""Definitions that nobody may change by an edit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.gates.policy.judged import Judged
from gitscalpel.globs import Globs
from gitscalpel.report import Finding, quoted
from gitscalpel.snapshot import Snapshot
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text.document import BYTES


def findings(judged: Judged) -> Iterator[Finding]:
    """A finding for each definition that a pattern names and that does not stay to the byte."""
    for path, symbol, pattern, line in touched(judged, judged.policy.protected):
        yield Finding(quoted(path), line, 1, f"{symbol} is protected ({pattern})")


def touched(judged: Judged, patterns: Iterable[str]) -> Iterator[tuple[str, str, str, int]]:
    """Path, name, pattern and line of the definitions named ``PATH-GLOB::SYMBOL`` that change or go.

    Where a file cannot be read, all that a pattern may name in it counts as changed.
    """
    for pattern in patterns:
        where, _, name = pattern.partition("::")
        for path in Globs([where], folded=True).among(judged.paths):
            before, after = (_held(path, text, name) for text in (judged.before(path), judged.after(path)))
            if before is None or after is None:
                yield path, name, pattern, 1
                continue
            for symbol in before:
                # A second one of the name takes its place.
                if [each.text for each in before[symbol]] != [each.text for each in after.get(symbol, [])]:
                    yield path, symbol, pattern, before[symbol][0].line


def names(files: Snapshot, pattern: str) -> bool:
    """Whether there is a definition that a pattern means."""
    where, _, name = pattern.partition("::")
    for path in Globs([where], folded=True).among(files.under("")):
        entry = files.entry(path)
        if entry is not None and _held(path, files.read(entry.oid), name):
            return True
    return False


class _Definition(NamedTuple):
    line: int
    text: bytes


def _held(path: str, content: bytes, name: str) -> dict[str, list[_Definition]] | None:
    """The definitions that a name means, by their own; None where it cannot be said which there are."""
    try:
        source = Source.read(path, content)
    except DoesNotFit:
        return None
    if source.language and source.language.cookie and source.document.encoding == BYTES:
        return None  # what reads it by the encoding that it says may read something else
    if source.judged is None or source.judged.syntax.faults:
        return None if content else {}
    held: dict[str, list[_Definition]] = {}
    for symbol in source.judged.walk():
        if _is_meant(symbol, name):
            text = source.text[symbol.outer : symbol.end]
            held.setdefault(symbol.qualname, []).append(
                _Definition(source.document.line_at(symbol.outer), text)
            )
    return held


def _is_meant(symbol: Symbol, name: str) -> bool:
    return fnmatchcase(symbol.qualname, name) or symbol.qualname.endswith(f".{name}")
