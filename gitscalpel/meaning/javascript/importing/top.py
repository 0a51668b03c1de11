"""Where imports may begin in a file that has none: below what has to stay first."""

from __future__ import annotations

import tree_sitter

from gitscalpel.meaning.lexical import Lexical


def of(lexical: Lexical) -> int:
    """Behind what a file begins with: the lines of a ``#!``, a licence, and directives."""
    text, end = lexical.text, 0
    for node in lexical.syntax.root.named_children:
        if not (is_directive(node) or node.type == "hash_bang_line" or _is_apart(node, text)):
            break
        line = text.find(b"\n", node.end_byte)
        end = len(text) if line < 0 else line + 1
    return end


def directives(lexical: Lexical) -> list[bytes]:
    """What a file begins with that says how it is read (``"use strict"``)."""
    found = []
    for node in lexical.syntax.root.named_children:
        if is_directive(node):
            found.append(lexical.text[node.start_byte : node.end_byte])
        elif node.type not in ("comment", "hash_bang_line"):
            break
    return found


def is_directive(node: tree_sitter.Node) -> bool:
    """Whether a statement is a string and nothing else."""
    return node.type == "expression_statement" and [c.type for c in node.named_children] == ["string"]


def _is_apart(node: tree_sitter.Node, text: bytes) -> bool:
    """Whether a comment is about the file, and not about what follows."""
    if node.type != "comment":
        return False
    behind = text[text.find(b"\n", node.end_byte) + 1 :] if b"\n" in text[node.end_byte :] else b""
    follows = node.next_named_sibling
    is_block = follows is not None and follows.type == "comment" and _is_apart(follows, text)
    return behind.startswith((b"\n", b"\r\n")) or follows is None or is_block
