"""Files that are on the disk and that a recorded state does not contain.

Git ignores them, a sparse checkout leaves them out, they lie in another repository, or they cannot be
read. A recorded state lists them, since a file that it does not contain may have existed all the same:
only what is neither contained nor listed was absent. The list is a commit of its own, the last parent of
the commit of the state, so that states with the same list share it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

import msgspec

from gitscalpel.changesets.file_tree import REGULAR, SUBMODULE, Entry, Oid
from gitscalpel.git import commits
from gitscalpel.git.repository import Repository
from gitscalpel.git.run import Git, Result, listing, paths
from gitscalpel.git.store import Store

_SUBJECT = "scalpel: files that are not held"
_NAME = "unheld"
_SUBMODULE = bytes.fromhex("0000e000")
"""The mode of a repository, in an index."""
_FEW = 64
"""Paths that are given to git as arguments, each of which it compares with each file."""


class Unheld(msgspec.Struct, frozen=True):
    """Paths that existed when a state was recorded, and that it does not contain.

    Attributes:
        files: single files; also folders, with a slash at the end, of which all is meant.
    """

    files: frozenset[str] = frozenset()

    def covers(self, path: str) -> bool:
        """Return True if the file at ``path`` may have existed."""
        return path in self.files or any(True for _ in self.folders(path))

    def folders(self, path: str) -> Iterator[str]:
        """Find the folders around ``path`` of which all is meant."""
        folders = (path[: at + 1] for at, letter in enumerate(path) if letter == "/")
        return (folder for folder in folders if folder in self.files)


def write(store: Store, unheld: Unheld) -> Oid:
    """Write the list as a commit, which is the same for the same list."""
    blob = store.write_blob(listing(sorted(unheld.files)))
    tree = store.write_tree(None, [(_NAME, Entry(REGULAR, blob))])
    return store.write_raw_commit(commits.raw(tree, [], _SUBJECT))


def read(store: Store, state: Oid) -> Unheld:
    """Read the list of a recorded state; the list is empty for states of older versions."""
    found = commit_of(store, state)
    content = store.file(found, _NAME) if found is not None else None
    return Unheld(frozenset(paths(content or b"")))


def commit_of(store: Store, state: Oid) -> Oid | None:
    """Return the commit with the list of a recorded state; None if there is none."""
    parents = store.commit(state).parents
    is_list = bool(parents) and store.commit(parents[-1]).message.strip() == _SUBJECT
    return parents[-1] if is_list else None


def find_ignored(git: Git, options: Sequence[str]) -> Iterable[str]:
    """Find the ignored files, and the folders that are ignored as a whole.

    Git does not descend into these. It names folders that only contain ignored files as well, before the
    files: such a folder is no entry, since other files in it would not be ignored.
    """
    words = ("ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory", "--full-name", ":(top)")
    names = sorted(paths(git(*options, *words)))
    for name, after in zip(names, [*names[1:], ""], strict=False):
        if not (name.endswith("/") and after.startswith(name)):
            yield name


def find_skipped(repo: Repository) -> list[str]:
    """Find the tracked files that git does not write to the disk, whether they exist there or not."""
    if not repo.flag("core.sparseCheckout") and not _has_flags(repo.git_dir / "index"):
        return []
    rows = paths(repo.git("ls-files", "-t", "-z", "--full-name", ":(top)"))
    return [row[2:] for row in rows if row.startswith("S ")]


def find_absent(repo: Repository, skipped: Sequence[str]) -> list[str]:
    """Find those of the ``skipped`` files that are not on the disk."""
    disk = Presence(Path(str(repo.work_tree)))
    return [path for path in skipped if not disk.has(path)]


def find_index_rules(repo: Repository, skipped: Sequence[str]) -> list[str]:
    """Find those of the ``skipped`` files whose ignore rules git reads from its index.

    Git reads an ignore file from the disk if it can open it there, and follows no symbolic link for that.
    """
    root = Path(str(repo.work_tree))
    rules = [path for path in skipped if path.rpartition("/")[2] == ".gitignore"]
    return [path for path in rules if not _can_open(root / path)]


def _can_open(file: Path) -> bool:
    try:
        os.close(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def _has_flags(index: Path) -> bool:
    """Return True if an index may have entries that git does not write to the disk.

    They take version 3 of the format at least (https://git-scm.com/docs/index-format).
    """
    try:
        with index.open("rb") as file:
            return file.read(8)[4:] > bytes.fromhex("00000002")
    except OSError:
        return False


def find_revealed(repo: Repository, git: Git, options: Sequence[str], apart: Unheld) -> list[str]:
    """Find the files of ``apart`` that git would take for new files now.

    Files that the user's index contains by now are not among them.
    """
    disk = Presence(Path(str(repo.work_tree)))
    names = [name.rstrip("/") for name in sorted(apart.files) if disk.has(name)]
    ignored = _still_ignored(git, options, names)
    revealed = [name for name in names if name not in ignored]
    if not revealed:
        return []
    some = ("--", *revealed) if len(revealed) <= _FEW else ()
    words = ("--literal-pathspecs", *options, "ls-files", "-o", "-z", "--exclude-standard", "--full-name")
    found = (path for path in paths(repo.git(*words, *some)) if not path.endswith("/"))
    return _collapsed(repo, [path for path in found if apart.covers(path)], apart)


def find_hidden_by_case(git: Git, user: Sequence[str], options: Sequence[str]) -> list[str]:
    """Find what git with the options ``user`` ignores, and with ``options`` takes for new files.

    The two differ in ``core.ignoreCase``, with which an ignore rule also matches names in other cases.
    Folders that are ignored as a whole come with a slash at the end, instead of their files.
    """
    if user == options:
        return []
    words = (*options, "ls-files", "-o", "-z", "--exclude-standard", "--full-name")
    folders = [name for name in paths(git(*words, "--directory", ":(top)")) if name.endswith("/")]
    found = sorted(f"{name}/" for name in _still_ignored(git, user, [name[:-1] for name in folders]))
    files = [name for name in paths(git(*words, ":(top)")) if not name.startswith(tuple(found))]
    return [*found, *sorted(_still_ignored(git, user, files))]


def find_shown_by_case(git: Git, user: Sequence[str], options: Sequence[str]) -> list[str]:
    """Find the files that git with ``options`` ignores, and with the options ``user`` takes for new ones.

    An exception (``!KEEP``) then also matches names in other cases.
    """
    if user == options:
        return []
    words = ("ls-files", "-o", "-z", "--exclude-standard", "--full-name", ":(top)")
    shown = set(paths(git(*options, *words)))
    return [name for name in paths(git(*user, *words)) if name not in shown and not name.endswith("/")]


def _still_ignored(git: Git, options: Sequence[str], names: Sequence[str]) -> frozenset[str]:
    """Return those of ``names`` that git ignores; folders come without a slash at the end.

    With the slash, git would match a folder against patterns for the files in it.
    """
    words = (*options, "check-ignore", "-z", "--stdin")
    done = git.run(*words, stdin=listing(names)) if names else Result(1, b"", "")
    if done.status > 1:  # a path lies in another repository by now: git gives up at the first one
        return frozenset(name for name in names if not git.run(*words, stdin=listing([name])).status)
    return frozenset(paths(done.out))


def _collapsed(repo: Repository, files: Sequence[str], apart: Unheld) -> list[str]:
    """Name folders with many files instead of these, unless the user's index contains a file in them."""
    found: list[str] = []
    for folder, some in groupby(files, lambda path: next(iter(apart.folders(path)), "")):
        names = list(some)
        command = ("--literal-pathspecs", "ls-files", "-z", "--full-name", "--", folder)
        is_one = len(names) > _FEW and folder and not repo.git(*command)
        found += [folder] if is_one else names
    return found


class Presence:
    """Files on the disk, not seen through symbolic links."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folders: dict[str, bool] = {"": True}

    def has(self, path: str) -> bool:
        """Return True if there is something at ``path``, and it is a folder if the path ends with a slash."""
        if path.endswith("/"):
            return self._is_folder(path[:-1])
        return self._is_folder(os.path.dirname(path)) and os.path.lexists(self._root / path)  # noqa: PTH120

    def may_have_file(self, path: str) -> bool:
        """Return True if there is a file or a symbolic link at ``path``, or if a folder hides that."""
        try:
            if not self._is_folder(os.path.dirname(path)):  # noqa: PTH120
                return False
            mode = os.lstat(self._root / path).st_mode
            return stat.S_ISREG(mode) or stat.S_ISLNK(mode)
        except FileNotFoundError:
            return False
        except PermissionError:
            return True

    def _is_folder(self, path: str) -> bool:
        if path not in self._folders:
            above = os.path.dirname(path)  # noqa: PTH120
            full = self._root / path
            self._folders[path] = self._is_folder(above) and full.is_dir() and not full.is_symlink()
        return self._folders[path]


def find_abandoned(git: Git, root: Path, index: Path) -> list[str]:
    """Find the folders that an index has as repositories, and that contain files and no repository.

    For git, such a folder is a submodule that is not populated, and its files do not exist.
    """
    if not index.exists() or _SUBMODULE not in index.read_bytes():
        return []
    rows = (row.partition(b"\t") for row in git("ls-files", "-s", "-z", "--full-name").split(b"\0"))
    modules = (os.fsdecode(name) for meta, _, name in rows if meta.startswith(SUBMODULE.encode()))
    return [name for name in modules if _is_abandoned(root / name)]


def _is_abandoned(folder: Path) -> bool:
    if folder.is_symlink() or not folder.is_dir() or os.path.lexists(folder / ".git"):
        return False
    return any(True for _ in folder.iterdir())
