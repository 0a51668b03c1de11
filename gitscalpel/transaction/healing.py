"""Heals what killed commands left: so begins every call that changes something."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gitscalpel import lock, recovery
from gitscalpel.lock import Lock
from gitscalpel.workspace import Workspace


@contextmanager
def locked(ws: Workspace, timeout: float = lock.PATIENCE) -> Iterator[Lock]:
    """Hold the tool's lock, with nothing left to heal.

    Raises:
        TryAgain: ``busy``.
    """
    with lock.hold(ws.repo.scalpel_dir, timeout) as held:
        for words in recovery.recover(ws.repo, ws.store, held):
            ws.notify(words)
        yield held


def heal(ws: Workspace) -> None:
    """Heal what there is, unless somebody has the lock, who has healed it himself or is landing just now."""
    if not recovery.pending(ws.repo):
        return
    with lock.attempt(lock.path(ws.repo.scalpel_dir)) as held:
        if held is not None:
            for words in recovery.recover(ws.repo, ws.store, held):
                ws.notify(words)
