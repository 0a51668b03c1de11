"""Run gate programs on exactly one tree of a transaction: in a worktree, or on a Dask cluster.

Programs see neither ignored files of the transaction's own worktree nor what earlier programs left, except
named caches. For a cluster (https://distributed.dask.org), the commit is pushed to a remote, and each worker
fetches it. A worker runs the commands of others with its own rights, if started with ``SCALPEL_TRUST=1``.
"""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

import msgspec

from gitscalpel.changesets import paths
from gitscalpel.changesets.answers import quote_c_style, quote_path
from gitscalpel.changesets.file_tree import SUBMODULE, TREE, Entry, Oid
from gitscalpel.changesets.paths import Globs
from gitscalpel.changesets.rules import Cluster, Command, Gates, Rules, parse_duration
from gitscalpel.errors import DoesNotFit, Misconfigured, NotAllowed, ScalpelError, TryAgain
from gitscalpel.gates import command_run, sandbox, sandboxed_files
from gitscalpel.gates.command_run import CommandJob, CommandResult, Tail, run_job
from gitscalpel.gates.sandbox import ProgramSandbox, SandboxFactory
from gitscalpel.git import commits, refs, scratch, user_cache
from gitscalpel.git.pool import untracked_files
from gitscalpel.git.pool.lease import lease
from gitscalpel.git.pool.slots import GATE_VARIABLE
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.git.process import Git
from gitscalpel.git.scratch import Scratch
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.system import repo_lock, trust
from gitscalpel.system.repo_lock import Lock
from gitscalpel.system.trust import redact
from gitscalpel.transaction import worktree
from gitscalpel.transaction.change import Change
from gitscalpel.transaction.worktree import furnish, set_up, trusted_tree
from gitscalpel.workspace.workspace import Session, Workspace


def open_sandbox(
    ws: Workspace, gates: Gates, place: Worktree, notes: Scratch, tree: Oid
) -> tuple[SandboxFactory | None, str]:
    """Return the sandbox factory for a worktree, if the rules ask for one, and the place where programs run.

    Raises:
        Misconfigured: ``unavailable``: the rules require a sandbox that this machine cannot create;
            ``config_error``: a shared directory would reveal files that the sandbox hides from programs.
    """
    checkout, common = ws.repo.work_tree, ws.repo.common_dir
    shared = [checkout / name for name in gates.shared if checkout and (checkout / name).is_dir()]
    hidden = [folder for folder in (checkout, common, user_cache.pools_directory(ws.repo)) if folder]
    opened = sandbox.open_sandbox(
        gates, place, notes, _make_tracked_test(ws, tree), hidden=hidden, shared=shared
    )
    if opened[0] is None and gates.sandbox != "off":
        ws.notify(f"gates run with your rights (sandbox: {opened[1]})")
    if opened[0] is not None and checkout is not None:
        _require_no_links(checkout, gates.shared)
    return opened


def _require_no_links(checkout: Path, names: Iterable[str]) -> None:
    """Raise if a shared directory is a link, as a cloned repository could let it lead to private keys."""
    for name in names:
        goal = (checkout / name).resolve()
        if goal.is_dir() and goal != checkout.resolve() / name:
            raise Misconfigured(
                "config_error",
                f"the shared folder {name} leads to {goal}, which sandboxed programs must not see",
                "replace the link with the directory itself, or remove it from gates.shared and install with "
                'gates.setup; or set gates.sandbox = "off" (programs then run with your rights)',
                path=name,
            )


def read_staged_tree(ws: Workspace, place: Worktree, cell: ProgramSandbox | None, before: Oid) -> Oid:
    """Return the tree of the index that programs left in a worktree, or in its sandbox.

    Objects from a sandbox are read unchanged and written again.

    Raises:
        NotAllowed: ``path_denied``: a path in that index cannot belong to the repository.
        DoesNotFit: ``conflicted``: a file in it is not merged.
    """
    if cell is None:
        return place.write_index_tree()
    git = place.repo.git.with_env(
        GIT_INDEX_FILE=str(cell.seen.git_dir / "index"),
        GIT_ALTERNATE_OBJECT_DIRECTORIES=quote_c_style(str(sandboxed_files.written_objects(cell.git))),
    )
    raw = git("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", before, "--")
    parts = raw.split(b"\0")
    rows = [(parts[n].split(b" "), os.fsdecode(parts[n + 1])) for n in range(0, len(parts) - 1, 2)]
    return ws.store.write_tree(
        before, [_staged_row(ws, git, row, paths.normalize_path(path)) for row, path in rows]
    )


