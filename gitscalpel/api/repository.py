"""A repository: edits that land at once, open transactions, undo and the operation log."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal

import msgspec

from gitscalpel.api.file_view import View
from gitscalpel.api.maintenance import Hooked, Upkeep
from gitscalpel.api.snapshots import Snapshots
from gitscalpel.changesets.answers import CHECKOUT, short_branch_name
from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import BadCall, Damaged, DoesNotFit, NotAllowed
from gitscalpel.errors.messages import BY_NAME, Spelling, arg, spell
from gitscalpel.workspace import Workspace
from gitscalpel.workspace.caller import Session, Stop, environment, nobody

if TYPE_CHECKING:
    from gitscalpel.api.transaction import Asked, Transaction
    from gitscalpel.changesets.answers import Shown
    from gitscalpel.changesets.requests import Changeset
    from gitscalpel.edit.unified_diff import UnifiedDiff
    from gitscalpel.git.oplog import Entry
    from gitscalpel.landing.queue import Queue
    from gitscalpel.transaction.result import Result
    from gitscalpel.transaction.undo_target import Step
    from gitscalpel.workspace.caller import Tracker
    from gitscalpel.workspace.refusal_log import Refused


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """A repository as it is now.

    Attributes:
        branch: the one that is checked out, by its short name; None: the head is detached.
        tip: its commit; None: unborn.
        transactions: the open ones, the oldest first.
        recovery_pending: a command was killed; the next call that changes something heals what it left.
        recovery: ``none``, ``pending``, or ``untrusted``: what says that one was killed was not written by
            this user, and is not followed.
    """

    branch: str | None
    tip: Oid | None
    transactions: tuple[Result, ...]
    recovery_pending: bool
    recovery: Literal["none", "pending", "untrusted"]


class Repository(Upkeep, Snapshots, Hooked):
    """A git repository; close it, or use it in a ``with`` statement.

    Branches, files and transactions are seen as they are at each call; git's configuration is
    read once. One thread at a time.

    Args:
        path: a folder in it; None: the current one, where git's own variables count as well.
        notify: told, in words, what takes a while and what was set aside.
        warn: told what killed commands had left, and what became of it; None: ``notify`` is.
        show: told what gates print while they run; None: nobody is.
        agent: the program that acts for the user, for the record; None: as ``SCALPEL_AGENT`` says.
        spelling: how fields and calls are written in what is told, and in findings.
        within: globs, as in ``.gitignore``, of the only paths that may be changed; None: all. What is outside
            is refused (``policy_denied``), whatever the repository allows.
        allowed_folders: the only folders, relative to the root or absolute, whose files may be changed; None:
            as ``within`` says.
        tracker: a :class:`FileTracker` of what the caller has read: an edit of a file that was not read, or
            that has changed since, is refused (``stale``). None: anything may be edited.
        confirmed: the client that says that a person has agreed to what is asked for, for the record.
        stop: says when the caller no longer wants what is under way: its programs are ended, and nothing
            lands (``interrupted``).
        long_lived: this process stays, so libgit2 is worth its import of some 100 ms, where it
            can open the repository.

    Raises:
        Misconfigured: ``not_a_repository``.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        notify: Callable[[str], None] = nobody,
        warn: Callable[[str], None] | None = None,
        *,
        show: Callable[[str], None] | None = None,
        agent: str | None = None,
        long_lived: bool = True,
        tracker: Tracker | None = None,
        allowed_folders: Sequence[str | os.PathLike[str]] | None = None,
        spelling: Spelling = BY_NAME,
        within: Sequence[str] | None = None,
        confirmed: str = "",
        stop: Stop | None = None,
    ) -> None:
        self._spelling = spelling
        session = Session(
            folder=None if path is None else Path(path).absolute(),
            environment=environment(agent),
            notify=self._spelt(notify),
            warn=self._spelt(warn or notify),
            show=show,
            stop=stop,
            within=None if within is None else tuple(within),
            confirmed=confirmed,
            spelling=spelling,
        )
        self._ws = Workspace(session, long_lived=long_lived)
        self._ws.tracker = tracker
        if allowed_folders is not None:
            if within is not None:
                words = "within and allowed_folders both say what may be changed"
                raise BadCall("invalid_args", words, "give one of them")
            folders = tuple(self._glob_of(os.fspath(folder)) for folder in allowed_folders)
            self._ws.session = msgspec.structs.replace(session, within=folders)

    def _glob_of(self, folder: str) -> str:
        """Return the pattern of all files below a folder.

        Raises:
            NotAllowed: ``path_denied``: it lies outside of the repository.
        """
        root = Path(os.path.realpath(self.root or self._ws.repo.git_dir))
        name = os.path.relpath(os.path.realpath(root / folder), root)
        if name == ".." or name.startswith("../"):
            raise NotAllowed.outside(folder)
        from gitscalpel.changesets.paths import escape

        return "/**" if name == "." else f"/{escape(name)}/**"

    @property
    def tracker(self) -> Tracker | None:
        """What the caller has read, where nothing else may be edited."""
        return self._ws.tracker

    @tracker.setter
    def tracker(self, tracker: Tracker | None) -> None:
        self._ws.tracker = tracker

    def __enter__(self) -> Repository:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _spelt(self, tell: Callable[[str], None]) -> Callable[[str], None]:
        return lambda words: tell(spell(words, self._spelling))

    def close(self) -> None:
        """Let go of processes and files."""
        self._ws.close()

    @property
    def root(self) -> Path | None:
        """The root of the user's files; None: the repository is bare."""
        return self._ws.repo.work_tree

    @property
    def here(self) -> Path | None:
        """The root of the files where it was opened: in a transaction's worktree, of that."""
        return self._ws.here.work_tree

    @property
    def prefix(self) -> str:
        """The folder that it was opened from, below the root: ``""`` or ``"sub/dir/"``."""
        return self._ws.repo.prefix

    def refuse_confined(self, what: str) -> None:
        """Refuse something that may change any file, where only some may be changed.

        Raises:
            NotAllowed: ``policy_denied``.
        """
        from gitscalpel.transaction import static_gates

        static_gates.require_unconfined(self._ws, what)

    @property
    def inside(self) -> str | None:
        """The transaction in whose worktree the caller stands, or that is judged there."""
        return self._ws.inside

    def setting(self, key: str) -> str | None:
        """What git's configuration said of a key when this was opened; no program that is not trusted."""
        if any(program.where == key for program in self._ws.repo.untrusted):
            return None
        return self._ws.repo.config.get(key)

    def page(self, text: str, pager: str) -> bool:
        """Show a text to who sits at the terminal; whether ``pager``, a shell's command line, could."""
        from gitscalpel.system import processes

        return processes.show_in_pager(pager, text.encode("utf-8"), self._ws.session.environment)

    def ask(self, *words: str) -> tuple[int, str]:
        """Run a program of the user's where the files are: how it ended, what it said."""
        from gitscalpel.system import processes

        folder = self.root or self._ws.repo.git_dir
        return processes.run_for_output(words, folder, self._ws.repo.git.outer())

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
        wait: float = 0.0,
        require_approval: bool = False,
    ) -> Result:
        """Do operations as a whole transaction: stage, check and land.

        Args:
            operations: all of them happen, or none.
            message: of the commit; None: one that says what was done.
            onto: the branch, or ``@checkout``; None: the branch that is checked out.
            allow_broken: a file that no longer parses is put on record and not refused.
            dry_run: write nothing, and say what would be done.
            wait: for how many seconds to try again where something stands against it that may pass
                (``busy``, ``target_moved``, ``branch_in_use``, ``operation_in_progress``, ``dirty_overlap``).
            require_approval: stage it, and let it land only after somebody else has approved it.

        Raises:
            ScalpelError: the first refusal; then nothing has happened.
        """
        from gitscalpel.changesets.requests import changeset

        asked = changeset(
            *operations, message=message, allow_broken=allow_broken, require_approval=require_approval
        )
        return self.apply(asked, onto=onto, dry_run=dry_run, wait=wait)

    def apply(
        self,
        changeset: Changeset,
        *,
        onto: str | None = None,
        dry_run: bool = False,
        land: bool = True,
        wait: float = 0.0,
        record: bool = True,
    ) -> Result:
        """Do a changeset as a whole transaction; without ``land`` it stays staged.

        With ``onto="@checkout"`` it is done to the user's files on the disk, and left there uncommitted:
        no branch moves, nor the index. Without ``record`` nothing below ``.git`` is written, and the step
        cannot be undone; only files that equal their blob in the index are edited then.

        A request whose id has been seen gives the earlier answer, and lands what was left staged.
        """
        onto = changeset.goes_onto(onto)
        if self._ws.tracker is None:
            return self._apply(changeset, onto, dry_run=dry_run, land=land, wait=wait, record=record)

        def show(path: str, symbol: str) -> Shown:
            return View(self._ws, self._ws.target(onto)).peek(path, symbol)

        would = self._apply(changeset, onto, dry_run=True)
        self._ws.tracker.require_seen(would, changeset, show)
        if dry_run:
            return would
        done = self._apply(changeset, onto, land=land, wait=wait, record=record)
        self._ws.tracker.note_edit(done, changeset, show)
        return done

    def _apply(
        self,
        changeset: Changeset,
        onto: str | None,
        *,
        dry_run: bool = False,
        land: bool = True,
        wait: float = 0.0,
        record: bool = True,
    ) -> Result:
        if not record and (onto != CHECKOUT or not land):
            words = f"{arg('no_record')} is for edits of the checkout; a branch moves only with a record"
            raise BadCall("invalid_args", words, f"add {arg('checkout')}, or leave out {arg('no_record')}")
        if onto == CHECKOUT:
            from gitscalpel.landing import checkout_edit

            if not land or changeset.require_approval:
                words = f"nothing can be staged for {CHECKOUT}"
                raise BadCall("invalid_args", words, "stage it for a branch, or edit the checkout")
            if dry_run:
                return checkout_edit.try_out(self._ws, changeset)
            if not record:
                return checkout_edit.edit_unrecorded(self._ws, changeset)
            with self._ws.trying("apply", lambda: changeset.paths):
                return checkout_edit.edit(self._ws, changeset, wait)
        branch = self._ws.repo.branch(onto)
        if dry_run:
            from gitscalpel.landing import build
            from gitscalpel.transaction import result

            before = result.earlier(self._ws, changeset, branch)
            if before is None:
                return build.try_out(self._ws, changeset, self._ws.at(branch))
            return before if isinstance(before, result.Result) else result.of(before)
        from gitscalpel.landing import landing  # a dry run needs nothing of landing

        with self._ws.trying("apply", lambda: changeset.paths):
            done = landing.submit(
                self._ws,
                changeset,
                branch,
                stages_only=not land or changeset.require_approval,
                wait=wait,
            )
        return done if onto is None else self._from_here(done)

    def run(
        self,
        *words: str,
        ok: Container[int] = (0,),
        message: str | None = None,
        onto: str | None = None,
        land: bool = True,
        dry_run: bool = False,
        wait: float = 0.0,
    ) -> Result:
        """Land what a command (a formatter, a codemod) does, as a whole transaction.

        It runs in a worktree of the pool, never in the user's checkout.

        Raises:
            GateRefused: ``gate_failed``: it failed; or a gate said no. Nothing is left.
            DoesNotFit: ``no_change``.
            WorldMoved: the branch or the checkout stands against it; the transaction stays open.
            WaitsForPerson: somebody has to agree to it; it stays open.
        """
        from gitscalpel.api.transaction import placed
        from gitscalpel.landing import landing
        from gitscalpel.transaction import recovery, static_gates

        static_gates.require_unconfined(self._ws, "a command")
        recovery.heal_pending(self._ws)
        target = self._ws.at(self._ws.repo.branch(onto))
        with nullcontext() if dry_run else self._ws.trying("run"):
            done = landing.land_command(
                self._ws, words, target, message, ok=ok, land=land, dry_run=dry_run, wait=wait
            )
        if land:
            return done if onto is None else self._from_here(done)
        return placed(self._ws, done)[0]

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
        from gitscalpel.api.transaction import Transaction
        from gitscalpel.landing import staging
        from gitscalpel.transaction import recovery

        recovery.heal_pending(self._ws)
        return Transaction(
            self._ws, staging.begin(self._ws, self._ws.at(self._ws.repo.branch(onto)), message, adopt)
        )

    def take_fix_in_checkout(self, number: int, *, fresh: bool = False) -> Result:
        """Apply one of the fixes that are offered to the files of the checkout.

        Args:
            number: that :meth:`fixes_of_checkout` gives it.
            fresh: as there.

        Raises:
            DoesNotFit: ``index_out_of_range``: none has the number.
        """
        from gitscalpel.landing import checkout_check

        return self.edit(checkout_check.chosen_fix(self._ws, number, fresh=fresh), onto=CHECKOUT)

    def queue(
        self,
        *ids: str,
        onto: str | None = None,
        batch: int = 8,
        wait: float = 0.0,
        window: str | None = None,
    ) -> Queue:
        """Land open transactions one on top of the other; what cannot land stays open, with the reason.

        Args:
            ids: which, in this order; none: all of the branch, the oldest first.
            onto: their branch; None: the one that is checked out.
            batch: how many are judged together at most.
            wait: for how many seconds to try those again that something stands against that may pass.
            window: a part of the day, ``HH:MM-HH:MM``; nothing lands outside of it.

        Raises:
            BadCall: ``invalid_args``.
            DoesNotFit: ``tx_not_found``, or ``tx_closed``.
            TryAgain: ``busy``, or ``too_early``: the window opens later than ``wait`` is long.
        """
        from gitscalpel.landing.queue import land_queue

        done = land_queue(self._ws, ids, onto, batch=batch, wait=wait, window=window)
        for stayed in done.stayed:
            self._ws.refused("land", stayed.error, partial(self._paths, stayed.tx))
        return done

    def _from_here(self, done: Result) -> Result:
        from gitscalpel.transaction.result import from_here  # who names no branch needs nothing of it

        return from_here(self._ws, done)

    def _paths(self, tx: str) -> tuple[str, ...]:
        return self.transaction(tx).paths

    def transaction(self, id: str) -> Transaction:  # noqa: A002 - what it is called everywhere
        """An open transaction, by its id or the first characters of it.

        Raises:
            DoesNotFit: ``tx_not_found``, or ``tx_closed`` where it has landed or was dropped.
        """
        from gitscalpel.api.transaction import Transaction
        from gitscalpel.transaction.change import load_change

        return Transaction(self._ws, load_change(self._ws, id))

    def drop(self, id: str) -> Result:  # noqa: A002
        """Give an open transaction up, also one whose record is damaged; its commit is kept for a while.

        Raises:
            DoesNotFit: ``tx_not_found``, or ``tx_closed``.
        """
        try:
            return self.transaction(id).drop()
        except (Damaged, DoesNotFit, KeyError) as error:  # a KeyError: of an object that is missing
            if isinstance(error, DoesNotFit) and error.code != "tx_not_found":
                raise
            from gitscalpel.landing import landing

            with suppress(DoesNotFit):
                return landing.drop_damaged(self._ws, id)
            raise

    def lookup(self, id: str) -> Result:  # noqa: A002
        """A transaction, open or closed, as it is now.

        Raises:
            DoesNotFit: ``tx_not_found``.
        """
        from gitscalpel.api.transaction import placed
        from gitscalpel.transaction import result

        return placed(self._ws, result.find(self._ws, id))[0]

    def status(self) -> Status:
        """The branch, the open transactions, and whether something needs recovery."""
        from gitscalpel.api.transaction import placed
        from gitscalpel.transaction import recovery, result
        from gitscalpel.transaction.change import open_changes

        head = self._ws.repo.head
        tip = self._ws.tip(head) if head else None
        found = recovery.standing(self._ws.repo)
        return Status(
            branch=short_branch_name(head) if head else None,
            tip=tip,
            transactions=placed(self._ws, *map(result.of, open_changes(self._ws))),
            recovery_pending=found != "none",
            recovery=found,
        )

    def undo(self, id: str | None = None, *, onto: str | None = None) -> Step:  # noqa: A002
        """Take back your own last landing on a branch, or the one named.

        Raises:
            DoesNotFit: ``nothing_to_undo``.
            WorldMoved: ``merge_conflict``, or the checkout stands against it.
        """
        from gitscalpel.landing import undo

        with self._ws.trying("undo"):
            return undo.undo(self._ws, onto, id)

    def undo_since(self, id: str, *, onto: str | None = None) -> list[Step]:  # noqa: A002
        """Take back a step and all of your own after it in the same place, the newest first.

        Edits of the checkout go back all together or not at all; landings one by one.

        Raises:
            ScalpelError: as :meth:`undo`.
        """
        from gitscalpel.landing import undo

        with self._ws.trying("undo"):
            return undo.undo_since(self._ws, id, onto)

    def undoing(self, id: str | None = None, *, onto: str | None = None) -> tuple[Step, UnifiedDiff]:  # noqa: A002
        """What :meth:`undo` would take back and change, as a step that was not made and a patch.

        Raises:
            DoesNotFit: ``nothing_to_undo``.
            WorldMoved: ``merge_conflict``.
        """
        from gitscalpel.landing import undo

        return undo.undoing(self._ws, onto, id)

    def redo(self, *, onto: str | None = None) -> Step:
        """Make the landing again that the last undo took back.

        Raises:
            DoesNotFit: ``nothing_to_undo``.
            WorldMoved: ``merge_conflict``, or the checkout stands against it.
        """
        from gitscalpel.landing import undo

        with self._ws.trying("redo"):
            return undo.redo(self._ws, onto)

    def log(self, limit: int | None = None) -> list[Entry]:
        """What landed, was undone, redone and dropped, the newest first."""
        from gitscalpel.git import oplog

        return list(oplog.read_log(self._ws.repo, limit))

    def refused(self, limit: int | None = None) -> list[Refused]:
        """The edits and landings of this user that gates, the policy or people refused, the newest first."""
        from gitscalpel.workspace import refusal_log

        return refusal_log.read(self._ws.repo.scalpel_dir, limit)
