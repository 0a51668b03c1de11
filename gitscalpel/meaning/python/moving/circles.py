"""Modules that a move makes import each other in a circle: a name may be asked for before it is there.

https://docs.python.org/3/faq/programming.html#what-are-the-best-practices-for-using-import-in-a-module
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial

from gitscalpel.changesets.answers import quoted
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import loading


def closed(
    before: Files, after: Files, paths: Iterable[str] | None = None, to: Callable[[str], str] = str
) -> Iterator[str]:
    """The circles that a new import at the top level of a file closes, in words.

    Args:
        before: the tree.
        after: the tree in the end.
        paths: of the files that may have one, as they were before; None: those with another text.
        to: where a file is afterwards.
    """
    loads = cache(partial(loading.directly, after))
    for path in sorted(after.touched if paths is None else paths):
        here = to(path)
        ways: dict[str, tuple[str, ...]] = {}
        new = loads(here) - set(map(to, loading.directly(before, path)))
        new |= loading.named(after, here) - set(map(to, loading.named(before, path)))
        for other in sorted(new):
            through = _way(loads, other, here)
            ways.update({} if through is None else {other: through})
        for other, through in ways.items():
            if ways.keys().isdisjoint(through):  # else it is told from there on
                between = f" through {', '.join(map(quoted, through))}" if through else ""
                words = "import each other from now on"
                yield f"{quoted(here)} and {quoted(other)} {words}{between}: a name may not be there yet"


def _way(loads: Callable[[str], set[str]], start: str, goal: str) -> tuple[str, ...] | None:
    """The files between two on the shortest way along imports; None: there is no way."""
    ways: dict[str, tuple[str, ...]] = {start: ()}
    for here in (waiting := [start]):
        for other in sorted(loads(here)):
            if other == goal:
                return ways[here]
            if other not in ways:
                ways[other] = (*ways[here], other)
                waiting.append(other)
    return None
