"""Find names of definitions in documentation, rename them, and report stale samples.

Names are searched in the code of Markdown and reStructuredText (spans, fences, blocks) and in headings. A
top-level definition is matched by its name, a member after its owner or in a call on some object. A line that
may mean another definition of the same name is not reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import accumulate
from types import MappingProxyType
from typing import NamedTuple

from gitscalpel.changesets.answers import StaleDoc, quote_path
from gitscalpel.edit.outcome import FileSplices, Outcome
from gitscalpel.names.files import Files
from gitscalpel.syntax.documentation import (
    Arity,
    DescribedParameter,
    arity_of,
    documentation_of,
    list_described,
    parameter_names,
)
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbol_changes import Intent, find_changes
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text.splice import Splice

PROSE_SUFFIXES = (".md", ".markdown", ".mdx", ".rst")
_FENCE_LINE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})")
_HEADING_LINE = re.compile(r" {0,3}#{1,6}\s")
_CODE_SPAN = re.compile(r"(?P<marks>`+)(?P<code>.+?)(?<!`)(?P=marks)(?!`)")
_BLOCK_LINE = re.compile(
    r"(?P<indent>\s*)(?:\.\. (?:code-block|code|sourcecode|doctest)::|.*(?<!:)::\s*$|>>> )"
)
_UNDERLINE_LINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}\s*$")


class CodeSpan(NamedTuple):
    """A piece of code in prose: its line from 1, its first column from 0 in characters, its text."""

    line: int
    column: int
    text: str


def iter_code_spans(path: str, text: str) -> Iterator[CodeSpan]:
    """Yield the code and the headings of a prose file, by line."""
    lines = text.split("\n")
    yield from _iter_restructured(lines) if path.endswith(".rst") else _iter_markdown(lines)


def _iter_markdown(lines: list[str]) -> Iterator[CodeSpan]:
    fence = ""
    for number, line in enumerate(lines, 1):
        marks = _FENCE_LINE.match(line)
        if fence:
            if marks and marks["marks"].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            else:
                yield CodeSpan(number, 0, line)
        elif marks:
            fence = marks["marks"]
        elif _HEADING_LINE.match(line):
            yield CodeSpan(number, 0, line)
        else:
            yield from _iter_inline_code(number, line)


def _iter_restructured(lines: list[str]) -> Iterator[CodeSpan]:
    around: int | None = None
    for number, line in enumerate(lines, 1):
        indent = len(line) - len(line.lstrip())
        if around is not None and line.strip() and indent <= around:
            around = None
        if around is not None or line.lstrip().startswith(">>> "):
            yield CodeSpan(number, 0, line)
            continue
        block = _BLOCK_LINE.match(line)
        around = len(block["indent"]) if block else None
        underlined = number < len(lines) and _UNDERLINE_LINE.match(lines[number]) and line.strip()
        yield from [CodeSpan(number, 0, line)] if underlined else _iter_inline_code(number, line)


def _iter_inline_code(number: int, line: str) -> Iterator[CodeSpan]:
    for found in _CODE_SPAN.finditer(line):
        yield CodeSpan(number, found.start("code"), found["code"])


def last_name(symbol: str) -> str:
    return re.sub(r"#\d+$|\[\d+\]$", "", symbol).rpartition(".")[2]


def name_patterns(symbol: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns for a name and for a call of a symbol; the group ``name`` is its last name."""
    owner, _, name = re.sub(r"#\d+", "", symbol).rpartition(".")
    word = rf"(?P<name>{re.escape(name)})(?!\w)"
    if not owner:
        return re.compile(rf"(?<!\w){word}"), re.compile(rf"(?<!\w){word}\s*\(")
    owner_prefix = rf"(?<!\w){re.escape(owner.rpartition('.')[2])}(?:\.|::|#)"
    return re.compile(rf"(?:{owner_prefix}|\.(?=\w+\s*\()){word}"), re.compile(
        rf"(?:{owner_prefix}|\.){word}\s*\("
    )


def rename_in_prose(files: Files, paths: Iterable[str], symbol: str, to: str) -> Iterator[FileSplices]:
    pattern, _ = name_patterns(symbol)
    for path in paths:
        source = files.source(path) if path.lower().endswith(PROSE_SUFFIXES) else None
        if source is None:
            continue
        lines = source.text.decode("utf-8", "surrogateescape").split("\n")
        starts = [0, *accumulate(len(line.encode("utf-8", "surrogateescape")) + 1 for line in lines)]
        splices = []
        for piece in iter_code_spans(path, "\n".join(lines)):
            for found in pattern.finditer(piece.text):
                before = lines[piece.line - 1][: piece.column + found.start("name")]
                start = starts[piece.line - 1] + len(before.encode("utf-8", "surrogateescape"))
                end = start + len(found["name"].encode("utf-8", "surrogateescape"))
                splices.append(Splice(start, end, to.encode("utf-8", "surrogateescape")))
        if splices:
            yield FileSplices(path, tuple(splices))


