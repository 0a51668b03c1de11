"""Definitions that nobody may change by an edit."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.gates.policy.judged import Judged
from gitscalpel.globs import Globs
from gitscalpel.report import Finding, quoted
from gitscalpel.snapshot import Snapshot
from gitscalpel.syntax.languages import recognise
from gitscalpel.syntax.readers.bound import STAR, bound
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text.document import BYTES

_LONE_RETURN = re.compile(rb"\r(?!\n)")
_EVERYTHING = frozenset({""})


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
            old, new = judged.before(path), judged.after(path)
            before, after = (_held(path, text, name) for text in (old, new))
            if before is None or after is None:
                yield path, name, pattern, 1
                continue
            rebound = _rebound(path, old, new) if before else ()
            for symbol in before:
                # A second one of the name takes its place, and so does whatever else binds it.
                texts = [[each.text for each in held.get(symbol, [])] for held in (before, after)]
                if texts[0] != texts[1] or not _names_of(symbol).isdisjoint(rebound):
                    yield path, symbol, pattern, before[symbol][0].line


def _rebound(path: str, before: bytes, after: bytes) -> Collection[str]:
    """The names that a change binds in another way than before; all of them where that cannot be said."""
    if len(_LONE_RETURN.findall(after)) > len(_LONE_RETURN.findall(before)):
        return _EVERYTHING  # many languages end a line there, and with it a comment; the grammars do not
    language = recognise(path, after)
    if language is None or language.reader != "python":
        return ()
    old, new = bound(before), bound(after)
    if old is None:
        return ()
    return _EVERYTHING if new is None else {name for name in {*old, *new} if old.get(name) != new.get(name)}


def _names_of(symbol: str) -> set[str]:
    """Its name, those of what it is in, and what may bind any name."""
    parts = symbol.split(".")
    return {STAR, *_EVERYTHING, *(".".join(parts[:end]) for end in range(1, len(parts) + 1))}


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
