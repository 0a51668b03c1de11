"""Update the re-exports of a moved definition, also of modules that are published as a namespace.

A file may publish a module as a namespace: ``export * as util from "./util"``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import tree_sitter

from gitscalpel.names.files import Files
from gitscalpel.names.languages.javascript import modules
from gitscalpel.names.nodes import find_part, node_text
from gitscalpel.names.resolver import Resolver, dialect
from gitscalpel.refactor.javascript import import_edits
from gitscalpel.refactor.javascript.module_specifiers import find_naming_files, specifier_for
from gitscalpel.refactor.javascript.module_statements import (
    ALL,
    DEFAULT,
    GIVEN,
    export_specifiers,
    open_file,
    read_statements,
    statement_span,
    style_of,
)
from gitscalpel.text.splice import Splice


class MovedExport(NamedTuple):
    """A moved definition."""

    word: str
    exported: str | None  # exported name, or None if the definition is not exported
    old_path: str
    to: str
    is_type: bool  # True for a type without a value


def keep_exports(files: Files, path: str, moved: MovedExport) -> Files:
    """Return the files in which the new file exports the definition itself instead of re-exporting it."""
    for node in _find_reexports(files, path, moved.old_path):
        text = open_file(files, path).text
        items, own_items = _split_exported_items(node, moved)
        if not own_items:
            continue
        is_type = any(child.type == "type" for child in node.children)
        exports = [
            new for each in own_items if (new := _format_own_export(text, each, moved, is_type=is_type))
        ]
        end = b";" if text[node.end_byte - 1 : node.end_byte] == b";" else b""
        line = b"export { " + b", ".join(exports) + b" }" + end if exports else b""
        if len(own_items) == len(items):
            span = (node.start_byte, node.end_byte) if exports else statement_span(node, text)
            splices = [Splice(*span, line)]
        else:
            splices = _remove_exports(items, own_items)
            splices += [Splice(node.end_byte, node.end_byte, b"\n" + line)] if exports else []
        return keep_exports(files.with_splices(path, splices), path, moved)
    return files


def _split_exported_items(
    node: tree_sitter.Node, moved: MovedExport
) -> tuple[list[tree_sitter.Node], list[tree_sitter.Node]]:
    """Return the specifiers of an export, and those of the definition."""
    items = export_specifiers(node)
    return items, [each for each in items if node_text(find_part(each, "name") or each) == moved.exported]


def _remove_exports(items: list[tree_sitter.Node], gone: list[tree_sitter.Node]) -> list[Splice]:
    spans = [(each.start_byte, each.end_byte) for each in items]
    return list(import_edits.remove_items(spans, [each in gone for each in items]))


def _format_own_export(text: bytes, item: tree_sitter.Node, moved: MovedExport, *, is_type: bool) -> bytes:
    alias = item.child_by_field_name("alias") or item.child_by_field_name("name") or item
    exported = text[alias.start_byte : alias.end_byte]
    if exported == (moved.exported or "").encode():
        return b""
    head = b"type " if is_type or any(child.type == "type" for child in item.children) else b""
    return head + moved.word.encode("utf-8", "surrogateescape") + b" as " + exported


def update_reexports(files: Files, path: str, moved: MovedExport) -> Files:
    for node in _find_reexports(files, path, moved.old_path):
        lexical = open_file(files, path)
        source = node.child_by_field_name("source")
        assert source is not None  # noqa: S101 - that is why it is here
        specifier = modules.literal(Resolver(files, dialect), path, source)
        module = specifier_for(files, path, moved.to, (path, specifier))
        splices = list(_update_reexport(lexical.text, node, source, module, moved))
        if splices:
            return update_reexports(files.with_splices(path, splices), path, moved)
    return files


def _update_reexport(
    text: bytes, node: tree_sitter.Node, source: tree_sitter.Node, module: str, moved: MovedExport
) -> Iterator[Splice]:
    quote, is_ended = text[source.start_byte : source.start_byte + 1], text[: node.end_byte].endswith(b";")
    raw = module.encode("utf-8", "surrogateescape")
    tail = b" from " + quote + raw + quote + (b";" if is_ended else b"")
    if not any(each.type == "export_clause" for each in node.named_children):
        new = b"\nexport " + (b"type " if moved.is_type else b"") + b"{ " + moved.word.encode() + b" }" + tail
        is_all = any(child.type == "*" for child in node.children)
        if is_all and moved.exported == moved.word and not text[node.end_byte :].startswith(new):
            yield Splice(node.end_byte, node.end_byte, new)
        return
    items, own_items = _split_exported_items(node, moved)
    if own_items and len(own_items) == len(items):
        yield Splice(source.start_byte + 1, source.end_byte - 1, raw)
    elif own_items:
        yield from _remove_exports(items, own_items)
        specifiers = b", ".join(text[each.start_byte : each.end_byte] for each in own_items)
        yield Splice(node.end_byte, node.end_byte, b"\nexport { " + specifiers + b" }" + tail)


def _find_reexports(files: Files, path: str, module_path: str) -> list[tree_sitter.Node]:
    resolver = Resolver(files, dialect)
    sources = (
        (node, node.child_by_field_name("source"))
        for node in open_file(files, path).syntax.root.named_children
        if node.type == "export_statement"
    )
    return [
        node
        for node, source in sources
        if source is not None
        and is_module_named(resolver, path, modules.literal(resolver, path, source), module_path)
    ]


_NAME_TYPES = ("identifier", "shorthand_property_identifier")
_SEPARATE_TYPES = ("class_declaration", "class", "method_definition")


def find_publisher(files: Files, path: str) -> str | None:
    """Return the path of a file that publishes another file as a namespace, or None."""
    resolver = Resolver(files, dialect)
    for other in find_naming_files(files, path):
        if other != path and any(True for _ in _iter_namespace_exports(resolver, other, path)):
            return other
    return None


def republish(files: Files, path: str, moved: MovedExport) -> Files:
    """Return the files in which the old module re-exports the definition."""
    lexical = open_file(files, path)
    style = style_of(lexical)
    module = style.string(specifier_for(files, path, moved.to))
    name = "default" if moved.exported == DEFAULT else moved.exported or moved.word
    line = f"export {'type ' if moved.is_type else ''}{style.braces(name)} from {module}{style.end}"
    found = read_statements(lexical)
    at = max((each.end for each in found), default=0)
    new = line.encode("utf-8", "surrogateescape") + b"\n"
    if not found:
        at = len(lexical.text.rstrip())
        new = (b"\n\n" if at else b"") + new
        return files.with_splices(path, [Splice(at, len(lexical.text), new)])
    return files.with_splices(path, [Splice(at, at, new)])


def _iter_namespace_exports(resolver: Resolver, path: str, module: str) -> Iterator[tree_sitter.Node]:
    lexical = resolver.lexical(path)
    aliases = {
        name.alias.encode("utf-8", "surrogateescape")
        for statement in read_statements(lexical)
        for name in statement.names
        if name.name in (ALL, GIVEN) and is_module_named(resolver, path, statement.module, module)
    }
    for node in lexical.syntax.root.named_children:
        source = node.child_by_field_name("source")
        if node.type != "export_statement":
            continue
        if source is None and _names_any(node, aliases):
            yield node
        elif source is not None and _is_namespace_export(node):
            specifier = modules.literal(resolver, path, source)
            yield from [node] if is_module_named(resolver, path, specifier, module) else []


def _is_namespace_export(node: tree_sitter.Node) -> bool:
    return any(child.type == "namespace_export" for child in node.children)


def _names_any(node: tree_sitter.Node, names: set[bytes]) -> bool:
    return bool(names) and any(
        each.type in _NAME_TYPES and each.text in names for each in _iter_immediate_nodes(node)
    )


def _iter_immediate_nodes(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the nodes of a statement outside of functions and member expressions."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        is_member = each.type == "member_expression" and each.id != node.id
        if not (is_member or "function" in each.type or each.type in _SEPARATE_TYPES):
            waiting += each.named_children


def is_module_named(resolver: Resolver, path: str, specifier: str, module: str) -> bool:
    return getattr(modules.find_module(resolver, path, specifier), "path", None) == module
