"""Files of a worktree that do not belong to its tree: shared with the checkout, or left by programs.

What a gate left must not reach the next gate. Files of the setup stay while they are unchanged, and so do
named caches. Ignore rules are not considered, since the checked tree itself contains them.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec

from gitscalpel.changesets.file_tree import SUBMODULE, TREE, Change, Oid
from gitscalpel.errors import Misconfigured
from gitscalpel.git.pool import worktree
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.git.process import Git, split_listing
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.system import private_files, serialization, trust
from gitscalpel.system.failpoint import step

# Files of installed Python packages that name the location of their code.
_LOCATION_FILES = ("*.pth", "*.egg-link", "*.dist-info/direct_url.json", "__editable__*.py")
_PACKAGES = ("lib/python*/site-packages", "Lib/site-packages")
_MAX_LINK_DEPTH = 3  # maximum depth of workspace links below ``node_modules``, as in the directory of a scope


def link_directories(checkout: Path, root: Path, names: Sequence[str]) -> tuple[str, ...]:
    """Link directories of the checkout into the worktree at ``root``, and return those that are linked now.

    They are installed packages, large and ignored. Raises ``config_error`` if one leads back into the
    checkout (an editable install, a workspace): programs would run the user's files instead of the
    transaction's.
    """
    linked = []
    for name in names:
        folder, link = checkout / name, root / name
        if folder.is_dir() and not link.exists():
            leading_back = next(_find_leading_back(folder, checkout), None)
            if leading_back is not None:
                raise _leads_back_error(name, leading_back)
            link.unlink(missing_ok=True)  # a broken link
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(folder, target_is_directory=True)
        if link.is_symlink() and link.readlink() == folder:
            linked.append(name)
    return tuple(linked)


def _find_leading_back(folder: Path, checkout: Path) -> Iterator[Path]:
    """Yield the files and links in a directory that lead to other files of the checkout."""
    for file in (
        file for place in _PACKAGES for name in _LOCATION_FILES for file in folder.glob(f"{place}/{name}")
    ):
        if os.fsencode(checkout) in file.read_bytes().replace(os.fsencode(folder), b""):
            yield file
    for directory, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = Path(directory) / name
            if not path.is_symlink():
                continue
            target = path.resolve()
            if target.is_relative_to(checkout.resolve()) and not target.is_relative_to(folder.resolve()):
                yield path
        if len(Path(directory).relative_to(folder).parts) >= _MAX_LINK_DEPTH - 1:
            folders.clear()


def _leads_back_error(name: str, leading_back: Path) -> Misconfigured:
    return Misconfigured(
        "config_error",
        f"the shared folder {name} leads back into your checkout ({leading_back}): programs that run in a "
        "worktree would see your files, not the transaction's",
        "remove it from gates.shared, and install dependencies in each worktree with gates.setup",
        path=name,
    )


_INCLUDE_FILE = ".worktreeinclude"
_MOST_INCLUDED = 1_000


def copy_included(git: Git, root: Path, place: Path) -> None:
    """Copy the files that ``.worktreeinclude`` names, unless the worktree at ``place`` has them.

    Only the worktree of a person or agent gets them; worktrees for gates do not.
    """
    for path in _find_included(git, root):
        source, target = root / path, place / path
        if source.is_symlink() or target.is_symlink() or target.exists():
            continue
        if not target.parent.resolve().is_relative_to(place.resolve()):
            continue  # a link in the tree leads out of the worktree
        with suppress(OSError):  # a missing file fails where it is needed
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)


def _find_included(git: Git, root: Path) -> Iterator[str]:
    file = root / _INCLUDE_FILE
    if not file.is_file():
        return
    import pathspec

    patterns = pathspec.GitIgnoreSpec.from_lines(file.read_text("utf-8", "replace").splitlines())
    words = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard")
    included = [
        path for path in split_listing(git(*words)) if patterns.match_file(path) and (root / path).is_file()
    ]
    yield from included[:_MOST_INCLUDED]


_FOLDERS_NOTE = "scalpel-folders"


class FolderRow(msgspec.Struct, frozen=True, array_like=True):
    """A directory: its stamp ("" if it must be read), its mode, and names in it that are not in the tree."""

    stamp: str
    mode: int
    others: tuple[str, ...]


class Folders(msgspec.Struct, frozen=True):
    """Directories of a tree, by their encoded paths; the root's is empty."""

    tree: Oid
    rows: dict[str, FolderRow]

    @property
    def others(self) -> Iterator[str]:
        for folder, row in self.rows.items():
            for name in row.others:
                yield serialization.decode_path(f"{folder}/{name}" if folder else name)


