"""A definition that leaves a branch begins its line: its other lines follow, but for those in strings."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.syntax.outline import outline
from gitscalpel.syntax.parse import Syntax
from gitscalpel.text.splice import Splice


def margins(syntax: Syntax, span: tuple[int, int]) -> Iterator[Splice]:
    """What is taken away before the lines of a definition but the first; documentation follows the code."""
    text, (start, end) = syntax.text, span
    margin = text[text.rfind(b"\n", 0, start) + 1 : start]
    if not margin or margin.strip():
        return
    kept = {row for rows, documents in outline(syntax).inside_strings if not documents for row in rows}
    row, at = text.count(b"\n", 0, start), start
    while (at := text.find(b"\n", at, end) + 1) > 0:
        row += 1
        if row not in kept and text.startswith(margin, at):
            yield Splice(at, at + len(margin), b"")
