"""Repository methods for git hooks: run a hook, and set up or remove gitscalpel in a repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitscalpel.changesets.answers import Judged
    from gitscalpel.maintenance.init import SetupResult
    from gitscalpel.workspace import Workspace


class Hooked:
    """What a :class:`gitscalpel.Repository` says in a hook of git."""

    _ws: Workspace

    def hook(self, name: str, *words: str, lines: str = "") -> Judged:
        """Say what git asks in a hook; an error means that it is not to go on.

        Args:
            name: ``pre-commit``, ``commit-msg``, ``pre-push``, ``pre-receive`` or
                ``reference-transaction``.
            words: what git gives it.
            lines: what git says at its standard input.

        Raises:
            GateRefused: git is not to go on.
        """
        from gitscalpel.transaction import static_gates
        from gitscalpel.transaction.git_hooks import dispatch

        static_gates.refuse_confined(self._ws, f"the hook {name}")
        return dispatch.ask(self._ws, name, dispatch.Told(words, lines))

    def init(self, *, hooks: bool = False) -> SetupResult:
        """Write a commented ``.gitscalpel.toml`` if there is none, and say what is there.

        Args:
            hooks: install hooks as well, before which those that are there still run.

        Raises:
            BadCall: ``invalid_args``: the repository is bare.
            Misconfigured: ``config_error``: the folder of the hooks is not this repository's alone.
            DoesNotFit: ``exists``.
            NotAllowed: ``policy_denied``: it would write a file that this caller may not change.
        """
        from gitscalpel.maintenance import init

        return init.init(self._ws, hooks=hooks)

    def deinit(self, *, hooks: bool = False) -> SetupResult:
        """Take back what :meth:`init` has done, as far as nobody has changed it since.

        Raises:
            BadCall: ``invalid_args``: the repository is bare.
        """
        from gitscalpel.maintenance import init

        return init.deinit(self._ws, hooks=hooks)
