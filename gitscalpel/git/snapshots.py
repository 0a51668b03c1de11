"""Snapshots of a tree in the object store and of the working tree, and an index of the words in them.

Searches for a few words are left to ``git grep``. For many, each file is read once, not once for each
word. The inverted index contains the parts of the text between spaces and punctuation. The searched word
may be a part of such a part, so the distinct parts, few compared with the text, are searched for it.

The working tree's bytes are taken as they are, not as git would store them: what a clean filter removes,
and mixed line endings, stay around an edit. Every existing file is visible, tracked or not; only listings
leave out ignored files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING

from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, SUBMODULE, TREE, Entry, Oid, Wanted
from gitscalpel.errors import DoesNotFit, ScalpelError, WorldMoved
from gitscalpel.git.object_store import Store
from gitscalpel.git.process import Git, Result, failure, paths, wait_for_result
from gitscalpel.git.working_tree import OTHER, WorkTree

if TYPE_CHECKING:
    from gitscalpel.git.process import Child


_PARTS = bytes(b if chr(b).isalnum() or b in b"_$" or b >= 0x80 else 0x20 for b in range(256))
_HEAD = 8000
"""Bytes by which git, too, tells a file that is no text."""


class WordIndex:
    """The words of some files.

    Args:
        files: path and bytes of each.
    """

    def __init__(self, files: Iterable[tuple[str, bytes]]) -> None:
        self._paths: list[str] = []
        self._raw: dict[int, bytes] = {}
        self._at: dict[bytes, list[int]] = {}
        for number, (path, content) in enumerate(files):
            self._paths.append(path)
            if b"\0" in content[:_HEAD]:
                self._raw[number] = content
                continue
            for part in {*content.translate(_PARTS).split()}:
                self._at.setdefault(part, []).append(number)
        self._all = b"\n".join((b"", *self._at, b""))
        self._dollars = b"\n".join((b"", *(part for part in self._at if b"$" in part), b""))

    def holding(self, word: str) -> list[str] | None:
        """The paths of the files in which the word stands, in their order; None: it is more than one part.

        Of several words, each on a line, one has to be there.
        """
        found = set[int]()
        for raw in word.encode("utf-8", "surrogateescape").split(b"\n"):
            if raw.translate(_PARTS).split() != [raw]:
                return None
            found.update(number for number, content in self._raw.items() if raw in content)
            found.update(self._among(self._all, raw))
        return [self._paths[number] for number in sorted(found)]

    def with_name(self, name: str) -> list[str] | None:
        """The same for files with text, without those in which it is but a part of longer names."""
        raw = name.encode("utf-8", "surrogateescape")
        if raw.translate(_PARTS).split() != [raw]:
            return None
        # In some languages a dollar sign is a part of names.
        found = {*self._at.get(raw, ()), *self._among(self._dollars, raw)}
        return [self._paths[number] for number in sorted(found)]

    def _among(self, parts: bytes, raw: bytes) -> Iterator[int]:
        """The files with one of some parts that holds these bytes."""
        at = parts.find(raw)
        while at >= 0:
            end = parts.index(b"\n", at)
            yield from self._at[parts[parts.rindex(b"\n", 0, at) + 1 : end]]
            at = parts.find(raw, end)


_AHEAD = 50
"""Files that are read together."""
_LIST = ("ls-tree", "-r", "-l", "-z", "--full-tree")
# Without -I, which would also leave out text files with the attribute -diff.
_SEARCH = ("grep", "-z", "-l", "-F", "--no-recurse-submodules", "--full-name")
_SKIPPED = "\nerror: "
"""How git begins a line about a file that it could not look into."""
MAX_CACHED_BYTES = 128 << 20
"""Bytes of the files whose words are held."""
_FEW = 16
"""Words that git searches for, which takes it about as long as to read all files once."""
_FEWER = 3
"""The same, where the words of some files are wanted."""


class WordSearch:
    """Which files hold a word: git searches them for the first ones, and then each is read once.

    Args:
        search: has git do it.
        files: path and bytes of each; None: they are more than :data:`MAX_CACHED_BYTES`.
    """

    def __init__(
        self, search: Callable[[str], list[str]], files: Callable[[], Iterator[tuple[str, bytes]] | None]
    ) -> None:
        self._search, self._files = search, files
        self._asked: dict[Wanted | None, int] = {}
        self._words: dict[Wanted | None, WordIndex | None] = {}

    def holding(self, word: str, wanted: Wanted | None = None) -> list[str]:
        """The paths of the files that hold a word.

        Where some are wanted, others may be left out, and those that have it only as a part of longer names.
        """
        self._asked[wanted] = asked = self._asked.get(wanted, 0) + 1
        words = self._read(wanted) if asked > (_FEW if wanted is None else _FEWER) else None
        found = None
        if words is not None:
            found = words.holding(word) if wanted is None else words.with_name(word)
        return self._search(word) if found is None else found

    @property
    def is_left_to_git(self) -> bool:
        """Whether git searches for the next word."""
        return not self._words and self._asked.get(None, 0) < _FEW

    def _read(self, wanted: Wanted | None) -> WordIndex | None:
        """The words of the files that are wanted; None: there are too many files."""
        if wanted not in self._words:
            files = self._files()
            some = files if files is None or wanted is None else (each for each in files if wanted(*each))
            self._words[wanted] = None if some is None else WordIndex(some)
        return self._words[wanted]


class TreeSnapshot:
    """A :class:`gitscalpel.changesets.file_tree.Snapshot` of one tree."""

    def __init__(self, store: Store, git: Git, tree: Oid) -> None:
        self.tree = tree
        self._store = store
        self._git = git
        self._words = WordSearch(self._searched, self._files)
        self._begun: dict[str, Child[bytes]] = {}
        self._holding: list[str] = []
        self._places: dict[str, int] = {}

    def entry(self, path: str) -> Entry | None:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.entry`."""
        if path in self._places:
            self._read_on(self._places[path])
        here = Entry(TREE, self.tree)
        for name in path.split("/") if path else ():
            below = self._store.tree(here.oid).get(name) if here.mode == TREE else None
            if below is None:
                return None
            here = below
        return here

    def read(self, oid: Oid) -> bytes:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.read`."""
        return self._store.read(oid)

    def blob_id(self, content: bytes) -> Oid:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.blob_id`."""
        return self._store.blob_id(content)

    def under(self, prefix: str) -> Iterator[str]:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.under`."""
        folder = self.entry(prefix)
        if folder is None or folder.mode != TREE:
            return
        start = prefix + "/" if prefix else ""
        here = self._store.tree(folder.oid)
        if all(each.mode != TREE for each in here.values()):  # no git is started for a folder without others
            yield from (start + name for name, each in here.items() if each.mode != SUBMODULE)
            return
        for row in self._git("ls-tree", "-r", "-z", "--full-tree", folder.oid).split(b"\0"):
            meta, _, name = row.partition(b"\t")
            if name and not meta.startswith(SUBMODULE.encode()):
                yield start + os.fsdecode(name)

    def mentions(self, word: str, wanted: Wanted | None = None) -> list[str]:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.mentions`."""
        self.expect(self._words.holding(word, wanted))
        return [*self._holding]

    def left_out(self, _path: str) -> bool:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.left_out`: a tree holds all of its files."""
        return False

    def expect(self, paths: list[str]) -> None:
        """Read these files ahead, some at a time, in the order in which they will be asked for."""
        self._holding = paths
        self._places = {path: at for at, path in enumerate(paths)}

    @contextmanager
    def seeking(self, word: str) -> Iterator[None]:
        """Have git search for a word as long as nobody waits for it: soon somebody will, as a rule."""
        if not self._words.is_left_to_git:
            yield
            return
        with self._git.start(*_SEARCH, "-e", word, self.tree) as child:
            self._begun[word] = child
            try:
                yield
            finally:
                self._begun.clear()
                child.kill()

    def _searched(self, word: str) -> list[str]:
        child = self._begun.pop(word, None)
        result = self._git.run(*_SEARCH, "-e", word, self.tree) if child is None else wait_for_result(child)
        rows = paths(require_listing(result))
        start = f"{self.tree}:"
        if not all(row.startswith(start) for row in rows):
            raise unreliable_error(result)
        return [row.removeprefix(start) for row in rows]

    def _files(self) -> Iterator[tuple[str, bytes]] | None:
        """Path and bytes of each file; None: they are too many."""
        rows = [row.partition(b"\t") for row in self._git(*_LIST, self.tree).split(b"\0") if row]
        files = [
            (os.fsdecode(name), Oid(oid.decode()), int(size))
            for meta, _, name in rows
            for mode, _, oid, size in (meta.split(),)
            if mode.decode() in (REGULAR, EXECUTABLE)
        ]
        return self._contents(files) if sum(size for *_, size in files) <= MAX_CACHED_BYTES else None

    def _contents(self, files: Sequence[tuple[str, Oid, int]]) -> Iterator[tuple[str, bytes]]:
        for at in range(0, len(files), _AHEAD):
            some = files[at : at + _AHEAD]
            self._store.expect([oid for _, oid, _ in some])
            yield from ((path, self._store.read(oid)) for path, oid, _ in some)

    def _read_on(self, at: int) -> None:
        """Read the files that hold a word ahead, some at a time: who asks for one reads the next ones too."""
        some = self._holding[at : at + _AHEAD]
        for path in some:
            self._places.pop(path, None)
        for folders in _by_depth(some):
            found = map(self.entry, folders)
            self._store.expect(trees=[each.oid for each in found if each is not None and each.mode == TREE])
        entries = map(self.entry, some)
        self._store.expect([each.oid for each in entries if each is not None and each.mode != SUBMODULE])


def require_listing(result: Result) -> bytes:
    """Return what ``git grep -l`` lists, if git has looked into every file.

    Git skips a file that it cannot read, reports it, and ends as if the word were not in there.

    Raises:
        ScalpelError: git has failed or has skipped a file, or its status does not fit its output.
    """
    is_odd = bool(result.out) == bool(result.status) or _SKIPPED in f"\n{result.err}"
    if is_odd or result.status > 1:
        raise unreliable_error(result)
    return result.out


def unreliable_error(result: Result) -> ScalpelError:
    """Return the error for an answer of ``git grep`` that says nothing of some file."""
    error = failure("grep", result.status, result.err or f"{result.out[:80]!r} is not a list of files")
    is_locked = "Permission denied" in result.err
    return error.but(hint="make the file readable, or have git ignore it") if is_locked else error


def _by_depth(paths: Iterable[str]) -> list[list[str]]:
    """The folders in which files are, the outer ones first."""
    folders = {path[:at] for path in paths for at, letter in enumerate(path) if letter == "/"}
    levels: dict[int, list[str]] = {}
    for folder in folders:
        levels.setdefault(folder.count("/"), []).append(folder)
    return [levels[depth] for depth in sorted(levels)]


class WorkingTreeSnapshot:
    """A :class:`gitscalpel.changesets.file_tree.Snapshot` of the working tree: each path as first seen."""

    def __init__(self, store: Store, git: Git, work: WorkTree) -> None:
        self._store, self._git, self._work = store, git, work
        self._entries: dict[str, Entry | None] = {}
        self._bytes: dict[Oid, bytes] = {}
        self._words = WordSearch(self._searched, self._files)

    def again(self) -> WorkingTreeSnapshot:
        """The same as it is now, which still knows the bytes that this one has read."""
        now = WorkingTreeSnapshot(self._store, self._git, self._work)
        now._bytes = self._bytes
        return now

    def entry(self, path: str) -> Entry | None:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.entry`.

        Raises:
            DoesNotFit: ``not_a_file``: a socket, a pipe or a device.
        """
        if path not in self._entries:
            self._entries[path] = self._looked(path)
        return self._entries[path]

    def read(self, oid: Oid) -> bytes:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.read`.

        Raises:
            WorldMoved: ``stale``: nobody has kept what was seen of a file that is uncommitted.
        """
        if oid in self._bytes:
            return self._bytes[oid]
        try:
            return self._store.read(oid)
        except KeyError:
            raise WorldMoved(
                "stale",
                f"no file is {oid} any more, and git has not kept those bytes",
                "look at the file again, and edit what it is now",
            ) from None

    def blob_id(self, content: bytes) -> Oid:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.blob_id`."""
        return self._store.blob_id(content)

    def under(self, prefix: str) -> Iterator[str]:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.under`."""
        if prefix and self._work.mode(prefix) is None:  # git need not be asked
            return
        kinds = ("--cached", "--others", "--exclude-standard", "--deduplicate")
        where = f":(top,literal){prefix}" if prefix else ":(top)"
        rows = sorted(set(self._git("ls-files", "-z", "--full-name", *kinds, "--", where).split(b"\0")))
        for row in rows:
            path = os.fsdecode(row)
            # One that ends with a slash is another repository; one that is staged may not be there.
            if row and not path.endswith("/") and self._work.mode(path) not in (None, TREE, OTHER):
                yield path

    def mentions(self, word: str, wanted: Wanted | None = None) -> Iterable[str]:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.mentions`."""
        return self._words.holding(word, wanted)

    def left_out(self, path: str) -> bool:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.left_out`; an index may hold whole folders."""
        rows = self._git("ls-files", "-t", "-z", "--full-name", "--", f":(top,literal){path}").split(b"\0")
        return any(row.startswith(b"S ") for row in rows)

    def _searched(self, word: str) -> list[str]:
        # Who looks through untracked files leaves out what is ignored, though it is tracked.
        found = {*self._grepped(word), *self._grepped(word, "--untracked")}
        return sorted(found, key=os.fsencode)

    def _grepped(self, word: str, *which: str) -> list[str]:
        result = self._git.run(
            *("grep", *which, "-z", "-l", "-F", "--no-recurse-submodules", "--full-name", "-e", word),
            *("--", ":(top)"),
        )
        return paths(require_listing(result))

    def _files(self) -> Iterator[tuple[str, bytes]] | None:
        """Path and bytes of each file; None: they are too many."""
        files = [path for path in self.under("") if self._work.mode(path) in (REGULAR, EXECUTABLE)]
        sizes = (self._work.root / path for path in files)
        if sum(each.lstat().st_size for each in sizes if each.exists()) > MAX_CACHED_BYTES:
            return None
        return self._contents(files)

    def _contents(self, files: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        for path in files:
            with suppress(FileNotFoundError, NotADirectoryError):  # it has gone in this moment
                yield path, self._work.read(path)

    def _looked(self, path: str) -> Entry | None:
        mode = self._work.mode(path) if path else TREE
        if mode == OTHER:
            raise DoesNotFit("not_a_file", f"{path} is no regular file", "name a file or a link", path=path)
        if mode == TREE:
            return Entry(SUBMODULE if self._is_another(path) else TREE, Oid(""))
        if mode is not None:
            with suppress(FileNotFoundError, NotADirectoryError):  # it has gone in this moment
                content = self._work.read(path)
                oid = self.blob_id(content)
                self._bytes[oid] = content
                return Entry(mode, oid)
        return None

    def _is_another(self, path: str) -> bool:
        """Whether the folder is a repository of its own, or belongs to one that is not checked out."""
        if not path:
            return False
        return (self._work.root / path / ".git").exists() or path in self._submodules

    @cached_property
    def _submodules(self) -> frozenset[str]:
        if not (self._work.root / ".gitmodules").exists():
            return frozenset()
        return frozenset(find_submodules(self._git))


def find_submodules(git: Git) -> list[str]:
    """Return the paths that an index has as repositories of their own."""
    rows = (row.partition(b"\t") for row in git("ls-files", "-s", "-z", "--full-name", ":(top)").split(b"\0"))
    return [os.fsdecode(name) for meta, _, name in rows if meta.startswith(SUBMODULE.encode())]
