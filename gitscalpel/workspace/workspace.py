"""An opened repository, its target branch, and the caller of a command.

Two sessions of two agents can share one process. All differences between them are in :class:`Session`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, TypedDict

import msgspec

from gitscalpel.changesets import config
from gitscalpel.changesets.answers import CHECKOUT, make_json_safe, short_branch_name
from gitscalpel.changesets.file_tree import Oid, Snapshot
from gitscalpel.errors import BadCall, Interrupted, Misconfigured, ScalpelError
from gitscalpel.errors.messages import BY_NAME, Spelling, arg, call
from gitscalpel.git import oplog, refs
from gitscalpel.git.attributes import is_untouched
from gitscalpel.git.commits import find_identity
from gitscalpel.git.object_store import Store, open_store
from gitscalpel.git.pool import slots
from gitscalpel.git.pool.slots import GATE_VARIABLE
from gitscalpel.git.repository import Repository, discover
from gitscalpel.git.snapshots import TreeSnapshot, WorkingTreeSnapshot
from gitscalpel.git.working_tree import open_working_tree
from gitscalpel.language_servers import client
from gitscalpel.syntax.exemptions import Exemptions
from gitscalpel.syntax.outline import ParseCache

if TYPE_CHECKING:
    from gitscalpel.changesets.rules import Rules
    from gitscalpel.refactor.cross_check import CrossCheckAnswer, CrossChecker, CrossCheckQuestion

AGENT_VARIABLE = "SCALPEL_AGENT"
Tell = Callable[[str], None]


def discard_message(_: str) -> None: ...


def environment(agent: str | None = None) -> dict[str, str]:
    """Return this process's variables, with ``agent`` as the program that acts for the user, if given."""
    return {**os.environ, **({} if agent is None else {AGENT_VARIABLE: agent})}


def set_variables(variables: Mapping[str, str]) -> None:
    """Set variables of this process for all sessions that are created from now on."""
    os.environ.update(variables)


class Stop(Protocol):
    """Stop condition that is set when the caller cancels a request, such as a ``threading.Event``."""

    def is_set(self) -> bool: ...


class Tracker(Protocol):
    """Record of what a caller has read, for callers that may edit nothing else."""

    def note(self, answer: Any) -> None: ...

    def note_edit(self, done: Any, changeset: Any, show: Callable[[str, str], Any]) -> None: ...

    def require_seen(self, would: Any, changeset: Any, show: Callable[[str, str], Any]) -> None:
        """Raise if an edit changes what the caller has not read."""


def read_clock() -> float:
    """Return the time now. The clock is looked up at each call, so that another one can be set."""
    return time.time()


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """The caller of a command."""

    # directory of the caller. None for the current one, where git's own variables count as well.
    folder: Path | None = None
    environment: Mapping[str, str] = msgspec.field(default_factory=environment)
    notify: Tell = discard_message  # receives messages about quarantined files and the like
    progress: Tell | None = None  # receives descriptions of slow actions. None for ``notify``.
    warn: Tell = discard_message  # receives messages about the recovery of killed commands
    show: Tell | None = None  # receives the output of gates while they run. None to discard it.
    clock: Callable[[], float] = read_clock  # returns the time in seconds since the epoch
    stop: Stop | None = None  # stop condition, set when the caller cancels the request. None if it cannot.
    # globs, as in ``.gitignore``, of the only paths that the caller may change. None for all.
    within: tuple[str, ...] | None = None
    # client that says that a person has agreed to the request. Empty if no person was asked.
    confirmed: str = ""
    spelling: Spelling = BY_NAME  # spelling of fields and calls, also in records

    def refuse_if_stopped(self) -> None:
        """Raise ``Interrupted`` if the caller has cancelled the request."""
        if self.stop is not None and self.stop.is_set():
            words = "the caller cancelled the request"
            raise Interrupted(
                "interrupted", words, "run it again; only changes that had already landed took effect"
            )

    @property
    def agent(self) -> str:
        return str(make_json_safe(self.environment.get(AGENT_VARIABLE, "")))

    def now(self) -> int:
        return int(self.clock())


_KEPT = 300_000
"""Maximum size in bytes of the texts whose trees are kept while a repository is open."""


class RecordAuthor(TypedDict):
    """Fields of a record that name its author; see :class:`gitscalpel.git.oplog.Record`."""

    user: str
    time: int
    agent: str
    confirmed: str


class Target(msgspec.Struct, frozen=True, dict=True):
    """Files to read and edit, in the state in which they were last read."""

    # ``refs/heads/…``, the ref of a transaction, or :data:`gitscalpel.changesets.answers.CHECKOUT`
    branch: str
    tip: Oid | None  # commit of the files, or below them. None if unborn.
    snapshot: Snapshot
    read_rules: Callable[[], Rules]  # function that reads the rules; see ``rules``

    @cached_property
    def rules(self) -> Rules:
        """Return the rules of the tip's configuration and of the user. Raises ``config_error``."""
        return self.read_rules()

    @cached_property
    def exemptions(self) -> Exemptions:
        """Return the files whose syntax is ignored, or is that of another language."""
        return Exemptions(self.snapshot)

    @property
    def name(self) -> str:
        return short_branch_name(self.branch)


