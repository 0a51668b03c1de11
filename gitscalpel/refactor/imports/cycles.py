"""Chains of files that import each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from gitscalpel.changesets.answers import quote_path


def find_load_path(loads: Callable[[str], Iterable[str]], start: str, goal: str) -> tuple[str, ...] | None:
    """Return the files between two files on the shortest way of imports, or None if there is no way."""
    ways: dict[str, tuple[str, ...]] = {start: ()}
    for path in (waiting := [start]):
        for other in sorted(loads(path)):
            if other == goal:
                return ways[path]
            if other not in ways:
                ways[other] = (*ways[path], other)
                waiting.append(other)
    return None


def describe_cycle(path: str, other: str, between: Sequence[str]) -> str:
    """Return a message about two files that import each other."""
    through = f" through {', '.join(map(quote_path, between))}" if between else ""
    return f"{quote_path(path)} and {quote_path(other)} now import each other{through}"
