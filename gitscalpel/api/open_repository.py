"""An opened repository and its caller, on which the facets of the API stand."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

import msgspec

from gitscalpel.changesets.paths import escape
from gitscalpel.errors import BadCall, NotAllowed
from gitscalpel.errors.messages import BY_NAME, Spelling, spell
from gitscalpel.system import processes
from gitscalpel.workspace import Workspace
from gitscalpel.workspace.caller import Session, Stop, discard_message, environment

if TYPE_CHECKING:
    from gitscalpel.workspace.caller import Tracker


Opened = TypeVar("Opened", bound="OpenRepository")


class OpenRepository:
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
        notify: Callable[[str], None] = discard_message,
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
            notify=self._with_spelling(notify),
            warn=self._with_spelling(warn or notify),
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
        return "/**" if name == "." else f"/{escape(name)}/**"

    @property
    def tracker(self) -> Tracker | None:
        """What the caller has read, where nothing else may be edited."""
        return self._ws.tracker

    @tracker.setter
    def tracker(self, tracker: Tracker | None) -> None:
        self._ws.tracker = tracker

    def __enter__(self: Opened) -> Opened:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _with_spelling(self, tell: Callable[[str], None]) -> Callable[[str], None]:
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
        return processes.show_in_pager(pager, text.encode("utf-8"), self._ws.session.environment)

    def ask(self, *words: str) -> tuple[int, str]:
        """Run a program of the user's where the files are: how it ended, what it said."""
        folder = self.root or self._ws.repo.git_dir
        return processes.run_for_output(words, folder, self._ws.repo.git.outer())


def with_methods_of(kind: type[Opened], repo: OpenRepository) -> Opened:
    """Return an opened repository with the methods of another class of this package."""
    if isinstance(repo, kind):
        return repo
    found = kind.__new__(kind)
    found.__dict__ = repo.__dict__
    return found
