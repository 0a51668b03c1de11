"""The user's cache for a repository: the directory of its pool, and results of queries.

The pool lies outside of the repository: test runners find nothing below `.git`.

Results are in the user's cache, not in the git directory, so they are never copied or shared with a
repository. Any of them may be lost, and one is believed only if this user sealed it here. Two processes
that write the same result both write it whole, and the later one remains.

A result over thousands of files stays valid until something it depends on changes: a verifying trace
(Mokhov, Mitchell and Peyton Jones, Build systems à la carte, 2018). All reads of a tree go through
:class:`gitscalpel.changesets.file_tree.Snapshot`, so no dependency is missed.
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

from gitscalpel.changesets.file_tree import SUBMODULE, Change, Entry, Oid, Snapshot, Wanted
from gitscalpel.errors import Misconfigured, NotAllowed, ScalpelError
from gitscalpel.errors.messages import call
from gitscalpel.git.object_store import Store
from gitscalpel.git.repository import Repository
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.system import private_files, seal
from gitscalpel.system.failpoint import step

_KEY = "scalpel.worktreedir"
POOL_LOCK = "pool.lock"
"""Held by whoever looks for a free slot, or makes one."""


def pool_directory(repo: Repository) -> tuple[Path, str]:
    """The folder of this repository's slots, which are numbered, and the name of each one's root below.

    That is the repository's: some tools take the name of a project from it.

    Raises:
        NotAllowed: ``untrusted``: the repository's own configuration says where, and nobody has trusted that.
    """
    said = next((each.what for each in repo.untrusted if each.where == _KEY), None)
    if said is not None:
        raise NotAllowed(
            "untrusted",
            f"this repository's configuration has worktrees made in {said}, and you have not trusted that",
            f"if you have said so, {call('trust')} (SCALPEL_TRUST=1 in CI); or say it for all of yours: "
            "git config --global scalpel.worktreeDir FOLDER",
        )
    name = (repo.work_tree or repo.common_dir).name
    return pools_directory(repo) / f"{name}-{repository_digest(repo)}", name


def repository_digest(repo: Repository) -> str:
    """What tells the pools of repositories of one name apart."""
    return blake2b(os.fsencode(repo.common_dir)).hexdigest()[:8]


def pools_directory(repo: Repository) -> Path:
    """Where the slots of repositories lie."""
    configured = repo.config.get(_KEY)
    if configured and all(each.where != _KEY for each in repo.untrusted):
        return (repo.common_dir / Path(configured).expanduser()).resolve()
    return _cache(repo)


def cache_directory(repo: Repository) -> Path:
    """This user's folder for what can be made again of a repository; where its slots lie too, mostly."""
    home = repo.common_dir.parent if repo.common_dir.name == ".git" else repo.common_dir
    return _cache(repo) / f"{home.name}-{repository_digest(repo)}"


def _cache(repo: Repository) -> Path:
    cache = Path(repo.environment.get("XDG_CACHE_HOME", ""))
    # The specification has relative ones ignored.
    cache = cache if cache.is_absolute() else Path("~/.cache").expanduser()
    return (cache / "git-scalpel").resolve()  # as git writes it down


