"""Operations that work in each language, tried on every symbol of the tricky shapes.

``python -m tests.edit.every_shape`` rewrites the table of languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from gitscalpel.changesets.requests import parse_operation
from gitscalpel.commands.guides import PAGES
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.edit.source import Source
from gitscalpel.errors import ScalpelError
from gitscalpel.syntax.addresses import resolve_address
from gitscalpel.syntax.languages import LANGUAGES
from gitscalpel.syntax.outline import Outline, ParseCache
from gitscalpel.syntax.symbols import Symbol
from tests.edit.editing import Files
from tests.today import some

PAGE = PAGES / "languages.md"
SHAPES = Path(__file__).parents[1] / "syntax" / "shapes"
BEGIN, END = "<!-- languages: python -m tests.edit.every_shape -->\n", "<!-- end of languages -->\n"
COLUMNS = ("found", "replace", "signature", "insert", "delete")
HEAD = f"| language | symbols | {' | '.join(COLUMNS)} |\n" + "|---" * 7 + "|\n"
NUMBER = re.compile(r"\[\d+\]")
WORD = re.compile(r"[^\W\d]\w*\Z")
_MAX_UNSAMPLED = 20


class Shapes:
    """A file of tricky shapes, and the results of operations on all or a sample of its symbols."""

    def __init__(self, path: str, text: bytes, today: bool = False) -> None:
        self.path = path
        self.text = text
        self.kept = ParseCache()  # each text is parsed once, however often it is edited
        self.outline = self._outline(text)
        self.symbols = list(self.outline.walk())
        self.keys = [_symbol_key(symbol) for symbol in self.symbols]
        self.addresses = _addresses(self.symbols)
        self.works: dict[str, list[str]] = {}
        self.fails: dict[str, list[str]] = {}
        for symbol in some(self.symbols, 3) if today and len(self.symbols) > _MAX_UNSAMPLED else self.symbols:
            for name, succeeded in self._try_operations(symbol):
                (self.works if succeeded else self.fails).setdefault(name, []).append(self._address(symbol))

    def _address(self, symbol: Symbol) -> str:
        return self.addresses[id(symbol)]

    def _try_operations(self, symbol: Symbol) -> Iterator[tuple[str, bool]]:
        own = self.text[symbol.start : symbol.end]
        yield "found", resolve_address(self.outline, self._address(symbol)) is symbol
        yield "replace", self._apply_edit(self._address(symbol), "replace", own) == "no_change"
        if symbol.defines:
            header = self.text[symbol.start : symbol.header_end]
            yield "signature", self._apply_edit(self._address(symbol), "signature", header) == "no_change"
        yield "delete", self._is_without(symbol, self._apply_edit(self._address(symbol), "delete"))
        copy = self._rename_copy(symbol)
        if copy is not None:
            yield "insert", self._can_insert_and_delete(symbol, copy)

    def _apply_edit(self, address: str, op: str, code: bytes | None = None, text: bytes = b"") -> str | bytes:
        """Return the file after an operation, or the code of the refusal."""
        fields = {"op": op, "path": self.path, "symbol": address}
        coded = {} if code is None else {"code": code.decode()}
        try:
            result = apply(
                (parse_operation({**fields, **coded}),), Files({self.path: text or self.text}), kept=self.kept
            )
        except ScalpelError as error:
            return error.code
        return result.overlay.content(self.path) or b""

    def _is_without(self, symbol: Symbol, after: str | bytes) -> bool:
        """Return True if the symbol and its children are gone, and nothing else."""
        if isinstance(after, str):
            return False
        removed_ids = {id(s) for s in symbol.walk()}
        remaining = [key for s, key in zip(self.symbols, self.keys, strict=True) if id(s) not in removed_ids]
        return [_symbol_key(s) for s in self._outline(after).walk()] == remaining and _is_one_cut(
            self.text, after
        )

    def _rename_copy(self, symbol: Symbol) -> bytes | None:
        """Return the text of the symbol with another name, or None if its name cannot be replaced."""
        name, header = symbol.name, self.text[symbol.start : symbol.header_end].decode()
        bound = self.outline.bound_with(symbol)
        special = symbol.kind in ("constructor", "item") or (symbol.parent and symbol.parent.name == name)
        if len(bound) > 1 or special or not WORD.match(name):
            return None
        renamed, count = re.subn(rf"(?<![\w$]){re.escape(name)}(?!\w)", f"{name}Other", header)
        body = self.text[symbol.header_end : symbol.end]
        body = re.sub(
            rb"</%s>(?=\s*(<!--.*)?\Z)" % re.escape(name.encode()), f"</{name}Other>".encode(), body
        )
        return renamed.encode() + body if count == 1 else None

    def _can_insert_and_delete(self, symbol: Symbol, copy: bytes) -> bool:
        """Return True if the copy appears after the symbol, and deleting it restores the file."""
        after = self._apply_edit(self._address(symbol), "insert", copy)
        if isinstance(after, str):
            return False
        found = list(self._outline(after).walk())
        new = [s for s in found if s.name == f"{symbol.name}Other"]
        if len(new) != 1 or not set(self.keys) <= set(map(_symbol_key, found)):
            return False
        return self._apply_edit(f"/{new[0].qualname}", "delete", text=after) == self.text

    def _outline(self, text: bytes) -> Outline:
        outline = Source.read(self.path, text, self.kept.states_of(self.path)).outline
        assert outline is not None
        return outline

    def row(self, language: str) -> str:
        """Return the line of the table."""
        cells = [self._cell(name) for name in COLUMNS]
        return f"| {language} | {len(self.symbols)} | {' | '.join(cells)} |\n"

    def _cell(self, name: str) -> str:
        works, fails = len(self.works.get(name, [])), len(self.fails.get(name, []))
        return "" if works + fails == 0 else "all" if not fails else f"{works} of {works + fails}"


def _symbol_key(symbol: Symbol) -> tuple[str, str]:
    """Return the name without numbers, since deletion renumbers later items, and the kind."""
    return NUMBER.sub("[]", symbol.qualname), symbol.kind


def _addresses(symbols: list[Symbol]) -> dict[int, str]:
    """Return the address of each symbol by its id, with a number if several have the same path."""
    by_path: dict[tuple[str, ...], list[Symbol]] = {}
    for symbol in symbols:
        by_path.setdefault(symbol.path, []).append(symbol)
    return {
        id(symbol): f"/{symbol.qualname}" + (f"#{number}" if len(namesakes) > 1 else "")
        for namesakes in by_path.values()
        for number, symbol in enumerate(namesakes, 1)
    }


def _is_one_cut(before: bytes, after: bytes) -> bool:
    """Return True if ``after`` is ``before`` without one range of bytes."""
    return _common(before, after) + _common(before[::-1], after[::-1]) >= len(after)


def _common(one: bytes, other: bytes) -> int:
    """Return the length of the common prefix, by bisection, which avoids a comparison per byte."""
    lower, upper = 0, min(len(one), len(other))
    while lower < upper:
        half = (lower + upper + 1) // 2
        if one[lower:half] == other[lower:half]:
            lower = half
        else:
            upper = half - 1
    return lower


@cache
def shapes_by_language() -> dict[str, list[tuple[str, Path]]]:
    """Return the name and file of each text with tricky shapes by language."""
    found: dict[str, list[tuple[str, Path]]] = {}
    for file in sorted(SHAPES.glob("*.txt")):
        name = file.name.removesuffix(".txt")
        language = None if name.endswith(".outline") else Source.read(name, file.read_bytes()).language
        if language is not None:
            found.setdefault(language.name, []).append((name, file))
    return found


def table_rows(language: str) -> Iterator[str]:
    """Yield a line of the table for each file of a language."""
    files = shapes_by_language().get(language, [])
    for name, file in files:
        suffix = f" (`.{name.rpartition('.')[2]}`)" if len(files) > 1 else ""
        yield Shapes(name, file.read_bytes()).row(language + suffix)


def table() -> str:
    """Return the table in the order of the languages."""
    return HEAD + "".join(row for language in LANGUAGES for row in table_rows(language.name))


if __name__ == "__main__":
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + table() + END + rest.partition(END)[2], "utf-8")
