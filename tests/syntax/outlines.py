"""Parse texts into outlines, for tests."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.syntax.languages import recognise
from gitscalpel.syntax.outline import Outline, outline_of
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.symbols import Symbol


def read(text: str | bytes, path: str = "a.py") -> Outline:
    """Return the outline of a text."""
    raw = text.encode() if isinstance(text, str) else text
    language = recognise(path, raw)
    assert language is not None
    return outline_of(Syntax(language, raw))


def format_outline(found: Outline) -> str:
    """Return one line for each symbol, indented by depth: name, kind, and lines with the lead in brackets."""
    return "".join(
        row + "\n" for symbol in found.symbols for row in _format_symbol(symbol, found.syntax.text, 0)
    )


def _format_symbol(symbol: Symbol, text: bytes, depth: int) -> Iterator[str]:
    top, first, last = (
        text.count(b"\n", 0, at) + 1 for at in (symbol.full_start, symbol.start, symbol.end - 1)
    )
    lead = f"[{top}]" if symbol.full_start < symbol.start else ""
    marks = " shared" * symbol.shared + " local" * symbol.local
    yield f"{'  ' * depth}{'.'.join(symbol.own_path)} {symbol.kind} {lead}{first}-{last}{marks}"
    for child in symbol.children:
        yield from _format_symbol(child, text, depth + 1)
