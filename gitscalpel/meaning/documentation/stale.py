"""What documentation says of definitions that an edit has deleted, renamed or given another signature.

A docstring or comment is held against the parameters: it is stale where it describes one that was taken
away, or leaves out a new one beside others that it describes. Prose is looked through for code that names
what is gone, or calls a definition with arguments that fitted before the edit and do not fit any more. A line
that may mean something else of the same name is not reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from gitscalpel.changesets.answers import StaleDoc, quoted
from gitscalpel.edit.outcome import Outcome
from gitscalpel.meaning.documentation import spans
from gitscalpel.meaning.documentation.naming import last, naming
from gitscalpel.meaning.documentation.sample_calls import SampleCall, parse_call
from gitscalpel.syntax.documentation.described import Described, described, documentation
from gitscalpel.syntax.documentation.parameters import Arity, arity, parameters
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbol_changes import Intent, changes
from gitscalpel.syntax.symbols import Symbol

KINDS = ("delete", "rename", "signature_change")
_NOWHERE: Mapping[str, str] = MappingProxyType({})
_MOST = 20
"""Definitions that prose is looked through for: each is a search through the tree."""
_MOST_FILES = 200
"""Files of prose that hold the word."""
_MOST_LINES = 200
"""Lines of prose that are reported."""
_MOST_NAMESAKES = 30
"""Files of code in which another definition of the name is looked for."""


class Stale(NamedTuple):
    """Documentation that an edit made untrue, and a sentence for each part that was not looked through."""

    rows: tuple[StaleDoc, ...]
    skipped: tuple[str, ...]


class _Named:
    """The symbols of a text by their names, read once for all that has changed in it."""

    def __init__(self, outline: Outline | None) -> None:
        self.outline = outline

    @cached_property
    def _by_name(self) -> dict[str, Symbol | None]:
        found: dict[str, Symbol | None] = {}
        for each in self.outline.walk() if self.outline is not None else ():
            name = each.qualname
            found[name] = None if name in found else each
        return found

    def get(self, symbol: str) -> Symbol | None:
        """Return the symbol of a name; None if there is none, or several have that name."""
        return self._by_name.get(symbol)


class _Changed(NamedTuple):
    path: str
    intent: Intent
    before: _Named
    after: _Named


def find_stale(outcome: Outcome, origins: Mapping[str, str] = _NOWHERE) -> Stale:
    """Return the documentation that an edit made untrue, by file and line.

    Args:
        outcome: the edit.
        origins: the former paths of new files.
    """
    changed = list(_changed(outcome, origins))
    skipped: list[str] = []
    found = {row: None for each in changed for row in _described(each)}
    prose = [each for each in changed if _is_public(each.intent)]
    if len(prose) > _MOST:
        skipped.append(f"skipped: documentation of {len(prose) - _MOST} further definitions was not searched")
    for each in prose[:_MOST]:
        found |= dict.fromkeys(_mentioned(outcome, each, skipped))
    rows = sorted(found, key=lambda row: (row.path, row.line))
    if len(rows) > _MOST_LINES:
        skipped.append(
            f"skipped: {len(rows) - _MOST_LINES} further lines of stale documentation are not listed"
        )
    return Stale(tuple(rows[:_MOST_LINES]), tuple(skipped))


def _changed(outcome: Outcome, origins: Mapping[str, str]) -> Iterator[_Changed]:
    overlay, moved = outcome.overlay, {*origins.values()}
    for each in outcome.changes:
        if each.new is None and each.path in moved:
            continue
        both = overlay.before(origins.get(each.path, each.path)), overlay.content(each.path)
        before, after = (None if text is None else outcome.read(each.path, text).judged for text in both)
        if before is None or (after is None and both[1] is not None):
            continue
        named = _Named(before), _Named(after)
        for intent in changes(before, after, outcome.evidence(each.path)):
            if intent.kind in KINDS and intent.defines:
                yield _Changed(each.path, intent, *named)


def _is_public(intent: Intent) -> bool:
    """Whether its name says enough to be looked for: prose that says ``x`` may mean anything."""
    return len(last(intent.symbol)) > 2


def _described(changed: _Changed) -> Iterator[StaleDoc]:
    """What the definition's own documentation says."""
    path, intent, before, after = changed
    if intent.kind == "delete" or after.outline is None:
        return
    was, now = before.get(intent.symbol), after.get(intent.to or intent.symbol)
    if was is None or now is None:
        return
    had, has = parameters(was) or (), parameters(now) or ()
    told, first = _documentation(after.outline, now)
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
    """Return the parameters that are described of a symbol, and the line in which that text begins."""
    found = documentation(outline, symbol)
    return described(found.text), outline.syntax.text.count(b"\n", 0, found.start) + 1


