"""Read syntax nodes of Python: their text and the names in them."""

from __future__ import annotations

import tree_sitter

from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import canonical_name


def text(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    """Return the text of a node without whitespace, in the normal form of names."""
    said = resolver.lexical(path).text[node.start_byte : node.end_byte]
    return canonical_name("".join(said.decode("utf-8", "surrogateescape").split()), "python")


def last_name(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    """Return the last part of a dotted name."""
    return text(resolver, path, node).rpartition(".")[2]


def is_special(name: str) -> bool:
    """Return True for a name that the language reserves (``__init__``)."""
    return name.startswith("__") and name.endswith("__") and len(name) > len("____")
