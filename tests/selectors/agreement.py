"""Where the grammar and LibCST disagree about which nodes of a text have a name that both know."""

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
"""Names of which LibCST has nodes that are none of the grammar's."""


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
    """Return the names of LibCST's classes that the grammar answers."""
    return [name for name in classes() if name.lower() in types_of(language)]


def compare(outline: Outline) -> dict[str, Agreement]:
    """Return the agreement on each shared name that a text has."""
    ours: defaultdict[str, list[Span]] = defaultdict(list)
    for node in libcst_nodes.CstTree(outline.syntax.text).nodes:
        ours[node.type].append((node.start_byte, node.end_byte))
    places = Places(outline)
    found = {}
    for name in shared_names(outline.syntax.language):
        candidates = _candidates(places, name)
        theirs = [(p.node.start_byte, p.node.end_byte) for p in candidates if places.is_a(p, name)]
        if theirs or ours[name]:
            found[name] = _agreement(theirs, ours[name])
    return found


def _candidates(places: Places, name: str) -> list[Place]:
    """Return the places that may have a name by their type alone: most are quickly ruled out."""
    known = types_of(places.outline.syntax.language)
    if name in known.patterns or name not in known:
        return places.all
    kinds = {word.lstrip(">") for word in known[name]}
    return [place for place in places.all if place.node.type in kinds]


def _agreement(theirs: Sequence[Span], ours: Sequence[Span]) -> Agreement:
    left, right = Counter(theirs), Counter(ours)
    same = (left & right).total()
    rest, others = sorted((left - right).elements()), sorted((right - left).elements())
    wider, alone = 0, []
    for span in others:
        partner = next((each for each in rest if _is_around(each, span)), None)
        if partner is None:
            alone.append(span)
        else:
            rest.remove(partner)
            wider += 1
    return Agreement(same, wider, tuple(rest), tuple(alone))


def _is_around(one: Span, other: Span) -> bool:
    """Return True if one span is the other with more at its ends."""
    return one[0] <= other[0] <= other[1] <= one[1] or other[0] <= one[0] <= one[1] <= other[1]
