"""Changes of symbols as intents, and definitions that an edit lost or duplicated.

Definitions with the same path are the same one. If several share it and their number changes, those with the
same text match first, then those in the same place. A definition that vanished and one of the same kind and
body that appeared in the same parent are one rename. Children that only follow their parent are not listed.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import accumulate

import msgspec
import tree_sitter

from gitscalpel.syntax.outline import IMPORT_TYPES, Outline, is_surely_read
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.symbols import FUNCTIONS, TYPES, Span, Symbol
from gitscalpel.syntax.syntax_errors import find_faults
from gitscalpel.text.splice import Splice, SpliceRound

_LISTS = frozenset({"parameters", "type_parameters", "superclasses", "result"})
"""Fields of grammars for the lists in brackets of a definition's header."""


_ALIKE = 0.5
"""Share of common words in two bodies, or of unchanged members, from which on it is a rename."""
_NO_NAMES: Mapping[str, str] = {}
_WORD = re.compile(rb"[\w$\x80-\xff]+")


class Intent(msgspec.Struct, frozen=True):
    """One change of one symbol: add, delete, rename, body_change or signature_change."""

    kind: str
    symbol: str  # full path before, or after if it was added
    to: str | None = None  # full path after a rename
    defines: bool = True  # False for locals of functions, and for parts of data or prose
    at: int = 0  # offset, for sorting
    of: str = ""  # kind of the symbol


class Evidence(msgspec.Struct, frozen=True):
    """Knowledge of renames that the two texts do not show.

    With ``by_place`` the new text replaced a definition as a whole, so that members of the same kind and
    position match. With ``is_strict`` an equal header does not suffice for that, and the bodies must be
    similar.
    """

    renames: tuple[tuple[str, str], ...] = ()  # full paths before and after, in order
    by_place: bool = False
    is_strict: bool = False

    @property
    def names(self) -> dict[str, str]:
        """The last name of each rename, before and after."""
        return {old.rpartition(".")[2]: new.rpartition(".")[2] for old, new in self.renames}

    def path_after(self, qualname: str) -> str:
        for old, new in self.renames:
            if qualname == old or qualname.startswith(f"{old}."):
                qualname = new + qualname[len(old) :]
        return qualname


_NO_EVIDENCE = Evidence()


class _FileState:
    """One of the two states of a file."""

    def __init__(self, outline: Outline | None) -> None:
        self._outline = outline
        self.symbols = list(outline.symbols) if outline else []
        self.text = outline.syntax.text if outline else b""

    @cached_property
    def _comments(self) -> list[Span]:
        nodes = self._outline.captures.nodes["comment"] if self._outline else []
        return sorted(Span(node.start_byte, node.end_byte) for node in nodes)

    def without(self, symbol: Symbol) -> tuple[list[bytes], list[bytes]]:
        """Return the header without decorators, comments and trailing commas, and its comments."""
        start, end = symbol.start, symbol.header_end
        comments = self._comments[bisect_left(self._comments, (start,)) : bisect_left(self._comments, (end,))]
        pieces, at = list[bytes](), start
        for left_out in sorted([*symbol.inner_decorators, *comments, *_iter_trailing_commas(symbol)]):
            pieces.append(self.text[at : left_out.start])
            at = max(at, left_out.end)
        return [*pieces, self.text[at:end]], [self.text[begin:stop] for begin, stop in comments]


_last: dict[str, tuple[Outline | None, Outline | None, Evidence, tuple[Intent, ...]]] = {}
"""The last call and its result, replaced as one value since several threads call."""


def find_changes(
    before: Outline | None, after: Outline | None, evidence: Evidence = _NO_EVIDENCE
) -> tuple[Intent, ...]:
    """Return the intents between two states of one file; None is a missing file."""
    # The edit, a gate and the answer each compare the same two outlines.
    last = _last.get("")
    if last is not None and last[0] is before and last[1] is after and last[2] == evidence:
        return last[3]
    old, new = _FileState(before), _FileState(after)
    found = _Comparison(old, new, evidence).compare(old.symbols, new.symbols)
    intents = tuple(sorted(found, key=lambda intent: intent.at))
    _last[""] = before, after, evidence, intents
    return intents


