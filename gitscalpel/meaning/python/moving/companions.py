"""Definitions that have to move before another one can, so that no file needs a name before it is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.lexical import Lexical
from gitscalpel.meaning.python.moving import early
from gitscalpel.syntax.symbols import Symbol

_MOST = 4
"""Definitions that are offered at most."""


def find(files: Files, path: str, name: str, can_move: Callable[[list[str]], bool]) -> list[str]:
    """Return the definitions of a file that have to move first, in their order; none if that would not help.

    Args:
        files: the tree.
        path: of the file in which the definition is.
        name: of the definition.
        can_move: returns True if definitions can move one after the other.
    """
    lexical, source = files.lexical(path), files.source(path)
    if lexical is None or source is None:
        return []
    symbols = {each.name: each for each in source.outline.symbols if each.parent is None}
    needs = {each: set(_needed_at_once(lexical, symbols, symbols[each])) for each in symbols}
    below = _closure(name, needs)
    users = {each for each in symbols if name in needs[each]}
    above = {other for each in users for other in (each, *_closure(each, needs))} - {name}
    tried = [below, above - below, below | above]
    for names in sorted((each for each in tried if 0 < len(each) <= _MOST), key=len):
        ordered = [each for each in symbols if each in names]
        if can_move([*ordered, name]):
            return ordered
    return []


def _needed_at_once(lexical: Lexical, symbols: dict[str, Symbol], of: Symbol) -> Iterator[str]:
    """Yield the definitions of the file that another one needs as the file is run."""
    for name in symbols:
        if name != of.name:
            inside = (each for each in lexical.of(name) if of.outer <= each.start < of.end)
            if any(each.role == "use" and not early.is_later(each.node, ()) for each in inside):
                yield name


def _closure(name: str, needs: dict[str, set[str]]) -> set[str]:
    found, waiting = set[str](), [name]
    while waiting:
        new = needs.get(waiting.pop(), set()) - found
        found |= new
        waiting += sorted(new)
    return found - {name}
