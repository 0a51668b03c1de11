"""What a worker of a cluster does: fetches the commit, and runs the command in a warm worktree of its own.

It runs what others send it, with its own rights: it is for whoever starts a worker to say
that it may, by ``SCALPEL_TRUST=1``.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.changesets.rules import Gates
from gitscalpel.errors import NotAllowed
from gitscalpel.gates.commands.ran import Ran
from gitscalpel.gates.commands.run import Job, run
from gitscalpel.git import scratch
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.git.process import Git
from gitscalpel.system import repo_lock, trust
from gitscalpel.transaction.commands import sandboxes
from gitscalpel.transaction.commands.grounds.apart import apart
from gitscalpel.transaction.worktrees.furnishing import set_up, trusted
from gitscalpel.workspace import Workspace
from gitscalpel.workspace.caller import Session

_LAST = "refs/scalpel/gates/last"
"""What was fetched last: the next fetch asks for what is more than that, and the rest may go."""


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A command that a worker is to run.

    Attributes:
        remote: the URL of the repository that has the commit.
        tx: the transaction that is judged.
        ref: what the commit is called there.
        commit: its id.
        line: the command line.
        setup: what makes a worktree ready, if anything does.
        gates: the rules: what of the machine it may see and take.
        network: whether it has this machine's; None: as the rules say.
        timeout: seconds for each try.
        retries: how many more times it may fail.
    """

    remote: str
    tx: str
    ref: str
    commit: Oid
    line: str
    setup: str | None
    gates: Gates
    network: bool | None
    timeout: float
    retries: int


def work(task: Task) -> Ran:
    """Run it.

    Raises:
        NotAllowed: ``untrusted``: nobody has said that this worker may run what it is sent.
        GateRefused: ``gate_failed``: the setup failed.
        InterruptedError: nobody asks any more.
    """
    session = Session()
    if session.environment.get(trust.VARIABLE) != "1":
        raise NotAllowed(
            "untrusted",
            "this worker has not been told that it may run what it is sent",
            f"start the workers with {trust.VARIABLE}=1",
        )
    with _fetched(task, session) as ws, scratch.made(ws.repo.scalpel_dir) as notes, ExitStack() as stack:
        tree = ws.store.commit(task.commit).tree
        ready = partial(_furnish, ws, task)
        place = stack.enter_context(apart(ws, task.tx, task.commit, tree, ready, caches=task.gates.caches))
        box, where = sandboxes.opened(ws, task.gates, place, notes, tree)
        job = Job(
            line=task.line,
            root=place.root,
            outer=place.repo.git.outer(),
            env={"SCALPEL_TX": task.tx},
            timeout=task.timeout,
            retries=task.retries,
            output=notes.path / "output",
            box=box,
            network=task.network,
            where=where,
        )
        return run(job, place.held, _Cancelled()).unless(place.changed(tree))


class _Cancelled:
    """Whether nobody asks any more what comes out: the client has gone, or has heard a no."""

    def __init__(self) -> None:
        distributed: Any = importlib.import_module("distributed")
        self._worker = distributed.get_worker()
        self._key = self._worker.get_current_task()

    def is_set(self) -> bool:
        """See :class:`gitscalpel.system.processes.Stop`."""
        task = self._worker.state.tasks.get(self._key)
        return task is None or task.state == "cancelled"


@contextmanager
def _fetched(task: Task, session: Session) -> Iterator[Workspace]:
    """This machine's clone, with the commit in it."""
    digest = blake2b(task.remote.encode(), digest_size=8).hexdigest()
    cache = (
        Path(session.environment.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        / "git-scalpel/workers"
        / digest
    )
    folder = cache / "repo.git"
    with ExitStack() as stack:
        with repo_lock.hold(cache, name="fetch"):
            if not (folder / "HEAD").exists():
                Git(cache, session.environment)("init", "-q", "--bare", str(folder))
            ws = stack.enter_context(Workspace(msgspec.structs.replace(session, folder=folder)))
            if not ws.holds(task.commit):
                ws.repo.git("fetch", "-q", "--no-tags", "--", task.remote, f"+{task.ref}:{_LAST}")
        yield ws


def _furnish(ws: Workspace, task: Task, place: Worktree) -> None:
    if task.setup and not place.is_set_up(task.setup):
        parents = ws.store.commit(task.commit).parents
        landed = ws.store.commit(parents[0]).tree if parents else Oid("")
        set_up(place, task.setup, trusted(ws.store, landed, place.state))