def _staged_row(ws: Workspace, git: Git, row: list[bytes], path: str) -> tuple[str, Entry | None]:
    mode, oid, status = (row[n].decode("ascii") for n in (1, 3, 4))
    if status == "U":
        raise DoesNotFit(
            "conflicted",
            f"{quote_path(path)} is not merged",
            "change the hook so that it leaves no unmerged files",
        )
    if status == "D":
        return path, None
    if mode != SUBMODULE:
        oid = ws.store.write_blob(git("cat-file", "blob", oid))
    return path, Entry(mode, Oid(oid))


def _make_tracked_test(ws: Workspace, tree: Oid) -> Callable[[str], bool]:
    """Return a test that a path is a file of the tree, or belongs to one of its submodules."""
    snapshot = TreeSnapshot(ws.store, ws.repo.git, tree)

    def is_tracked(path: str) -> bool:
        entry = snapshot.entry(path)
        if entry is not None:
            return entry.mode != TREE
        above = map(snapshot.entry, map(str, PurePosixPath(path).parents))
        return any(found is not None and found.mode == SUBMODULE for found in above)

    return is_tracked


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
    """Lease a worktree with ``tree`` on top of ``commit``. The next lease removes all changes to it.

    ``furnish`` prepares the worktree for programs. Programs find files that match ``caches`` as earlier ones
    left them.

    Raises:
        ScalpelError: the errors of ``furnish``.
    """
    with lease(ws.repo, ws.store, tx, commit, ws.notify, judges=True) as place:
        spared = Globs(caches).match
        untracked_files.remove_new_leftovers(place, spared)
        place.bring(commit, tree)
        untracked_files.clear_submodules(place)
        untracked_files.remove_leftovers(place, spared)
        before = place.state.setup if place.state else ""
        furnish(place)
        if place.state and place.state.setup != before:
            untracked_files.note_setup(place, spared)
        place.leave_to_gate()
        try:
            yield place
        finally:
            place.detach(commit)


class CommandRun(Protocol):
    """Runs commands on a tree."""

    def start(self, gate: Command, line: str) -> Future[CommandResult]: ...

    def look(self) -> None: ...

    def changed_files(self) -> list[str]:
        """Return the files that differ from the tree, after all commands have ended."""


class LocalExecutor:
    """Runs commands in a worktree on this machine."""

    def __init__(self, ws: Workspace, change: Change, rules: Rules) -> None:
        self._ws, self._staged, self._rules = ws, change, rules

    @contextmanager
    def at(self, tree: Oid) -> Iterator[CommandRun]:
        # Commands are processes anyway. Another process around each would have to load these modules
        # again, and that takes longer than leasing a worktree.
        ws, staged = self._ws, self._staged
        ready = partial(furnish, ws, branch=staged.meta.branch, rules=self._rules)
        caches = self._rules.gates.caches
        with (
            gate_worktree(
                ws, staged.id, worktree.base_commit(ws, staged), tree, ready, caches=caches
            ) as place,
            scratch.make_scratch(ws.repo.scalpel_dir) as notes,
            _run_in_threads() as submit,
        ):
            where = open_sandbox(ws, self._rules.gates, place, notes, tree)
            yield _WorktreeRun(ws, staged.id, place, tree, folder=notes.path, submit=submit, where=where)


Submit = Callable[[CommandJob, Lock], "Future[CommandResult]"]


