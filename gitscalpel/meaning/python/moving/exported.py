"""``__all__`` follows a definition: its name goes from one list to the other."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import imports
from gitscalpel.meaning.python.importing.offered import items, said
from gitscalpel.meaning.python.importing.statements import Place
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice

_INIT = ("__init__.py", "__init__.pyi")
_COMMA = re.compile(rb"[ \t]*,[ \t]*")
_ENDING = re.compile(rb"\r?\n")


def moved(files: Files, path: str, to: str, name: str) -> Files:
    """The files with the name in the list of the other one; where that has none, in none."""
    found = unlisted(files, path, name)
    return files if found is files else listed(found, to, name)


def unlisted(files: Files, path: str, name: str) -> Files:
    """Return the files without the name in the list of one of them; the same files if none lists it."""
    place = Place.of(files, path)
    item = next((each for each in items(place) if said(place, each) == name), None)
    if item is None:
        return files
    return files.with_text(path, splice.apply(place.text, [_without(place.text, item)]))


def listed(files: Files, to: str, name: str) -> Files:
    """The files with the name in the list of one of them, where that has one."""
    there = Place.of(files, to)
    own = items(there)
    if not own or any(said(there, each) == name for each in own):
        return files
    quote = there.text[own[-1].start_byte : own[-1].start_byte + 1]
    new = _gap(there.text, own) + quote + name.encode() + quote
    at = own[-1].end_byte
    return files.with_text(to, splice.apply(there.text, [Splice(at, at, b"," + new)]))


def is_public(resolver: Resolver, own: Binding, to: str, *, is_taken: bool) -> bool:
    """Whether a definition belongs in the list of the file to which it goes, if that has one.

    It does if its own file lists it. A package says with its list what it promises, so it has to have had it,
    and so have packages that take all which the file lists; else it is enough that others take it from there.

    Args:
        resolver: of the files before.
        own: the definition.
        to: the path of the file.
        is_taken: others take it from there.
    """
    place = Place.of(resolver.files, own.path)
    if any(said(place, each) == own.name for each in items(place)):
        return True
    taking = [*_taking(resolver, to)]
    if any(own in imports.starred(resolver, path, own.name) for path in taking):
        return True
    if to.rpartition("/")[2] in _INIT:
        return _has(resolver, to, own)
    return is_taken and not taking


def _taking(resolver: Resolver, to: str) -> Iterator[str]:
    """The packages around a file that take all that it lists."""
    folder = to.rpartition("/")[0]
    while folder:
        for path in (f"{folder}/{init}" for init in _INIT):
            if resolver.files.lexical(path) is not None and to in imports.all_of(resolver, path):
                yield path
        folder = folder.rpartition("/")[0]


def _has(resolver: Resolver, path: str, own: Binding) -> bool:
    """Whether a file has had a definition of another one as its own name."""
    if resolver.files.lexical(path) is None:
        return False
    lexical = resolver.lexical(path)
    bound = lexical.bound(own.name).get(lexical.syntax.root.id, ())
    brought = [each for one in bound for each in imports.brings(resolver, path, one)]
    return own in (*brought, *imports.starred(resolver, path, own.name))


def _without(text: bytes, item: tree_sitter.Node) -> Splice:
    """The item with the comma behind it, and with its line where it has one; the last with that before it."""
    found = _COMMA.match(text, item.end_byte)
    line, end = text.rfind(b"\n", 0, item.start_byte) + 1, found.end() if found else item.end_byte
    ending = _ENDING.match(text, end)
    if ending and not text[line : item.start_byte].strip():
        return Splice(line, ending.end(), b"")
    before = item.prev_named_sibling
    if found is None and before is not None:
        return Splice(before.end_byte, item.end_byte, b"")
    return Splice(item.start_byte, end, b"")


def _gap(text: bytes, listed: list[tree_sitter.Node]) -> bytes:
    """What parts items: a blank, or a line's end where each has a line."""
    line = text.rfind(b"\n", 0, listed[-1].start_byte) + 1
    margin = text[line : listed[-1].start_byte]
    return b"\n" + margin if not margin.strip() and margin else b" "
