"""Commands on the machines of a Dask cluster (https://distributed.dask.org).

The commit is pushed to a remote that the workers can reach, under a name that nobody fetches by
default; each worker keeps its own clone and warm worktrees.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.changesets.rules import Cluster, Command, Rules, seconds
from gitscalpel.errors import Misconfigured, ScalpelError, TryAgain
from gitscalpel.gates.commands.ran import Ran
from gitscalpel.git import commits, refs
from gitscalpel.system.credentials import redact
from gitscalpel.transaction.candidate import Candidate
from gitscalpel.transaction.commands.grounds import Running
from gitscalpel.transaction.commands.grounds.worker import Task, work
from gitscalpel.workspace import Workspace

SCHEME = "dask://"
REF = "refs/scalpel/gates/"
_PATIENCE = "10s"
"""For the scheduler to answer."""


class There:
    """See :class:`gitscalpel.transaction.commands.grounds.Grounds`."""

    def __init__(self, ws: Workspace, change: Candidate, rules: Rules) -> None:
        self._ws, self._staged, self._gates = ws, change, rules.gates
        self._cluster = rules.gates.cluster

    @contextmanager
    def at(self, tree: Oid) -> Iterator[Running]:
        """See :meth:`gitscalpel.transaction.commands.grounds.Grounds.at`."""
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
    """See :class:`gitscalpel.transaction.commands.grounds.Running`."""

    def __init__(self, executor: Executor, task: partial[Task]) -> None:
        self._executor, self._task = executor, task

    def start(self, gate: Command, line: str) -> Future[Ran]:
        """See :meth:`gitscalpel.transaction.commands.grounds.Running.start`."""
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
