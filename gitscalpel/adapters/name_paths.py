"""Symbol addresses of other tools: ``Outer/inner``, ``/Outer/inner``, ``Outer/inner[1]``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_INDEX = re.compile(r"\A(.*)\[(\d+)\]\Z", re.DOTALL)
_PLAIN = re.compile(r"[\w$]+")


class NamePath(NamedTuple):
    """A symbol by the names around it.

    Attributes:
        names: from the outside in.
        whole: nothing is around the first.
        nth: which of several with one name, from 0; None: nobody says.
    """

    names: tuple[str, ...]
    whole: bool
    nth: int | None

    @property
    def symbol(self) -> str:
        """The same as our operations take it."""
        quoted = [
            name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '\\"') + '"' for name in self.names
        ]
        counted = "" if self.nth is None else f"#{self.nth + 1}"
        return ("/" if self.whole else "") + ".".join(quoted) + counted

    def means(self, names: tuple[str, ...], *, in_part: bool = False) -> bool:
        """Whether it may mean the symbol of these names; ``in_part``: its last name may be longer."""
        if not self.names or len(names) < len(self.names) or (self.whole and len(names) != len(self.names)):
            return False
        tail = names[-len(self.names) :]
        last = self.names[-1] in tail[-1] if in_part else self.names[-1] == tail[-1]
        return last and tail[:-1] == self.names[:-1]


def read(written: str) -> NamePath:
    """A name path; a dotted one is taken as well where it has no slash."""
    found = _INDEX.match(written)
    path, index = (found[1], int(found[2])) if found else (written, None)
    names = tuple(filter(None, path.split("/" if "/" in path else ".")))
    return NamePath(names, path.startswith("/"), index)


def symbol(written: str) -> str:
    """A name path as our operations take it."""
    return read(written).symbol


class Found(NamedTuple):
    """A symbol of an outline, with the names from the outside in."""

    path: str
    names: tuple[str, ...]
    row: dict[str, Any]


def walked(files: list[dict[str, Any]]) -> Iterator[Found]:
    """Every symbol of an outline, parents before children."""
    for file in files:
        waiting: list[tuple[tuple[str, ...], dict[str, Any]]] = [((), row) for row in file["symbols"][::-1]]
        while waiting:
            above, row = waiting.pop()
            names = (*above, row["name"])
            yield Found(file["path"], names, row)
            waiting += [(names, child) for child in reversed(row["children"])]


def around(found: list[Found], path: str, line: int) -> Found | None:
    """The innermost symbol in which a line stands."""
    inside = [each for each in found if each.path == path and _holds(each.row, line)]
    return min(inside, key=lambda each: each.row["span"][1] - each.row["span"][0], default=None)


def _holds(row: dict[str, Any], line: int) -> bool:
    first = (row["lead"] or row["span"])[0]
    return bool(first <= line <= row["span"][1])
