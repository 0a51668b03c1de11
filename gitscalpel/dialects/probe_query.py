"""Queries as Probe takes them: words that files must hold or must not, and hints at which files are meant."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import NamedTuple

from gitscalpel.errors import BadCall

_TERM = re.compile(r'(?P<sign>[+-]?)(?:"(?P<quoted>[^"]*)"|(?P<word>[^\s()"]+))')


class Hint(NamedTuple):
    """Files that are meant, or are not: ``ext:py,pyi``, ``dir:src``, ``-file:docs/*``."""

    means: Callable[[str, str], bool]
    value: str
    is_not: bool

    def lets(self, path: str) -> bool:
        """Whether a file may be told."""
        return self.means(path, self.value) is not self.is_not


class Query(NamedTuple):
    """The words of a query: all that a file must hold, all that it must not, and all that count."""

    must: set[str]
    never: set[str]
    words: list[str]
    hints: tuple[Hint, ...] = ()

    def lets(self, path: str) -> bool:
        """Whether the hints let a file be told."""
        return all(hint.lets(path) for hint in self.hints)


def _by_extension(path: str, value: str) -> bool:
    return posixpath.splitext(path)[1].lower() in {
        f".{each.lstrip('.').lower()}" for each in value.split(",")
    }


def _by_name(path: str, value: str) -> bool:
    return posixpath.basename(path).lower() == value.lower()


def _by_folder(path: str, value: str) -> bool:
    folder = posixpath.dirname(path)
    return value in folder or fnmatchcase(folder, value)


def _by_language(path: str, value: str) -> bool:
    from gitscalpel.syntax.languages import LANGUAGES

    suffixes = next((each.suffixes for each in LANGUAGES if each.name == value.lower()), None)
    return _by_extension(path, value) if suffixes is None else path.lower().endswith(suffixes)


_HINTS: dict[str, Callable[[str, str], bool]] = {
    **dict.fromkeys(("ext", "extension"), _by_extension),
    **dict.fromkeys(("file", "path"), fnmatchcase),
    **dict.fromkeys(("dir", "directory"), _by_folder),
    **dict.fromkeys(("lang", "language", "type"), _by_language),
    "filename": _by_name,
}


def parsed(query: str, *, exact: bool) -> Query:
    """What a query asks for.

    Raises:
        BadCall: ``invalid_args``: it has no word.
    """
    if exact:
        return Query({query.lower()}, set(), [query.lower()])
    must: set[str] = set()
    never: set[str] = set()
    words: list[str] = []
    hints: list[Hint] = []
    joined = ""
    for found in _TERM.finditer(query):
        word = found["quoted"] if found["quoted"] is not None else found["word"]
        if found["quoted"] is None and word in ("AND", "OR", "NOT"):
            must |= {words[-1]} if word == "AND" and words else set()
            joined = word
            continue
        field, _, value = word.partition(":")
        is_not = found["sign"] == "-" or joined == "NOT"
        if found["quoted"] is None and value and field.lower() in _HINTS:
            hints.append(Hint(_HINTS[field.lower()], value, is_not))
        elif is_not:
            never.add(word.lower())
        else:
            words.append(word.lower())
            must |= {word.lower()} if found["sign"] == "+" or joined == "AND" else set()
        joined = ""
    if not words:
        raise BadCall("invalid_args", "the query has no word to look for", "give words, AND, OR, NOT, +, -")
    return Query(must, never, words, tuple(hints))