class TreeTarget(Target, frozen=True, dict=True):
    """A branch or a transaction, with the files of its tree."""

    snapshot: TreeSnapshot


class Workspace:
    """A repository with its object store; close it, or use it in a ``with`` statement.

    Args:
        session: the caller.
        long_lived: see :func:`gitscalpel.git.object_store.open_store`.

    Attributes:
        session: the caller and its receivers of messages.
        here: the repository as seen from the caller's directory.
        repo: the repository to land in: ``here``, or for a worktree of the pool, the place it was leased
            from.
        tracker: record of what the caller has read, if only this may be edited. None to allow all edits.
        inside: transaction whose worktree contains the caller's directory, or None.
        kept: cache of the parsed files that were edited last, for the next edit.
        judges: True if the caller is a gate program, or its directory is in a worktree for gates.
    """

    def __init__(self, session: Session, *, long_lived: bool = False) -> None:
        self.session = session
        self.tracker: Tracker | None = None
        self.here: Repository = discover(session.folder, session.environment)
        self.repo = self.here
        self.inside: str | None = None
        self.judges = session.environment.get(GATE_VARIABLE) == str(self.here.common_dir)
        slot = slots.find_slot_state(self.here)
        if slot is not None:
            home = discover(slot.folder(self.here.common_dir), session.environment)
            self.repo = msgspec.structs.replace(home, prefix=self.here.prefix)
            self.inside = slot.tx
            self.judges |= slot.judges
        self.kept = ParseCache(_KEPT)
        self._user: str | None = None
        self._supposed: dict[str, Oid] = {}
        self._long_lived, self._left = long_lived, list[object]()
        self.store: Store = open_store(self.repo, long_lived)
        self.repo = self.store.repo
        self.here = self.here.with_callback(self.repo.git.starting)

    @property
    def notify(self) -> Tell:
        return self.session.notify

    @property
    def progress(self) -> Tell:
        return self.session.progress or self.session.notify

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def keep(self, kept: object) -> None:
        """Keep an object until a short-lived process ends, since freeing it takes a tenth of the call."""
        if not self._long_lived:
            self._left.append(kept)

    def close(self) -> None:
        self.store.close()

    @contextmanager
    def log_refusals(self, what: str, paths: Callable[[], Iterable[str]] = tuple) -> Iterator[None]:
        """Log rejections of the block; ``paths`` returns the affected files, and is called only after one."""
        try:
            yield
        except ScalpelError as error:
            self.record_refusal(what, error, paths)
            raise

    def record_refusal(
        self, what: str, error: ScalpelError, paths: Callable[[], Iterable[str]] = tuple
    ) -> None:
        from gitscalpel.workspace import refusals  # few calls are rejected

        if not refusals.is_judgement(error):
            return
        user, named = "", tuple[str, ...]()
        with suppress(Misconfigured):
            user = self.user()
        with suppress(ScalpelError):
            named = tuple(paths())
        attempt = refusals.Attempt(what, named, user, self.session.agent, self.session.now())
        refusals.record_refusal(self.repo.scalpel_dir, attempt, error)

    def user(self) -> str:
        """Return git's user in the form of a record. Git is called once."""
        if self._user is None:
            self._user = str(make_json_safe(find_identity(self.repo)))
        return self._user

    def author_fields(self) -> RecordAuthor:
        session = self.session
        return {
            "user": self.user(),
            "time": session.now(),
            "agent": session.agent,
            "confirmed": session.confirmed,
        }

    def target(self, onto: str | None = None) -> Target:
        """Return the branch ``onto``, the checkout if that is named, or the current branch for None.

        Raises:
            BadCall: ``invalid_args``: no branch is checked out or named.
        """
        return self.checkout() if onto == CHECKOUT else self.at(self.repo.branch(onto))

    def refuse_bare(self, hint: str = "") -> None:
        """Raise ``invalid_args`` if the repository is bare. By default, the hint is to name a branch."""
        if self.here.work_tree is None:
            hint = hint or f"name a branch with {arg('onto', 'BRANCH')}"
            raise BadCall("invalid_args", "the repository is bare, so there is no checkout", hint)

    def at(self, branch: str) -> TreeTarget:
        """Return the branch with a full ref. Raises ``invalid_args`` if it no longer exists."""
        tip = self.tip(branch)
        if tip is None and branch != self.repo.head:
            raise refs.missing_branch_error(self.repo, short_branch_name(branch))
        return self.target_at(branch, tip)

    def target_at(self, branch: str, tip: Oid | None) -> TreeTarget:
        """Return a branch as it is, or would be, with ``tip`` as its commit."""
        snapshot = self.snapshot(tip)
        return TreeTarget(
            branch=branch,
            tip=tip,
            snapshot=snapshot,
            read_rules=partial(self._rules_of, branch, tip, snapshot),
        )

    def checkout(self) -> Target:
        """Return the files on disk, under the rules of HEAD. Raises ``invalid_args`` if there are none."""
        self.refuse_bare()
        head = self.here.resolve("HEAD^{commit}")
        files = WorkingTreeSnapshot(self.store, self.here.git, open_working_tree(self.here, self.store))
        return Target(CHECKOUT, head, files, lambda: self.rules(self.snapshot(head)))

    def _rules_of(self, branch: str, tip: Oid | None, snapshot: TreeSnapshot) -> Rules:
        """Return the rules of a branch. If they cannot be read, the hint names the call that reverts that."""
        try:
            return self.rules(snapshot)
        except Misconfigured as error:
            undo_call = self._find_undo_call(branch, tip) if error.data.get("path") else None
            if undo_call is None:
                raise
            raise error.but(hint=f"{undo_call} undoes the landing that caused it; or {error.hint}") from None

    def _find_undo_call(self, branch: str, tip: Oid | None) -> str | None:
        """Return the call that takes a branch back to readable rules, or None if no call does."""
        last = next(
            (entry.record for entry in oplog.read_log(self.repo) if entry.record.branch == branch), None
        )
        if last is None or last.kind not in ("land", "redo") or last.after != tip:
            return None
        try:
            self.rules(self.snapshot(Oid(last.before) if last.before else None))
            is_own = (last.user, last.agent) == (self.user(), self.session.agent)
        except Misconfigured:
            return None
        onto = None if branch == self.repo.head else short_branch_name(branch)
        return call("undo", tx=None if is_own else last.tx, onto=onto)

    def rules(self, snapshot: Snapshot) -> Rules:
        """Return the rules among these files and of the user. Raises ``config_error``."""
        entry = snapshot.entry(config.PATH)
        config.require_regular_file(entry)
        return config.parse_rules(snapshot.read(entry.oid) if entry else None, self.repo.config)

    def tip(self, branch: str) -> Oid | None:
        """Return the commit of a full ref, None if there is none. Raises ``corrupt`` if it is damaged."""
        if branch in self._supposed:
            return self._supposed[branch]
        with suppress(KeyError):
            return self.store.commit(branch).oid
        return refs.require_readable_ref(self.repo, branch)

    @contextmanager
    def assume_tip(self, branch: str, tip: Oid) -> Iterator[None]:
        """In the block, treat a branch as if it were at the commit where a remote has it."""
        self._supposed[branch] = tip
        try:
            yield
        finally:
            del self._supposed[branch]

    def has_commit(self, commit: Oid) -> bool:
        """Return True if a commit exists. Undone and dropped commits expire."""
        return self.store.resolve(f"{commit}^{{commit}}") is not None

    def cross_checker(self) -> CrossChecker | None:
        """Return a cross-check of names by the user's server. None if there is no checkout for it to read."""
        root = self.repo.work_tree
        if root is None:
            return None

        def ask(question: CrossCheckQuestion) -> CrossCheckAnswer | None:
            server = client.choose_trusted_server(question.language, self.repo, self.session.environment)
            if server is None:
                return None
            from gitscalpel.language_servers.references import ask_for_references  # few users have a server

            self.progress(f"asking {server.name}")
            timeout = client.CROSS_CHECK_TIMEOUT
            return ask_for_references(server, root, self.repo.git.outer(), question, timeout)

        return ask

    def snapshot(self, commit: Oid | None) -> TreeSnapshot:
        """Return the files of a commit; no files for None."""
        tree = self.store.tree_of(commit) or self.store.write_tree(None, [])
        return TreeSnapshot(self.store, self.repo.git, tree)


def is_dirty(ws: Workspace, target: Target, path: str) -> bool:
    """Return True if a file in the caller's directory differs from the target.

    In a checkout, the working tree is compared with the tip of the branch that is checked out; in a
    transaction's worktree, with the staged files. Contents are compared with ``git diff``, because git's
    plumbing also reports files that were only touched.
    """

    def differs(repo: Repository, *revision: str) -> bool:
        words = ("diff", "--quiet", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", *revision)
        return repo.git.run(*words, "--", f":(top,literal){path}").status == 1

    if ws.inside is not None and target.branch == refs.TX + ws.inside:
        return differs(ws.here)
    if ws.repo.work_tree is None or ws.repo.head != target.branch or target.tip is None:
        return False
    if is_untouched(ws.repo, ws.store, path, target.snapshot.entry(path)):
        return False
    return differs(ws.repo, "HEAD")
