"""All that inherit from a class, looked for as far as somebody asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gitscalpel.meaning.things import Class

Key = tuple[str, tuple[int, int]]


class Descent:
    """The heirs of a class.

    Args:
        base: the class.
        nearest: those that say themselves that they inherit from a class.
        ahead: how many files are looked through for these.

    Attributes:
        base: see above.
        found: the heirs that are known by now.
    """

    def __init__(
        self, base: Class, nearest: Callable[[Class], Iterable[Class]], ahead: Callable[[Class], int]
    ) -> None:
        self._nearest, self._ahead = nearest, ahead
        self._seen, self._waiting = {key(base)}, [base]
        self._spent = 0
        self.base = base
        self.found: list[Class] = []

    @property
    def is_whole(self) -> bool:
        """Whether all of them are known."""
        return not self._waiting

    @property
    def price(self) -> int:
        """How many files will have been looked through after the next step."""
        return self._spent + self._ahead(self._waiting[-1])

    def step(self) -> list[Class]:
        """Those that another class has which nobody has asked yet."""
        self._spent = self.price
        new: list[Class] = []
        for each in self._nearest(self._waiting.pop()):
            if key(each) not in self._seen:
                self._seen.add(key(each))
                new.append(each)
        self._waiting += new
        self.found += new
        return new


def key(of: Class) -> Key:
    """By which a class is known, whoever has come across it."""
    return of.path, of.scope
