"""What the query found of one tree that leads and extents are made of, ready to be asked for."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Set

import tree_sitter

from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.query import Captures
from gitscalpel.syntax.siblings import Siblings
from gitscalpel.syntax.symbols import opening


class Marks:
    """The nodes of one tree that leads are made of, ready to be asked for."""

    def __init__(self, syntax: Syntax, captures: Captures) -> None:
        nodes, none = captures.nodes, set[int]()
        self.syntax = syntax
        self.captures = captures
        self.siblings = Siblings()
        self.decorators = captures.ids.get("decorator", none)
        self.exports = captures.ids.get("export", none)
        self.heads = captures.ids.get("head", none)
        self.modifiers = captures.ids.get("modifiers", none)
        self.wrappers = captures.ids.get("wrapper", none).union(*map(_wrapped, nodes["wrapped"]))
        self.wholes = captures.ids.get("whole", none) - captures.ids.get("group", none)
        self.groups: Set[int] = frozenset()
        self.lines = [0, *(found.end() for found in re.finditer(rb"\n", syntax.text))]
        self.comments = captures.ids.get("comment", none)
        self.comment_ends = {node.start_byte: node.end_byte for node in nodes["comment"]}
        self.comments_by_last_row = {
            self._last_row(node): node for node in nodes["comment"] if self._alone(node)
        }
        self._openings: dict[int, int] = {}
        self.anchors = sorted((node.start_byte, node.text or b"") for node in nodes["anchor"])

    def anchor_in(self, start: int, end: int) -> str | None:
        """The name of its own that a definition has in its header (``#id``)."""
        at = bisect(self.anchors, (start,))
        if at == len(self.anchors) or self.anchors[at][0] >= end:
            return None
        return "#" + self.anchors[at][1].decode("utf-8", "replace").strip("\"' ")

    def opening(self, block: tree_sitter.Node) -> int:
        """Where a block's bracket stands, see :func:`gitscalpel.syntax.symbols.opening`; looked for once."""
        if self.syntax.language.aligned:  # there is none
            return block.start_byte
        if block.id not in self._openings:
            self._openings[block.id] = opening(block)
        return self._openings[block.id]

    def keep_single_wholes(self, definitions: list[tree_sitter.Node]) -> None:
        """A statement with several definitions (``int a, b;``) is the extent of none of them."""
        held: Counter[int] = Counter()
        for node in {node.id: node for node in definitions}.values():
            outer = node.parent
            while outer is not None and outer.id in self.wholes:
                held[outer.id] += 1
                outer = outer.parent
        self.wholes = {whole for whole, count in held.items() if count == 1}
        self.groups = held.keys() - self.wholes

    def comment_of_line(self, at: int) -> tree_sitter.Node | None:
        """The comment that ends in the line of ``at``, where nothing stands before it in its own line."""
        return self.comments_by_last_row.get(bisect(self.lines, at) - 1)

    def _last_row(self, comment: tree_sitter.Node) -> int:
        """The row of its last character; some grammars count white space below to a comment."""
        said = self.syntax.text[comment.start_byte : comment.end_byte].rstrip()
        return bisect(self.lines, comment.start_byte + len(said) - 1) - 1

    def _alone(self, node: tree_sitter.Node) -> bool:
        """Whether nothing but white space stands before it in its line."""
        start = self.syntax.text.rfind(b"\n", 0, node.start_byte) + 1
        return not self.syntax.text[start : node.start_byte].strip()


def _wrapped(node: tree_sitter.Node) -> set[int]:
    """The node and the one around it, and those around them that are such a pair (``a b def f``)."""
    found: set[int] = set()
    kind, inner = node.type, node
    while inner.type == kind and inner.parent is not None:
        found |= {inner.id, inner.parent.id}
        inner = inner.parent.parent or inner.parent
    return found
