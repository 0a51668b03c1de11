"""The user's cache for a repository: the directory of its pool, and results of queries.

The cache is outside the repository, since test runners find nothing below `.git`, and results are then
never copied or shared with it. Any result may be lost, and one is used only if this user sealed it here.
"""

from __future__ import annotations

import errno
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import msgspec

from gitscalpel.changesets.file_tree import (
    SUBMODULE,
    Change,
    Entry,
    FileFilter,
    Oid,
    Snapshot,
    parent_folders,
)
from gitscalpel.errors import Misconfigured, NotAllowed, ScalpelError
from gitscalpel.errors.messages import call
from gitscalpel.git.object_store import Store
from gitscalpel.git.repository import Repository
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.system import private_files, trust
from gitscalpel.system.failpoint import step

_KEY = "scalpel.worktreedir"
POOL_LOCK = "pool.lock"  # lock for finding a free slot or making one


def pool_directory(repo: Repository) -> tuple[Path, str]:
    """Return the directory of this repository's numbered slots, and the name of each slot's root.

    The name is the repository's, since some tools take the project name from it. Raises ``untrusted`` if the
    directory comes from untrusted settings of the repository.
    """
    configured = next((each.what for each in repo.untrusted if each.where == _KEY), None)
    if configured is not None:
        raise NotAllowed(
            "untrusted",
            f"this repository's configuration puts worktrees in {configured}, which you have not trusted",
            f"if you set it, run `{call('trust')}` (SCALPEL_TRUST=1 in CI); or set it for all repositories: "
            "`git config --global scalpel.worktreeDir DIRECTORY`",
        )
    name = (repo.work_tree or repo.common_dir).name
    return pools_directory(repo) / f"{name}-{repository_digest(repo)}", name


def repository_digest(repo: Repository) -> str:
    """Return a digest that distinguishes repositories with the same name."""
    return blake2b(os.fsencode(repo.common_dir)).hexdigest()[:8]


def pools_directory(repo: Repository) -> Path:
    configured = repo.config.get(_KEY)
    if configured and all(each.where != _KEY for each in repo.untrusted):
        return (repo.common_dir / Path(configured).expanduser()).resolve()
    return _find_cache_root(repo)


def cache_directory(repo: Repository) -> Path:
    """Return this user's cache directory for a repository, usually that of its pool as well."""
    home = repo.common_dir.parent if repo.common_dir.name == ".git" else repo.common_dir
    return _find_cache_root(repo) / f"{home.name}-{repository_digest(repo)}"


def _find_cache_root(repo: Repository) -> Path:
    cache = Path(repo.environment.get("XDG_CACHE_HOME", ""))
    # The specification requires relative paths to be ignored.
    cache = cache if cache.is_absolute() else Path("~/.cache").expanduser()
    return (cache / "git-scalpel").resolve()  # as git records it


