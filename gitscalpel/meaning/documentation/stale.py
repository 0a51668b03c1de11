"""What documentation says of definitions that an edit has deleted, renamed or given another signature.

A docstring or comment is held against the parameters: it is stale where it describes one that was taken
away, or leaves out a new one beside others that it describes. Prose is looked through for code that names
or calls the definition. What was untrue before the edit is not told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import ScalpelError
from gitscalpel.meaning.documentation import spans
from gitscalpel.meaning.documentation.described import Described, described
from gitscalpel.meaning.documentation.naming import last, naming
from gitscalpel.meaning.documentation.parameters import parameters
from gitscalpel.report import StaleDoc, quoted
from gitscalpel.syntax.changes import Intent, changes
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.resolve import resolve
from gitscalpel.syntax.symbols import Symbol

KINDS = ("delete", "rename", "signature_change")
_NOWHERE: Mapping[str, str] = MappingProxyType({})
_MOST = 20
"""Definitions that prose is looked through for: each is a search through the tree."""
_MOST_FILES = 200
"""Files of prose that hold the word."""


class _Changed(NamedTuple):
    path: str
    intent: Intent
    before: Outline | None
    after: Outline | None


def stale(outcome: Outcome, origins: Mapping[str, str] = _NOWHERE) -> tuple[StaleDoc, ...]:
    """What an edit has made untrue, by file and line; ``origins``: where new files were before."""
    changed = list(_changed(outcome, origins))
    found = [row for each in changed for row in _described(each)]
    prose = [each for each in changed if _is_public(each.intent)]
    found += [row for each in prose[:_MOST] for row in _mentioned(outcome, each)]
    return tuple(dict.fromkeys(sorted(found, key=lambda row: (row.path, row.line))))


def _changed(outcome: Outcome, origins: Mapping[str, str]) -> Iterator[_Changed]:
    overlay, moved = outcome.overlay, {*origins.values()}
    for each in outcome.changes:
        if each.new is None and each.path in moved:
            continue
        both = overlay.before(origins.get(each.path, each.path)), overlay.content(each.path)
        before, after = (None if text is None else outcome.read(each.path, text).judged for text in both)
        if before is None or (after is None and both[1] is not None):
            continue
        for intent in changes(before, after):
            if intent.kind in KINDS and intent.defines:
                yield _Changed(each.path, intent, before, after)


def _is_public(intent: Intent) -> bool:
    """Whether its name says enough to be looked for: prose that says ``x`` may mean anything."""
    return len(last(intent.symbol)) > 2


def _described(changed: _Changed) -> Iterator[StaleDoc]:
    """What the definition's own documentation says."""
    path, intent, before, after = changed
    if intent.kind == "delete" or before is None or after is None:
        return
    try:
        was, now = resolve(before, f"/{intent.symbol}"), resolve(after, f"/{intent.to or intent.symbol}")
    except ScalpelError:  # several have that name
        return
    had, has = parameters(was) or (), parameters(now) or ()
    told, first = _documentation(after, now)
    names = {each.name for each in told}
    for each in told:
        if each.name in had and each.name not in has:
            why = f"it describes {each.name}, which {intent.to or intent.symbol} does not take any more"
            yield StaleDoc(quoted(path), first + each.line, why)
    missing = [name for name in has if name not in had and name not in names]
    if names & {*had, *has} and missing:
        line = first + told[-1].line
        yield StaleDoc(quoted(path), line, f"it does not describe {', '.join(missing)}, and describes others")


def _documentation(outline: Outline, symbol: Symbol) -> tuple[list[Described], int]:
    """The parameters that are described of a symbol, and the line in which that text begins."""
    text = outline.syntax.text
    start, end = symbol.outer, symbol.start
    body = symbol.body_node
    for node in outline.nodes("doc"):
        if node.id in outline.docstrings and body is not None and _opens(node.parent, body.id):
            start, end = node.start_byte, node.end_byte
    found = described(text[start:end].decode("utf-8", "replace"))
    return found, text.count(b"\n", 0, start) + 1


def _opens(node: object, block: int) -> bool:
    """Whether a string's statement, or the string itself, stands in a block."""
    parent = getattr(node, "parent", None)
    return getattr(node, "id", None) == block or getattr(parent, "id", None) == block


def _mentioned(outcome: Outcome, changed: _Changed) -> Iterator[StaleDoc]:
    """Where prose names it, or calls what takes something else now."""
    intent = changed.intent
    names, calls = naming(intent.symbol)
    pattern = calls if intent.kind == "signature_change" else names
    why = {
        "delete": f"it names {intent.symbol}, which is gone",
        "rename": f"it names {intent.symbol}, which is called {intent.to} now",
        "signature_change": f"it calls {intent.symbol}, which has another signature now",
    }[intent.kind]
    for path in _prose(outcome, last(intent.symbol)):
        source = outcome.read(path, outcome.overlay.content(path) or b"")
        for piece in spans.code(path, source.text.decode("utf-8", "replace")):
            if pattern.search(piece.text):
                yield StaleDoc(quoted(path), piece.line, why)


def _prose(outcome: Outcome, word: str) -> Iterable[str]:
    found = (path for path in outcome.overlay.mentions(word) if path.lower().endswith(spans.SUFFIXES))
    return [path for _, path in zip(range(_MOST_FILES), found, strict=False)]