def make_directory(folder: Path) -> None:
    """Make a folder of the pool. Raises ``Misconfigured``: ``unavailable``."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            raise  # the disk's fault: another folder would not help
        raise Misconfigured(
            "unavailable",
            f"no worktree can be made in {folder}: {error.strerror}",
            "name a folder that you may write to: git config scalpel.worktreeDir FOLDER",
        ) from None


MAX_RESULTS, MAX_BYTES = 200, 32_000_000
"""Answers of a repository, and what they may take together; what was written first goes first."""
_LARGEST = 4_000_000


def cache_folder(repo: Repository) -> Path:
    """Where they lie, whether there are any or not."""
    return cache_directory(repo) / "answers"


def read_result(repo: Repository, name: str) -> bytes | None:
    """What was kept under a name; None: nothing, or nothing that this user has written there."""
    said = None
    with suppress(OSError, ScalpelError):
        said = seal.kept(cache_folder(repo) / name, cache_folder(repo), _about(name))
    with suppress(zlib.error):
        return None if said is None else zlib.decompress(said)
    return None


def write_result(repo: Repository, name: str, content: bytes) -> None:
    """Keep something under a name, if that can be done; none is kept without a secret that lasts."""
    packed = zlib.compress(content, 1)
    if len(packed) > _LARGEST or not seal.has_secret():
        return
    with suppress(OSError, ScalpelError):
        own = cache_folder(repo)
        own.mkdir(parents=True, exist_ok=True, mode=0o700)
        step()
        through = own / f"{name}.{os.getpid()}.new"
        seal.keep(private_files.folder(own) / name, own, _about(name), packed, through)
        for old in find_surplus(own):
            step()
            private_files.remove(old)


def find_surplus(own: Path) -> Iterator[Path]:
    """The oldest files of a folder of answers, beyond what may stay."""
    found = []
    for file in private_files.entries(own):
        with suppress(OSError):  # it has just gone
            found.append((file.lstat().st_mtime_ns, file.lstat().st_size, file))
    count = taken = 0
    for _, size, file in sorted(found, reverse=True):
        count, taken = count + 1, taken + size
        if count > MAX_RESULTS or taken > MAX_BYTES:
            yield file


def _about(name: str) -> str:
    return f"answer {name}"


MAX_CHANGES = 300
"""Changed files, from which on it is not worth while to go through them."""


class Dependencies(msgspec.Struct, frozen=True):
    """What was looked at.

    Attributes:
        paths: at which an entry was asked for, whether there was one or not.
        folders: whose files were listed.
        words: byte strings, as Latin-1, whose files were asked for; several in one are parted by line ends.
    """

    paths: frozenset[str]
    folders: frozenset[str]
    words: frozenset[str]


class TracedSnapshot:
    """A :class:`gitscalpel.changesets.file_tree.Snapshot` that notes what is looked at."""

    def __init__(self, below: Snapshot) -> None:
        self._below = below
        self._paths: set[str] = set()
        self._folders: set[str] = set()
        self._words: set[str] = set()

    @property
    def looked(self) -> Dependencies:
        """What has been looked at so far."""
        return Dependencies(frozenset(self._paths), frozenset(self._folders), frozenset(self._words))

    def entry(self, path: str) -> Entry | None:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.entry`."""
        self._paths.add(path)
        return self._below.entry(path)

    def read(self, oid: Oid) -> bytes:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.read`; its entry is noted already."""
        return self._below.read(oid)

    def blob_id(self, content: bytes) -> Oid:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.blob_id`."""
        return self._below.blob_id(content)

    def under(self, prefix: str) -> Iterator[str]:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.under`."""
        self._folders.add(prefix)
        return self._below.under(prefix)

    def mentions(self, word: str, wanted: Wanted | None = None) -> Iterable[str]:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.mentions`."""
        self._words.add(word.encode("utf-8", "surrogateescape").decode("latin-1"))
        return self._below.mentions(word, wanted)

    def left_out(self, path: str) -> bool:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.left_out`."""
        return self._below.left_out(path)


def is_unchanged(looked: Dependencies, store: Store, before: TreeSnapshot, now: TreeSnapshot) -> bool:
    """Whether what was looked at in one tree is the same in another; no, where it is not worth finding out.

    Raises:
        Damaged: ``corrupt``, a ``KeyError`` as well: an object is missing.
    """
    changes = store.difference(before.tree, now.tree)
    if len(changes) > MAX_CHANGES or any(change.path in looked.paths for change in changes):
        return False
    come_or_gone = [change.path for change in changes if change.old is None or change.new is None]
    above = {folder for path in come_or_gone for folder in _above(path)}
    if not above.isdisjoint(looked.folders) or any(
        _mode(before, folder) != _mode(now, folder) for folder in above & looked.paths
    ):
        return False
    words = [each for word in looked.words for each in word.encode("latin-1").split(b"\n")]
    return not any(word in text for change in changes for text in _texts(change, store) for word in words)


def _above(path: str) -> Iterator[str]:
    """The folders in which a path is; the root is ``""``."""
    while path:
        path = path.rpartition("/")[0]
        yield path


def _mode(tree: TreeSnapshot, path: str) -> str | None:
    entry = tree.entry(path)
    return None if entry is None else entry.mode


def _texts(change: Change, store: Store) -> Iterator[bytes]:
    for entry in (change.old, change.new):
        if entry is not None and entry.mode != SUBMODULE:
            yield store.read(entry.oid)
