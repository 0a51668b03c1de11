"""Files with marked places of a name, compared with the found references.

``«x»`` marks a certain reference, and the first one is the requested place; ``¿x?`` marks an undecidable one.
Unmarked words mean something else, or are text. A line ``# path`` (``// path``) begins a file.
"""

from __future__ import annotations

import re
from textwrap import dedent

from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.names import overloads
from gitscalpel.names.entities import Binding
from gitscalpel.names.files import Files
from gitscalpel.names.references import References, find_references
from gitscalpel.names.resolver import Place, Resolver, dialect
from tests.edit import editing

_HEAD = re.compile(r"(?m)^(?:#|//) (\S+\.\w+)\n")
_MARK = re.compile(r"«(\w+)»|¿(\w+)\?")
Places = set[tuple[str, int]]


def split_files(text: str) -> dict[str, str]:
    """Return the files of a text by path."""
    _, *parts = _HEAD.split(dedent(text).lstrip("\n"))
    return dict(zip(parts[::2], parts[1::2], strict=True))


def remove_marks(text: str) -> tuple[str, list[int], list[int]]:
    """Return the text without marks, and the character offsets of certain and unknown places."""
    plain, certain, unknown = "", list[int](), list[int]()
    end = 0
    for mark in _MARK.finditer(text):
        plain += text[end : mark.start()]
        (certain if mark[1] else unknown).append(len(plain))
        plain += mark[1] or mark[2]
        end = mark.end()
    return plain + text[end:], certain, unknown


def find_references_at(
    files: dict[str, str], path: str, at: int, *, in_line: bool = False, narrow: bool = False
) -> References:
    """Return the references of the name at a character offset.

    Args:
        files: texts by path.
        path, at: path and character offset of the name.
        in_line: True for the selection of ``refs``.
        narrow: True for references of the same overload only.
    """
    resolver = Resolver(Files(Overlay(editing.Files(dict(files)))), dialect)
    start = len(files[path][:at].encode())
    word = re.match(r"[\w$]+", files[path][at:])
    assert word is not None
    mention = resolver.lexical(path).mentions.at(word[0], start)
    meanings = resolver.meanings(path, mention) or resolver.dialect(path).resolve_in_string(
        resolver, path, mention
    )
    target = {each for each in meanings if isinstance(each, Binding)}
    places = find_references(resolver, target, in_line=Place(path, mention) if in_line else None)
    return overloads.select_overloads(resolver, [Place(path, mention)], places) if narrow else places


def assert_marked(text: str, *, in_line: bool = False, narrow: bool = False) -> None:
    """Assert that the references of the first marked place are exactly the marked ones."""
    read = {path: remove_marks(part) for path, part in split_files(text).items()}
    files = {path: plain for path, (plain, _, _) in read.items()}
    path, at = next((path, certain[0]) for path, (_, certain, _) in read.items() if certain)
    references = find_references_at(files, path, at, in_line=in_line, narrow=narrow)
    certain = {(path, at) for path, (_, places, _) in read.items() for at in places}
    unknown = {(path, at) for path, (_, _, places) in read.items() for at in places}

    def places(of: list[tuple[str, int]]) -> Places:
        return {(path, len(files[path].encode()[:start].decode())) for path, start in of}

    assert places([(each.path, each.mention.start) for each in references.certain]) == certain
    assert places([(each.path, each.mention.start) for each in references.unsure]) == unknown