_OPENING, _CLOSING, _QUOTES = "([{", ")]}", "\"'`"
_NAMED_ARGUMENT = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\s*=(?![=>])")
_OMISSION_MARKS = ("...", "\N{HORIZONTAL ELLIPSIS}", "[,")
"""Marks of a call that omits arguments."""


class SampleCall(NamedTuple):
    """Arguments of a call: the number of positional ones, and the names of the others."""

    by_place: int
    by_name: frozenset[str]


def parse_call(text: str, at: int) -> SampleCall | None:
    """Return the arguments of the call whose bracket opens before ``at``, or None if some are omitted."""
    arguments = _split_arguments(text, at)
    if arguments is None or any(mark in each for each in arguments for mark in _OMISSION_MARKS):
        return None
    if any(each.lstrip().startswith("*") for each in arguments):
        return None
    named = [_NAMED_ARGUMENT.match(each) for each in arguments]
    return SampleCall(named.count(None), frozenset(each["name"] for each in named if each))


def _split_arguments(text: str, at: int) -> list[str] | None:
    found, start, depth, quote = [], at, 0, ""
    for index in range(at, len(text)):
        sign = text[index]
        if quote:
            quote = "" if sign == quote and text[index - 1] != "\\" else quote
        elif sign in _QUOTES:
            quote = sign
        elif sign in _OPENING:
            depth += 1
        elif sign in _CLOSING:
            depth -= 1
        if depth < 0 or (sign == "," and not depth and not quote):
            found.append(text[start:index])
            start = index + 1
        if depth < 0:
            return [each for each in found if each.strip()]
    return None


KINDS = ("delete", "rename", "signature_change")
_NOWHERE: Mapping[str, str] = MappingProxyType({})
_MAX_DEFINITIONS = 20
"""Largest number of definitions to search for in prose; each costs a search of the tree."""
_MAX_FILES = 200
"""Largest number of prose files with the word to read."""
_MAX_LINES = 200
"""Largest number of lines to report."""
_MAX_NAMESAKE_FILES = 30
"""Largest number of code files to search for another definition of the name."""


class StaleDocumentation(NamedTuple):
    """Documentation that an edit made stale, and a message for each part that was not searched."""

    rows: tuple[StaleDoc, ...]
    skipped: tuple[str, ...]


class _SymbolsByName:
    """Symbols of a text by name, read once for all changes in it."""

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
        return self._by_name.get(symbol)


class _ChangedDefinition(NamedTuple):
    path: str
    intent: Intent
    before: _SymbolsByName
    after: _SymbolsByName


def find_stale(outcome: Outcome, origins: Mapping[str, str] = _NOWHERE) -> StaleDocumentation:
    """Return the documentation that an edit made stale; ``origins`` maps new paths to old ones."""
    changed = list(_iter_changed(outcome, origins))
    skipped: list[str] = []
    found = {row: None for each in changed for row in _find_stale_description(each)}
    prose = [each for each in changed if _is_searchable(each.intent)]
    if len(prose) > _MAX_DEFINITIONS:
        skipped.append(
            f"skipped: documentation of {len(prose) - _MAX_DEFINITIONS} further definitions was not searched"
        )
    for each in prose[:_MAX_DEFINITIONS]:
        found |= dict.fromkeys(_find_stale_prose(outcome, each, skipped))
    rows = sorted(found, key=lambda row: (row.path, row.line))
    if len(rows) > _MAX_LINES:
        skipped.append(
            f"skipped: {len(rows) - _MAX_LINES} further lines of stale documentation are not listed"
        )
    return StaleDocumentation(tuple(rows[:_MAX_LINES]), tuple(skipped))


def _iter_changed(outcome: Outcome, origins: Mapping[str, str]) -> Iterator[_ChangedDefinition]:
    overlay, moved = outcome.overlay, {*origins.values()}
    for each in outcome.changes:
        if each.new is None and each.path in moved:
            continue
        contents = overlay.before(origins.get(each.path, each.path)), overlay.content(each.path)
        if outcome.keeps_definitions(each.path, *contents):
            continue
        before, after = (None if text is None else outcome.read(each.path, text).judged for text in contents)
        if before is None or (after is None and contents[1] is not None):
            continue
        named = _SymbolsByName(before), _SymbolsByName(after)
        for intent in find_changes(before, after, outcome.evidence(each.path)):
            if intent.kind in KINDS and intent.defines:
                yield _ChangedDefinition(each.path, intent, *named)


def _is_searchable(intent: Intent) -> bool:
    """Return True if a name is long enough to search for; ``x`` in prose may mean anything."""
    return len(last_name(intent.symbol)) > 2


def _find_stale_description(changed: _ChangedDefinition) -> Iterator[StaleDoc]:
    path, intent, before, after = changed
    if intent.kind == "delete" or after.outline is None:
        return
    was, now = before.get(intent.symbol), after.get(intent.to or intent.symbol)
    if was is None or now is None:
        return
    had, has = parameter_names(was) or (), parameter_names(now) or ()
    described, first = _read_description(after.outline, now)
    names = {each.name for each in described}
    for each in described:
        if each.name in had and each.name not in has:
            why = f"it describes {each.name}, which is no longer a parameter of {intent.to or intent.symbol}"
            yield StaleDoc(quote_path(path), first + each.line, why)
    missing = [name for name in has if name not in had and name not in names]
    if names & {*had, *has} and missing:
        line = first + described[-1].line
        yield StaleDoc(
            quote_path(path), line, f"it does not describe {', '.join(missing)}, but describes others"
        )