def is_import_change(old: Syntax, new: Syntax, splices: Iterable[Splice] = ()) -> bool:
    """Return True if two texts differ only inside import statements at the top level, one for one.

    Both texts have the same definitions then, and an outline takes ten times as long as parsing.
    ``splices`` of ``old`` must be inside import statements too.
    Texts with more definitions than are read are not compared.
    """
    if old.language != new.language or not (is_surely_read(old) and is_surely_read(new)):
        return False
    types = IMPORT_TYPES[old.language.name]
    before, after = old.root.children, new.root.children
    if [node.type for node in before] != [node.type for node in after]:
        return False
    imports, at, new_at = list[Span](), 0, 0
    for node, other in zip(before, after, strict=True):
        start, new_start = node.start_byte, other.start_byte
        if _is_import(node, types) and _is_import(other, types):
            imports.append(Span(start, node.end_byte))
        else:
            start, new_start = node.end_byte, other.end_byte
        if old.text[at:start] != new.text[new_at:new_start]:
            return False
        at, new_at = node.end_byte, other.end_byte
    if old.text[at:] != new.text[new_at:]:
        return False
    if not all(any(each.start <= s.start and s.end <= each.end for each in imports) for s in splices):
        return False
    # Around an error, equal text may be read differently.
    return not (old.root.has_error or new.root.has_error) or str(old.root) == str(new.root)


def _is_import(node: tree_sitter.Node, types: frozenset[str]) -> bool:
    if node.type not in types or node.has_error:
        return False
    return node.type != "export_statement" or (
        node.child_by_field_name("source") is not None and node.child_by_field_name("declaration") is None
    )


