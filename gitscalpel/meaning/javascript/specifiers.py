"""Where a file names other files: imports, exports, calls that load, and what tests put in their place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import tree_sitter

from gitscalpel.meaning.javascript import amd, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.regex import lazy

_STATEMENTS = ("import_statement", "export_statement", "import_require_clause")
_LOADING = frozenset(
    {"import", "require", "require.resolve"}
    | {
        f"{tool}.{does}"
        for tool in ("jest", "vi")
        for does in (
            *("mock", "unmock", "doMock", "dontMock", "doUnmock", "setMock"),
            *("requireActual", "requireMock", "importActual", "importMock", "createMockFromModule"),
        )
    }
)
_REFERENCE = lazy(rb"""///\s*<reference\s+path\s*=\s*(["'])([^"']+)\1""")


class Specifier(NamedTuple):
    """A file as another one names it.

    Attributes:
        said: how it is named.
        start, end: where, without quotation marks.
    """

    said: str
    start: int
    end: int


def of(resolver: Resolver, path: str) -> Iterator[Specifier]:
    """What a file names, in no order."""
    syntax = resolver.lexical(path).syntax
    for node in syntax.of_type("string"):
        said = words.literal(resolver, path, node)
        if said and "\\" not in said and is_one(resolver, path, node):
            yield Specifier(said, node.start_byte + 1, node.end_byte - 1)
    for node in syntax.of_type("comment"):
        found = _REFERENCE.match(syntax.text[node.start_byte : node.end_byte])
        if found:
            start, end = (node.start_byte + at for at in found.span(2))
            said = found[2].decode("utf-8", "surrogateescape")
            yield Specifier(said if said.startswith(".") else f"./{said}", start, end)


def is_one(resolver: Resolver, path: str, node: tree_sitter.Node) -> bool:
    """Whether a string names a file."""
    above = node.parent
    if above is None:
        return False
    if above.type in _STATEMENTS:
        return above.child_by_field_name("source") == node
    if above.type == "module":
        return above.child_by_field_name("name") == node
    if amd.asked_for(node):
        return True
    if above.type != "arguments" or above.named_children[0] != node or above.parent is None:
        return False
    return words.text(resolver, path, above.parent.child_by_field_name("function")) in _LOADING
