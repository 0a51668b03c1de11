"""Modules that others publish as a namespace: ``export * as util from "./util"``."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.javascript import paths, words
from gitscalpel.meaning.javascript.importing import statements, style
from gitscalpel.meaning.javascript.importing.statements import ALL, DEFAULT, GIVEN, opened
from gitscalpel.meaning.javascript.moving import spelling
from gitscalpel.meaning.javascript.moving.following import Way
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice

_NAMES = ("identifier", "shorthand_property_identifier")


def find_publisher(files: Files, path: str) -> str | None:
    """Return the path of a file that publishes another one as a namespace; None if there is none."""
    resolver = Resolver(files, dialect)
    for other in spelling.naming_files(files, path):
        if other != path and any(True for _ in _publishing(resolver, other, path)):
            return other
    return None


def republish(files: Files, path: str, way: Way) -> Files:
    """Return the files in which the old module of a definition goes on exporting it."""
    lexical = opened(files, path)
    how = style.of(lexical)
    module = how.string(spelling.spelled(files, path, way.to))
    name = "default" if way.exported == DEFAULT else way.exported or way.word
    line = f"export {'type ' if way.is_type else ''}{how.braces(name)} from {module}{how.end}"
    found = statements.read(lexical)
    at = max((each.end for each in found), default=0)
    new = line.encode("utf-8", "surrogateescape") + b"\n"
    if not found:
        at = len(lexical.text.rstrip())
        new = (b"\n\n" if at else b"") + new
        return files.with_text(path, splice.apply(lexical.text, [Splice(at, len(lexical.text), new)]))
    return files.with_text(path, splice.apply(lexical.text, [Splice(at, at, new)]))


def _publishing(resolver: Resolver, path: str, module: str) -> Iterator[tree_sitter.Node]:
    """Yield the statements of a file that export all of a module under one name."""
    lexical = resolver.lexical(path)
    aliases = {
        name.alias.encode("utf-8", "surrogateescape")
        for statement in statements.read(lexical)
        if _is(resolver, path, statement.module, module)
        for name in statement.names
        if name.name in (ALL, GIVEN)
    }
    for node in lexical.syntax.root.named_children:
        source = node.child_by_field_name("source")
        if node.type != "export_statement":
            continue
        if source is None and _says(node, aliases):
            yield node
        elif source is not None and _is_whole(node):
            said = words.literal(resolver, path, source)
            yield from [node] if _is(resolver, path, said, module) else []


def _is_whole(node: tree_sitter.Node) -> bool:
    return any(child.type == "namespace_export" for child in node.children)


def _is(resolver: Resolver, path: str, said: str, module: str) -> bool:
    return getattr(paths.find(resolver, path, said), "path", None) == module


def _says(node: tree_sitter.Node, names: set[bytes]) -> bool:
    return bool(names) and any(each.type in _NAMES and each.text in names for each in _whole(node))


def _whole(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the nodes of a statement that are not in a function or a member of something."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        if each.type == "member_expression" and each.id != node.id:
            continue
        is_function = "function" in each.type or each.type in (
            "class_declaration",
            "class",
            "method_definition",
        )
        waiting += [] if is_function else each.named_children
