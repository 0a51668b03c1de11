"""Nodes of a file and the words in them."""

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
    return resolver.lexical(path).mentions.at(text(resolver, path, node), node.start_byte)


def around(node: tree_sitter.Node, *types: str) -> tree_sitter.Node | None:
    """The innermost node of these types around another."""
    above = node.parent
    while above is not None and above.type not in types:
        above = above.parent
    return above


def has_modifier(name: tree_sitter.Node, word: str) -> bool:
    """Whether a word stands among the modifiers of the declaration of a name."""
    above = name.parent
    if above is not None and above.type == "variable_declaration":
        above = above.parent
    for each in above.children if above is not None else ():
        if each.type in ("modifier", "modifiers") and word.encode() in (each.text or b"").split():
            return True
    return False
