"""Quick housekeeping after a landing, when it is due.

The housekeeping runs in the foreground after the landing's lock is released, so no process outlives the
call. One call in a few dozen has to wait for it.
"""

from __future__ import annotations

import time
from pathlib import Path

from gitscalpel.errors import ScalpelError, TryAgain
from gitscalpel.errors.messages import call
from gitscalpel.git.gc import prune
from gitscalpel.git.pool import slots
from gitscalpel.system import private_files, repo_lock
from gitscalpel.workspace import Workspace

_EXPIRED = "expired"
_SECONDS = 3600
"""What is kept for days need not be looked through with every pack."""


def run_auto_gc(ws: Workspace) -> None:
    """Pack and expire, if much has gathered, and take away a worktree that is one too many.

    Whatever stands against it is told, and does no harm.
    """
    try:
        if prune.is_pack_due(ws.repo):
            if _is_long_ago(ws.repo.scalpel_dir / _EXPIRED):
                _expire(ws)
            prune.pack_objects(ws.repo)
        if len(slots.find_slots(ws.repo)) > prune.pool_size(ws.repo):
            _remove_worktree(ws)
    except (ScalpelError, OSError, KeyboardInterrupt) as error:  # what the caller asked for has been done
        words = str(error) or "interrupted"
        ws.notify(f"keeping house failed: {words}; {call('gc')} does it thoroughly")


def _is_long_ago(stamp: Path) -> bool:
    try:
        return time.time() - stamp.stat().st_mtime > _SECONDS
    except FileNotFoundError:
        return True


def _expire(ws: Workspace) -> None:
    try:
        with repo_lock.hold_lock(ws.repo.scalpel_dir, timeout=0):
            list(prune.expire_refs(ws.repo, prune.keep_days(ws.repo)))
            list(prune.sweep_scalpel_dir(ws.repo.scalpel_dir))
            prune.pack_refs(ws.repo)
            private_files.write(ws.repo.scalpel_dir / _EXPIRED, b"")
    except TryAgain:
        pass  # another process is landing; the next landing tries again


def _remove_worktree(ws: Workspace) -> None:
    """Remove one: a landing shall not wait for more, and there is another landing to come."""
    for item in prune.trim_pool(ws.repo, ws.store, prune.pool_size(ws.repo)):
        if item.kept:
            ws.notify(f"what was left in {item.name} is kept as {item.kept}")
        if item.removed:
            return
