"""The Python API: a repository, the transactions in it, and what can be looked at.

The command line is a face of it and uses nothing else. Whatever is refused
raises an error of :mod:`gitscalpel.errors`, and then nothing has happened.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import msgspec

from gitscalpel import paths, result, shadow, staging, transaction, worktree
from gitscalpel.errors import WorldMoved
from gitscalpel.operations import Operation
from gitscalpel.requests import Request, changeset
from gitscalpel.result import Result
from gitscalpel.shadow import Staged
from gitscalpel.snapshot import Oid, Overlay
from gitscalpel.workspace import Target, Workspace, nobody

if TYPE_CHECKING:
    from gitscalpel.git.oplog import Entry
    from gitscalpel.history import Step
    from gitscalpel.views import FileOutline, Match, Shown

Asked = Operation | dict[str, Any]
"""An operation, typed or as the JSON object that stands for it."""


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """A repository as it is now.

    Attributes:
        branch: the one that is checked out, by its short name; None: the head is detached.
        tip: its commit; None: unborn.
        transactions: the open ones, the oldest first.
        recovery_pending: a landing was killed; the next mutating call finishes it.
    """

    branch: str | None
    tip: Oid | None
    transactions: tuple[Result, ...]
    recovery_pending: bool


class View:
    """The files of a branch, or of a transaction, as they are at this moment."""

    def __init__(self, ws: Workspace, target: Target) -> None:
        self._ws = ws
        self._target = target

    def outline(self, paths: Iterable[str] = ("",)) -> list[FileOutline]:
        """The symbols of files, and of the files in a known language below folders.

        Raises:
            DoesNotFit: ``file_not_found`` or ``unsupported_language``.
        """
        from gitscalpel import look

        return look.outline(self._ws, self._target, paths)

    def find(self, selector: str, paths: Iterable[str] = ("",)) -> list[Match]:
        """The definitions that a selector matches, by file and in document order.

        Raises:
            BadCall: ``query_syntax``.
            DoesNotFit: ``file_not_found`` or ``unsupported_language``.
        """
        from gitscalpel import look

        return look.find(self._ws, self._target, selector, paths)

    def show(
        self,
        path: str,
        *,
        symbol: str | None = None,
        kind: str | None = None,
        lines: str | int | None = None,
        checkout: bool = False,
    ) -> Shown:
        """A file, a symbol of it or some of its lines, with the hashes to edit by.

        Args:
            path: relative to the root of the repository.
            symbol: such as ``Outer.inner``.
            kind: of the symbol, where names are shared.
            lines: ``42``, ``"42-55"`` or ``"42:9f3c-55:01be"``.
            checkout: the file on disk, and not as it is here.

        Raises:
            BadCall: ``invalid_ref`` or ``invalid_range``.
            DoesNotFit: there is no such file, symbol or line.
            WorldMoved: ``stale``: a line hash differs.
        """
        from gitscalpel import look
        from gitscalpel.text.anchors import parse_range

        wanted = None if lines is None else parse_range(lines)
        return look.show(
            self._ws, self._target, path, symbol=symbol, kind=kind, lines=wanted, checkout=checkout
        )

    def read(self, path: str) -> bytes:
        """The bytes of a file.

        Raises:
            DoesNotFit: ``file_not_found`` or ``not_a_file``.
        """
        _, entry = paths.existing(path, Overlay(self._target.snapshot))
        return self._ws.store.read(entry.oid)


class Transaction:
    """An open transaction.

    In a ``with`` statement it lands at the end, and is dropped if an exception
    leaves the block. What has landed or was dropped inside it stays as it is::

        with repository.begin("Rename the flag") as tx:
            tx.edit(Text(path="a.py", old="verbose", new="loud"))
    """

    def __init__(self, ws: Workspace, staged: Staged) -> None:
        self._ws = ws
        self._staged = staged
        self._ended: Result | None = None

    def __enter__(self) -> Transaction:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._ended is not None:
            return
        if kind is not None or not self._now.files:
            self.drop()
        else:
            self.land()

    @property
    def id(self) -> str:
        """Its name; ``scalpel/tx/<id>`` is a revision for git."""
        return self._staged.id

    @property
    def result(self) -> Result:
        """The transaction as a whole: its state, its files, what was done and checked."""
        return self._ended or self._placed(result.of(self._now))

    @property
    def _now(self) -> Staged:
        """The transaction as it is; others may have added to it, or ended it."""
        self._staged = shadow.refreshed(self._ws, self._staged)
        return self._staged

    def _placed(self, what: Result) -> Result:
        return placed(self._ws, what)

    def view(self) -> View:
        """Its files, to look at."""
        return View(self._ws, shadow.seen_in(self._ws, self._now))

    def edit(self, *operations: Asked, allow_broken: bool = False, dry_run: bool = False) -> Result:
        """Do operations on the files as the transaction leaves them.

        Returns:
            what these operations did.

        Raises:
            ScalpelError: the first refusal; then the transaction is as it was.
        """
        return self.apply(changeset(*operations, allow_broken=allow_broken), dry_run=dry_run)

    def apply(self, request: Request, *, dry_run: bool = False) -> Result:
        """Do a changeset; see :meth:`edit`."""
        if dry_run:
            target = shadow.seen_in(self._ws, self._now)
            return staging.try_out(self._ws, request, target)
        if request.request_id and request.request_id in self._now.meta.request_ids:
            return self.result
        self._staged, done = staging.add(self._ws, request, self._now)
        return self._placed(done)

    def worktree(self) -> Path:
        """Lease a real worktree from the pool, with the change staged, to look at, test and edit by hand.

        It is the transaction's until that lands or is dropped; :meth:`stage` takes in what was done there.

        Raises:
            TryAgain: ``busy``: another process works there.
        """
        with worktree.leased(self._ws, self._now) as place:
            return place.slot.root

    def stage(self) -> Result:
        """Take in what was edited and committed by hand in the transaction's worktree.

        A gate that fails does not refuse it: the transaction then stays open, and does not land.

        Returns:
            what that did.

        Raises:
            DoesNotFit: ``no_change``, or ``conflicted``: a merge there is not resolved.
        """
        from gitscalpel import byhand

        self._staged, done = byhand.stage(self._ws, self._now)
        return self._placed(done)

    def run(self, *words: str, ok: Container[int] = (0,)) -> Result:
        """Run a command in the transaction's worktree, and take in what it did to the files.

        Edits made there by hand are taken in first.

        Args:
            words: the program and its arguments.
            ok: the exit statuses that are a success.

        Returns:
            what the command did.

        Raises:
            GateRefused: ``gate_failed``: it failed; the worktree is as it was before.
            DoesNotFit: ``no_change``.
            BadCall: ``invalid_args``: there is no such program.
        """
        from gitscalpel import byhand

        if worktree.is_edited(self._ws, self._now):
            self.stage()
        self._staged, done = byhand.run(self._ws, self._now, words, ok)
        return self._placed(done)

    def check(self) -> Result:
        """Let every gate judge the transaction as a whole.

        Raises:
            GateRefused: the first refusal.
        """
        self._staged = staging.check(self._ws, self._now)
        return self.result

    def land(self, message: str | None = None) -> Result:
        """Bring it to its branch, and the user's checkout along.

        Args:
            message: of the commit, in the place of what was given before.

        Raises:
            DoesNotFit: ``no_change``.
            GateRefused: a gate said no; the transaction stays open.
            WorldMoved: the branch or the checkout stands against it; the transaction stays open.
            TryAgain: ``busy``.
        """
        if message is not None:
            self._staged = staging.reword(self._ws, self._now, message)
        self._ended = transaction.land(self._ws, self._now)
        return self._ended

    def drop(self) -> Result:
        """Give it up; its commit is kept for a while as ``refs/scalpel/keep/<id>``."""
        self._ended = transaction.drop(self._ws, self._now)
        return self._ended

    def forget(self) -> None:
        """Take it away without a trace, as if it had never begun."""
        transaction.forget(self._ws, self._now)


def placed(ws: Workspace, what: Result) -> Result:
    """An answer with the worktree that the transaction has leased."""
    folder = worktree.folder(ws, what.tx) if what.tx else None
    return msgspec.structs.replace(what, worktree=str(folder)) if folder else what


class Repository:
    """A git repository; close it, or use it in a ``with`` statement.

    Args:
        path: a folder in it; None: the current one, where git's own variables count as well.
        notify: told, in words, what takes a while and what was set aside.

    Raises:
        Misconfigured: ``not_a_repository``.
    """

    def __init__(
        self, path: str | os.PathLike[str] | None = None, notify: Callable[[str], None] = nobody
    ) -> None:
        self._ws = Workspace(None if path is None else Path(path), notify)

    def __enter__(self) -> Repository:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of processes and files."""
        self._ws.close()

    @property
    def root(self) -> Path | None:
        """The root of the user's files; None: the repository is bare."""
        return self._ws.repo.work_tree

    @property
    def prefix(self) -> str:
        """The folder that it was opened from, below the root: ``""`` or ``"sub/dir/"``."""
        return self._ws.repo.prefix

    @property
    def inside(self) -> str | None:
        """The transaction in whose worktree the caller stands."""
        return self._ws.inside

    def view(self, branch: str | None = None) -> View:
        """The files of a branch (None: the one that is checked out), to look at.

        Raises:
            BadCall: ``invalid_args``: there is no such branch.
        """
        return View(self._ws, self._ws.target(branch))

    def edit(
        self,
        *operations: Asked,
        message: str | None = None,
        onto: str | None = None,
        allow_broken: bool = False,
        dry_run: bool = False,
    ) -> Result:
        """Do operations as a whole transaction: stage, check and land.

        Args:
            operations: all of them happen, or none.
            message: of the commit; None: one that says what was done.
            onto: the branch; None: the one that is checked out.
            allow_broken: a file that no longer parses is put on record and not refused.
            dry_run: write nothing, and say what would be done.

        Raises:
            ScalpelError: the first refusal; then nothing has happened.
        """
        asked = changeset(*operations, message=message, allow_broken=allow_broken)
        return self.apply(asked, onto=onto, dry_run=dry_run)

    def apply(
        self, request: Request, *, onto: str | None = None, dry_run: bool = False, land: bool = True
    ) -> Result:
        """Do a changeset as a whole transaction; without ``land`` it stays staged.

        A request whose id has been seen gives the earlier answer, and lands what was left staged.
        """
        before = result.earlier(self._ws, request.request_id) if request.request_id else None
        if isinstance(before, Result):
            return before
        if before is not None:
            return transaction.land(self._ws, before) if land and not dry_run else result.of(before)
        if dry_run:
            return staging.try_out(self._ws, request, self._ws.target(onto))
        if not land:
            return result.of(staging.stage(self._ws, request, self._ws.target(onto)))
        return transaction.perform(self._ws, request, onto)

    def run(
        self,
        *words: str,
        ok: Container[int] = (0,),
        message: str | None = None,
        onto: str | None = None,
        land: bool = True,
        dry_run: bool = False,
    ) -> Result:
        """Land what a command (a formatter, a codemod) does, as a whole transaction.

        It runs in a worktree of the pool, never in the user's checkout.

        Raises:
            GateRefused: ``gate_failed``: it failed; or a gate said no. Nothing is left.
            DoesNotFit: ``no_change``.
        """
        tx = self.begin(message, onto=onto)
        try:
            done = tx.run(*words, ok=ok)
            if dry_run:
                done = msgspec.structs.replace(done, tx=None, head=None, worktree=None)
            elif land:
                return tx.land()
        except WorldMoved:
            raise  # it stays open
        except BaseException:
            tx.forget()
            raise
        if dry_run:
            tx.forget()
        return done

    def begin(
        self, message: str | None = None, *, onto: str | None = None, adopt: Sequence[str] = ()
    ) -> Transaction:
        """Open a transaction.

        Args:
            message: of its commit; None: one that says what was done.
            onto: its branch; None: the one that is checked out.
            adopt: files and folders whose uncommitted changes it takes in, as a commit of their own.

        Raises:
            BadCall: ``invalid_args``.
            DoesNotFit: ``file_not_found``, or ``no_change``: nothing there is uncommitted.
            NotAllowed: ``path_denied``: ignored, or outside of the repository.
        """
        return Transaction(self._ws, staging.begin(self._ws, self._ws.target(onto), message, adopt))

    def transaction(self, id: str) -> Transaction:  # noqa: A002 - what it is called everywhere
        """An open transaction, by its id or the first characters of it.

        Raises:
            DoesNotFit: ``tx_not_found``, or ``tx_closed`` where it has landed or was dropped.
        """
        return Transaction(self._ws, shadow.load(self._ws, id))

    def lookup(self, id: str) -> Result:  # noqa: A002
        """A transaction, open or closed, as it is now.

        Raises:
            DoesNotFit: ``tx_not_found``.
        """
        return placed(self._ws, result.find(self._ws, id))

    def status(self) -> Status:
        """The branch, the open transactions, and whether something needs recovery."""
        from gitscalpel import recovery

        head = self._ws.repo.head
        tip = self._ws.commit(head) if head else None
        return Status(
            branch=head.removeprefix("refs/heads/") if head else None,
            tip=tip.oid if tip else None,
            transactions=tuple(placed(self._ws, result.of(staged)) for staged in shadow.every(self._ws)),
            recovery_pending=recovery.pending(self._ws.repo),
        )

    def undo(self, id: str | None = None, *, onto: str | None = None) -> Step:  # noqa: A002
        """Take back your own last landing on a branch, or the one named.

        Raises:
            DoesNotFit: ``nothing_to_undo``.
            WorldMoved: ``merge_conflict``, or the checkout stands against it.
        """
        from gitscalpel import history

        return history.undo(self._ws, onto, id)

    def redo(self, *, onto: str | None = None) -> Step:
        """Make the landing again that the last undo took back.

        Raises:
            DoesNotFit: ``nothing_to_undo``.
            WorldMoved: ``merge_conflict``, or the checkout stands against it.
        """
        from gitscalpel import history

        return history.redo(self._ws, onto)

    def log(self, limit: int | None = None) -> list[Entry]:
        """What landed, was undone, redone and dropped, the newest first."""
        from gitscalpel.git import oplog

        return list(oplog.read(self._ws.repo, limit))

    def recover(self) -> list[str]:
        """Finish or take back what a killed landing left; what was done, in words."""
        from gitscalpel import lock, recovery

        with lock.hold(self._ws.repo.scalpel_dir) as held:
            return recovery.recover(self._ws.repo, self._ws.store, held)
