"""Trees of the texts that a file goes through, each parsed once for all rules and gates.

Edits and gates of a changeset share the cache. The first text is kept, and the last few: edits try more
texts than they produce.
"""

from __future__ import annotations

from gitscalpel.syntax.language import Language
from gitscalpel.syntax.parse import Syntax

_LAST = 6
"""How many texts of a file are kept beside the first."""
_FEW = 16
"""After so many files it is looked again how many bytes the texts have; trees take 100 times as many."""


class States:
    """Some texts of one file with their trees."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, bytes], Syntax] = {}

    def parsed(self, language: Language, text: bytes) -> Syntax:
        """``text`` with its tree, which is made from that of the state before it where that can be done."""
        key = (language.name, text)
        found = self._known.get(key)
        if found is None:
            found = Syntax(language, text, self._latest(language))
        elif next(iter(self._known)) == key:
            return found
        else:
            del self._known[key]
        self._known[key] = found
        if len(self._known) > _LAST + 1:
            del self._known[list(self._known)[1]]
        return found

    @property
    def size(self) -> int:
        """The bytes of the texts."""
        return sum(len(syntax.text) for syntax in self._known.values())

    def forget(self) -> None:
        """Let go of all of them."""
        self._known.clear()

    def _latest(self, language: Language) -> Syntax | None:
        return next((s for s in reversed(self._known.values()) if s.language == language), None)


class Kept:
    """What was parsed of some files; of many, of more than ``most`` bytes, only those looked at last."""

    def __init__(self, most: int = 1_000_000) -> None:
        self._most = most
        self._files: dict[str, States] = {}

    def of(self, path: str) -> States:
        """What was parsed of the file at a path."""
        found = self._files.pop(path, None)
        if found is None:
            found = States()
            self._make_room()
        self._files[path] = found
        return found

    def follow(self, path: str, to: str) -> None:
        """The file at ``path`` is at ``to`` as well."""
        self._files[to] = self.of(path)

    def _make_room(self) -> None:
        size = 0 if len(self._files) % _FEW else sum(states.size for states in self._files.values())
        for states in self._files.values() if size > self._most else ():
            size -= states.size
            states.forget()
            if size < self._most // 2:
                break
