"""The texts that are edited: the tricky shapes of each language, more of our own, and variants of both."""

from __future__ import annotations

import random
import re
from functools import cache, cached_property, lru_cache
from pathlib import Path

from gitscalpel.edit.source import Source
from gitscalpel.syntax.languages import LANGUAGES
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.syntax.syntax_errors import find_faults
from tests.edit.every_shape import shapes_by_language

TEXTS = Path(__file__).parent / "texts"
_SECTION = re.compile(r"^%%%% (\S+)\n(.*?)(?=^%%%% |\Z)", re.DOTALL | re.MULTILINE)
_COLUMNS_COUNT = frozenset({"yaml", "haskell", "markdown", "rst", "ocaml", "scala", "ini"})
VARIANTS = ("plain", "plain", "plain", "crlf", "tabs", "unended")


@lru_cache(maxsize=256)
def read(path: str, raw: bytes) -> Source:
    """A text as it is read by itself, once for all who judge it: from the beginning, after no other."""
    return Source.read(path, raw)


class Fixture:
    """One text with its symbols."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    @cached_property
    def raw(self) -> bytes:
        return self.text.encode()

    @cached_property
    def source(self) -> Source:
        return read(self.path, self.raw)

    @property
    def outline(self) -> Outline:
        return self.source.outline

    @property
    def language(self) -> str:
        return self.source.rules.name

    @cached_property
    def symbols(self) -> list[Symbol]:
        return list(self.outline.walk())

    def own(self, start: int, end: int) -> str:
        return self.raw[start:end].decode()

    def address(self, symbol: Symbol) -> str:
        """The address that means this symbol and no other."""
        same = [s for s in self.symbols if s.name == symbol.name and s.path == symbol.path]
        return f"/{symbol.qualname}" + (f"#{same.index(symbol) + 1}" if len(same) > 1 else "")

    @cached_property
    def string_rows(self) -> frozenset[int]:
        """The rows, from 0, that begin inside a string."""
        nodes = self.outline.nodes("string")
        return frozenset(row for n in nodes for row in range(n.start_point.row + 1, n.end_point.row + 1))


def begin(symbol: Symbol) -> int:
    """Where a symbol begins whose code says its modifiers."""
    words = getattr(symbol.lead, "words", None)
    return min(symbol.start, words.start) if words is not None else symbol.start


@cache
def of_language(name: str) -> tuple[tuple[str, str], ...]:
    """Path and text of each fixture of a language."""
    tricky = [(path, file.read_text("utf-8")) for path, file in shapes_by_language().get(name, [])]
    file = TEXTS / f"{name}.txt"
    more = _SECTION.findall(file.read_text("utf-8")) if file.exists() else []
    return (*((path, text) for path, text in more), *tricky)


@lru_cache(maxsize=64)
def variant(path: str, text: str, how: str, language: str) -> Fixture:
    """A text with other line endings, with tabs, or without its last line ending."""
    if how == "crlf":
        text = text.replace("\n", "\r\n")
    elif how == "tabs" and language not in _COLUMNS_COUNT:
        width = 2 if re.search(r"^  \S", text, re.MULTILINE) else 4
        text = re.sub(
            r"^ +", lambda m: "\t" * (len(m[0]) // width) + " " * (len(m[0]) % width), text, flags=re.M
        )
    elif how == "unended":
        text = text.rstrip("\n")
    return Fixture(path, text)


def pick(rng: random.Random, language: str) -> Fixture:
    """One of a language's texts in one of its variants; mostly one of the short ones."""
    path, text = rng.choice(of_language(language))
    fixture = variant(path, text, rng.choice(VARIANTS), language)
    return fixture if not find_faults(fixture.outline.syntax) else variant(path, text, "plain", language)


NAMES = tuple(language.name for language in LANGUAGES)
