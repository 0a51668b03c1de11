"""Definitions that nobody may change by an edit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.gates.policy.judged import Judged
from gitscalpel.globs import Globs
from gitscalpel.report import Finding, quoted
from gitscalpel.syntax.symbols import Symbol


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
        for path in Globs([where]).among(judged.paths):
            before, after = (_held(path, text, name) for text in (judged.before(path), judged.after(path)))
            if before is None or after is None:
                yield path, name, pattern, 1
                continue
            for symbol, line, text in before:
                if (symbol, text) not in [(other, now) for other, _, now in after]:
                    yield path, symbol, pattern, line


def _held(path: str, content: bytes, name: str) -> list[tuple[str, int, bytes]] | None:
    """The definitions of that name: path, line, text; None where it cannot be said which there are."""
    try:
        source = Source.read(path, content)
    except DoesNotFit:
        return None
    if source.judged is None or source.judged.syntax.faults:
        return None if content else []
    found = (symbol for symbol in source.judged.walk() if _is_meant(symbol, name))
    return [(s.qualname, source.document.line_at(s.outer), source.text[s.outer : s.end]) for s in found]


def _is_meant(symbol: Symbol, name: str) -> bool:
    return fnmatchcase(symbol.qualname, name) or symbol.qualname.endswith(f".{name}")
