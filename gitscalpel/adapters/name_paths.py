"""Symbol addresses of other tools: ``Outer/inner``, ``/Outer/inner``, ``Outer/inner[1]``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_INDEX = re.compile(r"\A(.*)\[(\d+)\]\Z", re.DOTALL)
_PLAIN = re.compile(r"[\w$]+")


class NamePath(NamedTuple):
    """Address of a symbol by the names around it, from the outside in.

    Attributes:
        is_absolute: True if the first name is at the top level.
        position: index among symbols with the same names, from 0. None if the address has no index.
    """

    names: tuple[str, ...]
    is_absolute: bool
    position: int | None

    @property
    def symbol(self) -> str:
        quoted = [
            name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '\\"') + '"' for name in self.names
        ]
        counted = "" if self.position is None else f"#{self.position + 1}"
        return ("/" if self.is_absolute else "") + ".".join(quoted) + counted

    def matches(self, names: tuple[str, ...], *, in_part: bool = False) -> bool:
        """Return True if the address may refer to the symbol; ``in_part`` matches part of the last name."""
        if (
            not self.names
            or len(names) < len(self.names)
            or (self.is_absolute and len(names) != len(self.names))
        ):
            return False
        tail = names[-len(self.names) :]
        last = self.names[-1] in tail[-1] if in_part else self.names[-1] == tail[-1]
        return last and tail[:-1] == self.names[:-1]


def parse(written: str) -> NamePath:
    """Parse a name path. A path without slashes may use dots instead."""
    match = _INDEX.match(written)
    path, index = (match[1], int(match[2])) if match else (written, None)
    names = tuple(filter(None, path.split("/" if "/" in path else ".")))
    return NamePath(names, path.startswith("/"), index)


def to_symbol(written: str) -> str:
    return parse(written).symbol


class OutlineSymbol(NamedTuple):
    """A symbol of an outline, with its names from the outside in."""

    path: str
    names: tuple[str, ...]
    row: dict[str, Any]


def walk(files: list[dict[str, Any]]) -> Iterator[OutlineSymbol]:
    """Yield every symbol of an outline, parents before children."""
    for file in files:
        pending: list[tuple[tuple[str, ...], dict[str, Any]]] = [((), row) for row in file["symbols"][::-1]]
        while pending:
            above, row = pending.pop()
            names = (*above, row["name"])
            yield OutlineSymbol(file["path"], names, row)
            pending += [(names, child) for child in reversed(row["children"])]


def find_innermost(symbols: list[OutlineSymbol], path: str, line: int) -> OutlineSymbol | None:
    """Return the innermost symbol that contains a line, or None."""
    inside = [each for each in symbols if each.path == path and _contains(each.row, line)]
    return min(inside, key=lambda each: each.row["span"][1] - each.row["span"][0], default=None)


def _contains(row: dict[str, Any], line: int) -> bool:
    first = (row["lead"] or row["span"])[0]
    return bool(first <= line <= row["span"][1])
