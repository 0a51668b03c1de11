"""An opened repository, its target branch and its caller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from types import TracebackType
from typing import TYPE_CHECKING, TypedDict

import msgspec

from gitscalpel.changesets import config
from gitscalpel.changesets.answers import CHECKOUT, make_json_safe, short_branch_name
from gitscalpel.changesets.file_tree import Oid, Snapshot
from gitscalpel.errors import BadCall, Misconfigured, ScalpelError
from gitscalpel.errors.messages import arg, call
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
from gitscalpel.workspace.caller import Session, Tell, Tracker

if TYPE_CHECKING:
    from gitscalpel.changesets.rules import Rules
    from gitscalpel.refactor.cross_check import CrossCheckAnswer, CrossChecker, CrossCheckQuestion
    from gitscalpel.syntax.exemptions import Exemptions
    from gitscalpel.syntax.outline import ParseCache

_KEPT = 300_000
"""Bytes of text of which the trees are kept, for as long as a repository is open."""


class RecordAuthor(TypedDict):
    """Part of a record that says who did something; see :class:`gitscalpel.git.oplog.Record`."""

    user: str
    time: int
    agent: str
    confirmed: str


class Target(msgspec.Struct, frozen=True, dict=True):
    """Files that can be looked at and edited, as they were when somebody looked.

    Attributes:
        branch: ``refs/heads/…``, the ref of a transaction, or :data:`gitscalpel.changesets.answers.CHECKOUT`.
        tip: the commit that they are of, or stand on; None while it is unborn.
        snapshot: the files.
        read_rules: see ``rules``.
    """

    branch: str
    tip: Oid | None
    snapshot: Snapshot
    read_rules: Callable[[], Rules]

    @cached_property
    def rules(self) -> Rules:
        """Rules of the tip's configuration and of the user for edits; read only if asked for.

        Raises:
            Misconfigured: ``config_error``, if its ``.gitscalpel.toml`` cannot be read.
        """
        return self.read_rules()

    @cached_property
    def exemptions(self) -> Exemptions:
        """The files whose syntax is not to be read, or is that of another language."""
        return Exemptions(self.snapshot)

    @property
    def name(self) -> str:
        """The branch as people write it."""
        return short_branch_name(self.branch)


class TreeTarget(Target, frozen=True, dict=True):
    """A branch, or a transaction: its files are those of a tree."""

    snapshot: TreeSnapshot


class Workspace:
    """A repository with its store; close it, or use it in a ``with`` statement.

    Args:
        session: who asks.
        long_lived: see :func:`gitscalpel.git.object_store.open_store`.

    Attributes:
        session: who asks, and whom to tell.
        here: the repository, seen from where the caller stands.
        repo: the same, but in a worktree of the pool the place from which it was leased, where its
            transaction lands.
        tracker: what the caller has read, where nothing else may be edited; None: anything may be.
        inside: the transaction in whose worktree the caller stands, or that is judged there.
        judges: the caller stands where programs judge, or was started by one.
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
        self._user: str | None = None
        self._supposed: dict[str, Oid] = {}
        self._long_lived, self._left = long_lived, list[object]()
        self.store: Store = open_store(self.repo, long_lived)
        self.repo = self.store.repo
        self.here = self.here.telling(self.repo.git.starting)

    @property
    def notify(self) -> Tell:
        """Told what takes a while, and what was set aside."""
        return self.session.notify

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def keep(self, what: object) -> None:
        """Leave it to the end of a process that answers once: to take it apart is a tenth of the call."""
        if not self._long_lived:
            self._left.append(what)

    def close(self) -> None:
        """Let go of processes and files."""
        self.store.close()

    @contextmanager
    def log_refusals(self, what: str, paths: Callable[[], Iterable[str]] = tuple) -> Iterator[None]:
        """Put on record what gates, the policy or people refuse in the block.

        Args:
            what: is tried there.
            paths: the files that it is about; asked only then.
        """
        try:
            yield
        except ScalpelError as error:
            self.record_refusal(what, error, paths)
            raise

    def record_refusal(
        self, what: str, error: ScalpelError, paths: Callable[[], Iterable[str]] = tuple
    ) -> None:
        """Put a refusal on record that is not raised."""
        from gitscalpel.workspace import caller

        if not caller.is_judgement(error):
            return
        user, named = "", tuple[str, ...]()
        with suppress(Misconfigured):
            user = self.user()
        with suppress(ScalpelError):
            named = tuple(paths())
        attempt = caller.Attempt(what, named, user, self.session.agent, self.session.now())
        caller.record_refusal(self.repo.scalpel_dir, attempt, error)

    @cached_property
    def kept(self) -> ParseCache:
        """Parsed trees of the files that were edited last, for the next edit."""
        return ParseCache(_KEPT)

    def user(self) -> str:
        """Return the user who commits here, as a record can hold it; git is asked once."""
        if self._user is None:
            self._user = str(make_json_safe(find_identity(self.repo)))
        return self._user

    def hand(self) -> RecordAuthor:
        """Return who does something now, for its record."""
        session = self.session
        return {
            "user": self.user(),
            "time": session.now(),
            "agent": session.agent,
            "confirmed": session.confirmed,
        }

    def target(self, onto: str | None = None) -> Target:
        """The branch ``onto``, or the checkout, if that is its name; None: the branch that is checked out.

        Raises:
            BadCall: ``invalid_args``, where there is none and ``onto`` does not say.
        """
        return self.checkout() if onto == CHECKOUT else self.at(self.repo.branch(onto))

    def refuse_bare(self, hint: str = "") -> None:
        """Refuse a repository without files of the user's.

        Args:
            hint: what to do there; by default to name a branch, for what can be done to one.

        Raises:
            BadCall: ``invalid_args``.
        """
        if self.here.work_tree is None:
            hint = hint or f"name a branch with {arg('onto', 'BRANCH')}"
            raise BadCall("invalid_args", "the repository is bare, so there is no checkout", hint)

    def at(self, branch: str) -> TreeTarget:
        """The branch with this full ref, as :meth:`target` has found it once.

        Raises:
            BadCall: ``invalid_args``: it is not there any more.
        """
        tip = self.tip(branch)
        if tip is None and branch != self.repo.head:
            raise refs.missing_branch_error(self.repo, short_branch_name(branch))
        return self.target_at(branch, tip)

    def target_at(self, branch: str, tip: Oid | None) -> TreeTarget:
        """A branch as it is, or would be, with ``tip`` as its commit."""
        snapshot = self.snapshot(tip)
        return TreeTarget(
            branch=branch,
            tip=tip,
            snapshot=snapshot,
            read_rules=partial(self._rules_of, branch, tip, snapshot),
        )

    def checkout(self) -> Target:
        """The files on the disk where the caller stands, under the rules of the commit that is checked out.

        Raises:
            BadCall: ``invalid_args``: the repository is bare.
        """
        self.refuse_bare()
        head = self.here.resolve("HEAD^{commit}")
        files = WorkingTreeSnapshot(self.store, self.here.git, open_working_tree(self.here, self.store))
        return Target(CHECKOUT, head, files, lambda: self.rules(self.snapshot(head)))

    def _rules_of(self, branch: str, tip: Oid | None, snapshot: TreeSnapshot) -> Rules:
        """Return the rules of a branch; if they cannot be read, the refusal names what takes that back."""
        try:
            return self.rules(snapshot)
        except Misconfigured as error:
            back = self._way_back(branch, tip) if error.data.get("path") else None
            if back is None:
                raise
            raise error.but(hint=f"{back} takes back the landing that made it so; or {error.hint}") from None

    def _way_back(self, branch: str, tip: Oid | None) -> str | None:
        """Return the call that takes a branch back to rules that can be read, or None if no call does."""
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
        """Return the rules of the configuration among these files and of the user for edits.

        Raises:
            Misconfigured: ``config_error``: it cannot be read.
        """
        entry = snapshot.entry(config.PATH)
        config.require_regular_file(entry)
        return config.parse_rules(snapshot.read(entry.oid) if entry else None, self.repo.config)

    def tip(self, branch: str) -> Oid | None:
        """The commit that a full ref names; None: the ref is not there.

        Raises:
            Damaged: ``corrupt``: it is there, and there is no such commit.
        """
        if branch in self._supposed:
            return self._supposed[branch]
        with suppress(KeyError):
            return self.store.commit(branch).oid
        return refs.require_readable_ref(self.repo, branch)

    @contextmanager
    def assume_tip(self, branch: str, tip: Oid) -> Iterator[None]:
        """Take a branch to be where another repository has it, as long as the block lasts."""
        self._supposed[branch] = tip
        try:
            yield
        finally:
            del self._supposed[branch]

    def has_commit(self, commit: Oid) -> bool:
        """Return True if a commit is there; what was undone or dropped is let go of after a while."""
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

            self.notify(f"asking {server.name}")
            timeout = client.CROSS_CHECK_TIMEOUT
            return ask_for_references(server, root, self.repo.git.outer(), question, timeout)

        return ask

    def snapshot(self, commit: Oid | None) -> TreeSnapshot:
        """The files of a commit; of none, no files."""
        tree = self.store.tree_of(commit) or self.store.write_tree(None, [])
        return TreeSnapshot(self.store, self.repo.git, tree)


def is_dirty(ws: Workspace, target: Target, path: str) -> bool:
    """Return True if the file where the caller stands differs from the target's.

    That is the work tree against the tip of the branch that is checked out; in a transaction's
    worktree the file against what is staged there. What counts is the content: ``git diff`` looks
    at it where a file was only touched, which the plumbing does not.
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
