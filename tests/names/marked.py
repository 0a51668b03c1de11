"""Files in which the places of a name are marked, and what is found of them.

``«x»`` is a place that is certainly meant, the first one is what is asked for; ``¿x?`` one of which nobody
can tell. What is not marked means something else, or is text. A line ``# path`` (``// path``) begins a file.
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


def parted(text: str) -> dict[str, str]:
    """The files of a text."""
    _, *parts = _HEAD.split(dedent(text).lstrip("\n"))
    return dict(zip(parts[::2], parts[1::2], strict=True))


def unmarked(text: str) -> tuple[str, list[int], list[int]]:
    """A text without marks, and where the certain and the unknown places stand, in characters."""
    plain, certain, unknown = "", list[int](), list[int]()
    end = 0
    for mark in _MARK.finditer(text):
        plain += text[end : mark.start()]
        (certain if mark[1] else unknown).append(len(plain))
        plain += mark[1] or mark[2]
        end = mark.end()
    return plain + text[end:], certain, unknown


def found(
    files: dict[str, str], path: str, at: int, *, in_line: bool = False, narrow: bool = False
) -> References:
    """Return the references of what stands at a character.

    Args:
        files: texts by path.
        path, at: the place.
        in_line: as ``refs`` lists them.
        narrow: only those of its overload.
    """
    resolver = Resolver(Files(Overlay(editing.Files(dict(files)))), dialect)
    start = len(files[path][:at].encode())
    word = re.match(r"[\w$]+", files[path][at:])
    assert word is not None
    mention = resolver.lexical(path).mentions.at(word[0], start)
    meant = resolver.meanings(path, mention) or resolver.dialect(path).resolve_in_string(
        resolver, path, mention
    )
    target = {each for each in meant if isinstance(each, Binding)}
    places = find_references(resolver, target, in_line=Place(path, mention) if in_line else None)
    return overloads.select_overloads(resolver, [Place(path, mention)], places) if narrow else places


def assert_marked(text: str, *, in_line: bool = False, narrow: bool = False) -> None:
    """The marked places, and no others, are what is found of the first of them."""
    read = {path: unmarked(part) for path, part in parted(text).items()}
    files = {path: plain for path, (plain, _, _) in read.items()}
    path, at = next((path, certain[0]) for path, (_, certain, _) in read.items() if certain)
    told = found(files, path, at, in_line=in_line, narrow=narrow)
    certain = {(path, at) for path, (_, places, _) in read.items() for at in places}
    unknown = {(path, at) for path, (_, _, places) in read.items() for at in places}

    def places(of: list[tuple[str, int]]) -> Places:
        return {(path, len(files[path].encode()[:start].decode())) for path, start in of}

    assert places([(each.path, each.mention.start) for each in told.certain]) == certain
    assert places([(each.path, each.mention.start) for each in told.unsure]) == unknown