class _Comparison:
    def __init__(self, before: _FileState, after: _FileState, evidence: Evidence) -> None:
        self._before = before
        self._after = after
        self._evidence = evidence

    def compare(
        self, old: Sequence[Symbol], new: Sequence[Symbol], renamed: Mapping[str, str] = _NO_NAMES
    ) -> Iterator[Intent]:
        """Compare the children of one parent, or of a parent before and after its rename.

        ``renamed`` are names that were renamed along, so bodies may contain the new ones.
        """
        before, after = self._before, self._after
        known_pairs = list(self._iter_known_pairs(old, new))
        matched_ids = {id(symbol) for pair in known_pairs for symbol in pair}
        old_left = [symbol for symbol in old if id(symbol) not in matched_ids]
        new_left = [symbol for symbol in new if id(symbol) not in matched_ids]
        pairs = list(_iter_pairs(old_left, new_left, before, after))
        for old_symbol, new_symbol in pairs:
            yield from self._compare_pair(old_symbol, new_symbol, renamed)
        matched_ids |= {id(symbol) for pair in pairs for symbol in pair}
        removed = [symbol for symbol in old if id(symbol) not in matched_ids]
        added = [symbol for symbol in new if id(symbol) not in matched_ids]
        exact = list(
            _pop_pairs(removed, added, lambda one, other: _is_rename(one, other, before, after, renamed))
        )
        for old_symbol, new_symbol in exact:
            yield from self._iter_renamed(old_symbol, new_symbol, renamed, is_exact=True)
        known_pairs += _pop_pairs(removed, added, self._has_same_members)
        known_pairs += self._match_by_place(old, new, [*known_pairs, *pairs, *exact], renamed)
        for old_symbol, new_symbol in known_pairs:
            if old_symbol.name != new_symbol.name:
                yield from self._iter_renamed(old_symbol, new_symbol, renamed, is_exact=False)
            else:  # a member that moved with its owner
                yield from self._compare_pair(old_symbol, new_symbol, {**renamed, **self._evidence.names})
        matched_ids |= {id(symbol) for pair in known_pairs for symbol in pair}
        yield from (_make_intent("delete", symbol) for symbol in removed if id(symbol) not in matched_ids)
        yield from (_make_intent("add", symbol) for symbol in added if id(symbol) not in matched_ids)

    def _iter_known_pairs(
        self, old: Sequence[Symbol], new: Sequence[Symbol]
    ) -> Iterator[tuple[Symbol, Symbol]]:
        """Yield the pairs that are one definition by the evidence."""
        if not self._evidence.renames:
            return
        by_path = {(symbol.qualname, symbol.kind): symbol for symbol in new}
        for symbol in old:
            path = self._evidence.path_after(symbol.qualname)
            new_symbol = by_path.get((path, symbol.kind))
            if new_symbol is not None and path != symbol.qualname:
                yield symbol, new_symbol

    def _has_same_members(self, old: Symbol, new: Symbol) -> bool:
        """Return True if the members are the same, at least half of them unchanged."""
        # Called for each pair of removed and added symbols, so numbers are compared before lists are made.
        if len(old.children) != len(new.children) or old.kind != new.kind or not _is_definition(old):
            return False
        members, others = ([(each.segments, each.kind) for each in side.children] for side in (old, new))
        if not members or members != others:
            return False
        names = {old.name: new.name}
        unchanged = 0
        for old_child, new_child in zip(old.children, new.children, strict=True):
            old_text = self._before.text[old_child.start : old_child.end]
            new_text = self._after.text[new_child.start : new_child.end]
            unchanged += _filled_lines(_replace_names(old_text, names)) == _filled_lines(new_text)
        return unchanged >= _ALIKE * len(members)

    def _match_by_place(
        self,
        old: Sequence[Symbol],
        new: Sequence[Symbol],
        pairs: Sequence[tuple[Symbol, Symbol]],
        renamed: Mapping[str, str],
    ) -> list[tuple[Symbol, Symbol]]:
        """Return the members that match by kind and position among their siblings."""
        if not self._evidence.by_place or not old or old[0].parent is None:
            return []
        partner = {id(old_symbol): new_symbol for old_symbol, new_symbol in pairs}
        found = []
        for removed, added in _iter_gaps(old, new, partner):
            is_alone = len(removed) == len(added) == 1
            if len(removed) != len(added) or [each.kind for each in removed] != [each.kind for each in added]:
                continue
            pairs_in_gap = list(zip(removed, added, strict=True))
            if all(self._is_similar(*pair, renamed, is_alone=is_alone) for pair in pairs_in_gap):
                found += pairs_in_gap
        return found

    def _is_similar(self, old: Symbol, new: Symbol, renamed: Mapping[str, str], *, is_alone: bool) -> bool:
        """Return True if the bodies are similar; for one alone in its place the header suffices."""
        before, after = self._before, self._after
        names = {**renamed, old.name: new.name}
        if (
            is_alone
            and not self._evidence.is_strict
            and _header_words(old, before, names) == _header_words(new, after)
        ):
            return True
        bodies = before.text[old.header_end : old.end], after.text[new.header_end : new.end]
        old_words = Counter(_WORD.findall(_replace_names(bodies[0], names)))
        new_words = Counter(_WORD.findall(bodies[1]))
        total = sum(old_words.values()) + sum(new_words.values())
        return total > 0 and 2 * sum((old_words & new_words).values()) >= _ALIKE * total

    def _iter_renamed(
        self, old: Symbol, new: Symbol, renamed: Mapping[str, str], *, is_exact: bool
    ) -> Iterator[Intent]:
        yield Intent("rename", old.qualname, new.qualname, _is_definition(new), new.full_start)
        all_renamed = {**renamed, **_find_new_names(old, new)}
        if not is_exact:
            yield from self._iter_differences(old, new, all_renamed)
        yield from self.compare(old.children, new.children, all_renamed)

    def _compare_pair(self, old: Symbol, new: Symbol, renamed: Mapping[str, str]) -> Iterator[Intent]:
        if _read_written(old, self._before) != _read_written(new, self._after):  # most are as they were
            yield from self._iter_differences(old, new, renamed)
        yield from self.compare(old.children, new.children, renamed)

    def _iter_differences(self, old: Symbol, new: Symbol, renamed: Mapping[str, str]) -> Iterator[Intent]:
        before, after = self._before, self._after
        if _header_words(old, before, renamed) != _header_words(new, after):
            yield Intent("signature_change", new.qualname, None, _is_definition(new), new.full_start)
        if _own_words(old, before, renamed) != _own_words(new, after):
            yield Intent("body_change", new.qualname, None, _is_definition(new), new.full_start)


def _make_intent(kind: str, symbol: Symbol) -> Intent:
    return Intent(kind, symbol.qualname, None, _is_definition(symbol), symbol.full_start, symbol.kind)


def _pop_pairs(
    removed: list[Symbol], added: list[Symbol], matches: Callable[[Symbol, Symbol], bool]
) -> Iterator[tuple[Symbol, Symbol]]:
    """Pop the pairs that match; each symbol is paired with the first one."""
    for symbol in list(removed):
        match = next((each for each in added if matches(symbol, each)), None)
        if match is not None:
            removed.remove(symbol)
            added.remove(match)
            yield symbol, match


