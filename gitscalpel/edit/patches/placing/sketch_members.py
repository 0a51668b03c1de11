"""The definitions beside the ellipses of a sketch, which say by their names where they stand in the file.

That is for lines that are no anchors: brackets that stand everywhere, and lines that the sketch changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from gitscalpel.edit.source import Source
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text.indent import indent


class Members:
    """The definitions of a sketch and of the file; those of data have names that say little.

    Args:
        lines: of the sketch.
        source: the file.
    """

    def __init__(self, lines: Sequence[bytes], source: Source) -> None:
        self.lines = lines
        self.source = source

    def above(self, row: int, mark: int) -> int | None:
        """The line of the file below the definition that ends in ``row``, right above an ellipsis.

        Args:
            row: from 0, in the sketch.
            mark: the row of the ellipsis, which stands as deep as the definition.
        """
        found = self._known([s for s in self._beside(mark) if self._row(s.end - 1) == row])
        return None if found is None else self._line(found[1].end - 1) + 1

    def below(self, row: int, mark: int) -> int | None:
        """The line of the file at which the definition begins that begins in ``row``, perhaps with its lead.

        Where ``row`` is the last one of the definition around the ellipsis, it is the last line of that.
        """
        found = self._known(
            [s for s in self._beside(mark) if row in (self._row(s.outer), self._row(s.start))]
        )
        if found is not None:
            symbol, was = found
            begins = self._line(was.start if self._row(symbol.start) == row else was.outer)
        else:
            around = [s for s in self._now if self._row(s.start) < mark and self._row(s.end - 1) == row]
            found = self._known(around)
            if found is None:
                return None
            symbol, begins = found[0], self._line(found[1].end - 1)
        there = self.source.text.split(b"\n")[begins]
        return begins if self._row(symbol.start) == row or there.strip() == self.lines[row].strip() else None

    @cached_property
    def _text(self) -> bytes:
        return b"\n".join([*self.lines, b""])

    @cached_property
    def _now(self) -> list[Symbol]:
        if self.source.judged is None or self.source.rules.data:
            return []
        symbols = self.source.alone(self._text).walk()
        return [symbol for symbol in symbols if not symbol.local and symbol.index is None]

    def _row(self, at: int) -> int:
        """The row of the sketch at a position of its outline, which begins with what the language needs."""
        return self._text.count(b"\n", 0, max(0, at - len(self.source.rules.prologue)))

    def _line(self, at: int) -> int:
        """The line of the file at a position, from 0."""
        return self.source.text.count(b"\n", 0, at)

    def _beside(self, mark: int) -> list[Symbol]:
        """The definitions of the sketch that stand as deep as an ellipsis."""
        depth = indent(self.lines[mark])
        return [s for s in self._now if indent(self.lines[self._row(s.start)]) == depth]

    def _known(self, found: Sequence[Symbol]) -> tuple[Symbol, Symbol] | None:
        """The definition if it is one, and what it is in the file, if both have one of its path and kind."""
        if len(found) != 1:
            return None
        key = found[0].path, found[0].kind
        sides = (self._now, list(self.source.outline.walk()))
        now, was = ([s for s in side if (s.path, s.kind) == key] for side in sides)
        return (now[0], was[0]) if len(now) == len(was) == 1 else None
