"""Merges versions of a file definition by definition: what only one side changed is taken as it is there."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from gitscalpel.edit.merge import imports, sequence
from gitscalpel.edit.merge.parts import Inside, Part, has_parts, of_symbol
from gitscalpel.edit.merge.spaces import Spaces
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text import merge as texts

_DEEPEST = 40
"""How many definitions deep it is looked for what both changed: data may nest deeper than a stack."""
Insides = tuple[Inside, Inside, Inside]
"""What was, our version and theirs."""


class Place(NamedTuple):
    """Where two changes contradict each other.

    Attributes:
        symbol: the definition, if it is one.
        lines: in our version, from 1; None where nothing stands there any more.
        why: in words.
    """

    symbol: str | None
    lines: tuple[int, int] | None
    why: str


class Weave:
    """One merge: collects the places that contradict each other while the texts are put together."""

    def __init__(self) -> None:
        self.places: list[Place] = []
        self._depth = 0

    def inside(self, versions: Insides) -> bytes:
        """The merged inside of a file or definition."""
        three = base, ours, theirs = sequence.matched(versions)
        order = sequence.merged(base, ours, theirs)
        if order is None:
            self._note(ours, "both moved definitions, to different places")
            return b""
        by_key = [{part.key: part for part in inside.parts} for inside in three]
        for key in order.conflicts:
            self._note(ours, "both put something else there", by_key[1].get(key) or by_key[0].get(key))
        merged = set(order.keys)
        for key in (key for key in by_key[0] if key not in merged):
            self._deleted([parts.get(key) for parts in by_key], three)
        spaces = Spaces(three)
        pieces: list[bytes] = []
        for before, after in pairwise((None, *order.keys, None)):
            found = [parts.get(after) if after else None for parts in by_key]
            space = spaces.between(before, after)
            if space is None:
                self._note(ours, "both changed what stands before it", found[1])
            pieces += [space or b"", self._part(found, three) if after else b""]
        return b"".join(pieces)

    def _deleted(self, versions: list[Part | None], three: Insides) -> None:
        """Refuse to take away what the other side has changed."""
        old, *sides = _texts(versions, three)
        if any(text not in (None, old) for text in sides):
            self._note(
                three[1], "one deleted or renamed it, the other changed it", versions[1] or versions[0]
            )

    def _part(self, versions: list[Part | None], three: Insides) -> bytes:
        """The merged text of a part that stays or is new."""
        old, ours, theirs = _texts(versions, three)
        if ours is None or theirs is None:
            return (theirs if ours is None else ours) or b""
        if old is None:
            if ours != theirs:
                self._note(three[1], "both define it, differently", versions[1])
            return ours
        merged = texts.three_way(old, ours, theirs)
        if merged is None:
            held = [part for part in versions if part is not None]
            merged = self._changed(held, (old, ours, theirs), three)
            if merged is None:
                self._note(three[1], "both changed it", held[1])
        return merged or b""

    def _changed(self, parts: list[Part], held: tuple[bytes, bytes, bytes], three: Insides) -> bytes | None:
        """The merged text of a part that both changed; None where that is a contradiction."""
        if all(part.brings for part in parts):
            return imports.united(*held, three[0].source.rules)
        symbols = [part.symbol for part in parts if part.symbol is not None]
        if len(symbols) < len(parts):
            return texts.by_lines(*held)
        cuts = list(zip(*map(_cuts, parts, symbols), strict=True))
        in_parts = len(cuts) - 3 if any(map(has_parts, symbols)) else None
        pieces: list[bytes | None] = []
        for at, (starts, ends) in enumerate(pairwise(cuts)):
            if at == in_parts and self._depth < _DEEPEST:
                self._depth += 1
                insides = [of_symbol(s, i.source) for s, i in zip(symbols, three, strict=True)]
                pieces.append(self.inside((insides[0], insides[1], insides[2])))
                self._depth -= 1
            else:
                base, ours, theirs = (
                    i.source.text[start:end] for i, start, end in zip(three, starts, ends, strict=True)
                )
                pieces.append(texts.by_lines(base, ours, theirs))
        known = [piece for piece in pieces if piece is not None]
        return b"".join(known) if len(known) == len(pieces) else None

    def _note(self, ours: Inside, why: str, part: Part | None = None) -> None:
        """Write a contradiction down; ``part`` is of our version, or of the first if ours has it no more."""
        name = part.symbol.qualname if part and part.symbol else None
        here = part if any(part is own for own in ours.parts) else None
        document = ours.source.document
        lines = (
            (document.line_at(here.start), document.line_at(max(here.start, here.end - 1))) if here else None
        )
        self.places.append(Place(name, lines, why))


def _texts(versions: list[Part | None], three: Insides) -> list[bytes | None]:
    return [inside.text(part) if part else None for inside, part in zip(three, versions, strict=True)]


def _cuts(part: Part, symbol: Symbol) -> list[int]:
    """Where a definition's comments, decorators, export, header, body and rest begin, and where it ends."""
    begins = [symbol.start]
    for span in reversed(symbol.lead):
        begins.insert(0, span.start if span and span.start <= begins[0] else begins[0])
    return [part.start, *begins, symbol.header_end, symbol.end, part.end]
