"""Recover from killed commands before a call that changes something.

A gate program must not change what it checks, and cannot land anything during the check: it would be
checked itself, or wait for the caller that waits for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gitscalpel.errors import BadCall
from gitscalpel.git import ref_transaction
from gitscalpel.system import repo_lock
from gitscalpel.system.repo_lock import Lock
from gitscalpel.transaction.movement import recovery
from gitscalpel.workspace import Workspace


@contextmanager
def locked(ws: Workspace, timeout: float = repo_lock.PATIENCE) -> Iterator[Lock]:
    """Hold the tool's lock, with nothing left to heal.

    Raises:
        TryAgain: ``busy``.
        Interrupted: the caller no longer wants what is to be done.
    """
    _refuse_from_within(ws)
    with repo_lock.hold(ws.repo.scalpel_dir, timeout) as held:
        ws.session.refuse_if_stopped()
        _recover(ws, held)
        yield held


def heal(ws: Workspace) -> None:
    """Heal what there is, unless somebody has the lock, who has healed it himself or is landing just now.

    Raises:
        BadCall: ``invalid_args``: the caller is a program that judges.
    """
    _refuse_from_within(ws)
    if not (recovery.pending(ws.repo) or ref_transaction.is_boot_check_due(ws.repo.scalpel_dir)):
        return
    with repo_lock.attempt(ws.repo.scalpel_dir / "lock") as held:
        if held is not None:
            _recover(ws, held)


def _refuse_from_within(ws: Workspace) -> None:
    if ws.judges:
        raise BadCall(
            "invalid_args",
            "a gate must not change the repository while it runs",
            f"have it check only; by hand, work in {ws.repo.work_tree or ws.repo.git_dir}",
        )


def _recover(ws: Workspace, held: Lock) -> None:
    for words in recovery.recover(ws.repo, ws.store, held):
        ws.session.warn(words)