def _iter_gaps(
    old: Sequence[Symbol], new: Sequence[Symbol], partner: Mapping[int, Symbol]
) -> Iterator[tuple[list[Symbol], list[Symbol]]]:
    """Yield the unmatched siblings between two matched ones, before and after."""
    at = {id(symbol): number for number, symbol in enumerate(new)}
    matched_ids = {id(symbol) for symbol in partner.values()}
    start, removed = 0, list[Symbol]()
    for symbol in (*old, None):
        matched = None if symbol is None else partner.get(id(symbol))
        if symbol is not None and matched is None:
            removed.append(symbol)
            continue
        end = len(new) if matched is None else at[id(matched)]
        if end >= start:  # otherwise the order has changed
            yield removed, [each for each in new[start:end] if id(each) not in matched_ids]
            start = end + 1
        removed = []


def _is_definition(symbol: Symbol) -> bool:
    return symbol.defines and not symbol.local


def _read_written(symbol: Symbol, side: _FileState) -> tuple[bytes, int, int]:
    """Return a symbol's whole text, and the offsets in it of its own text and its body."""
    return (
        side.text[symbol.full_start : symbol.end],
        symbol.start - symbol.full_start,
        symbol.header_end - symbol.full_start,
    )


def _iter_pairs(
    old: list[Symbol], new: list[Symbol], before: _FileState, after: _FileState
) -> Iterator[tuple[Symbol, Symbol]]:
    """Yield matching symbols: by name, and of several by text, then by header, then in order."""
    by_name: dict[tuple[str, ...], tuple[list[Symbol], list[Symbol]]] = {}
    for symbol in old:
        by_name.setdefault(symbol.segments, ([], []))[0].append(symbol)
    for symbol in new:
        by_name.setdefault(symbol.segments, ([], []))[1].append(symbol)
    for olds, news in by_name.values():
        if len(olds) != len(news):
            for read in (_full_text, _header_words):
                yield from _pop_pairs(olds, news, partial(_reads_alike, read, before, after))
        yield from zip(olds, news, strict=False)


def _reads_alike(
    read: Callable[[Symbol, _FileState], list[bytes]],
    before: _FileState,
    after: _FileState,
    old: Symbol,
    new: Symbol,
) -> bool:
    return old.kind == new.kind and read(old, before) == read(new, after)


def _is_rename(
    old: Symbol, new: Symbol, before: _FileState, after: _FileState, renamed: Mapping[str, str] = _NO_NAMES
) -> bool:
    if old.kind != new.kind or old.name == new.name:
        return False
    bodies = before.text[old.header_end : old.end], after.text[new.header_end : new.end]
    if old.header_end < old.end or new.header_end < new.end:
        if _filled_lines(bodies[0]) == _filled_lines(bodies[1]):
            return True
        names = {**renamed, **_find_new_names(old, new)}
        return _filled_lines(_replace_names(bodies[0], names)) == _filled_lines(bodies[1])
    # Without bodies, what is left of the header must agree.
    return _nameless_text(old, before) == _nameless_text(new, after)


def _find_new_names(old: Symbol, new: Symbol) -> dict[str, str]:
    """Return the new names of a symbol and its members, if all members match.

    Members are paired in document order. If their kinds differ, or one name would become two, only the
    symbol's own name is known.
    """
    own = {old.name: new.name}
    found = dict(own)
    waiting = [(old, new)]
    while waiting:
        old_part, new_part = waiting.pop()
        if [each.kind for each in old_part.children] != [each.kind for each in new_part.children]:
            return own
        for pair in zip(old_part.children, new_part.children, strict=True):
            if found.setdefault(pair[0].name, pair[1].name) != pair[1].name:
                return own
            waiting.append(pair)
    return found


def _replace_names(text: bytes, names: Mapping[str, str]) -> bytes:
    if not names:
        return text
    words = {key.encode("utf-8", "replace"): value.encode("utf-8", "replace") for key, value in names.items()}
    return _WORD.sub(lambda found: words.get(found[0], found[0]), text)


def _nameless_text(symbol: Symbol, side: _FileState) -> list[bytes]:
    name = symbol.name.encode("utf-8", "surrogateescape")
    return side.text[symbol.start : symbol.end].replace(name, b"", 1).split()


def _full_text(symbol: Symbol, side: _FileState) -> list[bytes]:
    return side.text[symbol.start : symbol.end].split()


