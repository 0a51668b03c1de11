"""Insert a symbol at every gap of every shape and delete it again, which must restore the original bytes.

``python -m tests.edit.every_gap`` tries all gaps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gitscalpel.changesets.requests import parse_operation
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.errors import ScalpelError
from gitscalpel.syntax.symbols import Symbol
from tests.edit.editing import Files
from tests.edit.every_shape import Shapes, shapes_by_language

KNOWN_FAILURES = {
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
"""Number of gaps in a text that do not come back.

Most are bodies on one line, which stay opened to several lines, and code below a docstring or directive
without a gap, since the larger gap remains.
"""


class Gaps(Shapes):
    """The gaps of a text that come back: before each symbol, and at the ends of each body and the file."""

    def _try_operations(self, symbol: Symbol) -> Iterator[tuple[str, bool]]:
        copy = self._rename_copy(symbol)
        parent = symbol.parent
        siblings = parent.children if parent else self.outline.symbols
        body = {"symbol": self._address(parent)} if parent else {}
        places: list[tuple[str, dict[str, str]]] = [("before", {"symbol": self._address(symbol)})]
        places += [("first", body)] if siblings[0] is symbol else []
        places += [("last", body)] if siblings[-1] is symbol else []
        for position, address in places if copy is not None else []:
            returned = self._restores_text(symbol, copy or b"", {"position": position, **address})
            if returned is not None:
                yield position, returned

    def _restores_text(self, symbol: Symbol, copy: bytes, address: dict[str, Any]) -> bool | None:
        """Return True if the text is restored, or None if the code is not one symbol at that place."""
        op = {"op": "insert", "path": self.path, "code": copy.decode(), **address}
        try:
            result = apply((parse_operation(op),), Files({self.path: self.text}), kept=self.kept)
        except ScalpelError:
            return None
        after = result.overlay.content(self.path) or b""
        new = [
            i.symbol for i in result.done[0].intents if i.kind == "add" and f"{symbol.name}Other" in i.symbol
        ]
        return self._apply_edit(f"/{new[0]}", "delete", text=after) == self.text if new else None

    @property
    def unexpected_failures(self) -> dict[str, list[str]]:
        """Return the gaps that do not come back if there are more than known for the text."""
        too_many = sum(map(len, self.fails.values())) > KNOWN_FAILURES.get(self.path, 0)
        return self.fails if too_many else {}


if __name__ == "__main__":
    for found in shapes_by_language().values():
        for name, file in found:
            gaps = Gaps(name, file.read_bytes())
            print(f"{name}: {sum(map(len, gaps.works.values()))} come back", gaps.unexpected_failures or "")
