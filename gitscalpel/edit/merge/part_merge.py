"""Merge the parts of three versions of a file: their order, new parts, separators and imports.

A part that only one side changed is taken from that side. A new part follows the part that it was put after.
Of parts that both sides add at one place, ours come first and imports stay above the rest, but the order of
statements is unknown and a conflict.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import msgspec

from gitscalpel.edit.merge.file_parts import BETWEEN, Key, Part, PartList, has_parts, parts_of_symbol
from gitscalpel.syntax.languages import Language
from gitscalpel.syntax.symbols import BINDINGS, Symbol
from gitscalpel.text import merge3
from gitscalpel.text.indentation import indent_at
from gitscalpel.text.line_diff import diff_items
from gitscalpel.text.merge3 import merge_items, merge_values

_LISTS = (
    re.compile(rb"(?P<head>[^({\"']*[({]\s*)(?P<names>[^(){}]*?)(?P<tail>,?\s*[)}][^(){}]*)"),
    re.compile(rb"(?P<head>\s*(?:from\s+[\w.]+\s+)?import\s+)(?P<names>[^(){}\"'*;]+?)(?P<tail>;?\s*)"),
)
_FROM = re.compile(rb"\s*(?:import|export)\s+(?:type\s+|typeof\s+)?(?P<names>[^\"'{}]*?)\s+from\b")
_ALIAS = re.compile(rb"(?:\bas|=>)\s+(?P<name>[\w$]+)$")
_ASSIGNED = re.compile(
    rb"(?:(?:global\s+)?using\s+(?P<name>[\w$]+)\s*=|(?:import\s+)?(?!import\b)(?P<short>[\w$]+)\s+\")"
)
_QUOTED = re.compile(rb"[\"'`<](?P<path>[^\"'`<>]+)[\"'`>]")
_PATH = re.compile(rb"[\w$*.:\\]+")
_PARTS = re.compile(rb"[.:\\]+")
_NO_NAMES = re.compile(rb"#|//|/\*|--|[\"'`]")
_NOTHING = (b"", b"*", b"_")


class _ImportList(NamedTuple):
    head: bytes
    names: list[bytes]
    tail: bytes
    comma: bytes

    @property
    def stripped_names(self) -> list[bytes]:
        return [name.strip() for name in self.names]


def merge_imports(base: bytes, ours: bytes, theirs: bytes, rules: Language) -> bytes | None:
    """Return an import with the changes of both sides to its names, ours first, or None on conflict."""
    base_list, our_list, their_list = (_parse_list(text) for text in (base, ours, theirs))
    if base_list is None or our_list is None or their_list is None:
        return None
    tail = merge_values(base_list.tail, our_list.tail, their_list.tail)
    if tail is None or not base_list[0::3] == our_list[0::3] == their_list[0::3]:
        return None
    base_names = {*base_list.stripped_names}
    our_names, their_names = ({*one.stripped_names} - base_names for one in (our_list, their_list))
    if imports_conflict(our_names, their_names, rules):
        return None
    names = (_merge_lines if base_list.comma == b"\n" else _merge_row)(base_list, our_list, their_list)
    return our_list.head + names + tail if names else None


def imports_conflict(ours: Iterable[bytes], theirs: Iterable[bytes], rules: Language) -> bool:
    """Return True if the imports of both sides bind one name to different things."""
    our_texts, their_texts = {*ours}, {*theirs}
    our_names = {name for text in our_texts - their_texts for name in iter_bound_names(text, rules)}
    return any(
        name in our_names for text in their_texts - our_texts for name in iter_bound_names(text, rules)
    )


def iter_bound_names(text: bytes, rules: Language) -> Iterator[bytes]:
    """Yield the names that an import, or one entry of it, binds in its file."""
    statement = text.strip(b" \t\r\n;")
    import_list = _parse_list(statement)
    clause = _FROM.match(statement)
    keeps_path = rules.blocks == "indent"  # what is imported by its path is known by its path there
    for entry in import_list.stripped_names if import_list else [clause["names"] if clause else statement]:
        name = _bound_name(entry, keeps_path)
        if name not in _NOTHING:
            yield name


def _bound_name(entry: bytes, keeps_path: bool) -> bytes:
    """Return the name that one import binds: its alias, or the last part of its path."""
    if alias := _ALIAS.search(entry):
        return alias["name"]
    if assigned := _ASSIGNED.match(entry):
        return assigned["name"] or assigned["short"]
    if quoted := _QUOTED.search(entry):
        return quoted["path"] if entry.startswith(b"#") else quoted["path"].rpartition(b"/")[2]
    paths = _PATH.findall(entry)
    return (paths[-1] if keeps_path else _PARTS.split(paths[-1])[-1]) if paths else b""


def _parse_list(text: bytes) -> _ImportList | None:
    found = next((match for form in _LISTS if (match := form.fullmatch(text))), None)
    if found is None:
        return None
    comma = b"\n" if b"," not in found["names"] and _NO_NAMES.search(found["names"]) else b","
    names = found["names"].split(comma)
    stripped = [name.strip() for name in names]
    if comma == b"," and (_NO_NAMES.search(found["names"]) or len({*stripped, b""}) <= len(stripped)):
        return None
    return _ImportList(found["head"], names, found["tail"], comma)


def _merge_lines(base_list: _ImportList, our_list: _ImportList, their_list: _ImportList) -> bytes | None:
    """Merge names on lines of their own; lines that both sides added at one place are all kept."""
    base, ours, theirs = ([name + b"\n" for name in one.names] for one in (base_list, our_list, their_list))
    merged = merge_items(base, ours, theirs, lambda before, left, right: None if before else [*left, *right])
    return merged[:-1] if merged else None


def _merge_row(base_list: _ImportList, our_list: _ImportList, their_list: _ImportList) -> bytes | None:
    """Merge names separated by commas: names removed by one side are gone, added ones are kept."""
    base_names, our_names, their_names = ({*one.stripped_names} for one in (base_list, our_list, their_list))
    if base_names - our_names & base_names - their_names and our_names != their_names:
        return None
    removed = base_names - their_names
    merged = [name for name in our_list.names if name.strip() not in removed]
    merged += [name for name in their_list.names if name.strip() not in base_names | our_names]
    others = [*our_list.names[1:], *their_list.names[1:], *base_list.names[1:]]
    usual = _leading_space(others[0]) if others else b" "
    return b",".join((_leading_space(n) or usual if at else b"") + n.strip() for at, n in enumerate(merged))


def _leading_space(name: bytes) -> bytes:
    return name[: len(name) - len(name.lstrip())]


class PartGap(NamedTuple):
    """The new parts of both sides behind ``anchor``, a part that both have, or None for the beginning."""

    anchor: Key | None
    ours: list[Part]
    theirs: list[Part]

    @property
    def parts(self) -> list[Part]:
        ours, theirs = _imports_end(self.ours), _imports_end(self.theirs)
        return [*self.ours[:ours], *self.theirs[:theirs], *self.ours[ours:], *self.theirs[theirs:]]


def iter_gaps(
    order: Sequence[Key], ours: PartList, theirs: PartList, new: tuple[set[Key], set[Key]]
) -> Iterator[PartGap]:
    """Yield the gap behind each part of ``order``, with the parts that are ``new`` in either side."""
    ordered = set(order)
    runs: list[dict[Key | None, list[Part]]] = [{}, {}]
    for inside, only, parts_by_anchor in zip((ours, theirs), new, runs, strict=True):
        anchor: Key | None = None
        for part in inside.parts:
            if part.key in only:
                parts_by_anchor.setdefault(anchor, []).append(part)
            elif part.key in ordered:
                anchor = part.key
    for anchor in (None, *order):
        yield PartGap(anchor, runs[0].get(anchor, []), runs[1].get(anchor, []))


def is_clash(gap: PartGap, ours: PartList, theirs: PartList) -> bool:
    if not gap.ours or not gap.theirs:
        return False
    if ours.is_ordered or theirs.is_ordered:
        return True
    data = ours.source.rules.data
    our_roles, their_roles = ({_role_of(part, data) for part in run} for run in (gap.ours, gap.theirs))
    return any(role in their_roles for role in our_roles & {"runs", "says"}) or bool(
        ("runs" in our_roles and their_roles & {"brings", "binds"})
        or ("runs" in their_roles and our_roles & {"brings", "binds"})
    )


def has_contradiction(ours: PartList, theirs: PartList, new: tuple[set[Key], set[Key]]) -> bool:
    """Return True if the imports that both sides added bind one name to different things."""
    our_imports, their_imports = (
        [inside.text(part) for part in inside.parts if part.is_import and part.key in only]
        for inside, only in zip((ours, theirs), new, strict=True)
    )
    return imports_conflict(our_imports, their_imports, ours.source.rules)


def _role_of(part: Part, data: bool) -> str:
    if part.is_named:
        return "binds" if part.symbol and part.symbol.kind in BINDINGS and not data else "defines"
    if part.is_import:
        return "brings"
    return "says" if part.is_comment else "runs"


def _imports_end(run: list[Part]) -> int:
    end = 0
    for at, part in enumerate(run):
        if part.is_import:
            end = at + 1
        elif not part.is_comment:
            break
    return end


class PartOrder(msgspec.Struct, frozen=True):
    """The keys of the merged parts, and those of base parts that each side replaced differently."""

    keys: tuple[Key, ...]
    conflicts: tuple[Key, ...]


def match_parts(versions: tuple[PartList, PartList, PartList]) -> tuple[PartList, PartList, PartList]:
    """Return the three versions with keys that identify equal parts, also if a name occurs several times."""
    ambiguous = _find_unsettled(versions)
    keyed = [[_key_by_text(inside, part, ambiguous) for part in inside.parts] for inside in versions]
    base, *sides = keyed
    repeated = {key for parts in keyed for key, count in _count_unnamed(parts).items() if count > 1}
    aligned = [base, *(_match_rewritten(base, _align_parts(base, side, repeated)) for side in sides)]
    first, second, third = (
        msgspec.structs.replace(inside, parts=tuple(parts))
        for inside, parts in zip(versions, aligned, strict=True)
    )
    return first, second, third


def _find_unsettled(versions: Sequence[PartList]) -> set[Key]:
    counts = [Counter(part.key[:-1] for part in inside.parts if part.is_named) for inside in versions]
    names = {key for count in counts for key, number in count.items() if number > 1}
    return {key for key in names if len({count[key] for count in counts}) > 1}


def _key_by_text(inside: PartList, part: Part, ambiguous: set[Key]) -> Part:
    if part.key[:-1] not in ambiguous:
        return part
    return msgspec.structs.replace(part, key=(*part.key[:-1], inside.text(part)), is_named=False)


def _count_unnamed(parts: list[Part]) -> Counter[Key]:
    return Counter(part.key[:-1] for part in parts if not part.is_named and isinstance(part.key[-1], int))


def _align_parts(base: list[Part], side: list[Part], repeated: set[Key]) -> list[Part]:
    """Match statements with the same text by their neighbours."""
    numbers: dict[Key, int] = {}
    rows = [
        [b"%d" % numbers.setdefault(part.key[:-1], len(numbers)) for part in parts] for parts in (base, side)
    ]
    base_index: dict[int, int] = {}
    base_end = side_end = 0
    for a, b, c, d in [*diff_items(*rows), (len(base), len(base), len(side), len(side))]:
        base_index.update(zip(range(side_end, c), range(base_end, a), strict=True))
        base_end, side_end = b, d
    new_counts: Counter[Key] = Counter()
    aligned = list(side)
    for place, part in enumerate(side):
        if not part.is_named and (text_key := part.key[:-1]) in repeated:
            if place in base_index:
                key = base[base_index[place]].key
            else:
                key = (*text_key, "new", new_counts[text_key])
                new_counts[text_key] += 1
            aligned[place] = msgspec.structs.replace(part, key=key)
    return aligned


def _match_rewritten(base: list[Part], side: list[Part]) -> list[Part]:
    """Match a statement that takes the place of another as a changed version of it."""
    matched = list(side)
    numbers: dict[Key, int] = {}
    keys = [[numbers.setdefault(part.key, len(numbers)) for part in parts] for parts in (base, side)]
    rows = [[b"%d" % number for number in row] for row in keys]
    for a, b, c, d in diff_items(*rows):
        old_parts = [part for part in base[a:b] if not part.is_named]
        new_places = [place for place in range(c, d) if not side[place].is_named]
        if len(old_parts) == len(new_places):
            for old, place in zip(old_parts, new_places, strict=True):
                if old.is_import == side[place].is_import and (old.symbol is None) == (
                    side[place].symbol is None
                ):
                    matched[place] = msgspec.structs.replace(side[place], key=old.key)
    duplicates = {key for key, number in Counter(part.key for part in matched).items() if number > 1}
    return side if duplicates else matched


def merge_order(base: PartList, ours: PartList, theirs: PartList) -> PartOrder | None:
    """Return the order of the merged parts, or None if both sides moved parts differently."""
    base_keys, our_keys, their_keys = ([part.key for part in inside.parts] for inside in (base, ours, theirs))
    common = set(base_keys) & set(our_keys) & set(their_keys)
    base_order, our_order, their_order = (
        [key for key in keys if key in common] for keys in (base_keys, our_keys, their_keys)
    )
    if base_order not in (our_order, their_order) and our_order != their_order:
        return None
    removed = set(base_keys) - common
    new = (set(our_keys) - set(their_keys) - removed, set(their_keys) - set(our_keys) - removed)
    order = our_keys if their_order in (base_order, our_order) else their_keys
    keys: list[Key] = []
    conflicts: list[Key] = []
    for gap in iter_gaps([key for key in order if key not in removed | new[0] | new[1]], ours, theirs, new):
        keys += [gap.anchor] if gap.anchor is not None else []
        keys += [part.key for part in gap.parts]
        if is_clash(gap, ours, theirs):
            conflicts += [part.key for part in gap.ours]
    if has_contradiction(ours, theirs, new):
        conflicts += [part.key for part in ours.parts if part.is_import and part.key in new[0]]
    return PartOrder(tuple(keys), (*_find_differing(base, ours, theirs), *conflicts))


def _find_differing(base: PartList, ours: PartList, theirs: PartList) -> list[Key]:
    """Return the keys that both sides removed, if each put something else in their place."""
    fill = base.source.rules.fill.encode() if base.source.rules.blocks == "indent" else None
    kept = {part.key for side in (ours, theirs) for part in side.parts}
    replacements = [_Replacements(base, side) for side in (ours, theirs)]
    return [
        part.key
        for part in base.parts
        if part.key not in kept
        and base.text(part) != fill
        and replacements[0].texts_for(part) != replacements[1].texts_for(part)
    ]


class _Replacements:
    def __init__(self, base: PartList, side: PartList) -> None:
        kept = {part.key for part in base.parts} & {part.key for part in side.parts}
        self._side = side
        self._above: dict[Key, Key | None] = {}
        self._behind: dict[Key | None, list[Part]] = {}
        above: Key | None = None
        for part in base.parts:
            self._above[part.key] = above
            above = part.key if part.key in kept else above
        above = None
        for part in side.parts:
            if part.key in kept:
                above = part.key
            else:
                self._behind.setdefault(above, []).append(part)

    def texts_for(self, part: Part) -> list[bytes]:
        """Return the texts in the place of ``part``; only definitions replace definitions."""
        parts = self._behind.get(self._above[part.key], [])
        return [self._side.text(other) for other in parts if part.is_named or not other.is_named]


_GAPS = BETWEEN.replace(b";", b"")
PartPair = tuple[Key | None, Key | None]  # Two neighbours; None is the beginning, or the end.


class Separators:
    """The text between the parts of three versions."""

    def __init__(self, versions: tuple[PartList, PartList, PartList]) -> None:
        self._versions = versions
        self._pairs: list[dict[PartPair, bytes]] = []
        for inside in versions:
            row = (None, *inside.parts, None)
            pairs = pairwise(row)
            self._pairs.append({(_key_of(a), _key_of(b)): inside.between(a, b) for a, b in pairs})
        self._before = [
            {b: space for (a, b), space in pairs.items() if a is not None} for pairs in self._pairs
        ]
        self._part_texts = {part.key: inside.text(part) for inside in versions[::-1] for part in inside.parts}
        self._after = [
            {a: space for (a, b), space in pairs.items() if b is not None} for pairs in self._pairs
        ]

    def between(self, before: Key | None, after: Key | None) -> bytes | None:
        """Return the separator of two neighbours, or None if the versions conflict."""
        base, ours, theirs = (pairs.get((before, after)) for pairs in self._pairs)
        if ours is not None and theirs is not None:
            separator = merge_values(ours if base is None else base, ours, theirs)
            if separator is None and ours.split() == theirs.split():
                separator = ours
        else:
            separator = next((space for space in (ours, theirs, base) if space is not None), None)
            if separator is None:
                separator = self._borrow_separator(before, after)
        if separator is None or (before is not None and after is not None):
            return separator
        return separator if self._has_delimiters(separator, 0 if before is None else 1) else None

    def _has_delimiters(self, separator: bytes, end: int) -> bool:
        delimiters = [
            next(s for pair, s in pairs.items() if pair[end] is None).strip(BETWEEN) for pairs in self._pairs
        ]
        return separator.strip(BETWEEN) == merge_values(delimiters[0], delimiters[1], delimiters[2])

    def _borrow_separator(self, before: Key | None, after: Key | None) -> bytes | None:
        """Return the separator of one of the two parts from another neighbour."""
        if before is None or after is None:
            return self._edge_separator(before, after)
        usual = [_first_separator(self._before, after), _first_separator(self._after, before)]
        has_lines = any(b"\n" in self._part_texts[key].strip() for key in (before, after))
        # A part of several lines keeps the distance to its other neighbour.
        if has_lines:
            usual += [_first_separator(self._before, before), _first_separator(self._after, after)]
        allowed = BETWEEN if self._versions[0].source.rules.separator == b";" else _GAPS
        usable = [space for space in usual if space is not None and not space.strip(allowed)]
        if not usable:
            return self._default_separator(before, after)
        lines = [space.count(b"\n") for space in usable]
        return usable[lines.index(max(lines) if has_lines else min(lines))]

    def _edge_separator(self, before: Key | None, after: Key | None) -> bytes | None:
        for pairs in (self._pairs[1], self._pairs[2], self._pairs[0]):
            for (a, b), space in pairs.items():
                if (a is None) == (before is None) and (b is None) == (after is None):
                    return space
        return None

    def _default_separator(self, before: Key, after: Key) -> bytes | None:
        part_list, part = next((i, p) for i in self._versions[::-1] for p in i.parts if p.key == after)
        rules = part_list.source.rules
        if rules.data:
            return None
        indent = indent_at(part_list.source.text, part.start)
        has_lines = any(b"\n" in self._part_texts[key].strip() for key in (before, after))
        gap = (rules.gap if indent else rules.top_gap) if has_lines else 0
        return b"\n" * (1 + gap) + indent


def _first_separator(spaces: list[dict[Key | None, bytes]], key: Key) -> bytes | None:
    return next((found[key] for found in reversed(spaces) if key in found), None)


def _key_of(part: object) -> Key | None:
    return getattr(part, "key", None)


# Levels of definitions that are merged by parts, since data may nest deeper than Python's stack.
_DEEPEST = 40
Insides = tuple[PartList, PartList, PartList]  # base, ours and theirs


class MergeRegion(NamedTuple):
    """A place where two changes conflict."""

    symbol: str | None  # the definition, if the place is one
    lines: tuple[int, int] | None  # lines in our version, from 1, or None if the text is gone there
    why: str


class PartMerge:
    """One merge, which collects conflicts while the texts are joined."""

    def __init__(self) -> None:
        self.places: list[MergeRegion] = []
        self._depth = 0

    def inside(self, versions: Insides) -> bytes:
        matched = base, ours, theirs = match_parts(versions)
        order = merge_order(base, ours, theirs)
        if order is None:
            self._note_conflict(ours, "both sides moved definitions to different places")
            return b""
        by_key = [{part.key: part for part in inside.parts} for inside in matched]
        for key in order.conflicts:
            self._note_conflict(
                ours, "both sides replaced it differently", by_key[1].get(key) or by_key[0].get(key)
            )
        merged = set(order.keys)
        for key in (key for key in by_key[0] if key not in merged):
            self._check_deletion([parts.get(key) for parts in by_key], matched)
        separators = Separators(matched)
        pieces: list[bytes] = []
        for before, after in pairwise((None, *order.keys, None)):
            found = [parts.get(after) if after else None for parts in by_key]
            separator = separators.between(before, after)
            if separator is None:
                self._note_conflict(ours, "both sides changed the text before it", found[1])
            pieces += [separator or b"", self._merge_part(found, matched) if after else b""]
        return b"".join(pieces)

    def _check_deletion(self, versions: list[Part | None], three: Insides) -> None:
        old, *sides = _part_texts(versions, three)
        if any(text not in (None, old) for text in sides):
            self._note_conflict(
                three[1], "one side deleted or renamed it, the other changed it", versions[1] or versions[0]
            )

    def _merge_part(self, versions: list[Part | None], three: Insides) -> bytes:
        old, ours, theirs = _part_texts(versions, three)
        if ours is None or theirs is None:
            return (theirs if ours is None else ours) or b""
        if old is None:
            if ours != theirs:
                self._note_conflict(three[1], "both sides define it differently", versions[1])
            return ours
        merged = merge3.merge_values(old, ours, theirs)
        if merged is None:
            known_parts = [part for part in versions if part is not None]
            merged = self._merge_changed(known_parts, (old, ours, theirs), three)
            if merged is None:
                self._note_conflict(three[1], "both sides changed it", known_parts[1])
        return merged or b""

    def _merge_changed(
        self, parts: list[Part], held: tuple[bytes, bytes, bytes], three: Insides
    ) -> bytes | None:
        if all(part.is_import for part in parts):
            return merge_imports(*held, three[0].source.rules)
        symbols = [part.symbol for part in parts if part.symbol is not None]
        if len(symbols) < len(parts):
            return merge3.merge_lines(*held)
        cuts = list(zip(*map(_cut_points, parts, symbols), strict=True))
        in_parts = len(cuts) - 3 if any(map(has_parts, symbols)) else None
        pieces: list[bytes | None] = []
        for at, (starts, ends) in enumerate(pairwise(cuts)):
            if at == in_parts and self._depth < _DEEPEST:
                self._depth += 1
                insides = [parts_of_symbol(s, i.source) for s, i in zip(symbols, three, strict=True)]
                pieces.append(self.inside((insides[0], insides[1], insides[2])))
                self._depth -= 1
            else:
                base, ours, theirs = (
                    i.source.text[start:end] for i, start, end in zip(three, starts, ends, strict=True)
                )
                pieces.append(merge3.merge_lines(base, ours, theirs))
        known = [piece for piece in pieces if piece is not None]
        return b"".join(known) if len(known) == len(pieces) else None

    def _note_conflict(self, ours: PartList, why: str, part: Part | None = None) -> None:
        name = part.symbol.qualname if part and part.symbol else None
        own_part = part if any(part is own for own in ours.parts) else None
        document = ours.source.document
        lines = None
        if own_part:
            start, last = own_part.start, max(own_part.start, own_part.end - 1)
            lines = document.line_at(start), document.line_at(last)
        self.places.append(MergeRegion(name, lines, why))


def _part_texts(versions: list[Part | None], three: Insides) -> list[bytes | None]:
    return [inside.text(part) if part else None for inside, part in zip(three, versions, strict=True)]


def _cut_points(part: Part, symbol: Symbol) -> list[int]:
    """Return the offsets of a definition's comments, decorators, export, header, body, rest and end."""
    begins = [symbol.start]
    for span in reversed(symbol.lead):
        begins.insert(0, span.start if span and span.start <= begins[0] else begins[0])
    return [part.start, *begins, symbol.header_end, symbol.end, part.end]