def _header_words(symbol: Symbol, side: _FileState, renamed: Mapping[str, str] = _NO_NAMES) -> list[bytes]:
    """Return the header without white space, decorators and comments, and the ``export`` before it."""
    export = symbol.lead.export
    export_words = side.text[export.start : export.end].split() if export else []
    header, _ = side.without(symbol)
    return [*export_words, b"".join(_replace_names(b"".join(header), renamed).split())]


def _own_words(symbol: Symbol, side: _FileState, renamed: Mapping[str, str] = _NO_NAMES) -> list[bytes]:
    """Return the symbol's comments, decorators and body without its children, with new names."""
    text = side.text
    leading_parts = (symbol.lead.comments, symbol.lead.decorators, *symbol.inner_decorators)
    pieces = [text[part.start : part.end] for part in leading_parts if part]
    pieces += side.without(symbol)[1]
    at = symbol.header_end
    while text[at - 1 : at] in (b" ", b"\t"):  # some grammars begin a body behind its indentation
        at -= 1
    for child in symbol.children:
        if child.full_start >= symbol.end:
            break  # it is below the line that opens its scope
        pieces.append(text[at : max(at, child.full_start)])
        at = max(at, child.end)
    return _filled_lines(_replace_names(b"\n".join([*pieces, text[at : symbol.end]]), renamed))


def _iter_trailing_commas(symbol: Symbol) -> Iterator[Span]:
    """Yield the trailing commas of parameter lists, which have no meaning."""
    waiting = [symbol.own]
    while waiting:
        node = waiting.pop()
        for place, child in enumerate(node.children):
            if child.start_byte >= symbol.header_end:
                break
            if node.field_name_for_child(place) not in _LISTS:
                waiting.append(child)
            elif (last := [part for part in child.children[:-1] if not part.is_extra][-1:]) and (
                last[0].type == ","
            ):
                yield Span(last[0].start_byte, last[0].end_byte)


def _filled_lines(text: bytes) -> list[bytes]:
    """Return the lines without trailing white space and blank lines, which layout changes keep."""
    return [line.rstrip() for line in text.split(b"\n") if line.strip()]


_THROWAWAY = "_"
"""The name of unused values, which may occur any number of times."""
_ONLY_TYPES = frozenset({"interface", "type"})
_APART = frozenset({"impl", "extension", "namespace", "module", "macro", "test"})
"""Kinds that refer to a name defined elsewhere, or have a namespace of their own."""


def iter_definitions(outline: Outline) -> Iterator[Symbol]:
    """Yield the symbols that other code may use: not locals of functions nor parts of data or prose."""
    return (symbol for symbol in outline.walk() if symbol.defines and not symbol.local)


def find_unseen(before: Outline, after: Outline, rounds: Sequence[SpliceRound]) -> tuple[Symbol, ...]:
    """Return definitions of ``before`` that disappeared although none of ``rounds`` touches their headers.

    Each of ``rounds`` applies to the result of those before. Nothing is returned for texts that do not parse,
    since their outline is a guess.
    """
    if find_faults(before.syntax) or find_faults(after.syntax):
        return ()
    spans: defaultdict[tuple[str, ...], list[Span]] = defaultdict(list)
    for symbol in after.walk():
        spans[symbol.segments].append(Span(symbol.full_start, max(symbol.header_end, symbol.start + 1)))
    covered = {segments: _CoveredOffsets(name_spans) for segments, name_spans in spans.items()}
    text = before.syntax.text
    missing: list[Symbol] = []
    for symbol in iter_definitions(before):
        at = _follow_header(_header_span(symbol, text), rounds)
        if at is not None and not (symbol.segments in covered and at in covered[symbol.segments]):
            missing.append(symbol)
    return tuple(missing)


class _CoveredOffsets:
    """The offsets inside some spans; there may be thousands for one name."""

    def __init__(self, spans: Iterable[Span]) -> None:
        ordered = sorted(spans)
        self._starts = [span.start for span in ordered]
        self._ends = list(accumulate((span.end for span in ordered), max))

    def __contains__(self, at: int) -> bool:
        begun = bisect_right(self._starts, at)
        return begun > 0 and at < self._ends[begun - 1]


def _follow_header(header: Span, rounds: Iterable[SpliceRound]) -> int | None:
    """Return the start of a header after all splices, or None if one of them touches it."""
    for splice_round in rounds:
        if splice_round.touches(*header):
            return None
        start = splice_round.forward(header.start)
        header = Span(start, start + header.end - header.start)
    return header.start