def _read_description(outline: Outline, symbol: Symbol) -> tuple[list[DescribedParameter], int]:
    found = documentation_of(outline, symbol)
    return list_described(found.text), outline.syntax.text.count(b"\n", 0, found.start) + 1


def _find_stale_prose(
    outcome: Outcome, changed: _ChangedDefinition, skipped: list[str]
) -> Iterator[StaleDoc]:
    """Yield the lines of prose that name a deleted definition, or call a changed one with old arguments."""
    intent = changed.intent
    judge = _CallJudge(changed) if intent.kind == "signature_change" else _NameJudge(outcome, intent)
    if not judge.may_be_stale:
        return
    why = {
        "delete": f"it names {intent.symbol}, which is gone",
        "rename": f"it names {intent.symbol}, which is now called {intent.to}",
        "signature_change": f"it calls {intent.symbol}, whose signature has changed",
    }[intent.kind]
    paths = _find_prose_files(outcome, last_name(intent.symbol))
    if len(paths) > _MAX_FILES:
        more = len(paths) - _MAX_FILES
        skipped.append(f"skipped: {more} further files of documentation contain {last_name(intent.symbol)}")
    for path in paths[:_MAX_FILES]:
        source = outcome.read(path, outcome.overlay.content(path) or b"")
        for piece in iter_code_spans(path, source.text.decode("utf-8", "replace")):
            if judge.is_stale(piece.text):
                yield StaleDoc(quote_path(path), piece.line, why)


class _NameJudge:
    """Judge of lines that may name a deleted definition."""

    may_be_stale = True

    def __init__(self, outcome: Outcome, intent: Intent) -> None:
        self._outcome = outcome
        self._symbol = intent.symbol
        self._pattern, _ = name_patterns(intent.symbol)

    def is_stale(self, text: str) -> bool:
        """Return True if a piece of code names the deleted definition and no other of its name."""
        own = self._symbol.rpartition(".")[0].rpartition(".")[2]
        for found in self._pattern.finditer(text):
            if (own and found[0].startswith(own)) or not self._has_namesake:
                return True
        return False

    @cached_property
    def _has_namesake(self) -> bool:
        """True if another definition of the tree has the name, or too many files may have one."""
        name = last_name(self._symbol)
        paths = [
            path
            for path in self._outcome.overlay.mentions(name)
            if not path.lower().endswith(PROSE_SUFFIXES) and self._has_word(path, name)
        ]
        return len(paths) > _MAX_NAMESAKE_FILES or any(self._defines(path, name) for path in paths)

    def _has_word(self, path: str, name: str) -> bool:
        text = self._outcome.overlay.content(path) or b""
        return any(True for _ in Mention.places(name, text))

    def _defines(self, path: str, name: str) -> bool:
        judged = self._outcome.read(path, self._outcome.overlay.content(path) or b"").judged
        return judged is not None and any(
            each.name == name and each.defines and not each.local for each in _walk(judged.symbols)
        )


def _walk(symbols: Iterable[Symbol]) -> Iterator[Symbol]:
    waiting = [*symbols]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += each.children


class _CallJudge:
    """Judge of lines that may call a definition with arguments that it no longer takes."""

    def __init__(self, changed: _ChangedDefinition) -> None:
        self._owner = changed.intent.symbol.rpartition(".")[0].rpartition(".")[2]
        _, self._pattern = name_patterns(changed.intent.symbol)
        self._was, self._now = (_find_arity(each, changed.intent.symbol) for each in changed[2:])

    @property
    def may_be_stale(self) -> bool:
        return self._was is not None and self._now is not None and self._was != self._now

    def is_stale(self, text: str) -> bool:
        """Return True if a piece of code calls the definition with arguments that no longer fit."""
        for found in self._pattern.finditer(text):
            call = parse_call(text, found.end())
            on_owner = bool(self._owner) and found[0].startswith(self._owner)
            fitted = call is not None and self._fits(self._was, call, on_owner)
            if call is not None and fitted and not self._fits(self._now, call, on_owner):
                return True
        return False

    @staticmethod
    def _fits(takes: Arity | None, call: SampleCall, on_owner: bool) -> bool:
        assert takes is not None  # noqa: S101 - `may_be_stale` is False otherwise
        with_receiver = on_owner and takes.has_receiver and call.by_place
        return takes.accepts(*call) or bool(with_receiver and takes.accepts(call.by_place - 1, call.by_name))


def _find_arity(named: _SymbolsByName, symbol: str) -> Arity | None:
    found = named.get(symbol)
    return None if found is None else arity_of(found)


def _find_prose_files(outcome: Outcome, word: str) -> list[str]:
    return [path for path in outcome.overlay.mentions(word) if path.lower().endswith(PROSE_SUFFIXES)]
