"""What a definition uses of its file: what has to be there where it goes."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding
from gitscalpel.syntax.occurrences import Mention

_CHANGES = ("assignment_expression", "augmented_assignment_expression", "update_expression")


def uses(resolver: Resolver, path: str, spans: list[tuple[int, int]]) -> Iterator[Mention]:
    """Where names of the file's own scope stand in some bytes of it, in order."""
    lexical = resolver.lexical(path)
    root = lexical.syntax.root
    own = (path, (root.start_byte, root.end_byte), "module")
    for node in _identifiers(root, spans):
        word = lexical.text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")
        mention = lexical.mentions.at(word, node.start_byte)
        meant = resolver.meanings(path, mention) if mention.role == "use" else ()
        if any(isinstance(each, Binding) and each[:4] == (*own, word) for each in meant):
            yield mention


def free(resolver: Resolver, path: str, spans: list[tuple[int, int]]) -> list[str]:
    """The names in some bytes that the file does not bind: what the language or another script has."""
    lexical = resolver.lexical(path)
    found: dict[str, None] = {}
    for node in _identifiers(lexical.syntax.root, spans):
        word = lexical.text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")
        mention = lexical.mentions.at(word, node.start_byte)
        if mention.role == "use" and lexical.scope_of(mention) is None:
            found[word] = None
    return list(found)


def has_elements(root: tree_sitter.Node, spans: list[tuple[int, int]]) -> bool:
    """Whether there are elements in some bytes, which are made with what stands nowhere."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if any(start < node.end_byte and node.start_byte < end for start, end in spans):
            if node.type in ("jsx_element", "jsx_self_closing_element"):
                return True
            waiting += node.children
    return False


def is_set(mention: Mention) -> bool:
    """Whether a variable is given another value here, which nobody can who imports it."""
    node, above = mention.node, mention.node.parent
    while above is not None and above.type in ("array_pattern", "object_pattern", "parenthesized_expression"):
        node, above = above, above.parent
    if above is None or above.type not in _CHANGES:
        return False
    left = above.child_by_field_name("left") or above.child_by_field_name("argument")
    return left is not None and left.id == node.id


def _identifiers(root: tree_sitter.Node, spans: list[tuple[int, int]]) -> Iterator[tree_sitter.Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not any(start < node.end_byte and node.start_byte < end for start, end in spans):
            continue
        if node.type.endswith("identifier") and not node.child_count:
            yield node
        waiting += reversed(node.children)
