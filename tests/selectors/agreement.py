"""Differences between the grammar and LibCST in the nodes of each name that both have."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from gitscalpel.syntax import libcst_nodes
from gitscalpel.syntax.languages import Language
from gitscalpel.syntax.libcst_nodes import classes
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.selector_nodes import Place, Places, types_of

Span = tuple[int, int]
ONLY_LIBCST = {
    "Attribute": "the parts of a dotted name in an import",
    "ConcatenatedString": "the rest of three strings or more",
    "Name": "__future__, and the parts of a dotted name in a pattern",
    "Parameters": "those of a lambda without any",
}
"""Names with nodes that exist in LibCST alone."""


class Agreement(NamedTuple):
    """Counts of one name in one text.

    Attributes:
        same: nodes of the same bytes.
        wider: nodes that one reader gives more bytes, such as the parentheses or a trailing comment.
        only_grammar, only_libcst: the spans that one reader alone knows.
    """

    same: int
    wider: int
    only_grammar: tuple[Span, ...]
    only_libcst: tuple[Span, ...]


def shared_names(language: Language) -> list[str]:
    """Return the names of LibCST's classes that the grammar supports."""
    return [name for name in classes() if name.lower() in types_of(language)]


def compare(outline: Outline) -> dict[str, Agreement]:
    """Return the agreement on each shared name that a text has."""
    libcst_spans: defaultdict[str, list[Span]] = defaultdict(list)
    for node in libcst_nodes.CstTree(outline.syntax.text).nodes:
        libcst_spans[node.type].append((node.start_byte, node.end_byte))
    places = Places(outline)
    found = {}
    for name in shared_names(outline.syntax.language):
        candidates = _candidates(places, name)
        grammar_spans = [(p.node.start_byte, p.node.end_byte) for p in candidates if places.is_a(p, name)]
        if grammar_spans or libcst_spans[name]:
            found[name] = _count_agreement(grammar_spans, libcst_spans[name])
    return found


def _candidates(places: Places, name: str) -> list[Place]:
    """Return the places whose type may have this name, which rules out most."""
    known = types_of(places.outline.syntax.language)
    if name in known.patterns or name not in known:
        return places.all
    kinds = {word.lstrip(">") for word in known[name]}
    return [place for place in places.all if place.node.type in kinds]


def _count_agreement(grammar_spans: Sequence[Span], libcst_spans: Sequence[Span]) -> Agreement:
    left, right = Counter(grammar_spans), Counter(libcst_spans)
    same = (left & right).total()
    unmatched, others = sorted((left - right).elements()), sorted((right - left).elements())
    wider, only_libcst = 0, []
    for span in others:
        partner = next((each for each in unmatched if _contains(each, span)), None)
        if partner is None:
            only_libcst.append(span)
        else:
            unmatched.remove(partner)
            wider += 1
    return Agreement(same, wider, tuple(unmatched), tuple(only_libcst))


def _contains(one: Span, other: Span) -> bool:
    """Return True if one span contains the other."""
    return one[0] <= other[0] <= other[1] <= one[1] or other[0] <= one[0] <= one[1] <= other[1]
