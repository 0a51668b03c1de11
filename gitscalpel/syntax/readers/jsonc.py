"""JSON with comments and commas that trail: its grammar says all of that, but not that there is one value."""

from __future__ import annotations

from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.readers.said import Refusal, Unread


def read(syntax: Syntax, raw: bytes) -> Refusal | Unread | None:
    """See :func:`gitscalpel.syntax.readers.read`; an empty file waits for its content."""
    del raw
    values = [node for node in syntax.root.named_children if not node.is_extra]
    if len(values) < 2:
        return None
    row, column = values[1].start_point
    return Refusal(row + 1, column + 1, "a second value stands below the first")
