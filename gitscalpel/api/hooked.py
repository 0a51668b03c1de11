"""What git asks in its hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitscalpel.report import Judged
    from gitscalpel.workspace import Workspace


class Hooked:
    """What a :class:`gitscalpel.Repository` says in a hook of git."""

    _ws: Workspace

    def hook(self, name: str, *words: str, lines: str = "") -> Judged:
        """Say what git asks in a hook; an error means that it is not to go on.

        Args:
            name: ``pre-commit``, ``commit-msg`` or ``pre-push``.
            words: what git gives it.
            lines: what git says at its standard input.

        Raises:
            GateRefused: git is not to go on.
        """
        from gitscalpel.transaction.hooked import asked

        return asked.ask(self._ws, name, asked.Told(words, lines))
