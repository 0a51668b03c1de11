"""Import statements, and the modules they name as written, without quotes and aliases."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

_IMPORTS = re.compile(r"import|use_declaration|using_directive|include|require")
_FIELDS = ("module_name", "source", "module", "path", "argument")
"""Where grammars keep it, if they have a field for it."""
_PARTS = frozenset(
    {
        *("import_spec_list", "import_spec", "namespace_use_clause", "import_require_clause"),
        *("library_import", "library_export", "import_specification", "configurable_uri"),
        *("aliased_import", "use_as_clause", "scoped_use_list", "use_wildcard"),
    }
)
"""Nodes in imports that hold what is named, perhaps beside an alias."""
_MARKS = " \t\"'`<>"


def is_import(node: tree_sitter.Node) -> bool:
    """Whether a statement brings in what another file defines, by the name of its type."""
    return bool(_IMPORTS.search(node.type))


def modules(node: tree_sitter.Node) -> Iterator[str]:
    """The modules, packages, files or names that an import brings in."""
    if node.type == "future_import_statement":
        yield "__future__"
        return
    found = next((named for field in _FIELDS if (named := node.children_by_field_name(field))), [])
    if found and found[0].type not in _PARTS:
        yield _text(found[0], found[-1])
        return
    parts = found or [child for child in node.named_children if child.type in _PARTS]
    beside = node.children_by_field_name("name")
    for part in beside if set(beside) & set(parts) else parts:
        yield from modules(part) if part.type in _PARTS else iter([_text(part, part)])
    if not parts:
        yield from _named(node)


def _named(node: tree_sitter.Node) -> Iterator[str]:
    """The first child that is no name of its own, else the names themselves."""
    own = {child.id for field in ("name", "alias") for child in node.children_by_field_name(field)}
    rest = [child for child in node.named_children if child.id not in own]
    for child in rest[:1] or node.children_by_field_name("name"):
        yield _text(child, child)


def _text(first: tree_sitter.Node, last: tree_sitter.Node) -> str:
    whole = first.parent
    if whole is None:
        return ""
    said = (whole.text or b"")[first.start_byte - whole.start_byte : last.end_byte - whole.start_byte]
    return said.decode("utf-8", "replace").strip(_MARKS)
