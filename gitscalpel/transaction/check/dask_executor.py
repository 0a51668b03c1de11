"""Run gate commands on the workers of a Dask cluster (https://distributed.dask.org).

The commit is pushed to a remote that the workers can reach, under a ref that is not fetched by default.
Each worker fetches the commit into its own clone and runs the command in a warm worktree.

A worker runs commands from other users with its own rights. The person who starts the worker has to
allow this with ``SCALPEL_TRUST=1``.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.changesets.rules import Cluster, Command, Gates, Rules, seconds
from gitscalpel.errors import Misconfigured, NotAllowed, ScalpelError, TryAgain
from gitscalpel.gates.command_run import Job, Ran, run
from gitscalpel.git import commits, refs, scratch
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.git.process import Git
from gitscalpel.system import repo_lock, trust
from gitscalpel.system.credentials import redact
from gitscalpel.transaction.candidate import Candidate
from gitscalpel.transaction.check import sandboxed_worktree
from gitscalpel.transaction.check.local_executor import Running
from gitscalpel.transaction.check.sandboxed_worktree import apart
from gitscalpel.transaction.worktree import set_up, trusted
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
        box, where = sandboxed_worktree.opened(ws, task.gates, place, notes, tree)
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


SCHEME = "dask://"
REF = "refs/scalpel/gates/"
_PATIENCE = "10s"
"""For the scheduler to answer."""


class There:
    """See :class:`gitscalpel.transaction.check.local_executor.Grounds`."""

    def __init__(self, ws: Workspace, change: Candidate, rules: Rules) -> None:
        self._ws, self._staged, self._gates = ws, change, rules.gates
        self._cluster = rules.gates.cluster

    @contextmanager
    def at(self, tree: Oid) -> Iterator[Running]:
        """See :meth:`gitscalpel.transaction.check.local_executor.Grounds.at`."""
        with ExitStack() as stack:
            client = stack.enter_context(_client(self._gates.executor, self._cluster))
            commit = self._commit(tree)
            ref = stack.enter_context(self._pushed(commit))
            executor: Executor = stack.enter_context(client.get_executor(pure=False))
            try:
                yield _OnWorkers(executor, self._task(commit, ref))
            except BaseException:
                executor.shutdown(wait=False)  # nobody asks any more what the others say
                raise

    def _task(self, commit: Oid, ref: str) -> partial[Task]:
        """What is the same for all commands."""
        url, setup = self._url(), self._gates.setup
        where: dict[str, Any] = {"remote": url, "tx": self._staged.id, "ref": ref, "commit": commit}
        return partial(Task, **where, setup=setup, gates=self._gates)

    def _commit(self, tree: Oid) -> Oid:
        """The commit that holds the tree: the transaction's own, or one for the tree alone."""
        if self._ws.store.commit(self._staged.head).tree == tree:
            return self._staged.head
        parents = [self._staged.meta.base] if self._staged.meta.base else []
        return self._ws.store.write_raw_commit(commits.serialize(tree, parents, "to be checked"))

    @contextmanager
    def _pushed(self, commit: Oid) -> Iterator[str]:
        ref = f"{REF}{refs.new_id()}"  # of its own: another check of the same commit takes away its own
        with self._ws.store.lasting():
            self._git("push", "-q", "--no-verify", "--", self._cluster.remote, f"+{commit}:{ref}")
        try:
            yield ref
        finally:
            with suppress(ScalpelError):  # what is left there is a name for a commit, and in nobody's way
                self._git("push", "-q", "--no-verify", "--", self._cluster.remote, f":{ref}")

    def _git(self, *words: str) -> None:
        result, remote = self._ws.repo.git.run(*words), redact(self._cluster.remote)
        if result.status:
            raise TryAgain(
                "busy",
                f"the commit could not be pushed to {remote}, where workers fetch it: {result.err}",
                "check gates.cluster.remote, and that you may push there",
            )

    def _url(self) -> str:
        """What the remote is called from elsewhere."""
        name = self._cluster.remote
        result = self._ws.repo.git.run("remote", "get-url", name)
        return name if result.status else result.out.decode("utf-8", "surrogateescape").strip()


class _OnWorkers:
    """See :class:`gitscalpel.transaction.check.local_executor.Running`."""

    def __init__(self, executor: Executor, task: partial[Task]) -> None:
        self._executor, self._task = executor, task

    def start(self, gate: Command, line: str) -> Future[Ran]:
        """See :meth:`gitscalpel.transaction.check.local_executor.Running.start`."""
        times = {"timeout": seconds(gate.timeout), "retries": gate.retries}
        task = self._task(line=line, network=gate.network, **times)
        return self._executor.submit(work, task)

    def look(self) -> None:
        """What workers print is known when they have ended."""

    def changed(self) -> list[str]:
        """Each worker has looked at its own files."""
        return []


@contextmanager
def _client(executor: str, cluster: Cluster) -> Iterator[Any]:
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise Misconfigured(
            "unavailable",
            f"gates.executor is {executor}, and distributed is not installed",
            "pip install 'gitscalpel[dask]'",
        ) from None
    address = executor.removeprefix(SCHEME)
    security = None
    if cluster.tls_ca is not None:
        security = distributed.Security(
            tls_ca_file=cluster.tls_ca,
            tls_client_cert=cluster.tls_cert,
            tls_client_key=cluster.tls_key,
            require_encryption=True,
        )
        address = f"tls://{address}"
    try:
        client = distributed.Client(address, security=security, timeout=_PATIENCE, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise TryAgain(
            "busy", f"the cluster at {address} does not answer: {error}", "start it, or try again later"
        ) from None
    try:
        yield client
    finally:
        client.close()
