"""Distinguish broken C and C++ code from code that only the grammar does not know, as a compiler would.

The text is read in parts, one branch of each ``#if`` at a time. A part that does not parse is read again
without names that are macros by convention, with macros expanded if their definitions are known, and with
simpler words in place of unknown macros.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Protocol

import msgspec

from gitscalpel.syntax import c_macros
from gitscalpel.syntax.c_conditionals import (
    COMMENT,
    LITERAL,
    Branch,
    CodeItem,
    Conditionals,
    Region,
    blank_out,
    find_regions,
    has_directive,
    split_parts,
)
from gitscalpel.syntax.c_macros import MacroDefinition, MacroTable, find_definitions
from gitscalpel.syntax.damage import Repair, find_repair, has_impossible_pair, has_non_code
from gitscalpel.syntax.languages import Language
from gitscalpel.syntax.symbols import Span

_ALTERNATIVES = 3  # definitions of one macro that are tried
_NAMES, _NAMES_OF_ITEM = 80, 20  # possible macros looked up in other files, for one text and for one part
_AROUND = 300
_NEAR = 800  # bytes next to an error in which macros are expanded
# Pairs of ``is_masked`` and ``takes_newer``, in order of trial.
_MODES = ((False, False), (True, False), (False, True), (True, True))
_CHUNK = 4_000  # bytes that are parsed together
_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include\b", re.MULTILINE)
_IDENTIFIER = re.compile(rb"[A-Za-z_]\w*")
_LAST = re.compile(rb"[A-Za-z_]\w*(?=\s*\Z)")  # a name at the end of a text


class Parser(Protocol):
    """Parses texts in one language, within a time budget."""

    @property
    def is_exhausted(self) -> bool:
        """True once the time budget is used up."""

    def places(self, text: bytes, *, is_masked: bool, takes_newer: bool) -> list[Span] | None:
        """Return the stretches that do not parse, or None if parsing takes too long."""


class Definitions(Protocol):
    """Finds definitions of macros in other files."""

    def find(self, names: Iterable[bytes]) -> dict[bytes, list[MacroDefinition]]: ...


class Verdict(msgspec.Struct, frozen=True):
    """The verdict on a text."""

    is_broken: bool = False
    unknown: int | None = None  # the first place that cannot be judged; None if there is none
    is_certain: bool = False  # True if no other file can repair a broken text


SOUND, BROKEN, DAMAGED = Verdict(), Verdict(True), Verdict(True, is_certain=True)


def _combine_verdicts(verdicts: Iterable[Verdict]) -> Verdict:
    result = SOUND
    for verdict in verdicts:
        if verdict.is_broken:
            return verdict
        if result.unknown is None:
            result = verdict
    return result


class CText:
    """One C or C++ text that does not parse."""

    def __init__(self, language: Language, text: bytes, parser: Parser, definitions: Definitions) -> None:
        self._language, self._text = language, text
        self._parser, self._definitions = parser, definitions
        self._faults: dict[bytes, list[Span] | None] = {}
        self._modes: dict[bytes, tuple[bool, bool]] = {}
        self._known: dict[bytes, Verdict] = {}
        self._shapes: dict[bytes, c_macros.Shape] = {}
        self._table = MacroTable({}, {})
        self._plain = _blank_directives(text)
        self._code = _COMMENTS.sub(_blank_comment, self._plain)
        self._is_too_large = False

    def judge(self) -> Verdict:
        try:
            conditionals = Conditionals(self._language, self._text)
            regions = find_regions(conditionals)
        except ValueError:
            return BROKEN
        code = _LITERALS.sub(_blank_literal, conditionals.without_dead())
        if _STRAY.search(code) or has_non_code(code, c_macros.KEYWORDS):
            return BROKEN
        self._read_chunks(regions)
        self._find_macros(regions)
        self._uses = c_macros.NameUses(_COMMENTS.sub(_blank_comment, conditionals.read(True).text))
        return _combine_verdicts(map(self._judge_region, regions))

    def _read_chunks(self, regions: list[Region]) -> None:
        """Parse adjacent parts together, since most of them parse."""
        chunk: list[Region] = []
        for region in [*regions, None]:
            added = [region] if region and region.item and region.item.kind == "whole" else []
            if chunk and added:
                first, last = chunk[0], added[0]
                if last.owner == first.owner and last.span.end - first.span.start < _CHUNK:
                    chunk += added
                    continue
            if len(chunk) > 1:
                self._read_chunk([each.item for each in chunk if each.item])
            chunk = added

    def _read_chunk(self, items: list[CodeItem]) -> None:
        whole = msgspec.structs.replace(items[0], end=items[-1].end)
        if self._parser.places(whole.text(self._plain), is_masked=False, takes_newer=False) == []:
            self._faults.update((each.text(self._plain), []) for each in items)

    def _judge_region(self, region: Region) -> Verdict:
        if region.item is not None:
            return self._judge_items([region.item], self._plain, 0)
        text = self._text[region.span.start : region.span.end]
        if not has_directive(text):
            return self._judge_text(_blank_directives(text), region)
        return self._judge_branches(Conditionals(self._language, text), region)

    def _judge_branches(self, conditionals: Conditionals, region: Region) -> Verdict:
        """Return the verdict on a text each of whose branches must parse in at least one reading."""
        covered: set[Branch] = set()
        result = SOUND
        for number, reading in enumerate(conditionals.readings()):
            verdict = self._judge_text(reading.text, region)
            if not verdict.is_broken:
                covered |= reading.branches
                result = verdict if result.unknown is None else result
            elif not number:
                result = BROKEN
        if result.is_broken and covered:
            result = SOUND
        for branch in conditionals.branches():
            if branch in covered:
                continue
            verdict = self._judge_text(conditionals.around(branch).text, region)
            if verdict.is_broken:
                return verdict
            result = verdict if result.unknown is None else result
        return result

    def _judge_text(self, text: bytes, region: Region) -> Verdict:
        try:
            parts = split_parts(text, region.owner)
        except ValueError:
            return BROKEN
        return self._judge_items(parts.items, text, region.span.start)

    def _judge_items(self, items: list[CodeItem], text: bytes, offset: int) -> Verdict:
        return _combine_verdicts(self._judge_item(item, text, offset) for item in items)

    def _judge_item(self, item: CodeItem, text: bytes, offset: int) -> Verdict:
        part, start = item.text(text), offset + item.start
        if part not in self._known:
            self._known[part] = self._judge_part(part, start, item.lead)
        verdict = self._known[part]
        if verdict.is_broken and not verdict.is_certain and self._has_include(start, offset + item.end):
            return Verdict(unknown=start)
        return verdict

    def _has_include(self, start: int, end: int) -> bool:
        """Return True if the rest of a list or an expression is in another file."""
        includes = (match.start() for match in _INCLUDE.finditer(self._text, start, end))
        return any(self._code[:at].rstrip()[-1:] in (b"{", b",", b"=", b"(") for at in includes)

    def _judge_part(self, part: bytes, offset: int, lead: int) -> Verdict:
        places = self._parse_best(part)
        if places == []:
            return SOUND
        if places and self._is_damaged(part, places, is_certain=True):
            return DAMAGED
        tried_texts, damaged_names = {part}, self._find_damaged(part)
        self._is_too_large = False
        ranges = [(place.start - _NEAR, place.end + _NEAR) for place in places or ()]
        for choice in range(_ALTERNATIVES):
            expanded = self._table.expand(part, offset - lead, choice, damaged_names, ranges)
            self._is_too_large |= expanded is None
            if expanded is None or expanded in tried_texts:
                continue
            tried_texts.add(expanded)
            if self._parse_best(expanded) == []:
                return SOUND
        for shown in sorted(tried_texts, key=len):
            macros = c_macros.find_macros(
                shown, self._try_parse, self._may_be_macro, self._shapes, self._uses
            )
            if macros.left is None:
                self._shapes.update(macros.shapes)
                return SOUND
        return BROKEN if places and self._is_impossible(part, places) else Verdict(unknown=offset)

    def _is_impossible(self, part: bytes, places: list[Span]) -> bool:
        """Return True if no construct that a grammar may miss explains the errors of a part."""
        if has_impossible_pair(_LITERALS.sub(_blank_literal, part), places):
            return True
        return not self._parser.is_exhausted and self._is_damaged(part, places)

    def _is_damaged(self, part: bytes, places: list[Span], *, is_certain: bool = False) -> bool:
        """Return True if changing one token repairs the part, or the text ends inside it."""
        if self._ends_with(part) or (self._language.name == "c" and _EMPTY_MEMBER.fullmatch(part)):
            return True

        is_masked, takes_newer = self._modes.get(part, _MODES[0])

        def parse(repair: Repair) -> list[Span] | None:
            text = repair.apply(plain)
            return self._parser.places(text, is_masked=is_masked, takes_newer=takes_newer)

        plain = _COMMENTS.sub(_fill_comment, part)
        return find_repair(plain, places, parse, self, is_certain=is_certain) is not None

    @property
    def keywords(self) -> frozenset[bytes]:
        return c_macros.KEYWORDS

    def is_macro(self, name: bytes) -> bool:
        """Return True if a name may be a macro with any expansion."""
        return name in self._table

    def needs_no_end(self, name: bytes) -> bool:
        """Return True if a use of the name needs no terminator."""
        return self._table.needs_no_end(name)

    def takes(self, name: bytes, number: int) -> bool:
        """Return True if all calls of the name except one have this number of arguments."""
        defined = self._table.counts(name)
        if defined:
            return number in defined and number - 1 not in defined
        counts = [c_macros.count_arguments(each) for each in self._uses.arguments_of(name)]
        return len(counts) > 1 and sum(count != number for count in counts) == 1

    def _ends_with(self, part: bytes) -> bool:
        """Return True if the text ends with this part, cut off after a name."""
        last = _LAST.search(self._code)
        return last is not None and part.rstrip().endswith(last[0]) and not c_macros.is_upper_case(last[0])

    def _may_be_macro(self, name: bytes) -> bool:
        if name in self._table and not self._is_too_large:
            return self._uses.is_never_ended(name) or self._uses.takes_types(name)
        return c_macros.is_upper_case(name)

    def _find_damaged(self, part: bytes) -> frozenset[bytes]:
        """Return the macros of which one use lacks the semicolon that all others have."""
        names = {name for name in _IDENTIFIER.findall(part) if name in self._table}
        return frozenset(
            name
            for name in names
            if self._uses.arguments_of(name)
            and self._table.may_be_nothing(name)
            and not self._uses.may_be(name, "nothing")
            and not self._uses.is_attribute(name)
        )

    def _try_parse(self, text: bytes) -> c_macros.ParseTrial | None:
        places = self._parse_best(text)
        if places is None:
            return None
        return c_macros.ParseTrial(places, (len(places), sum(place.end - place.start for place in places)))

    def _parse_best(self, part: bytes) -> list[Span] | None:
        """Return the stretches that do not parse, in the reading with the fewest."""
        if part not in self._faults:
            self._faults[part] = self._parse_fewest(part)
        return self._faults[part]

    def _parse_fewest(self, part: bytes) -> list[Span] | None:
        best: list[Span] | None = None
        for is_masked, takes_newer in _MODES:
            places = self._parser.places(part, is_masked=is_masked, takes_newer=takes_newer)
            if places is None:
                return best
            if not places:
                return places
            if best is None or len(places) < len(best):
                best = places
                self._modes[part] = is_masked, takes_newer
        return best

    def _find_macros(self, regions: list[Region]) -> None:
        own_definitions = find_definitions(self._text)
        names: dict[bytes, None] = {}
        for region in regions:
            for part, places in self._iter_broken_parts(region):
                likely_names = _find_macro_names(part, places)
                names.update(dict.fromkeys(name for name in likely_names if name not in own_definitions))
        if names or own_definitions:
            self._table = MacroTable(own_definitions, self._definitions.find(list(names)[:_NAMES]))

    def _iter_broken_parts(self, region: Region) -> Iterator[tuple[bytes, list[Span]]]:
        if region.item is not None:
            part = region.item.text(self._plain)
            if places := self._parse_best(part):
                yield part, places
            return
        text = self._text[region.span.start : region.span.end]
        if has_directive(text):
            conditionals = Conditionals(self._language, text)
            texts = [conditionals.read(assumed).text for assumed in (True, False)]
        else:
            texts = [_blank_directives(text)]
        for code in texts:
            try:
                parts = split_parts(code, region.owner)
            except ValueError:
                continue
            for item in parts.items:
                part = item.text(code)
                if places := self._parse_best(part):
                    yield part, places


_EMPTY_MEMBER = re.compile(rb"struct \w+ \{\s*;\s*\};")
_COMMENTS = _LITERALS = re.compile(COMMENT + rb"|" + LITERAL)
# Not code: a backslash outside of strings, or an end outside of comments.
_STRAY = re.compile(rb"\\(?![\r\nuU]|\Z)|\*/")


def _fill_comment(match: re.Match[bytes]) -> bytes:
    return _blank_comment(match).replace(b" ", b"\t") if match[0][:2] in (b"/*", b"//") else match[0]


def _blank_literal(match: re.Match[bytes]) -> bytes:
    return blank_out(match[0])


def _blank_comment(match: re.Match[bytes]) -> bytes:
    return blank_out(match[0]) if match[0][:2] in (b"/*", b"//") else match[0]


def _blank_directives(text: bytes) -> bytes:
    return _LINES.sub(lambda match: blank_out(match[0]), text)


_LINES = re.compile(rb"(?m)^[ \t]*#(?:\\\r?\n|/\*(?s:.*?)\*/|[^\n])*")


def _find_macro_names(part: bytes, places: list[Span]) -> list[bytes]:
    """Return names that may be macros, the most likely first: called names and those near an error."""
    distances = dict.fromkeys(_IDENTIFIER.findall(part)[:4], 100)
    for place in places[:8]:
        distances.update(dict.fromkeys(c_macros.find_calls_around(part, place.start), 0))
        start = max(part.rfind(b";", 0, place.start), part.rfind(b"}", 0, place.start), place.start - _AROUND)
        end = part.find(b";", place.end)
        end = min(len(part) if end < 0 else end + 1, place.end + _AROUND)
        for each in _IDENTIFIER.finditer(part, max(0, start), end):
            is_likely = (
                c_macros.is_upper_case(each[0]) or part[each.end() : each.end() + 2].lstrip()[:1] == b"("
            )
            distance = abs(each.start() - place.start) + (0 if is_likely else _AROUND)
            distances[each[0]] = min(distances.get(each[0], distance), distance)
    names = (name for name in sorted(distances, key=distances.__getitem__) if name not in c_macros.KEYWORDS)
    return [name for name, _ in zip(names, range(_NAMES_OF_ITEM), strict=False)]
