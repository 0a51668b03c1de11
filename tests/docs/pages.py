"""What users read, and the blocks of code in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gitscalpel.commands.guides import PAGES

README = Path(__file__).parents[2] / "README.md"
DOCUMENTS = {"README": README, **{file.stem: file for file in sorted(PAGES.glob("*.md"))}}
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A block of code: where it stands, in which language, and what it says."""

    document: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.document}-{self.line}"


def blocks(*languages: str, document: str = "") -> list[Block]:
    """The blocks in these languages, of one document or of all."""
    names = [document] if document else list(DOCUMENTS)
    return [block for name in names for block in _blocks(name) if block.language in languages]


def _blocks(name: str) -> Iterator[Block]:
    text = DOCUMENTS[name].read_text("utf-8")
    for found in _BLOCK.finditer(text):
        yield Block(name, text.count("\n", 0, found.start(2)) + 1, found[1], found[2])