@contextmanager
def _run_in_threads() -> Iterator[Submit]:
    """Yield a function that starts jobs in threads. An exception stops all of them."""
    stop = threading.Event()
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        try:
            yield lambda job, lock: pool.submit(run_job, job, lock, stop)
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class _WorktreeRun:
    """Commands in a worktree; see :class:`CommandRun`."""

    def __init__(
        self,
        ws: Workspace,
        tx: str,
        place: Worktree,
        tree: Oid,
        *,
        folder: Path,
        submit: Submit,
        where: tuple[SandboxFactory | None, str],
    ) -> None:
        self._box, self._where = where
        self._checkout, self._tx, self._place, self._tree = ws.repo.work_tree, tx, place, tree
        self._folder, self._submit = folder, submit
        self._session = ws.session
        self._tail = Tail(ws.session.show) if ws.session.show else None

    def start(self, gate: Command, line: str) -> Future[CommandResult]:
        root, output = self._place.root, self._folder / gate.name
        outer = self._place.repo.git.outer()
        own = command_run.command_environment(line, self._checkout, root, outer) if self._checkout else {}
        job = CommandJob(
            line=line,
            root=root,
            outer=outer,
            env={"SCALPEL_TX": self._tx, GATE_VARIABLE: str(self._place.repo.common_dir), **own},
            timeout=parse_duration(gate.timeout),
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
        """Show new output, and raise ``Interrupted`` if the caller has cancelled the request."""
        self._session.refuse_if_stopped()
        if self._tail is not None:
            self._tail.look()

    def changed_files(self) -> list[str]:
        return self._place.find_changed(self._tree)


_LAST_FETCHED = "refs/scalpel/gates/last"
"""Ref of the last fetched commit. The next fetch gets only newer objects, and older ones may be pruned."""


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A command for a worker."""

    remote: str  # URL of the repository that has the commit
    tx: str
    ref: str  # ref of the commit in that repository
    commit: Oid
    line: str
    setup: str | None  # command that prepares a worktree. None if there is none.
    gates: Gates  # rules on what the command may see and use
    network: bool | None  # True to use the worker's network. None to follow the rules.
    timeout: float  # timeout in seconds of each try
    retries: int  # number of further tries after a failure


def run_task(task: Task) -> CommandResult:
    """Run a task on this worker.

    Raises:
        NotAllowed: ``untrusted``: this worker may not run commands from others.
        GateRefused: ``gate_failed``: the setup failed.
        InterruptedError: the client has cancelled the task or is gone.
    """
    session = Session()
    if session.environment.get(trust.VARIABLE) != "1":
        raise NotAllowed(
            "untrusted",
            "this worker may not run commands from others",
            f"start the workers with the environment variable {trust.VARIABLE}=1",
        )
    with (
        _fetch_commit(task, session) as ws,
        scratch.make_scratch(ws.repo.scalpel_dir) as notes,
        ExitStack() as stack,
    ):
        tree = ws.store.commit(task.commit).tree
        ready = partial(_set_up_worktree, ws, task)
        place = stack.enter_context(
            gate_worktree(ws, task.tx, task.commit, tree, ready, caches=task.gates.caches)
        )
        box, where = open_sandbox(ws, task.gates, place, notes, tree)
        job = CommandJob(
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
        return run_job(job, place.held, _CancelledTask()).unless(place.find_changed(tree))


class _CancelledTask:
    """Stop condition: the client has cancelled the task, is gone, or knows that another gate failed."""

    def __init__(self) -> None:
        distributed: Any = importlib.import_module("distributed")
        self._worker = distributed.get_worker()
        self._key = self._worker.get_current_task()

    def is_set(self) -> bool:
        task = self._worker.state.tasks.get(self._key)
        return task is None or task.state == "cancelled"


@contextmanager
def _fetch_commit(task: Task, session: Session) -> Iterator[Workspace]:
    digest = blake2b(task.remote.encode(), digest_size=8).hexdigest()
    cache = (
        Path(session.environment.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        / "git-scalpel/workers"
        / digest
    )
    folder = cache / "repo.git"
    with ExitStack() as stack:
        with repo_lock.hold_lock(cache, name="fetch"):
            if not (folder / "HEAD").exists():
                Git(cache, session.environment)("init", "-q", "--bare", str(folder))
            ws = stack.enter_context(Workspace(msgspec.structs.replace(session, folder=folder)))
            if not ws.has_commit(task.commit):
                ws.repo.git("fetch", "-q", "--no-tags", "--", task.remote, f"+{task.ref}:{_LAST_FETCHED}")
        yield ws


def _set_up_worktree(ws: Workspace, task: Task, place: Worktree) -> None:
    if task.setup and not place.is_set_up(task.setup):
        parents = ws.store.commit(task.commit).parents
        landed = ws.store.commit(parents[0]).tree if parents else Oid("")
        set_up(place, task.setup, trusted_tree(ws.store, landed, place.state))


SCHEME = "dask://"
REF = "refs/scalpel/gates/"
_SCHEDULER_TIMEOUT = "10s"
"""Time for the scheduler to answer."""


class DaskExecutor:
    """Runs commands on a Dask cluster."""

    def __init__(self, ws: Workspace, change: Change, rules: Rules) -> None:
        self._ws, self._staged, self._gates = ws, change, rules.gates
        self._cluster = rules.gates.cluster

    @contextmanager
    def at(self, tree: Oid) -> Iterator[CommandRun]:
        with ExitStack() as stack:
            client = stack.enter_context(_connect(self._gates.executor, self._cluster))
            commit = self._find_commit(tree)
            ref = stack.enter_context(self._push_commit(commit))
            executor: Executor = stack.enter_context(client.get_executor(pure=False))
            try:
                yield _ClusterRun(executor, self._make_task(commit, ref))
            except BaseException:
                executor.shutdown(wait=False)  # the other results are not needed any more
                raise

    def _make_task(self, commit: Oid, ref: str) -> partial[Task]:
        url = self._cluster.remote
        result = self._ws.repo.git.run("remote", "get-url", url)
        if not result.status:
            url = result.out.decode("utf-8", "surrogateescape").strip()
        where: dict[str, Any] = {"remote": url, "tx": self._staged.id, "ref": ref, "commit": commit}
        return partial(Task, **where, setup=self._gates.setup, gates=self._gates)

    def _find_commit(self, tree: Oid) -> Oid:
        """Return the transaction's commit, or a new one if it has another tree."""
        if self._ws.store.commit(self._staged.head).tree == tree:
            return self._staged.head
        parents = [self._staged.meta.base] if self._staged.meta.base else []
        return self._ws.store.write_raw_commit(commits.serialize_commit(tree, parents, "to be checked"))

    @contextmanager
    def _push_commit(self, commit: Oid) -> Iterator[str]:
        ref = f"{REF}{refs.new_id()}"  # unique, as each check of a commit removes its own ref
        with self._ws.store.lasting():
            self._push("push", "-q", "--no-verify", "--", self._cluster.remote, f"+{commit}:{ref}")
        try:
            yield ref
        finally:
            with suppress(ScalpelError):  # a leftover ref does no harm
                self._push("push", "-q", "--no-verify", "--", self._cluster.remote, f":{ref}")

    def _push(self, *words: str) -> None:
        result, remote = self._ws.repo.git.run(*words), redact(self._cluster.remote)
        if result.status:
            raise TryAgain(
                "busy",
                f"the commit could not be pushed to {remote}, where workers fetch it: {result.err}",
                "check gates.cluster.remote, and that you may push there",
            )


class _ClusterRun:
    """Commands on a cluster; see :class:`CommandRun`."""

    def __init__(self, executor: Executor, task: partial[Task]) -> None:
        self._executor, self._make_task = executor, task

    def start(self, gate: Command, line: str) -> Future[CommandResult]:
        times = {"timeout": parse_duration(gate.timeout), "retries": gate.retries}
        task = self._make_task(line=line, network=gate.network, **times)
        return self._executor.submit(run_task, task)

    def look(self) -> None:
        """Do nothing, as output of workers is available only at the end."""

    def changed_files(self) -> list[str]:
        """Return an empty list, as each worker checks its own files."""
        return []


@contextmanager
def _connect(executor: str, cluster: Cluster) -> Iterator[Any]:
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise Misconfigured(
            "unavailable",
            f"gates.executor is {executor}, but the package distributed is not installed",
            "install it: pip install 'gitscalpel[dask]'",
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
            "busy",
            f"the cluster at {address} did not respond: {error}",
            "check that the cluster is running, then try again",
        ) from None
    try:
        yield client
    finally:
        client.close()
