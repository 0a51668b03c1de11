"""What is inserted can be deleted again, and the bytes are the original: at every gap of every shape.

``python -m tests.edit.every_gap`` tries all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gitscalpel.changesets.requests import parse_operation
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.errors import ScalpelError
from gitscalpel.syntax.symbols import Symbol
from tests.edit.editing import Files
from tests.edit.every_shape import Shapes, shapes

OPENED = {
    "shapes.swift": 15,
    "shapes.kt": 13,
    "shapes.scala": 13,
    "shapes.ml": 12,
    "shapes.ts": 7,
    "shapes.rs": 4,
    "shapes.sh": 4,
    "shapes.go": 3,
    "shapes.lua": 3,
    "shapes.hs": 2,
    "shapes.php": 2,
    "shapes.py": 2,
    "shapes.sql": 2,
    "shapes.c": 1,
    "shapes.csproj": 1,
    "shapes.css": 1,
    "shapes.js": 1,
    "shapes.jsonc": 1,
    "shapes.md": 1,
    "shapes.rb": 1,
    "shapes.tsx": 1,
    "shapes.yaml": 1,
}
"""How many gaps of a text do not come back: mostly bodies on one line, which stay opened to lines, and code
below a docstring or directive that has no gap, since its own gap is the larger and remains."""


class Gaps(Shapes):
    """A text, and which gaps come back: before each symbol, and at both ends of each body and of the file."""

    def _tried(self, symbol: Symbol) -> Iterator[tuple[str, bool]]:
        copy = self._renamed(symbol)
        around = symbol.parent
        beside = around.children if around else self.outline.symbols
        body = {"symbol": self._address(around)} if around else {}
        places: list[tuple[str, dict[str, str]]] = [("before", {"symbol": self._address(symbol)})]
        places += [("first", body)] if beside[0] is symbol else []
        places += [("last", body)] if beside[-1] is symbol else []
        for position, address in places if copy is not None else []:
            returned = self._returned(symbol, copy or b"", {"position": position, **address})
            if returned is not None:
                yield position, returned

    def _returned(self, symbol: Symbol, copy: bytes, address: dict[str, Any]) -> bool | None:
        """Whether the text is as it was; None where the code cannot go there, or is no one symbol there."""
        op = {"op": "insert", "path": self.path, "code": copy.decode(), **address}
        try:
            done = apply((parse_operation(op),), Files({self.path: self.text}), kept=self.kept)
        except ScalpelError:
            return None
        after = done.overlay.content(self.path) or b""
        new = [
            i.symbol for i in done.done[0].intents if i.kind == "add" and f"{symbol.name}Other" in i.symbol
        ]
        return self._edited(f"/{new[0]}", "delete", text=after) == self.text if new else None

    @property
    def opened(self) -> dict[str, list[str]]:
        """The gaps that do not come back, where they are more than is known of the text."""
        too_many = sum(map(len, self.fails.values())) > OPENED.get(self.path, 0)
        return self.fails if too_many else {}


if __name__ == "__main__":
    for found in shapes().values():
        for name, file in found:
            gaps = Gaps(name, file.read_bytes())
            print(f"{name}: {sum(map(len, gaps.works.values()))} come back", gaps.opened or "")
