"""What a comment above a declaration names: what is declared; a doc comment begins with its name."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Meaning
from gitscalpel.syntax.occurrences import Mention

_DECLARING = ("bind", "early", "member")
_WITHIN = frozenset({"const_spec", "expression_list", "type_alias", "type_spec", "var_spec", "var_spec_list"})
"""What stands between a declaration and the name that it declares."""
_BEFORE = re.compile(rb"(?://|/\*)[\s*]*\Z")
_BEHIND = re.compile(rb"'s\b|[.,;:]?(?:\s|\*/|\Z)")


def below(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """What is declared under a comment of which a word is its name."""
    node = _declaration(mention.node)
    for each in resolver.lexical(path).of(mention.name) if node is not None else ():
        if node is not None and node.start_byte <= each.start < node.end_byte and each.role in _DECLARING:
            yield from resolver.meanings(path, each)
            return


def begun(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """What is declared right under a comment that begins with its name."""
    node, text = _declaration(mention.node), resolver.lexical(path).text
    if node is None or not _is_first(text, mention):
        return
    for each in resolver.lexical(path).of(mention.name):
        if each.role in _DECLARING and _declares(node, each.node):
            yield from resolver.meanings(path, each)


def _declaration(comment: tree_sitter.Node) -> tree_sitter.Node | None:
    """What stands right under a comment and those that go on with it."""
    node = comment.next_named_sibling
    while node is not None and node.type == "comment" and node.start_point[0] == comment.end_point[0] + 1:
        comment, node = node, node.next_named_sibling
    if node is None or node.start_point[0] != comment.end_point[0] + 1:
        return None
    # What is above the first statement of a block stands beside all of them.
    return node.named_children[0] if node.type == "statement_list" else node


def _is_first(text: bytes, mention: Mention) -> bool:
    """Whether a word is the first one of a comment that has its lines for itself and continues no other."""
    comment = mention.node
    above = comment.prev_named_sibling
    is_next = above is not None and above.end_point[0] + 1 == comment.start_point[0]
    if is_next and above is not None and above.type == "comment" and _is_alone(text, above):
        return False
    before = text[comment.start_byte : mention.start]
    behind = text[mention.start + len(mention.name.encode()) : comment.end_byte]
    return bool(_is_alone(text, comment) and _BEFORE.match(before) and _BEHIND.match(behind))


def _is_alone(text: bytes, comment: tree_sitter.Node) -> bool:
    """Whether nothing stands before a comment in its line."""
    return not text[text.rfind(b"\n", 0, comment.start_byte) + 1 : comment.start_byte].strip()


def _declares(node: tree_sitter.Node, name: tree_sitter.Node) -> bool:
    """Whether a name is what a declaration gives, and no part of what is in it."""
    above = name.parent
    while above is not None and above.type in _WITHIN and above != node:
        above = above.parent
    return above == node
