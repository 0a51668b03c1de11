"""Read syntax nodes of JavaScript and TypeScript: their text and the names in them."""

from __future__ import annotations

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import canonical_name

FUNCTIONS = ("function_declaration", "method_definition", "function_expression", "arrow_function")


def text(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> str:
    """Return the text of a node, with escapes in names resolved; empty without a node."""
    if node is None:
        return ""
    found = resolver.lexical(path).text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")
    return canonical_name(found, "javascript") if node.type.endswith("identifier") else found


def literal(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> str:
    """Return the content of a string; empty for other nodes."""
    return text(resolver, path, node)[1:-1] if node is not None and node.type == "string" else ""


def template_text(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    """Return the content of a string or template; empty if it has more than one piece of text."""
    inner = node.named_children
    is_plain = node.type in ("string", "template_string") and [c.type for c in inner] == ["string_fragment"]
    return text(resolver, path, inner[0]) if is_plain else ""


def find_named_node(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the node that a name or quoted name belongs to: ``x``, ``"x"``, ``["x"]``."""
    return nodes.skip_types(node.parent, "string", "template_string", "computed_property_name")
