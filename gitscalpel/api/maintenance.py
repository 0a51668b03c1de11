"""Maintenance of a repository, and the git hooks that gitscalpel installs.

Repository methods for maintenance: trust, policy, risk calibration, audit, recovery, gc and fsck.

Repository methods for git hooks: run a hook, and set up or remove gitscalpel in a repository.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitscalpel.changesets import paths
from gitscalpel.errors.messages import Spelling, spelt
from gitscalpel.workspace import Workspace

if TYPE_CHECKING:
    from gitscalpel.changesets.answers import Judged
    from gitscalpel.gates.policy.policy_change import Says
    from gitscalpel.maintenance.audit import Audit
    from gitscalpel.maintenance.fsck import Finding
    from gitscalpel.maintenance.gc import Swept
    from gitscalpel.maintenance.init import SetupResult
    from gitscalpel.risk.calibration import Calibration
    from gitscalpel.system.trust import Program


class Upkeep:
    """The verbs of a :class:`gitscalpel.Repository` that land nothing and undo nothing."""

    _ws: Workspace
    _spelling: Spelling

    def programs(self, onto: str | None = None) -> list[tuple[Program, bool]]:
        """The programs that the repository itself names, each with whether you trust it.

        Args:
            onto: a branch whose configuration counts as well as that of the one that is checked out.
        """
        from gitscalpel.system import trust

        named = self._named_programs(onto)
        distrusted = trust.untrusted(self._ws.repo.common_dir, named, self._ws.repo.environment)
        return [(program, program not in distrusted) for program in named]

    def trust(self, onto: str | None = None) -> None:
        """Trust all of :meth:`programs` as they are now, and nothing that was trusted before."""
        from gitscalpel.system import trust
        from gitscalpel.transaction import static_gates

        static_gates.refuse_confined(self._ws, "a program that is trusted")
        trust.record(self._ws.repo.common_dir, self._named_programs(onto), self._ws.repo.environment)

    def distrust(self) -> None:
        """Trust none of them any more."""
        from gitscalpel.system import trust

        trust.record(self._ws.repo.common_dir, (), self._ws.repo.environment)

    def _named_programs(self, onto: str | None) -> tuple[Program, ...]:
        branches = dict.fromkeys(branch for branch in (self._ws.repo.head, onto) if branch)
        commands = [each for branch in branches for each in self._ws.target(branch).rules.programs]
        return tuple(dict.fromkeys((*self._ws.repo.programs, *commands)))

    def explain(self, path: str, onto: str | None = None) -> list[Says]:
        """What the rules of a branch say about a path.

        Raises:
            BadCall: ``invalid_args``; NotAllowed: ``path_denied``: it is none of the repository.
        """
        from gitscalpel.gates.policy.policy_gate import explain

        return list(explain(paths.clean(path), self._ws.target(onto).rules))

    def calibrate(self, onto: str | None = None) -> Calibration:
        """Fit the weights of risks to what was taken back in a branch's history, and say how well that does.

        Nothing is changed: the weights are for ``[risk]`` in ``.gitscalpel.toml``.
        """
        from gitscalpel.risk.calibration import calibrate

        return calibrate(self._ws, self._ws.at(self._ws.repo.branch(onto)))

    def knows(self, path: str, onto: str | None = None) -> bool:
        """Whether a branch has a file, folder, link or submodule of this name."""
        return self._ws.target(onto).snapshot.entry(paths.clean(path)) is not None

    def audit(self, signers: bytes | None = None) -> Audit:
        """Verify the operation log.

        Args:
            signers: the keys whose signatures count, as for ``ssh-keygen``; None: they are not looked at.

        Raises:
            Damaged: ``corrupt``: a step cannot be read.
        """
        from gitscalpel.maintenance import audit

        return audit.verify(self._ws, signers)

    def audit_rows(self) -> Iterator[dict[str, Any]]:
        """Every step of the operation log with all that is known of it, the first one first."""
        from gitscalpel.maintenance import audit

        return audit.rows(self._ws)

    def recover(self, take_over: Path | None = None) -> list[str]:
        """Finish or take back what a killed landing left; what was done, in words.

        Args:
            take_over: a journal that this user has not written, and that is followed all the same.

        Raises:
            TryAgain: ``busy``: a landing of another user was interrupted, who is to recover it.
            Damaged: ``corrupt``: that journal is none, or leads out of the repository.
        """
        from gitscalpel.system import repo_lock
        from gitscalpel.transaction import recovery

        with repo_lock.hold(self._ws.repo.scalpel_dir) as held:
            if take_over is not None:
                done = recovery.take_over(self._ws.repo, self._ws.store, held, take_over)
            else:
                done = recovery.recover(self._ws.repo, self._ws.store, held)
        return [spelt(words, self._spelling) for words in done]

    def gc(self, *, dry_run: bool = False, quarantine: bool = False) -> Swept:
        """Bound the disk use: expire what was kept, remove surplus worktrees, pack objects and refs.

        Args:
            dry_run: say what would be done, and change nothing.
            quarantine: remove what recovery set aside more than 30 days ago as well.

        Raises:
            TryAgain: ``busy``.
        """
        from gitscalpel.maintenance import gc

        return gc.gc(self._ws, dry_run=dry_run, quarantine=quarantine)

    def fsck(self, *, full: bool = False) -> list[Finding]:
        """Look for what is damaged, and for what killed processes left; nothing is changed.

        Args:
            full: read every object, not only how they hang together.
        """
        from gitscalpel.maintenance import fsck

        return [found.spelt(self._spelling) for found in fsck.fsck(self._ws, full=full)]


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
        from gitscalpel.transaction import git_hooks, static_gates

        static_gates.refuse_confined(self._ws, f"the hook {name}")
        return git_hooks.ask(self._ws, name, git_hooks.Told(words, lines))

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
