"""Definitions that an edit of bytes lost or doubled outside of the bytes it replaced.

Judged by place: definitions outside the replaced bytes must be in the same place afterwards, under the
same name. A comment or string opened above one hides it without an error.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

import tree_sitter

from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import FUNCTIONS, TYPES, Span, Symbol
from gitscalpel.syntax.syntax_errors import faults
from gitscalpel.text.splice import Round, Splice

_THROWAWAY = "_"
"""The name of what nobody asks for by name: it may stand as often as one likes."""
_ONLY_TYPES = frozenset({"interface", "type"})
_APART = frozenset({"impl", "extension", "namespace", "module", "macro", "test"})
"""Kinds that are about a name which others define, or whose names are nobody else's."""


def definitions(outline: Outline) -> Iterator[Symbol]:
    """What others may rely on: neither locals of functions nor parts of data or prose."""
    return (symbol for symbol in outline.walk() if symbol.defines and not symbol.local)


def unseen(before: Outline, after: Outline, rounds: Sequence[Round]) -> tuple[Symbol, ...]:
    """The definitions of ``before`` whose headers no splice touches, and that are gone all the same.

    Nothing is said of texts that do not parse: there the outline is a guess.

    Args:
        before: of the file as it was.
        after: of the file as all ``rounds`` leave it.
        rounds: splices that were made one after the other, each on the result of those before.
    """
    if faults(before.syntax) or faults(after.syntax):
        return ()
    spans: defaultdict[tuple[str, ...], list[Span]] = defaultdict(list)
    for symbol in after.walk():
        spans[symbol.segments].append(Span(symbol.outer, max(symbol.header_end, symbol.start + 1)))
    there = {segments: _Covered(those) for segments, those in spans.items()}
    text = before.syntax.text
    gone: list[Symbol] = []
    for symbol in definitions(before):
        at = _followed(_header(symbol, text), rounds)
        if at is not None and not (symbol.segments in there and at in there[symbol.segments]):
            gone.append(symbol)
    return tuple(gone)


class _Covered:
    """The positions inside of some spans: of the definitions of one name there may be thousands."""

    def __init__(self, spans: Iterable[Span]) -> None:
        ordered = sorted(spans)
        self._starts = [span.start for span in ordered]
        self._ends = list(accumulate((span.end for span in ordered), max))

    def __contains__(self, at: int) -> bool:
        begun = bisect_right(self._starts, at)
        return begun > 0 and at < self._ends[begun - 1]


def _followed(header: Span, rounds: Iterable[Round]) -> int | None:
    """Where a header begins after all splices; None if one of them touches it."""
    for made in rounds:
        if made.touches(*header):
            return None
        start = made.forward(header.start)
        header = Span(start, start + header.end - header.start)
    return header.start


def _header(symbol: Symbol, text: bytes) -> Span:
    """A definition's header; the white space before the body is no part of it."""
    return Span(symbol.start, symbol.start + len(text[symbol.start : symbol.header_end].rstrip()))


def harmed(before: Outline, after: Outline, splices: Sequence[Splice]) -> str | None:
    """What ``splices`` do to definitions whose headers stand above or below all of them, in words.

    What stands above may get longer by them, as a function does by a line below its last. Names are
    their own: what they stand in may get another one.

    Args:
        before: of the text as it was.
        after: of the text with ``splices`` made.
        splices: ascending.
    """
    start, end = splices[0].start, splices[-1].end
    shift = len(after.syntax.text) - len(before.syntax.text)
    was, now = _beside(before, start, end), _beside(after, start, end + shift)
    lost, new = Counter(was) - Counter(now), Counter(now) - Counter(was)
    for does, names in (("take away", lost), ("add", new)):
        for segments, kind in names:
            return f"{does} the {kind} {'.'.join(segments)}"
    return None


def _beside(outline: Outline, start: int, end: int) -> list[tuple[tuple[str, ...], str]]:
    """The definitions with headers outside of ``[start, end)``."""
    spans = ((symbol, _header(symbol, outline.syntax.text)) for symbol in outline.walk())
    return [(s.segments, s.kind) for s, own in spans if own.end <= start or own.start >= end]


def headers(outline: Outline, splices: Sequence[Splice]) -> Iterator[Symbol]:
    """The definitions a part of whose header is replaced."""
    text, made = outline.syntax.text, Round(splices)
    return (symbol for symbol in definitions(outline) if made.touches(*_header(symbol, text)))


def doubled(before: Outline, after: Outline) -> tuple[Symbol, ...]:
    """The definitions of ``after`` that became a further one of their name in their block.

    Overloads, accessors and what only announces may share a name, and so may what stands under
    different conditions, which is in different blocks, or in another name space of the language.

    Returns:
        one of each name; a variable only where no other definition became a further one.
    """
    were = _blocks(before)
    found: list[Symbol] = []
    for key, blocks in _blocks(after).items():
        known = were.get(key, [])
        for twins in blocks:
            firm = [twin for twin in twins if twin.kind != "variable"]
            if len(firm) > max(1, *(sum(t.kind != "variable" for t in each) for each in known), 0):
                found.append(firm[-1])
            elif len(twins) > max(1, *map(len, known), 0):
                found.append(next((twin for twin in twins if twin.kind == "variable"), twins[-1]))
    return tuple(found)


Key = tuple[tuple[str, ...], str]


def _blocks(outline: Outline) -> dict[Key, list[list[Symbol]]]:
    """By path and name space, the definitions of that name in each block that has some."""
    found: defaultdict[Key, defaultdict[int, list[Symbol]]] = defaultdict(lambda: defaultdict(list))
    for symbol in definitions(outline):
        if symbol.shared or symbol.name == _THROWAWAY or symbol.node.parent is None:
            continue
        space, path = _space(symbol, outline), outline.syntax.language.alike(symbol.path)
        found[path, space][_block(symbol, outline).id].append(symbol)
    return {key: list(blocks.values()) for key, blocks in found.items()}


def _space(symbol: Symbol, outline: Outline) -> str:
    """In which name space a definition has its name, as its language divides them."""
    spaces = outline.syntax.language.spaces
    if symbol.kind not in _APART and (
        spaces == "one" or (spaces == "values" and symbol.kind not in _ONLY_TYPES)
    ):
        return "name"
    if symbol.kind in FUNCTIONS:
        return "function"
    return "type" if spaces == "types" and symbol.kind in TYPES - _APART else symbol.kind


def _block(symbol: Symbol, outline: Outline) -> tree_sitter.Node:
    """What a definition stands in, without the statement that binds it together with others."""
    is_part = outline.captures.holds
    node = symbol.node
    while node.parent is not None:
        node = node.parent
        if not any(is_part(part, node) for part in ("whole", "wrapper", "group")):
            break
    return node


def is_whole(symbol: Symbol, inserted: Iterable[Span]) -> bool:
    """Whether a definition stands in new text from beginning to end."""
    return any(start <= symbol.start and symbol.end <= end for start, end in inserted)