def make_directory(folder: Path) -> None:
    """Make a directory of the pool. Raises ``Misconfigured``: ``unavailable``."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            raise  # a disk error: another directory would not help
        raise Misconfigured(
            "unavailable",
            f"cannot create a worktree in {folder}: {error.strerror}",
            "choose a writable directory: `git config scalpel.worktreeDir DIRECTORY`",
        ) from None


# Maximum number and total size in bytes of a repository's results. The oldest are removed first.
MAX_RESULTS, MAX_BYTES = 200, 32_000_000
_MAX_RESULT_BYTES = 4_000_000


def cache_folder(repo: Repository) -> Path:
    """Return the directory of the results, which may not exist."""
    return cache_directory(repo) / "answers"


def read_result(repo: Repository, name: str) -> bytes | None:
    """Return the result stored under a name. None if there is none, or this user did not write it."""
    with suppress(OSError, ScalpelError, zlib.error):
        packed = trust.read_sealed(cache_folder(repo) / name, cache_folder(repo), _seal_subject(name))
        return None if packed is None else zlib.decompress(packed)
    return None


def write_result(repo: Repository, name: str, content: bytes) -> None:
    """Store a result under a name, if possible. Nothing is stored without a persistent secret.

    Two processes that write the same result both write it whole, and the later one remains.
    """
    packed = zlib.compress(content, 1)
    if len(packed) > _MAX_RESULT_BYTES or not trust.has_secret():
        return
    with suppress(OSError, ScalpelError):
        folder = cache_folder(repo)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        step()
        temporary = folder / f"{name}.{os.getpid()}.new"
        trust.write_sealed(
            private_files.ensure_folder(folder) / name, folder, _seal_subject(name), packed, temporary
        )
        for old in find_surplus(folder):
            step()
            private_files.remove_path(old)


def find_surplus(folder: Path) -> Iterator[Path]:
    files = []
    for file in private_files.list_folder(folder):
        with suppress(OSError):  # it was just removed
            files.append((file.lstat().st_mtime_ns, file.lstat().st_size, file))
    count = total = 0
    for _, size, file in sorted(files, reverse=True):
        count, total = count + 1, total + size
        if count > MAX_RESULTS or total > MAX_BYTES:
            yield file


def _seal_subject(name: str) -> str:
    return f"answer {name}"


MAX_CHANGES = 300  # number of changed files above which comparing them is too slow


class Dependencies(msgspec.Struct, frozen=True):
    """Data that a computation read from a tree."""

    paths: frozenset[str]  # paths whose entries were read, existing or not
    folders: frozenset[str]  # directories whose files were listed
    words: frozenset[str]  # byte strings searched for, in Latin-1, with several words separated by line feeds


class TracedSnapshot:
    """A snapshot that records what is read, so that a result stays valid until one of these things changes.

    That is a verifying trace (Mokhov, Mitchell and Peyton Jones, Build systems à la carte, 2018).
    """

    def __init__(self, below: Snapshot) -> None:
        self._below = below
        self._paths: set[str] = set()
        self._folders: set[str] = set()
        self._words: set[str] = set()

    @property
    def dependencies(self) -> Dependencies:
        return Dependencies(frozenset(self._paths), frozenset(self._folders), frozenset(self._words))

    def entry(self, path: str) -> Entry | None:
        self._paths.add(path)
        return self._below.entry(path)

    def read(self, oid: Oid) -> bytes:
        return self._below.read(oid)

    def blob_id(self, content: bytes) -> Oid:
        return self._below.blob_id(content)

    def under(self, prefix: str) -> Iterator[str]:
        self._folders.add(prefix)
        return self._below.under(prefix)

    def mentions(self, word: str, wanted: FileFilter | None = None) -> Iterable[str]:
        self._words.add(word.encode("utf-8", "surrogateescape").decode("latin-1"))
        return self._below.mentions(word, wanted)

    def left_out(self, path: str) -> bool:
        return self._below.left_out(path)


def are_dependencies_unchanged(
    looked: Dependencies, store: Store, before: TreeSnapshot, now: TreeSnapshot
) -> bool:
    """Return True if everything read from one tree is the same in another. False if comparing is too slow.

    Raises ``corrupt``, also a ``KeyError``, if an object is missing.
    """
    changes = store.difference(before.tree, now.tree)
    if len(changes) > MAX_CHANGES or any(change.path in looked.paths for change in changes):
        return False
    come_or_gone = [change.path for change in changes if change.old is None or change.new is None]
    parents = {folder for path in come_or_gone for folder in ("", *parent_folders(path))}
    if not parents.isdisjoint(looked.folders) or any(
        _get_mode(before, folder) != _get_mode(now, folder) for folder in parents & looked.paths
    ):
        return False
    words = [each for word in looked.words for each in word.encode("latin-1").split(b"\n")]
    return not any(
        word in text for change in changes for text in _read_sides(change, store) for word in words
    )


def _get_mode(tree: TreeSnapshot, path: str) -> str | None:
    entry = tree.entry(path)
    return None if entry is None else entry.mode


def _read_sides(change: Change, store: Store) -> Iterator[bytes]:
    for entry in (change.old, change.new):
        if entry is not None and entry.mode != SUBMODULE:
            yield store.read(entry.oid)
