"""Where a file names other files: imports, exports, calls that load, and what tests put in their place."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

import tree_sitter

from gitscalpel.meaning.javascript import amd, words
from gitscalpel.meaning.resolve import Resolver

_STATEMENTS = ("import_statement", "export_statement", "import_require_clause")
_LOADING = frozenset(
    {"import", "require", "require.resolve", "import.meta.resolve", "require.resolveWeak", "require.ensure"}
    | {
        f"{tool}.{does}"
        for tool in ("jest", "vi")
        for does in (
            *("mock", "unmock", "doMock", "dontMock", "doUnmock", "setMock"),
            *("requireActual", "requireMock", "importActual", "importMock", "createMockFromModule"),
        )
    }
)
_REFERENCE = re.compile(rb"""///\s*<reference\s+path\s*=\s*(["'])(?P<said>[^"']+)\1""")
_DOCUMENTED = re.compile(rb"""(?:\bimport\(\s*|@import\s[^"'@]*\bfrom\s*)(["'])(?P<said>[^"'\n]+)\1""")
"""``import("./x").T`` in a comment, and ``@import { T } from "./x"``."""
_GLOBS = frozenset({"import.meta.glob", "import.meta.globEager", "import.meta.globEagerDefault"})


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
    for kind in ("string", "template_string"):
        for node in syntax.of_type(kind):
            said = words.said(resolver, path, node)
            if said and "\\" not in said:
                if is_one(resolver, path, node):
                    yield _plain(said, node.start_byte + 1)
                elif not _is_directory(said) and _is_url(resolver, path, node):
                    yield _placed(said, node.start_byte + 1)
    for node in syntax.of_type("comment"):
        text = syntax.text[node.start_byte : node.end_byte]
        for found in _REFERENCE.finditer(text):
            yield _placed(
                found["said"].decode("utf-8", "surrogateescape"), node.start_byte + found.start("said")
            )
        for found in _DOCUMENTED.finditer(text):
            yield _plain(
                found["said"].decode("utf-8", "surrogateescape"), node.start_byte + found.start("said")
            )


def _plain(said: str, start: int) -> Specifier:
    """A name without the loaders of webpack before it and the query behind it: ``raw!./x.html?inline``."""
    head, mark, tail = said.rpartition("!")
    name = tail.partition("?")[0]
    start += len((head + mark).encode("utf-8", "surrogateescape"))
    return Specifier(name, start, start + len(name.encode("utf-8", "surrogateescape")))


def _placed(said: str, start: int) -> Specifier:
    """A name that is a path also without ``./``."""
    found = _plain(said, start)
    return found if said.startswith((".", "/")) or ":" in said else found._replace(said=f"./{found.said}")


def directory_urls(resolver: Resolver, path: str) -> Iterator[Specifier]:
    """Yield the directories that a file names in ``new URL("./x/", import.meta.url)``."""
    for node in resolver.lexical(path).syntax.of_type("string"):
        said = words.said(resolver, path, node)
        if _is_directory(said) and not said.startswith("/") and _is_url(resolver, path, node):
            yield Specifier(said, node.start_byte + 1, node.end_byte - 1)


def _is_directory(said: str) -> bool:
    return said.endswith("/") or posixpath.basename(said) in (".", "..")


def _is_url(resolver: Resolver, path: str, node: tree_sitter.Node) -> bool:
    """Return True for ``new URL("./x", import.meta.url)``."""
    given = node.parent
    call = given.parent if given is not None and given.type == "arguments" else None
    if call is None or given is None or call.type != "new_expression":
        return False
    held = [each for each in given.named_children if each.type != "comment"]
    called = words.text(resolver, path, call.child_by_field_name("constructor"))
    base = words.text(resolver, path, held[1]) if len(held) > 1 else ""
    return held[0] == node and called in ("URL", "window.URL", "self.URL") and base == "import.meta.url"


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
    if above.type != "arguments" or above.parent is None:
        return False
    first = next(each for each in above.named_children if each.type != "comment")
    return (
        first == node and words.text(resolver, path, above.parent.child_by_field_name("function")) in _LOADING
    )


class Pattern(NamedTuple):
    """Files that a call loads by a pattern, or by a name that is put together.

    Attributes:
        glob: the pattern, with ``*`` for what is not known.
        start: offset in the file.
        is_exact: what stands for ``*`` is chosen elsewhere, so that the names of files matter.
    """

    glob: str
    start: int
    is_exact: bool


def patterns(resolver: Resolver, path: str) -> Iterator[Pattern]:
    """Yield the patterns by which a file loads others, relative to it."""
    for call in resolver.lexical(path).syntax.of_type("call_expression"):
        called = words.text(resolver, path, call.child_by_field_name("function"))
        given = call.child_by_field_name("arguments")
        held = [each for each in given.named_children if each.type != "comment"] if given is not None else []
        if not held:
            continue
        if called in _GLOBS:
            listed = held[0].named_children if held[0].type == "array" else held[:1]
            for each in listed:
                yield Pattern(words.said(resolver, path, each), each.start_byte, is_exact=False)
        elif called == "require.context":
            yield Pattern(words.said(resolver, path, held[0]) + "/**", held[0].start_byte, is_exact=False)
        elif called in _LOADING:
            yield Pattern(put_together(resolver, path, held[0]), held[0].start_byte, is_exact=True)


def put_together(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    """Return a template or a sum of strings with ``*`` for its other parts; empty for anything else."""
    if node.type == "template_string":
        inner = node.named_children
        parts = [
            words.text(resolver, path, each) if each.type == "string_fragment" else "*" for each in inner
        ]
        return "".join(parts) if "*" in parts else ""
    if node.type == "binary_expression":
        sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
        return "".join(
            words.said(resolver, path, each) or put_together(resolver, path, each) or "*"
            for each in sides
            if each is not None
        )
    return ""
