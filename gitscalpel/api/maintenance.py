"""Repository methods for maintenance and for git hooks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitscalpel.api.open_repository import RepositoryMethods
from gitscalpel.changesets import paths
from gitscalpel.errors.messages import spell
from gitscalpel.gates.policy.policy_gate import explain
from gitscalpel.landing import git_hooks
from gitscalpel.maintenance import fsck, gc, init
from gitscalpel.risk.calibration import calibrate
from gitscalpel.system import repo_lock, trust
from gitscalpel.transaction import recovery, static_gates

if TYPE_CHECKING:
    from gitscalpel.changesets.answers import Judged
    from gitscalpel.gates.policy.policy_change import Says
    from gitscalpel.maintenance.fsck import Audit, Finding
    from gitscalpel.maintenance.gc import Swept
    from gitscalpel.maintenance.init import SetupResult
    from gitscalpel.risk.calibration import Calibration
    from gitscalpel.system.trust import Program


class Maintenance(RepositoryMethods):
    """Methods of a :class:`gitscalpel.Repository` that land nothing and undo nothing."""

    def programs(self, onto: str | None = None) -> list[tuple[Program, bool]]:
        """Return the programs that the configuration names, each with True if you trust it.

        The configuration of the branch ``onto`` counts besides that of the branch that is checked out.
        """
        named = self._named_programs(onto)
        distrusted = trust.find_untrusted(self._ws.repo.common_dir, named, self._ws.repo.environment)
        return [(program, program not in distrusted) for program in named]

    def trust(self, onto: str | None = None) -> None:
        """Trust all of :meth:`programs` as they are now, and no others."""
        static_gates.require_unconfined(self._ws, "a program that is trusted")
        trust.record_trust(self._ws.repo.common_dir, self._named_programs(onto), self._ws.repo.environment)

    def distrust(self) -> None:
        trust.record_trust(self._ws.repo.common_dir, (), self._ws.repo.environment)

    def _named_programs(self, onto: str | None) -> tuple[Program, ...]:
        branches = dict.fromkeys(branch for branch in (self._ws.repo.head, onto) if branch)
        commands = [each for branch in branches for each in self._ws.target(branch).rules.programs]
        return tuple(dict.fromkeys((*self._ws.repo.programs, *commands)))

    def explain(self, path: str, onto: str | None = None) -> list[Says]:
        """Return the explanations of a branch's rules for a path.

        Raises:
            BadCall: ``invalid_args``.
            NotAllowed: ``path_denied``: the path cannot belong to the repository.
        """
        return list(explain(paths.normalize_path(path), self._ws.target(onto).rules))

    def calibrate(self, onto: str | None = None) -> Calibration:
        """Fit the weights of risk factors to the reverts in a branch's history, and measure the result.

        Nothing is changed; the weights are for ``[risk]`` in ``.gitscalpel.toml``.
        """
        return calibrate(self._ws, self._ws.at(self._ws.repo.branch(onto)))

    def knows(self, path: str, onto: str | None = None) -> bool:
        """Return True if a branch contains a file, directory, link or submodule at a path."""
        return self._ws.target(onto).snapshot.entry(paths.normalize_path(path)) is not None

    def audit(self, signers: bytes | None = None) -> Audit:
        """Verify the operation log. ``signers`` are keys as for ``ssh-keygen``; None ignores signatures.

        Raises:
            Damaged: ``corrupt``: an operation cannot be read.
        """
        return fsck.verify_log(self._ws, signers)

    def audit_rows(self) -> Iterator[dict[str, Any]]:
        """Yield every operation of the log with all its data, oldest first."""
        return fsck.iter_log_rows(self._ws)

    def recover(self, take_over: Path | None = None) -> list[str]:
        """Finish or roll back what a killed landing left, and return descriptions of these actions.

        ``take_over`` is a journal of another user that is to be followed anyway.

        Raises:
            TryAgain: ``busy``: a landing of another user was interrupted, who has to recover it.
            Damaged: ``corrupt``: the journal is not valid, or leads out of the repository.
        """
        with repo_lock.hold_lock(self._ws.repo.scalpel_dir) as held:
            if take_over is not None:
                done = recovery.take_over(self._ws.repo, self._ws.store, held, take_over)
            else:
                done = recovery.recover(self._ws.repo, self._ws.store, held)
        return [spell(words, self._ws.session.spelling) for words in done]

    def gc(self, *, dry_run: bool = False, quarantine: bool = False) -> Swept:
        """Expire old data, remove surplus worktrees, and pack objects and refs to limit the disk use.

        ``dry_run`` only reports the actions. ``quarantine`` also removes data that recovery quarantined more
        than 30 days ago.

        Raises:
            TryAgain: ``busy``.
        """
        return gc.gc(self._ws, dry_run=dry_run, quarantine=quarantine)

    def fsck(self, *, full: bool = False) -> list[Finding]:
        """Look for damage and for what killed processes left; ``full`` reads every object, not only links."""
        return [found.spelt(self._ws.session.spelling) for found in fsck.fsck(self._ws, full=full)]


class Hooks(RepositoryMethods):
    """Methods of a :class:`gitscalpel.Repository` for hooks of git."""

    def refuse_confined(self, what: str) -> None:
        """Raise for an action that may change any file if the caller may change only some files.

        Raises:
            NotAllowed: ``policy_denied``.
        """
        static_gates.require_unconfined(self._ws, what)

    def hook(self, name: str, *words: str, lines: str = "") -> Judged:
        """Answer a hook of git with its arguments and standard input. An error means that git has to stop.

        Raises:
            GateRefused: git has to stop.
        """
        static_gates.require_unconfined(self._ws, f"the hook {name}")
        return git_hooks.run_hook(self._ws, name, git_hooks.HookInput(words, lines))

    def init(self, *, hooks: bool = False) -> SetupResult:
        """Write a commented ``.gitscalpel.toml`` if there is none, and report the setup.

        ``hooks`` installs hooks as well. Existing hooks still run after these.

        Raises:
            BadCall: ``invalid_args``: the repository is bare.
            Misconfigured: ``config_error``: other repositories share the hooks directory.
            DoesNotFit: ``exists``.
            NotAllowed: ``policy_denied``: the caller may not change the file.
        """
        return init.init(self._ws, hooks=hooks)

    def deinit(self, *, hooks: bool = False) -> SetupResult:
        """Remove what :meth:`init` wrote, unless it was changed since. Raises ``invalid_args`` if bare."""
        return init.deinit(self._ws, hooks=hooks)
