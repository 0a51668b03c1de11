"""Run gate commands as local processes in a worktree of the pool.

The protocols ``Grounds`` and ``Running`` are shared with the Dask executor (``dask_executor.py``).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.changesets.rules import Command, Rules, seconds
from gitscalpel.gates import command_run
from gitscalpel.gates.command_run import Job, Ran, Tail, run
from gitscalpel.gates.sandbox.sandbox import Box
from gitscalpel.git import scratch
from gitscalpel.git.pool.slots import GATE_VARIABLE
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.system.repo_lock import Lock
from gitscalpel.transaction import worktree
from gitscalpel.transaction.candidate import Candidate
from gitscalpel.transaction.check import sandboxed_worktree
from gitscalpel.transaction.check.sandboxed_worktree import apart
from gitscalpel.transaction.worktree import furnish
from gitscalpel.workspace import Workspace


class Running(Protocol):
    """What runs commands on a tree."""

    def start(self, gate: Command, line: str) -> Future[Ran]:
        """Run a gate's command line."""

    def look(self) -> None:
        """Show what they have printed since the last time, if somebody wants to see it."""

    def changed(self) -> list[str]:
        """The files that are not as the tree has them, now that all have ended."""


class Grounds(Protocol):
    """A place where commands see a tree as it is to land."""

    def at(self, tree: Oid) -> AbstractContextManager[Running]:
        """What runs commands on ``tree``."""


class Here:
    """See :class:`Grounds`."""

    def __init__(self, ws: Workspace, change: Candidate, rules: Rules) -> None:
        self._ws, self._staged, self._rules = ws, change, rules

    @contextmanager
    def at(self, tree: Oid) -> Iterator[Running]:
        """See :meth:`Grounds.at`."""
        # A command is a process anyway; one more around it that waits would have to load all of this
        # again, and that takes longer than leasing a worktree.
        ws, staged = self._ws, self._staged
        ready = partial(furnish, ws, branch=staged.meta.branch, rules=self._rules)
        caches = self._rules.gates.caches
        with (
            apart(ws, staged.id, worktree.base(ws, staged), tree, ready, caches=caches) as place,
            scratch.made(ws.repo.scalpel_dir) as notes,
            _threads() as submit,
        ):
            where = sandboxed_worktree.opened(ws, self._rules.gates, place, notes, tree)
            yield _InWorktree(ws, staged.id, place, tree, folder=notes.path, submit=submit, where=where)


Submit = Callable[[Job, Lock], "Future[Ran]"]


@contextmanager
def _threads() -> Iterator[Submit]:
    """What runs jobs at the same time; an interrupt ends all of them."""
    stop = threading.Event()
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        try:
            yield lambda job, lock: pool.submit(run, job, lock, stop)
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class _InWorktree:
    """See :class:`Running`."""

    def __init__(
        self,
        ws: Workspace,
        tx: str,
        place: Worktree,
        tree: Oid,
        *,
        folder: Path,
        submit: Submit,
        where: tuple[Box | None, str],
    ) -> None:
        self._box, self._where = where
        self._checkout, self._tx, self._place, self._tree = ws.repo.work_tree, tx, place, tree
        self._folder, self._submit = folder, submit
        self._session = ws.session
        self._tail = Tail(ws.session.show) if ws.session.show else None

    def start(self, gate: Command, line: str) -> Future[Ran]:
        """See :meth:`Running.start`."""
        root, output = self._place.root, self._folder / gate.name
        outer = self._place.repo.git.outer()
        own = command_run.command_environment(line, self._checkout, root, outer) if self._checkout else {}
        job = Job(
            line=line,
            root=root,
            outer=outer,
            env={"SCALPEL_TX": self._tx, GATE_VARIABLE: str(self._place.repo.common_dir), **own},
            timeout=seconds(gate.timeout),
            retries=gate.retries,
            output=output,
            box=self._box,
            network=gate.network,
            where=self._where,
        )
        if self._tail is not None:
            self._tail.add(gate.name, output)
        return self._submit(job, self._place.held)

    def look(self) -> None:
        """See :meth:`Running.look`.

        Raises:
            Interrupted: the caller no longer wants it; what runs is ended with the block.
        """
        self._session.refuse_if_stopped()
        if self._tail is not None:
            self._tail.look()

    def changed(self) -> list[str]:
        """See :meth:`Running.changed`."""
        return self._place.changed(self._tree)
