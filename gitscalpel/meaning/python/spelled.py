"""A type as it is spelled in quotes: ``"A.B | None"``, ``"Optional[list[A]]"``, by the bytes of its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(rb"(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)|[\[\],|]|[^\s'\"]")


class Spelled(NamedTuple):
    """One of the types that are allowed.

    Attributes:
        said: its dotted name; empty: it is none that is read here.
        start: the byte at which that begins.
        given: what stands in brackets behind it: for each of them the types that it allows.
    """

    said: bytes
    start: int
    given: tuple[tuple[Spelled, ...], ...]


class _Reader:
    def __init__(self, text: bytes) -> None:
        self._tokens = [(each["name"] or b"", each[0], each.start()) for each in _TOKEN.finditer(text)]

    def either(self) -> Iterator[Spelled]:
        """What stands between ``|``, up to what ends it."""
        yield self._one()
        while self._next() == b"|":
            self._tokens.pop(0)
            yield self._one()

    def _one(self) -> Spelled:
        name, said, start = self._tokens.pop(0) if self._tokens else (b"", b"", 0)
        if said == b"[":  # ``Callable[[A], B]``
            return Spelled(b"", start, self._listed())
        given: tuple[tuple[Spelled, ...], ...] = ()
        if self._next() == b"[":
            self._tokens.pop(0)
            given = self._listed()
        return Spelled(name, start, given)

    def _listed(self) -> tuple[tuple[Spelled, ...], ...]:
        """What is in brackets that have been opened, with what closes them."""
        found = []
        while self._tokens and self._next() != b"]":
            found.append(tuple(self.either()))
            while self._tokens and self._next() not in (b",", b"]"):  # what is not read here
                self._tokens.pop(0)
            if self._next() == b",":
                self._tokens.pop(0)
        self._tokens[:1] = []
        return tuple(found)

    def _next(self) -> bytes:
        return self._tokens[0][1] if self._tokens else b""

    @property
    def is_read(self) -> bool:
        """Whether nothing is left."""
        return not self._tokens


def read(text: bytes) -> list[Spelled]:
    """The types that a text in quotes allows; one without a name where not all of it is read."""
    reader = _Reader(text)
    found = list(reader.either())
    return found if reader.is_read else [*found, Spelled(b"", 0, ())]
