"""Run gate programs on exactly one tree of a transaction: in a worktree, or on a Dask cluster.

Ignored files that a person or command left in a transaction's own worktree do not land, so gate programs
must not see them. They do not see what earlier gate programs left either, except in the named caches.
These worktrees are never given to a caller.

On a cluster (https://distributed.dask.org), the commit is pushed to a remote that the workers can reach,
under a ref that is not fetched by default. Each worker fetches the commit into its own clone and runs the
command in a warm worktree. A worker runs commands from other users with its own rights. The person who
starts the worker has to allow this with ``SCALPEL_TRUST=1``.
"""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

import msgspec

from gitscalpel.changesets import paths
from gitscalpel.changesets.answers import escaped, quoted
from gitscalpel.changesets.file_tree import SUBMODULE, TREE, Entry, Oid
from gitscalpel.changesets.globs import Globs
from gitscalpel.changesets.rules import Cluster, Command, Gates, Rules, seconds
from gitscalpel.errors import DoesNotFit, Misconfigured, NotAllowed, ScalpelError, TryAgain
from gitscalpel.gates import command_run, sandbox, sandboxed_files
from gitscalpel.gates.command_run import Job, Ran, Tail, run
from gitscalpel.gates.sandbox import Box, Cell
from gitscalpel.git import commits, refs, scratch, user_cache
from gitscalpel.git.pool import leftovers
from gitscalpel.git.pool.lease import lease
from gitscalpel.git.pool.slots import GATE_VARIABLE
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.git.process import Git
from gitscalpel.git.scratch import Scratch
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.system import repo_lock, trust
from gitscalpel.system.credentials import redact
from gitscalpel.system.repo_lock import Lock
from gitscalpel.transaction import worktree
from gitscalpel.transaction.change import Change
from gitscalpel.transaction.worktree import furnish, set_up, trusted
from gitscalpel.workspace import Workspace
from gitscalpel.workspace.caller import Session


def open_sandbox(
    ws: Workspace, gates: Gates, place: Worktree, notes: Scratch, tree: Oid
) -> tuple[Box | None, str]:
    """What makes sandboxes in which the files of ``place`` are found, if anything does; where programs run.

    Raises:
        Misconfigured: ``unavailable``: the rules require what this machine cannot do; ``config_error``: a
            shared folder would show in the sandbox what it keeps from programs.
    """
    checkout, common = ws.repo.work_tree, ws.repo.common_dir
    shared = [checkout / name for name in gates.shared if checkout and (checkout / name).is_dir()]
    hidden = [folder for folder in (checkout, common, user_cache.pools_directory(ws.repo)) if folder]
    found = sandbox.open_sandbox(gates, place, notes, _tracks(ws, tree), hidden=hidden, shared=shared)
    if found[0] is None and gates.sandbox != "off":
        ws.notify(f"gates run with your rights (sandbox: {found[1]})")
    if found[0] is not None and checkout is not None:
        _require_no_links(checkout, gates.shared)
    return found


def _require_no_links(checkout: Path, names: Iterable[str]) -> None:
    """Refuse shared folders that are links: what came along may have made them lead to anybody's keys."""
    for name in names:
        goal = (checkout / name).resolve()
        if goal.is_dir() and goal != checkout.resolve() / name:
            raise Misconfigured(
                "config_error",
                f"the shared folder {name} leads to {goal}, which programs in a sandbox are not to see",
                "move it to where the link is, install in each worktree with gates.setup, or leave it out of "
                'gates.shared; with gates.sandbox = "off" programs run with your rights and find it',
                path=name,
            )


def staged_tree(ws: Workspace, place: Worktree, cell: Cell | None, before: Oid) -> Oid:
    """The tree of what programs have left in the index of a worktree, or in that of their sandbox.

    What comes out of a sandbox is read as it is, and written anew.

    Raises:
        NotAllowed: ``path_denied``: a name in that index cannot be one of the repository's files.
        DoesNotFit: ``conflicted``: a file in it is not merged.
    """
    if cell is None:
        return place.staged()
    git = place.repo.git.with_env(
        GIT_INDEX_FILE=str(cell.seen.git_dir / "index"),
        GIT_ALTERNATE_OBJECT_DIRECTORIES=escaped(str(sandboxed_files.written_objects(cell.git))),
    )
    raw = git("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", before, "--")
    parts = raw.split(b"\0")
    rows = [(parts[n].split(b" "), os.fsdecode(parts[n + 1])) for n in range(0, len(parts) - 1, 2)]
    return ws.store.write_tree(before, [_staged_row(ws, git, row, paths.clean(path)) for row, path in rows])


