"""Walk a tree from one byte to the next, without passing a sibling twice.

Tree-sitter finds the node at a byte, and the parent of a node, from the root: in a file of 100,000
comments that takes 0.3 ms for each.
"""

from __future__ import annotations

import tree_sitter


class Walk:
    """A place in a tree that moves on to later bytes, and begins again for an earlier one."""

    def __init__(self, root: tree_sitter.Node) -> None:
        self._root = root
        self._cursor = root.walk()
        self._around = [root]
        self._last = 0

    def to(self, start: int) -> list[tree_sitter.Node]:
        """Return the nodes around a byte, the root first."""
        if start < self._last:
            self._cursor, self._around = self._root.walk(), [self._root]
        self._last = start
        while len(self._around) > 1 and self._around[-1].end_byte <= start:
            self._go_on()
        if len(self._around) > 1 and start < self._around[-1].start_byte:
            return self._around[
                :-1
            ]  # between two nodes: the later one is kept, as the next bytes may be in it
        while self._cursor.goto_first_child():
            self._enter()
            depth = len(self._around)
            while len(self._around) == depth and self._around[-1].end_byte <= start:
                self._go_on()
            if len(self._around) < depth:
                break
            if start < self._around[-1].start_byte:
                return self._around[:-1]
        return [*self._around]

    def _go_on(self) -> None:
        """Go to the next sibling, or to the parent if there is none."""
        self._around.pop()
        if self._cursor.goto_next_sibling():
            self._enter()
        else:
            self._cursor.goto_parent()

    def _enter(self) -> None:
        node = self._cursor.node
        assert node is not None  # noqa: S101 - the cursor stands in a tree
        self._around.append(node)
