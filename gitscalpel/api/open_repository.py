"""An opened repository, and the base of the classes with the methods of the API."""

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
from gitscalpel.workspace.workspace import Session, Stop, Workspace, discard_message, environment

if TYPE_CHECKING:
    from gitscalpel.workspace.workspace import Tracker


Opened = TypeVar("Opened", bound="OpenRepository")
Methods = TypeVar("Methods", bound="RepositoryMethods")


class RepositoryMethods:
    """Some methods of the API, such as those that edit, for an opened repository."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws


class OpenRepository(RepositoryMethods):
    """An opened repository and its caller; arguments as for :class:`gitscalpel.Repository`."""

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        notify: Callable[[str], None] = discard_message,
        warn: Callable[[str], None] | None = None,
        *,
        progress: Callable[[str], None] | None = None,
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
        session = Session(
            folder=None if path is None else Path(path).absolute(),
            environment=environment(agent),
            notify=_add_spelling(notify, spelling),
            progress=progress,
            warn=_add_spelling(warn or notify, spelling),
            show=show,
            stop=stop,
            within=None if within is None else tuple(within),
            confirmed=confirmed,
            spelling=spelling,
        )
        super().__init__(Workspace(session, long_lived=long_lived))
        self._ws.tracker = tracker
        if allowed_folders is not None:
            if within is not None:
                words = "within and allowed_folders cannot be combined"
                raise BadCall("invalid_args", words, "give one of them")
            folders = tuple(self._glob_of(os.fspath(folder)) for folder in allowed_folders)
            self._ws.session = msgspec.structs.replace(session, within=folders)

    def _glob_of(self, folder: str) -> str:
        """Return the pattern of all files below a directory. Raises ``path_denied`` if it is outside."""
        root = Path(os.path.realpath(self.root or self._ws.repo.git_dir))
        name = os.path.relpath(os.path.realpath(root / folder), root)
        if name == ".." or name.startswith("../"):
            raise NotAllowed.outside(folder)
        return "/**" if name == "." else f"/{escape(name)}/**"

    @property
    def tracker(self) -> Tracker | None:
        """Return the record of what the caller has read, if only this may be edited, or None."""
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

    def close(self) -> None:
        self._ws.close()

    @property
    def root(self) -> Path | None:
        """Return the root directory of the user's files. None if the repository is bare."""
        return self._ws.repo.work_tree

    @property
    def here(self) -> Path | None:
        """Return the root directory where the repository was opened, such as a transaction's worktree."""
        return self._ws.here.work_tree

    @property
    def prefix(self) -> str:
        """Return the directory that the caller is in, relative to the root: ``""`` or ``"sub/dir/"``."""
        return self._ws.repo.prefix

    @property
    def inside(self) -> str | None:
        """Return the transaction whose worktree contains the caller's directory, or None."""
        return self._ws.inside

    def setting(self, key: str) -> str | None:
        """Return a value of git's configuration as it was on opening; None for untrusted programs."""
        if any(program.where == key for program in self._ws.repo.untrusted):
            return None
        return self._ws.repo.config.get(key)

    def page(self, text: str, pager: str) -> bool:
        """Show a text in a pager, a shell command line. Return False if that is not possible."""
        return processes.show_in_pager(pager, text.encode("utf-8"), self._ws.session.environment)

    def ask(self, *words: str) -> tuple[int, str]:
        """Run one of the user's programs in the root directory, and return its exit status and output."""
        folder = self.root or self._ws.repo.git_dir
        return processes.run_for_output(words, folder, self._ws.repo.git.outer())


def _add_spelling(tell: Callable[[str], None], spelling: Spelling) -> Callable[[str], None]:
    return lambda words: tell(spell(words, spelling))


def with_methods_of(kind: type[Methods], repo: OpenRepository) -> Methods:
    """Return the methods of one class of this package for an opened repository."""
    return kind(repo._ws)
