"""The nodes beside a node, as fast where a thousand stand together as where two do.

``prev_sibling`` counts from the first child on each time, and finds the parent from the root.
"""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter


class Siblings:
    """The children of nodes of one tree, each list read once."""

    def __init__(self) -> None:
        self._beside: dict[int, tuple[list[tree_sitter.Node], dict[int, int]]] = {}
        self._of: dict[int, int] = {}

    def before(self, node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
        """Those before a node, the nearest first."""
        children, at = self._around(node)
        for place in range(at - 1, -1, -1):
            yield children[place]

    def are(self, one: tree_sitter.Node, other: tree_sitter.Node) -> bool:
        """Whether two nodes stand right in the same one."""
        self._around(one)
        self._around(other)
        return self._of.get(one.id) == self._of.get(other.id)

    def _around(self, node: tree_sitter.Node) -> tuple[list[tree_sitter.Node], int]:
        parent = self._of.get(node.id)
        if parent is None:
            above = node.parent
            if above is None:
                return [], 0
            parent, children = above.id, above.children
            places = {child.id: place for place, child in enumerate(children)}
            self._beside[parent] = children, places
            self._of |= dict.fromkeys(places, parent)
        children, places = self._beside[parent]
        return children, places[node.id]
