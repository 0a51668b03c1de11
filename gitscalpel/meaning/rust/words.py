"""Nodes of a file and the words in them; ``r#`` before a word is no part of it."""

from __future__ import annotations

import tree_sitter

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.syntax.occurrences import Mention


def text(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> str:
    """What a node spells; nothing for none."""
    if node is None:
        return ""
    return resolver.lexical(path).text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")


def mention(resolver: Resolver, path: str, node: tree_sitter.Node) -> Mention:
    """What a name's node mentions."""
    word = text(resolver, path, node)
    bare = word.removeprefix("r#")
    return resolver.lexical(path).mentions.at(bare, node.start_byte + len(word) - len(bare))


def name(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> str:
    """The name that a definition has."""
    return text(resolver, path, node and node.child_by_field_name("name")).removeprefix("r#")


def around(node: tree_sitter.Node, *types: str) -> tree_sitter.Node | None:
    """The innermost node of these types around another."""
    above = node.parent
    while above is not None and above.type not in types:
        above = above.parent
    return above


def is_field(node: tree_sitter.Node, of: tree_sitter.Node | None, field: str) -> bool:
    """Whether a node stands in a field of another."""
    found = of.child_by_field_name(field) if of is not None else None
    return found is not None and found.id == node.id