def _staged_row(ws: Workspace, git: Git, row: list[bytes], path: str) -> tuple[str, Entry | None]:
    mode, oid, what = (row[n].decode("ascii") for n in (1, 3, 4))
    if what == "U":
        raise DoesNotFit("conflicted", f"{quoted(path)} is not merged", "have the hook leave no conflict")
    if what == "D":
        return path, None
    if mode != SUBMODULE:
        oid = ws.store.write_blob(git("cat-file", "blob", oid))
    return path, Entry(mode, Oid(oid))


def _tracks(ws: Workspace, tree: Oid) -> Callable[[str], bool]:
    """Whether a path is one of the tree's files, or belongs to one of its submodules."""
    snapshot = TreeSnapshot(ws.store, ws.repo.git, tree)

    def tracked(path: str) -> bool:
        entry = snapshot.entry(path)
        if entry is not None:
            return entry.mode != TREE
        above = map(snapshot.entry, map(str, PurePosixPath(path).parents))
        return any(found is not None and found.mode == SUBMODULE for found in above)

    return tracked


@contextmanager
def gate_worktree(
    ws: Workspace,
    tx: str,
    commit: Oid,
    tree: Oid,
    furnish: Callable[[Worktree], None],
    *,
    caches: Sequence[str],
) -> Iterator[Worktree]:
    """A worktree at ``tree`` on top of ``commit``; what is done to it is undone by whoever comes next.

    Args:
        ws: where.
        tx: the transaction that is judged.
        commit: what its HEAD is.
        tree: what is judged.
        furnish: makes it ready for programs.
        caches: globs of what programs may find there as others have left it.

    Raises:
        ScalpelError: what ``furnish`` raises.
    """
    with lease(ws.repo, ws.store, tx, commit, ws.notify, judges=True) as place:
        spared = Globs(caches).match
        leftovers.remove_new_leftovers(place, spared)
        place.bring(commit, tree)
        leftovers.clear_submodules(place)
        leftovers.remove_leftovers(place, spared)
        before = place.state.setup if place.state else ""
        furnish(place)
        if place.state and place.state.setup != before:
            leftovers.note_setup(place, spared)
        place.hand_over()
        try:
            yield place
        finally:
            place.take_back(commit)


class Running(Protocol):
    """What runs commands on a tree."""

    def start(self, gate: Command, line: str) -> Future[Ran]:
        """Run a gate's command line."""

    def look(self) -> None:
        """Show what they have printed since the last time, if somebody wants to see it."""

    def changed(self) -> list[str]:
        """The files that are not as the tree has them, now that all have ended."""


class CommandExecutor(Protocol):
    """A place where commands see a tree as it is to land."""

    def at(self, tree: Oid) -> AbstractContextManager[Running]:
        """What runs commands on ``tree``."""


class LocalExecutor:
    """See :class:`Grounds`."""

    def __init__(self, ws: Workspace, change: Change, rules: Rules) -> None:
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
            gate_worktree(ws, staged.id, worktree.base(ws, staged), tree, ready, caches=caches) as place,
            scratch.made(ws.repo.scalpel_dir) as notes,
            _run_in_threads() as submit,
        ):
            where = open_sandbox(ws, self._rules.gates, place, notes, tree)
            yield _WorktreeRun(ws, staged.id, place, tree, folder=notes.path, submit=submit, where=where)


Submit = Callable[[Job, Lock], "Future[Ran]"]


@contextmanager
def _run_in_threads() -> Iterator[Submit]:
    """What runs jobs at the same time; an interrupt ends all of them."""
    stop = threading.Event()
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        try:
            yield lambda job, lock: pool.submit(run, job, lock, stop)
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class _WorktreeRun:
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


_LAST_FETCHED = "refs/scalpel/gates/last"
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
    with _fetch_commit(task, session) as ws, scratch.made(ws.repo.scalpel_dir) as notes, ExitStack() as stack:
        tree = ws.store.commit(task.commit).tree
        ready = partial(_set_up_worktree, ws, task)
        place = stack.enter_context(
            gate_worktree(ws, task.tx, task.commit, tree, ready, caches=task.gates.caches)
        )
        box, where = open_sandbox(ws, task.gates, place, notes, tree)
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
        return run(job, place.held, _CancelledTask()).unless(place.changed(tree))


class _CancelledTask:
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
def _fetch_commit(task: Task, session: Session) -> Iterator[Workspace]:
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
                ws.repo.git("fetch", "-q", "--no-tags", "--", task.remote, f"+{task.ref}:{_LAST_FETCHED}")
        yield ws