def _header_span(symbol: Symbol, text: bytes) -> Span:
    """Return a definition's header, without the white space before the body."""
    return Span(symbol.start, symbol.start + len(text[symbol.start : symbol.header_end].rstrip()))


def describe_harm(before: Outline, after: Outline, splices: Sequence[Splice]) -> str | None:
    """Describe how ``splices`` change definitions with headers outside all of them, or return None.

    A definition above may get longer, as a function does by a line after its last. Names are compared without
    those of enclosing definitions, which may be renamed. The splices are ascending.
    """
    start, end = splices[0].start, splices[-1].end
    shift = len(after.syntax.text) - len(before.syntax.text)
    old_counts = Counter(_headers_outside(before, start, end))
    new_counts = Counter(_headers_outside(after, start, end + shift))
    lost, new = old_counts - new_counts, new_counts - old_counts
    for verb, names in (("take away", lost), ("add", new)):
        for segments, kind in names:
            return f"{verb} the {kind} {'.'.join(segments)}"
    return None


def _headers_outside(outline: Outline, start: int, end: int) -> list[tuple[tuple[str, ...], str]]:
    """Return the definitions whose headers are outside ``[start, end)``."""
    spans = ((symbol, _header_span(symbol, outline.syntax.text)) for symbol in outline.walk())
    return [(s.segments, s.kind) for s, own in spans if own.end <= start or own.start >= end]


def iter_changed_headers(outline: Outline, splices: Sequence[Splice]) -> Iterator[Symbol]:
    """Yield the definitions with a header that a splice touches."""
    text, splice_round = outline.syntax.text, SpliceRound(splices)
    return (
        symbol for symbol in iter_definitions(outline) if splice_round.touches(*_header_span(symbol, text))
    )


def find_duplicates(before: Outline, after: Outline) -> tuple[Symbol, ...]:
    """Return the definitions of ``after`` that became duplicates, one for each name in a block.

    Overloads, accessors and declarations may share a name, and so may definitions under different conditions,
    which are in different blocks, or in another namespace of the language.
    """
    were = _group_by_block(before)
    found: list[Symbol] = []
    for key, blocks in _group_by_block(after).items():
        blocks_before = were.get(key, [])
        for twins in blocks:
            firm = [twin for twin in twins if twin.kind != "variable"]
            if len(firm) > max(
                1, *(sum(old.kind != "variable" for old in each) for each in blocks_before), 0
            ):
                found.append(firm[-1])
            elif len(twins) > max(1, *map(len, blocks_before), 0):
                found.append(next((twin for twin in twins if twin.kind == "variable"), twins[-1]))
    return tuple(found)


Key = tuple[tuple[str, ...], str]


def _group_by_block(outline: Outline) -> dict[Key, list[list[Symbol]]]:
    """Return the definitions of each path and namespace, grouped by block."""
    found: defaultdict[Key, defaultdict[int, list[Symbol]]] = defaultdict(lambda: defaultdict(list))
    for symbol in iter_definitions(outline):
        if symbol.shared or symbol.name == _THROWAWAY or symbol.node.parent is None:
            continue
        space, path = _namespace_of(symbol, outline), outline.syntax.language.alike(symbol.path)
        found[path, space][_block_of(symbol, outline).id].append(symbol)
    return {key: list(blocks.values()) for key, blocks in found.items()}


def _namespace_of(symbol: Symbol, outline: Outline) -> str:
    """Return the namespace of a definition, by the rules of its language."""
    spaces = outline.syntax.language.spaces
    if symbol.kind not in _APART and (
        spaces == "one" or (spaces == "values" and symbol.kind not in _ONLY_TYPES)
    ):
        return "name"
    if symbol.kind in FUNCTIONS:
        return "function"
    return "type" if spaces == "types" and symbol.kind in TYPES - _APART else symbol.kind


def _block_of(symbol: Symbol, outline: Outline) -> tree_sitter.Node:
    """Return the block of a definition, not the statement that binds it together with others."""
    is_part = outline.captures.holds
    node = symbol.node
    while node.parent is not None:
        node = node.parent
        if not any(is_part(part, node) for part in ("whole", "wrapper", "group")):
            break
    return node


def is_whole(symbol: Symbol, inserted: Iterable[Span]) -> bool:
    """Return True if a definition is completely inside new text."""
    return any(start <= symbol.start and symbol.end <= end for start, end in inserted)