def read_folders(place: Worktree) -> Folders:
    """Return the notes about directories, empty if this user wrote none.

    They are sealed, or a gate's files could pass for clean.
    """
    content = _read_note(place, _FOLDERS_NOTE)
    return Folders(Oid(""), {}) if content is None else serialization.decode(content, Folders)


def note_folders(place: Worktree, folders: Folders) -> None:
    _write_note(place, _FOLDERS_NOTE, msgspec.json.encode(folders))


def scan_folders(place: Worktree, tree: Oid, before: Folders) -> Folders:
    """Return the current directories of ``tree``, and restore their modes. Only changed ones are read."""
    snapshot = TreeSnapshot(place.store, place.repo.git, tree)
    moved = set(_iter_changed_folders(place.store.difference(before.tree or None, tree)))
    rows: dict[str, FolderRow] = {}
    for folder in sorted(before.rows.keys() | moved):
        row = before.rows.get(folder)
        path, began = place.root / serialization.decode_path(folder), worktree.change_time()
        try:
            status = path.lstat()
            if row and folder not in moved and row.stamp == worktree.change_stamp(status):
                rows[folder] = row
                continue
            entry = snapshot.entry(serialization.decode_path(folder))
            if entry is None or entry.mode not in (TREE, SUBMODULE) or not stat.S_ISDIR(status.st_mode):
                continue
            mode = row.mode if row else stat.S_IMODE(status.st_mode)
            if stat.S_IMODE(status.st_mode) != mode:
                path.chmod(mode)
            names = place.store.tree(entry.oid).keys() if entry.mode == TREE else ()
            ours = {*names, ".git"} if not folder else names
            foreign = (name for name in os.listdir(path) if name not in ours)  # noqa: PTH208 - many names
            others = tuple(sorted(map(serialization.encode_path, foreign)))
        except (FileNotFoundError, NotADirectoryError):
            continue  # a program removed it, and writing the tree's files restores it
        # A change at the moment of reading may have the same time.
        rows[folder] = FolderRow(
            worktree.change_stamp(status) if status.st_ctime_ns < began else "", mode, others
        )
    return Folders(tree, rows)


def _iter_changed_folders(changes: Iterable[Change]) -> Iterator[str]:
    for path, *entries in changes:
        if any(entry is not None and entry.mode == SUBMODULE for entry in entries):
            yield serialization.encode_path(path)
        for folder in PurePosixPath(path).parents:
            yield serialization.encode_path("" if str(folder) == "." else str(folder))


def _read_note(place: Worktree, name: str) -> bytes | None:
    return trust.read_sealed(place.repo.git_dir / name, place.repo.scalpel_dir, _seal_subject(place, name))


def _write_note(place: Worktree, name: str, content: bytes) -> None:
    trust.write_sealed(place.repo.git_dir / name, place.repo.scalpel_dir, _seal_subject(place, name), content)


def _seal_subject(place: Worktree, name: str) -> str:
    return f"{name.removeprefix('scalpel-')} {place.repo.git_dir.name}"


# Note with digests of the files made by the setup, sealed: otherwise a gate's files could pass for them.
_SETUP_NOTE = "scalpel-furnished"
_SIZE = 16
# Returns True if a path, with a slash after a directory, is a cache that stays.
Spared = Callable[[str], bool]


class _Entry(NamedTuple):
    name: str
    status: os.stat_result

    @property
    def digest(self) -> bytes:
        status = self.status
        identity: tuple[int, ...] = (status.st_mode,)
        if not stat.S_ISDIR(status.st_mode):
            # The ctime cannot be set, but a file with hard links from a package store is shared.
            changed = status.st_ctime_ns if status.st_nlink == 1 else 0
            identity = (*identity, status.st_size, status.st_ino, status.st_mtime_ns, changed)
        return blake2b(os.fsencode(f"{self.name}\0{identity}"), digest_size=_SIZE).digest()