def _set_up_worktree(ws: Workspace, task: Task, place: Worktree) -> None:
    if task.setup and not place.is_set_up(task.setup):
        parents = ws.store.commit(task.commit).parents
        landed = ws.store.commit(parents[0]).tree if parents else Oid("")
        set_up(place, task.setup, trusted(ws.store, landed, place.state))


SCHEME = "dask://"
REF = "refs/scalpel/gates/"
_SCHEDULER_TIMEOUT = "10s"
"""For the scheduler to answer."""


class DaskExecutor:
    """See :class:`gitscalpel.transaction.check.executors.Grounds`."""

    def __init__(self, ws: Workspace, change: Change, rules: Rules) -> None:
        self._ws, self._staged, self._gates = ws, change, rules.gates
        self._cluster = rules.gates.cluster

    @contextmanager
    def at(self, tree: Oid) -> Iterator[Running]:
        """See :meth:`gitscalpel.transaction.check.executors.Grounds.at`."""
        with ExitStack() as stack:
            client = stack.enter_context(_connect(self._gates.executor, self._cluster))
            commit = self._find_commit(tree)
            ref = stack.enter_context(self._push_commit(commit))
            executor: Executor = stack.enter_context(client.get_executor(pure=False))
            try:
                yield _ClusterRun(executor, self._make_task(commit, ref))
            except BaseException:
                executor.shutdown(wait=False)  # nobody asks any more what the others say
                raise

    def _make_task(self, commit: Oid, ref: str) -> partial[Task]:
        """What is the same for all commands."""
        url, setup = self._remote_url(), self._gates.setup
        where: dict[str, Any] = {"remote": url, "tx": self._staged.id, "ref": ref, "commit": commit}
        return partial(Task, **where, setup=setup, gates=self._gates)

    def _find_commit(self, tree: Oid) -> Oid:
        """The commit that holds the tree: the transaction's own, or one for the tree alone."""
        if self._ws.store.commit(self._staged.head).tree == tree:
            return self._staged.head
        parents = [self._staged.meta.base] if self._staged.meta.base else []
        return self._ws.store.write_raw_commit(commits.serialize(tree, parents, "to be checked"))

    @contextmanager
    def _push_commit(self, commit: Oid) -> Iterator[str]:
        ref = f"{REF}{refs.new_id()}"  # of its own: another check of the same commit takes away its own
        with self._ws.store.lasting():
            self._push("push", "-q", "--no-verify", "--", self._cluster.remote, f"+{commit}:{ref}")
        try:
            yield ref
        finally:
            with suppress(ScalpelError):  # what is left there is a name for a commit, and in nobody's way
                self._push("push", "-q", "--no-verify", "--", self._cluster.remote, f":{ref}")

    def _push(self, *words: str) -> None:
        result, remote = self._ws.repo.git.run(*words), redact(self._cluster.remote)
        if result.status:
            raise TryAgain(
                "busy",
                f"the commit could not be pushed to {remote}, where workers fetch it: {result.err}",
                "check gates.cluster.remote, and that you may push there",
            )

    def _remote_url(self) -> str:
        """What the remote is called from elsewhere."""
        name = self._cluster.remote
        result = self._ws.repo.git.run("remote", "get-url", name)
        return name if result.status else result.out.decode("utf-8", "surrogateescape").strip()


class _ClusterRun:
    """See :class:`gitscalpel.transaction.check.executors.Running`."""

    def __init__(self, executor: Executor, task: partial[Task]) -> None:
        self._executor, self._make_task = executor, task

    def start(self, gate: Command, line: str) -> Future[Ran]:
        """See :meth:`gitscalpel.transaction.check.executors.Running.start`."""
        times = {"timeout": seconds(gate.timeout), "retries": gate.retries}
        task = self._make_task(line=line, network=gate.network, **times)
        return self._executor.submit(work, task)

    def look(self) -> None:
        """What workers print is known when they have ended."""

    def changed(self) -> list[str]:
        """Each worker has looked at its own files."""
        return []


@contextmanager
def _connect(executor: str, cluster: Cluster) -> Iterator[Any]:
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
        client = distributed.Client(
            address, security=security, timeout=_SCHEDULER_TIMEOUT, set_as_default=False
        )
    except (OSError, TimeoutError) as error:
        raise TryAgain(
            "busy", f"the cluster at {address} does not answer: {error}", "start it, or try again later"
        ) from None
    try:
        yield client
    finally:
        client.close()
