"""Where imports may begin in a file that has none: below what has to stay first."""

from __future__ import annotations

import tree_sitter


def of(root: tree_sitter.Node, text: bytes) -> int:
    """Behind what a file begins with: the lines of a ``#!``, an encoding, a licence, and its docstring."""
    end = 0
    for node in root.named_children:
        if node.type == "comment":
            follows = text[text.find(b"\n", node.end_byte) + 1 :]
            is_apart = follows.startswith((b"\n", b"\r\n")) or node.next_named_sibling is None
            if node.start_point.row > 1 and not is_apart and not _is_comment(node.next_named_sibling):
                break  # it is about what follows it
        elif node.type not in ("string", "concatenated_string"):
            break
        line = text.find(b"\n", node.end_byte)
        end = len(text) if line < 0 else line + 1
        if node.type != "comment":
            break
    return end


def _is_comment(node: tree_sitter.Node | None) -> bool:
    return node is not None and node.type == "comment"
