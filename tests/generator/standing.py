"""Which symbols stand in a text, and with which words: what is compared before and after."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import Symbol
from tests.generator.fixtures import read

_PLACE = re.compile(r"\[\d+\]")
Name = tuple[str, str]
"""A qualname, whose places in lists do not count, and a kind."""


def spelt(qualname: str) -> str:
    """A qualname in which items of lists are alike: those behind one that is gone are counted anew."""
    return _PLACE.sub("[]", qualname)


def name(symbol: Symbol) -> Name:
    """By what a symbol is known."""
    return spelt(symbol.qualname), symbol.kind


def names(outline: Outline) -> Counter[Name]:
    """Every symbol."""
    return Counter(map(name, outline.walk()))


def below(symbol: Symbol) -> set[int]:
    """The ids of a symbol and all in it."""
    return {id(each) for each in symbol.walk()}


def around(symbol: Symbol) -> set[int]:
    """The ids of the symbols around it."""
    return {id(each) for each in symbol.line[:-1]}


def texts(outline: Outline, passed_over: Iterable[int] = ()) -> Counter[tuple[str, str, bytes]]:
    """Every symbol with its lead and its words, but for those with these ids."""
    aside = set(passed_over)
    text = outline.syntax.text
    found = (s for s in outline.walk() if id(s) not in aside)
    return Counter((*name(s), text[s.full_start : s.end].strip(b" \t\r\n,;")) for s in found)


def doubles(outline: Outline) -> dict[tuple[str, str], list[str]]:
    """The kinds of the definitions of each name in each scope, where there should be one."""
    found: dict[tuple[str, str], list[str]] = {}
    for symbol in _once(outline):
        found.setdefault(_place(symbol), []).append(symbol.kind)
    return found


def _place(symbol: Symbol) -> tuple[str, str]:
    return symbol.parent.qualname if symbol.parent else "", ".".join(symbol.own_path)


def _once(outline: Outline) -> Iterator[Symbol]:
    for symbol in outline.walk():
        loose = symbol.shared or symbol.declared or symbol.local or _is_conditional(symbol)
        if symbol.defines and not loose and symbol.kind not in ("impl", "extension", "namespace", "item"):
            yield symbol


def _is_conditional(symbol: Symbol) -> bool:
    """Whether a branch stands between it and the symbol around it."""
    around, node = symbol.parent, symbol.node.parent
    while node is not None and (around is None or node.start_byte > around.node.start_byte):
        if node.type.startswith(("preproc", "if", "else", "elsif", "unless", "try", "match", "case")):
            return True
        node = node.parent
    return False


def outlined(path: str, raw: bytes) -> Outline:
    """The symbols of a text."""
    return read(path, raw).outline
