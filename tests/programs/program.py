"""Load the programs in ``texts/`` and list the names in them.

A text begins with a comment. Each of its files follows a line ``-- PATH --`` (the form of Go's txtar). The
part of the text's file name before the first hyphen is its language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gitscalpel.edit.source import Source
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.resolver import dialect
from gitscalpel.syntax.occurrences import Mention

TEXTS = Path(__file__).parent / "texts"
_FILE = re.compile(r"^-- (\S+) --\n", re.M)
_WORD = re.compile(r"[#$@]*[^\W\d][\w$]*")
_NOT_IN_CODE = ("comment", "string", "text", "module", "fragment")
_BINDING = ("bind", "early")


class Name(NamedTuple):
    """Occurrence of a name in a program.

    Attributes:
        path: path of the file.
        line: line from 1.
        name: word, with ``#N`` for the Nth occurrence in the line.
        word: word alone.
        is_definition: True if the occurrence defines the name.
    """

    path: str
    line: int
    name: str
    word: str
    is_definition: bool

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.name}"


class Program(NamedTuple):
    """Program of a few files.

    Attributes:
        title: file name of the text without its suffix.
        language: language that decides how the program is run.
        files: contents by path.
    """

    title: str
    language: str
    files: dict[str, str]

    def names(self, *, uses: bool = False) -> list[Name]:
        """Return the occurrences that define a name, in the order of the files; with ``uses`` all of them."""
        found = [each for path, text in self.files.items() for each in _names(path, text)]
        return [each for each in found if uses or each.is_definition]


def load_programs(language: str = "", title: str = "") -> list[Program]:
    """Load the programs of a language, or those whose title contains ``title``."""
    paths = sorted(path for path in TEXTS.glob("*.txt") if title in path.stem)
    found = [_load(path) for path in paths]
    return [each for each in found if language in ("", each.language)]


def _load(path: Path) -> Program:
    parts = _FILE.split(path.read_text("utf-8"))
    files = dict(zip(parts[1::2], parts[2::2], strict=True))
    return Program(path.stem, path.stem.partition("-")[0], files)


def _names(path: str, text: str) -> Iterator[Name]:
    data = text.encode()
    source = Source.read(path, data)
    if source.language is None or source.syntax is None or not Lexical.knows(source.language):
        return
    lexical = Lexical(source.syntax)
    is_set = dialect(source.language.name).is_set
    mentions = sorted(_mentions(lexical, text), key=lambda each: each.start)
    for mention in mentions:
        line, first = data.count(b"\n", 0, mention.start) + 1, data.rfind(b"\n", 0, mention.start)
        before = [each for each in lexical.occurrences_of(mention.name) if first < each.start < mention.start]
        is_member = mention.role == "member" and is_set(mention)
        is_definition = mention.role in _BINDING or is_member or mention.key
        yield Name(path, line, f"{mention.name}#{len(before) + 1}", mention.name, is_definition)


def _mentions(lexical: Lexical, text: str) -> Iterator[Mention]:
    spelt = {match[0] for match in _WORD.finditer(text)}
    for word in {*spelt, *(each.lstrip("#$@") for each in spelt)} - {*lexical.rules.reserved}:
        for mention in lexical.occurrences_of(word):
            if mention.role not in _NOT_IN_CODE:
                yield mention
