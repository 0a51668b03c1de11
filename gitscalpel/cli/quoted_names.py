"""Names with line breaks in what is printed: written as git quotes them, so that a line stays a line.

A name may hold any byte but zero. Messages hold names as they are, so a stranger's file could print lines
of its own, such as a hint. Only a text with a line break that it should not have is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress

from gitscalpel.api import Repository, ScalpelError
from gitscalpel.changesets.answers import CHECKOUT, escaped

_BREAKS = re.compile("[\t\n\r]")


class QuotedNames:
    """The names with line breaks that a call may speak of.

    Args:
        repos: the opened repositories; the last one counts.
        known: further names, such as that of a new file; also targets, and other words of a command line.
    """

    def __init__(self, repos: list[Repository], known: Iterable[str] = ()) -> None:
        self._repos = repos
        self._known = tuple(known)
        self._names: list[str] | None = None

    def quote(self, text: str) -> str:
        """Return ``text`` with the names in it quoted."""
        if not _BREAKS.search(text):
            return text
        if self._names is None:
            self._names = sorted(set(self._find()), key=len, reverse=True)
        for name in self._names:
            text = text.replace(name, escaped(name))
        return text

    def _find(self) -> Iterator[str]:
        """Yield the names, and what is left of each as seen from a subfolder."""
        for name in filter(_BREAKS.search, self._paths()):
            parts = name.split("/")
            tails = ("/".join(parts[at:]) for at in range(len(parts)))
            yield from (tail for tail in tails if _BREAKS.search(tail) and tail.strip())

    def _paths(self) -> Iterator[str]:
        for name in self._known:
            yield from (name, name.partition("::")[0])
        for branch in (None, CHECKOUT) if self._repos else ():
            with suppress(ScalpelError):
                yield from self._repos[-1].view(branch).matching("*")
