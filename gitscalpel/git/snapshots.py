"""Snapshots of a tree in the object store and of the working tree, and an index of the words in them.

Searches for a few words are left to ``git grep``. For many, each file is read once, not once for each word.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING

from gitscalpel.changesets.file_tree import (
    EXECUTABLE,
    REGULAR,
    SUBMODULE,
    TREE,
    Entry,
    FileFilter,
    Oid,
    parent_folders,
)
from gitscalpel.errors import DoesNotFit, ScalpelError, WorldMoved
from gitscalpel.git.object_store import Store
from gitscalpel.git.process import Git, Result, git_error, split_listing, wait_for_result
from gitscalpel.git.working_tree import OTHER, WorkTree

if TYPE_CHECKING:
    from gitscalpel.git.process import Child


_PARTS = bytes(b if chr(b).isalnum() or b in b"_$" or b >= 0x80 else 0x20 for b in range(256))
_TEXT_CHECK_BYTES = 8000  # number of first bytes in which a zero marks a binary file, as in git


class WordIndex:
    """Inverted index of the words in some files.

    The index contains the parts of the text between spaces and punctuation. A searched word may be inside of
    such a part, so it is searched in the distinct parts, which are few compared with the text.
    """

    def __init__(self, files: Iterable[tuple[str, bytes]]) -> None:
        self._paths: list[str] = []
        self._binary_files: dict[int, bytes] = {}
        self._numbers_by_part: dict[bytes, list[int]] = {}
        for number, (path, content) in enumerate(files):
            self._paths.append(path)
            if b"\0" in content[:_TEXT_CHECK_BYTES]:
                self._binary_files[number] = content
                continue
            for part in {*content.translate(_PARTS).split()}:
                self._numbers_by_part.setdefault(part, []).append(number)
        self._all_parts = b"\n".join((b"", *self._numbers_by_part, b""))
        self._dollar_parts = b"\n".join((b"", *(part for part in self._numbers_by_part if b"$" in part), b""))

    def holding(self, word: str) -> list[str] | None:
        """Return the files with one of the words, one a line. None if a word has several parts."""
        numbers = set[int]()
        for raw in word.encode("utf-8", "surrogateescape").split(b"\n"):
            if raw.translate(_PARTS).split() != [raw]:
                return None
            numbers.update(number for number, content in self._binary_files.items() if raw in content)
            numbers.update(self._iter_files_with_part(self._all_parts, raw))
        return [self._paths[number] for number in sorted(numbers)]

    def with_name(self, name: str) -> list[str] | None:
        """Return the text files that contain a name as a whole. None if it has several parts."""
        raw = name.encode("utf-8", "surrogateescape")
        if raw.translate(_PARTS).split() != [raw]:
            return None
        # In some languages a dollar sign is a part of names.
        numbers = {*self._numbers_by_part.get(raw, ()), *self._iter_files_with_part(self._dollar_parts, raw)}
        return [self._paths[number] for number in sorted(numbers)]

    def _iter_files_with_part(self, parts: bytes, raw: bytes) -> Iterator[int]:
        at = parts.find(raw)
        while at >= 0:
            end = parts.index(b"\n", at)
            yield from self._numbers_by_part[parts[parts.rindex(b"\n", 0, at) + 1 : end]]
            at = parts.find(raw, end)


_BATCH_SIZE = 50  # number of files read in one batch
_LIST_FILES = ("ls-tree", "-r", "-l", "-z", "--full-tree")
# Without -I, which would also leave out text files with the attribute -diff.
_SEARCH = ("grep", "-z", "-l", "-F", "--no-recurse-submodules", "--full-name")
_SKIPPED_FILE = "\nerror: "  # beginning of git's message about a file that it could not read
MAX_CACHED_BYTES = 128 << 20  # maximum total size of the indexed files
_FEW = 16  # number of searches by git that take about as long as reading all files once
_FEW_WANTED = 3  # the same number if only some files are wanted


class WordSearch:
    """Search for files by word: with git at first, then with an index.

    ``files`` returns path and bytes of each file, or None if they exceed :data:`MAX_CACHED_BYTES`.
    """

    def __init__(
        self, search: Callable[[str], list[str]], files: Callable[[], Iterator[tuple[str, bytes]] | None]
    ) -> None:
        self._search, self._read_all_files = search, files
        self._search_counts: dict[FileFilter | None, int] = {}
        self._words: dict[FileFilter | None, WordIndex | None] = {}

    def holding(self, word: str, wanted: FileFilter | None = None) -> list[str]:
        """Return the files that contain a word.

        With ``wanted``, other files may be left out, and files with the word only inside longer names.
        """
        self._search_counts[wanted] = count = self._search_counts.get(wanted, 0) + 1
        words = self._load_index(wanted) if count > (_FEW if wanted is None else _FEW_WANTED) else None
        paths = None
        if words is not None:
            paths = words.holding(word) if wanted is None else words.with_name(word)
        return self._search(word) if paths is None else paths

    @property
    def is_left_to_git(self) -> bool:
        return not self._words and self._search_counts.get(None, 0) < _FEW

    def _load_index(self, wanted: FileFilter | None) -> WordIndex | None:
        if wanted not in self._words:
            files = self._read_all_files()
            wanted_files = (
                files if files is None or wanted is None else (each for each in files if wanted(*each))
            )
            self._words[wanted] = None if wanted_files is None else WordIndex(wanted_files)
        return self._words[wanted]


class TreeSnapshot:
    """A :class:`gitscalpel.changesets.file_tree.Snapshot` of one tree."""

    def __init__(self, store: Store, git: Git, tree: Oid) -> None:
        self.tree = tree
        self._store = store
        self._git = git
        self._words = WordSearch(self._search_with_git, self._read_all_files)
        self._started_searches: dict[str, Child[bytes]] = {}
        self._expected_files: list[str] = []
        self._expected_positions: dict[str, int] = {}

    def entry(self, path: str) -> Entry | None:
        if path in self._expected_positions:
            self._read_next_batch(self._expected_positions[path])
        entry = Entry(TREE, self.tree)
        for name in path.split("/") if path else ():
            child = self._store.tree(entry.oid).get(name) if entry.mode == TREE else None
            if child is None:
                return None
            entry = child
        return entry

    def read(self, oid: Oid) -> bytes:
        return self._store.read(oid)

    def blob_id(self, content: bytes) -> Oid:
        return self._store.blob_id(content)

    def under(self, prefix: str) -> Iterator[str]:
        folder = self.entry(prefix)
        if folder is None or folder.mode != TREE:
            return
        start = prefix + "/" if prefix else ""
        entries = self._store.tree(folder.oid)
        if all(each.mode != TREE for each in entries.values()):  # no subdirectories: git is not needed
            yield from (start + name for name, each in entries.items() if each.mode != SUBMODULE)
            return
        for row in self._git("ls-tree", "-r", "-z", "--full-tree", folder.oid).split(b"\0"):
            meta, _, name = row.partition(b"\t")
            if name and not meta.startswith(SUBMODULE.encode()):
                yield start + os.fsdecode(name)

    def mentions(self, word: str, wanted: FileFilter | None = None) -> list[str]:
        self.expect(self._words.holding(word, wanted))
        return [*self._expected_files]

    def left_out(self, _path: str) -> bool:
        return False

    def expect(self, paths: list[str]) -> None:
        """Announce files that will be read in this order, so that they are read in batches."""
        self._expected_files = paths
        self._expected_positions = {path: at for at, path in enumerate(paths)}

    @contextmanager
    def search_ahead(self, word: str) -> Iterator[None]:
        """Start git's search for a word in advance, within the block."""
        if not self._words.is_left_to_git:
            yield
            return
        with self._git.start(*_SEARCH, "-e", word, self.tree) as child:
            self._started_searches[word] = child
            try:
                yield
            finally:
                self._started_searches.clear()
                child.kill()

    def _search_with_git(self, word: str) -> list[str]:
        child = self._started_searches.pop(word, None)
        result = self._git.run(*_SEARCH, "-e", word, self.tree) if child is None else wait_for_result(child)
        rows = split_listing(require_listing(result))
        start = f"{self.tree}:"
        if not all(row.startswith(start) for row in rows):
            raise unreliable_error(result)
        return [row.removeprefix(start) for row in rows]

    def _read_all_files(self) -> Iterator[tuple[str, bytes]] | None:
        rows = [row.partition(b"\t") for row in self._git(*_LIST_FILES, self.tree).split(b"\0") if row]
        files = [
            (os.fsdecode(name), Oid(oid.decode()), int(size))
            for meta, _, name in rows
            for mode, _, oid, size in (meta.split(),)
            if mode.decode() in (REGULAR, EXECUTABLE)
        ]
        return self._iter_contents(files) if sum(size for *_, size in files) <= MAX_CACHED_BYTES else None

    def _iter_contents(self, files: Sequence[tuple[str, Oid, int]]) -> Iterator[tuple[str, bytes]]:
        for at in range(0, len(files), _BATCH_SIZE):
            batch = files[at : at + _BATCH_SIZE]
            self._store.expect([oid for _, oid, _ in batch])
            yield from ((path, self._store.read(oid)) for path, oid, _ in batch)

    def _read_next_batch(self, at: int) -> None:
        batch = self._expected_files[at : at + _BATCH_SIZE]
        for path in batch:
            self._expected_positions.pop(path, None)
        for folders in _group_by_depth(batch):
            entries = map(self.entry, folders)
            self._store.expect(trees=[each.oid for each in entries if each is not None and each.mode == TREE])
        entries = map(self.entry, batch)
        self._store.expect([each.oid for each in entries if each is not None and each.mode != SUBMODULE])