def remove_new_leftovers(place: Worktree, spared: Spared) -> None:
    """Remove what the last gate left in directories of the tree, before any file is written.

    A ``.gitattributes`` among it would affect the writes.
    """
    left = place.state.left if place.state else None
    if left is None:
        return
    before = read_folders(place)
    current = scan_folders(place, left.tree, before)
    step()
    _remove_all(place, _walk_leftovers(place, set(current.others).difference(before.others), spared))


def remove_leftovers(place: Worktree, spared: Spared) -> None:
    """Remove the leftovers of gates, and also the files of the setup if one of them has changed."""
    leftovers = _find_leftovers(place, spared)
    setup_digests = _read_setup_digests(place)
    unchanged = {entry.name for entry in leftovers if setup_digests and entry.digest in setup_digests}
    if setup_digests is None or len(unchanged) < len(setup_digests):
        (place.repo.git_dir / _SETUP_NOTE).unlink(missing_ok=True)
        place.set_up("")
        unchanged = set()
    step()
    _remove_all(place, [entry for entry in leftovers if entry.name not in unchanged])


def note_setup(place: Worktree, spared: Spared) -> None:
    step()
    digests = [_digest_setup(place), *(entry.digest for entry in _find_leftovers(place, spared))]
    _write_note(place, _SETUP_NOTE, b"".join(digests))


def _read_setup_digests(place: Worktree) -> set[bytes] | None:
    """Return the digests of the setup's files. None if there was no setup, or they are not known."""
    noted = _read_note(place, _SETUP_NOTE) or b""
    digests = [noted[at : at + _SIZE] for at in range(0, len(noted), _SIZE)]
    is_current = place.state is not None and place.state.setup and digests[:1] == [_digest_setup(place)]
    return set(digests[1:]) if is_current else None


def _digest_setup(place: Worktree) -> bytes:
    command = place.state.setup if place.state else ""
    return blake2b(command.encode("utf-8", "surrogateescape"), digest_size=_SIZE).digest()


def _find_leftovers(place: Worktree, spared: Spared) -> list[_Entry]:
    assert place.state is not None and place.state.tree is not None  # noqa: S101, PT018 - bring() was called
    folders = scan_folders(place, place.state.tree, read_folders(place))
    note_folders(place, folders)
    return _walk_leftovers(place, folders.others, spared)


def _walk_leftovers(place: Worktree, roots: Iterable[str], spared: Spared) -> list[_Entry]:
    """Return what is neither in the tree nor spared, directories before their contents."""
    waiting, leftovers = list(roots), []
    shared = place.shared
    while waiting:
        name = waiting.pop()
        path = place.root / name
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):  # may lead anywhere, so it is no cache
            if path.readlink() != shared.get(name):
                leftovers.append(_Entry(name, status))
        elif not spared(f"{name}/" if stat.S_ISDIR(status.st_mode) else name):
            leftovers.append(_Entry(name, status))
            if stat.S_ISDIR(status.st_mode):
                waiting += [f"{name}/{below.name}" for below in _list_folder(path)]
    return leftovers


def _list_folder(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except PermissionError:  # a program may have removed the permissions
        folder.chmod(stat.S_IRWXU)
        return list(folder.iterdir())


def _remove_all(place: Worktree, entries: Sequence[_Entry]) -> None:
    for entry in reversed(entries):  # contents before their directory
        _remove(place.root / entry.name, entry.status)


def _remove(path: Path, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        with suppress(OSError):  # it may contain spared files
            path.rmdir()
        return
    try:
        path.unlink(missing_ok=True)
    except PermissionError:
        path.parent.chmod(stat.S_IRWXU)
        path.unlink(missing_ok=True)


def clear_submodules(place: Worktree) -> None:
    """Empty the submodules that differ from the index, so that setup prepares them again.

    Git leaves them alone when a worktree moves to another tree, and programs would check what does not land.
    """
    if not (place.root / ".gitmodules").exists():
        return  # checking submodules takes time
    stale = _find_stale_submodules(place)
    if stale:
        place.set_up("")
    for folder in stale:
        step()
        private_files.remove_path(folder)
        folder.mkdir()


def _find_stale_submodules(place: Worktree) -> list[Path]:
    # Despite settings that ignore submodules.
    rows = place.repo.git("diff-files", "--raw", "-z", "--ignore-submodules=none").split(b"\0")
    pairs = zip(rows[::2], rows[1::2], strict=False)
    modes = f":{SUBMODULE} {SUBMODULE} ".encode()
    return [place.root / os.fsdecode(name) for row, name in pairs if row.startswith(modes)]
