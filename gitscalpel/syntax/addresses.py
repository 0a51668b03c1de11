"""How each symbol of a file can be addressed, so that what an outline prints can be typed."""

from __future__ import annotations

from collections import Counter

from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import Symbol, quoted


def addresses(outline: Outline) -> dict[int, str]:
    """The address that means each symbol and no other, by its ``id()``.

    That is its path, from the nearest name of its own on where it has one (``#id``), with ``#n`` where
    several have the same.
    """
    spelt = {id(symbol): _spelt(symbol) for symbol in outline.walk()}
    several = Counter(spelt.values())
    seen: Counter[str] = Counter()
    for symbol in outline.walk():
        name = spelt[id(symbol)]
        if several[name] > 1:
            seen[name] += 1
            spelt[id(symbol)] = f"{name}#{seen[name]}"
    return spelt


def _spelt(symbol: Symbol) -> str:
    line = symbol.line
    start = next((n for n in range(len(line) - 1, -1, -1) if line[n].anchor is not None), None)
    if start is None:
        return symbol.qualname
    below = [quoted(segment) for one in line[start + 1 :] for segment in one.own_path]
    return ".".join([str(line[start].anchor), *below]).replace(".[", "[")