def _mentioned(outcome: Outcome, changed: _Changed, skipped: list[str]) -> Iterator[StaleDoc]:
    """Yield the lines of prose that name what is gone, or call what takes something else now."""
    intent = changed.intent
    judge = _Calls(changed) if intent.kind == "signature_change" else _Names(outcome, intent)
    if not judge.may_be_stale:
        return
    why = {
        "delete": f"it names {intent.symbol}, which is gone",
        "rename": f"it names {intent.symbol}, which is called {intent.to} now",
        "signature_change": f"it calls {intent.symbol}, which has another signature now",
    }[intent.kind]
    paths = _prose(outcome, last(intent.symbol))
    if len(paths) > _MOST_FILES:
        more = len(paths) - _MOST_FILES
        skipped.append(f"skipped: {more} further files of documentation that hold {last(intent.symbol)}")
    for path in paths[:_MOST_FILES]:
        source = outcome.read(path, outcome.overlay.content(path) or b"")
        for piece in spans.code(path, source.text.decode("utf-8", "replace")):
            if judge.is_stale(piece.text):
                yield StaleDoc(quoted(path), piece.line, why)


class _Names:
    """Lines that name a definition that is gone, and nothing else that is called so."""

    may_be_stale = True

    def __init__(self, outcome: Outcome, intent: Intent) -> None:
        self._outcome = outcome
        self._symbol = intent.symbol
        self._pattern, _ = naming(intent.symbol)

    def is_stale(self, text: str) -> bool:
        """Return True if a piece of code names what is gone."""
        own = self._symbol.rpartition(".")[0].rpartition(".")[2]
        for found in self._pattern.finditer(text):
            if (own and found[0].startswith(own)) or not self._has_namesake:
                return True
        return False

    @cached_property
    def _has_namesake(self) -> bool:
        """Whether another definition of the tree has the name, or too many files may have one."""
        name = last(self._symbol)
        paths = [
            path
            for path in self._outcome.overlay.mentions(name)
            if not path.lower().endswith(spans.SUFFIXES) and self._holds(path, name)
        ]
        return len(paths) > _MOST_NAMESAKES or any(self._defines(path, name) for path in paths)

    def _holds(self, path: str, name: str) -> bool:
        text = self._outcome.overlay.content(path) or b""
        return any(True for _ in Mention.places(name, text))

    def _defines(self, path: str, name: str) -> bool:
        judged = self._outcome.read(path, self._outcome.overlay.content(path) or b"").judged
        return judged is not None and any(
            each.name == name and each.defines and not each.local for each in _all(judged.symbols)
        )


def _all(symbols: Iterable[Symbol]) -> Iterator[Symbol]:
    waiting = [*symbols]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += each.children


class _Calls:
    """Lines that call a definition with arguments that it took before the edit, and takes no more."""

    def __init__(self, changed: _Changed) -> None:
        self._owner = changed.intent.symbol.rpartition(".")[0].rpartition(".")[2]
        _, self._pattern = naming(changed.intent.symbol)
        self._was, self._now = (_arity(each, changed.intent.symbol) for each in changed[2:])

    @property
    def may_be_stale(self) -> bool:
        """Whether what the definition takes is known, and has changed."""
        return self._was is not None and self._now is not None and self._was != self._now

    def is_stale(self, text: str) -> bool:
        """Return True if a piece of code calls it with arguments that do not fit any more."""
        for found in self._pattern.finditer(text):
            call = parse_call(text, found.end())
            on_owner = bool(self._owner) and found[0].startswith(self._owner)
            fitted = call is not None and self._fits(self._was, call, on_owner)
            if call is not None and fitted and not self._fits(self._now, call, on_owner):
                return True
        return False

    @staticmethod
    def _fits(takes: Arity | None, call: SampleCall, on_owner: bool) -> bool:
        assert takes is not None  # noqa: S101 - else nothing is looked for
        with_receiver = on_owner and takes.has_receiver and call.by_place
        return takes.accepts(*call) or bool(with_receiver and takes.accepts(call.by_place - 1, call.by_name))


def _arity(named: _Named, symbol: str) -> Arity | None:
    found = named.get(symbol)
    return None if found is None else arity(found)


def _prose(outcome: Outcome, word: str) -> list[str]:
    return [path for path in outcome.overlay.mentions(word) if path.lower().endswith(spans.SUFFIXES)]
