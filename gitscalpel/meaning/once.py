"""What follows from the files is found out once, within bounds: names may lead to each other in a circle."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from gitscalpel.meaning.things import Unknown

_DEEP = 32
"""Steps from an expression to what it is worth, after which nobody can tell."""
_MOST = 5_000
"""Things made for one question, after which nobody can tell: within a cycle they are made again and again."""
_Found = TypeVar("_Found")


class Once:
    """Keeps what has been found.

    Attributes:
        cuts: how often something was cut short, within a cycle or too deep, or rested on what had been:
            while this stays as it is, nothing depends on what was asked before.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[object, ...], object] = {}
        self._making: set[tuple[object, ...]] = set()
        self._spent = 0
        self.cuts = 0
        self._short: set[tuple[object, ...]] = set()
        self._cut: set[tuple[object, ...]] = set()

    def know(self, key: tuple[object, ...], found: tuple[object, ...]) -> None:
        """Take for a key what somebody else has found; nothing of it may have been cut short."""
        self._kept.setdefault(key, found)

    def known(self, key: tuple[object, ...]) -> tuple[object, ...] | None:
        """What is kept for a key; None: it has not been found."""
        return self._kept.get(key)  # type: ignore[return-value]

    def once(
        self, key: tuple[object, ...], make: Callable[[], Iterable[_Found]], within: tuple[_Found, ...]
    ) -> tuple[_Found, ...]:
        """What is made for a key, once; ``within`` for who asks while it is being made, or too deep."""
        if key in self._kept:
            self.cuts += key in self._short
            return self._kept[key]  # type: ignore[return-value]
        self._spent = self._spent + 1 if self._making else 0
        if key in self._making or len(self._making) > _DEEP or self._spent > _MOST:
            self._cut.add(key)
            self.cuts += 1
            return within
        self._making.add(key)
        before = self.cuts
        try:
            found = tuple(make())
        finally:
            self._making.discard(key)
            self._cut.discard(key)
        if not self._cut or not self._making:  # else somebody above has yet to say what this rests on
            self._kept[key] = found
            self._cut.clear()
        elif self._spent > _MOST and any(isinstance(each, Unknown) for each in found):
            self._kept[key] = found  # nobody can tell, and nobody has to find that out once more
        if self.cuts != before:
            self._short.add(key)
        return found
