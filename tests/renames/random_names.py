"""Names to rename, drawn from a seed, with equal chances for each kind of name.

Only names that the project itself defines are drawn. A builtin, a library's function or a segment of a
package in an import is refused rightly, so that drawing it would measure the draw and not the rename.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from gitscalpel.edit.source import Source
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.syntax.occurrences import Mention
from tests.renames.project import Project

_WORD = re.compile(rb"[A-Za-z_]\w+")
_NO_NAMES = ("comment", "string", "text", "module", "label")
_TRIES = 40
"""Number of candidate words for one drawn name."""


class Drawn(NamedTuple):
    """A place of a name, and its new name.

    Attributes:
        path, line: place of the name.
        name: the word in that line; ``#2`` selects the second one.
        word: the word without a number.
        kind: kind of the name or of its use.
        to: the new name.
    """

    path: str
    line: int
    name: str
    word: str
    kind: str
    to: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.name} ({self.kind}) -> {self.to}"


def draw(project: Project, language: str, seed: int) -> Drawn | None:
    """Return a name that the project defines, the same for the same seed, or None if none was found."""
    chance = random.Random(seed)  # noqa: S311 - to be had again
    sources = project.sources(language)
    by_kind: dict[str, list[Drawn]] = defaultdict(list)
    for _ in range(_TRIES):
        path = chance.choice(sources)
        found = _draw_in_file(project.root, path, chance)
        if found is not None and _is_defined(project, sources, found.word):
            by_kind[found.kind].append(found)
    return chance.choice(by_kind[chance.choice(sorted(by_kind))]) if by_kind else None


def _draw_in_file(root: Path, path: str, chance: random.Random) -> Drawn | None:
    source = Source.read(path, (root / path).read_bytes())
    words = list(_WORD.finditer(source.text))
    if not words or source.language is None or not Lexical.knows(source.language) or source.syntax is None:
        return None
    at = chance.choice(words)
    word = at[0].decode()
    lexical = Lexical(source.syntax)
    mention = next((each for each in lexical.occurrences_of(word) if each.start == at.start()), None)
    if mention is None or not _is_name(mention) or word in lexical.rules.reserved:
        return None
    line = source.text.count(b"\n", 0, mention.start) + 1
    first = source.text.rfind(b"\n", 0, mention.start)
    before = [each for each in lexical.occurrences_of(word) if first < each.start < mention.start]
    end = "Zq" if re.search("[a-z][A-Z]|^[A-Z][a-z]", word) else "_ZQ" if word.isupper() else "_zq"
    return Drawn(path, line, f"{word}#{len(before) + 1}", word, _kind(mention), word + end)


def _is_defined(project: Project, sources: list[str], word: str) -> bool:
    """Return True if a source of the project binds the word, other than by importing it."""
    if word not in project.defined:
        project.defined[word] = any(_defines(project, path, word) for path in sources)
    return project.defined[word]


def _defines(project: Project, path: str, word: str) -> bool:
    if path not in project.parsed:  # each file once: most words of a draw are in many files
        source = Source.read(path, (project.root / path).read_bytes())
        known = source.language is not None and Lexical.knows(source.language) and source.syntax is not None
        project.parsed[path] = source.text, Lexical(source.syntax) if known and source.syntax else None
    text, lexical = project.parsed[path]
    if lexical is None or word.encode() not in text:
        return False
    if re.search(rb"\b(self|this)\.%b\b[^=\n()]*=(?!=)" % re.escape(word.encode()), text):
        return True
    return any(
        each.role in ("bind", "early") and each.kind != "import" for each in lexical.occurrences_of(word)
    )


def _is_name(mention: Mention) -> bool:
    is_own = mention.name.startswith("__") and mention.name.endswith("__")
    return not (is_own or _is_package(mention)) and mention.role not in _NO_NAMES


def _is_package(mention: Mention) -> bool:
    """Return True for a part of a dotted name in an import of Java that is not the last one."""
    above = mention.node.parent
    around = above.parent if above is not None and above.type == "scoped_identifier" else None
    return around is not None and around.type == "scoped_identifier"


def _kind(mention: Mention) -> str:
    return mention.kind or mention.role if mention.role in ("bind", "early") else mention.role
