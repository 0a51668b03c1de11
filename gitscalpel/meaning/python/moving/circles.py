"""Modules that a move makes import each other in a circle: a name may be asked for before it is there.

https://docs.python.org/3/faq/programming.html#what-are-the-best-practices-for-using-import-in-a-module
"""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import loading
from gitscalpel.report import quoted


def closed(before: Files, after: Files) -> Iterator[str]:
    """The circles that a new import at the top level of a file closes, in words."""
    for path in sorted(after.touched):
        ways: dict[str, tuple[str, ...]] = {}
        new = loading.directly(after, path) - loading.directly(before, path)
        for other in sorted(new | (loading.named(after, path) - loading.named(before, path))):
            through = _way(after, other, path)
            ways.update({} if through is None else {other: through})
        for other, through in ways.items():
            if ways.keys().isdisjoint(through):  # else it is told from there on
                between = f" through {', '.join(map(quoted, through))}" if through else ""
                words = "import each other from now on"
                yield f"{quoted(path)} and {quoted(other)} {words}{between}: a name may not be there yet"


def _way(files: Files, start: str, goal: str) -> tuple[str, ...] | None:
    """The files between two on the shortest way along imports; None: there is no way."""
    ways: dict[str, tuple[str, ...]] = {start: ()}
    for here in (waiting := [start]):
        for other in sorted(loading.directly(files, here)):
            if other == goal:
                return ways[here]
            if other not in ways:
                ways[other] = (*ways[here], other)
                waiting.append(other)
    return None
