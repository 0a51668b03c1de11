"""Sections: a heading with all that stands below it, up to the next heading of its level or above.

Grammars show headings, but not all of them what belongs to one.
"""

from __future__ import annotations

from collections.abc import Iterable

from gitscalpel.syntax.symbols import Span, Symbol


def spread(symbols: Iterable[Symbol], text: bytes) -> None:
    """Give every heading among ``symbols``, which are in document order, its section as extent and body.

    A level is a number, or the style of the heading, which ranks by where it first appears.
    """
    ranks: dict[str, int] = {}
    open_ones: list[tuple[int, Symbol]] = []
    for symbol in symbols:
        if symbol.level is None:
            continue
        level = symbol.level
        rank = int(level) if level.isdigit() else ranks.setdefault(level, len(ranks))
        while open_ones and open_ones[-1][0] >= rank:
            _close(open_ones.pop()[1], symbol.outer, text)
        open_ones.append((rank, symbol))
    for _, symbol in open_ones:
        _close(symbol, len(text), text)


def _close(symbol: Symbol, end: int, text: bytes) -> None:
    below = text[symbol.end : end]
    own = below.rstrip()
    symbol.header_end = symbol.end + len(own) - len(own.lstrip())
    symbol.end += len(own)
    symbol.body = Span(symbol.header_end, symbol.end)