def require_listing(result: Result) -> bytes:
    """Return the output of ``git grep -l`` if git has read every file.

    Git skips a file that it cannot read, reports it, and ends as if the file did not contain the word.

    Raises:
        ScalpelError: git failed or skipped a file, or its status does not fit its output.
    """
    is_odd = bool(result.out) == bool(result.status) or _SKIPPED_FILE in f"\n{result.err}"
    if is_odd or result.status > 1:
        raise unreliable_error(result)
    return result.out


def unreliable_error(result: Result) -> ScalpelError:
    error = git_error("grep", result.status, result.err or f"{result.out[:80]!r} is not a list of files")
    is_locked = "Permission denied" in result.err
    return error.but(hint="make the file readable, or have git ignore it") if is_locked else error


def _group_by_depth(paths: Iterable[str]) -> list[list[str]]:
    levels: dict[int, list[str]] = {}
    for folder in {folder for path in paths for folder in parent_folders(path)}:
        levels.setdefault(folder.count("/"), []).append(folder)
    return [levels[depth] for depth in sorted(levels)]


class WorkingTreeSnapshot:
    """A :class:`gitscalpel.changesets.file_tree.Snapshot` of the working tree. Each path stays as first seen.

    Bytes are taken as they are, not as git would store them, so what a clean filter removes stays around an
    edit. Every existing file is visible, tracked or not; only listings leave out ignored files.
    """

    def __init__(self, store: Store, git: Git, work: WorkTree) -> None:
        self._store, self._git, self._work = store, git, work
        self._entries: dict[str, Entry | None] = {}
        self._bytes: dict[Oid, bytes] = {}
        self._words = WordSearch(self._search_with_git, self._read_all_files)

    def again(self) -> WorkingTreeSnapshot:
        """Return a new snapshot of the current state, which keeps the bytes read so far."""
        now = WorkingTreeSnapshot(self._store, self._git, self._work)
        now._bytes = self._bytes
        return now

    def entry(self, path: str) -> Entry | None:
        """Return the entry at a path, or None. Raises ``DoesNotFit`` for a socket, a pipe or a device."""
        if path not in self._entries:
            self._entries[path] = self._read_entry(path)
        return self._entries[path]

    def read(self, oid: Oid) -> bytes:
        """Return the bytes of a blob.

        Raises:
            WorldMoved: ``stale``: uncommitted bytes that this snapshot has not read.
        """
        if oid in self._bytes:
            return self._bytes[oid]
        try:
            return self._store.read(oid)
        except KeyError:
            raise WorldMoved(
                "stale",
                f"no file has the content {oid} any more, and git does not store it",
                "read the file again, and edit its current content",
            ) from None

    def blob_id(self, content: bytes) -> Oid:
        return self._store.blob_id(content)

    def under(self, prefix: str) -> Iterator[str]:
        if prefix and self._work.mode(prefix) is None:  # needs no git
            return
        kinds = ("--cached", "--others", "--exclude-standard", "--deduplicate")
        pathspec = f":(top,literal){prefix}" if prefix else ":(top)"
        rows = sorted(set(self._git("ls-files", "-z", "--full-name", *kinds, "--", pathspec).split(b"\0")))
        for row in rows:
            path = os.fsdecode(row)
            # A path with a trailing slash is another repository; a staged file may be missing on disk.
            if row and not path.endswith("/") and self._work.mode(path) not in (None, TREE, OTHER):
                yield path

    def mentions(self, word: str, wanted: FileFilter | None = None) -> Iterable[str]:
        return self._words.holding(word, wanted)

    def left_out(self, path: str) -> bool:
        """Return True if the path is outside of the sparse checkout. The index may contain directories."""
        rows = self._git("ls-files", "-t", "-z", "--full-name", "--", f":(top,literal){path}").split(b"\0")
        return any(row.startswith(b"S ") for row in rows)

    def _search_with_git(self, word: str) -> list[str]:
        # With --untracked, git skips ignored files, even tracked ones.
        paths = {*self._grep(word), *self._grep(word, "--untracked")}
        return sorted(paths, key=os.fsencode)

    def _grep(self, word: str, *which: str) -> list[str]:
        result = self._git.run(
            *("grep", *which, "-z", "-l", "-F", "--no-recurse-submodules", "--full-name", "-e", word),
            *("--", ":(top)"),
        )
        return split_listing(require_listing(result))

    def _read_all_files(self) -> Iterator[tuple[str, bytes]] | None:
        files = [path for path in self.under("") if self._work.mode(path) in (REGULAR, EXECUTABLE)]
        sizes = (self._work.root / path for path in files)
        if sum(each.lstat().st_size for each in sizes if each.exists()) > MAX_CACHED_BYTES:
            return None
        return self._iter_contents(files)

    def _iter_contents(self, files: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        for path in files:
            with suppress(FileNotFoundError, NotADirectoryError):  # it was just removed
                yield path, self._work.read(path)

    def _read_entry(self, path: str) -> Entry | None:
        mode = self._work.mode(path) if path else TREE
        if mode == OTHER:
            raise DoesNotFit(
                "not_a_file", f"{path} is not a regular file", "name a file or a link", path=path
            )
        if mode == TREE:
            return Entry(SUBMODULE if self._is_nested(path) else TREE, Oid(""))
        if mode is not None:
            with suppress(FileNotFoundError, NotADirectoryError):  # it was just removed
                content = self._work.read(path)
                oid = self.blob_id(content)
                self._bytes[oid] = content
                return Entry(mode, oid)
        return None

    def _is_nested(self, path: str) -> bool:
        if not path:
            return False
        return (self._work.root / path / ".git").exists() or path in self._submodules

    @cached_property
    def _submodules(self) -> frozenset[str]:
        if not (self._work.root / ".gitmodules").exists():
            return frozenset()
        return frozenset(find_submodules(self._git))


def find_submodules(git: Git) -> list[str]:
    rows = (row.partition(b"\t") for row in git("ls-files", "-s", "-z", "--full-name", ":(top)").split(b"\0"))
    return [os.fsdecode(name) for meta, _, name in rows if meta.startswith(SUBMODULE.encode())]
