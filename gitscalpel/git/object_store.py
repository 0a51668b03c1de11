"""Object store of a repository, through libgit2 or git.

The object store: reads through git or libgit2, and delays writes until other processes need them.

The reader is an :class:`Objects`: one ``git cat-file`` for a short call, with libgit2 in front of it in
long-lived processes. Only :func:`open_store` distinguishes the two. All other code is shared, so results
cannot differ.

Read objects and refs through libgit2 in long-lived processes (its import takes 100 ms).

Only names that git reads alike are read here: an id, HEAD, a full ref name (or its absence), and a path below
them. Other revisions, missing or damaged objects, objects that a partial clone has yet to fetch, and broken
refs are left to git, so all errors come from git. Replace refs are not followed.

Loose objects are read by :class:`gitscalpel.git.object_writer.LooseObjects`: libgit2 never returns from a
torn one, which a power failure leaves (libgit2 issue 7342), and writes out of bounds if one has a wrong size
(issue 7177).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

import pygit2
from pygit2.enums import ObjectType, RepositoryOpenFlag

from gitscalpel.changesets.file_tree import Change, Entry, Oid
from gitscalpel.errors import Damaged, InputOutput
from gitscalpel.git import commits, hooks
from gitscalpel.git.commits import Commit, CommitComposer, FixedSettings, LiveSettings
from gitscalpel.git.object_writer import LooseObjects, PendingObjects, object_id
from gitscalpel.git.objects import CatFile, LevelCache, Object, diff_trees, edit_tree, parse_tree
from gitscalpel.git.repository import Repository
from gitscalpel.system import trust

if TYPE_CHECKING:
    pass


class MissingObject(Damaged, KeyError):
    """Raised for a missing object: a ``KeyError`` for callers that expect it, otherwise damage."""

    def __init__(self, name: str) -> None:
        super().__init__(
            "corrupt",
            f"object {name} is missing",
            "`git fsck --full` names all that are; fetch them again, or copy them from another clone",
        )

    __str__ = Exception.__str__  # a KeyError would quote the message


class Objects(Protocol):
    """A reader of objects, which sees new objects and moved refs of other processes at once."""

    def get(self, spec: str) -> Object | None:
        """Return the object that ``spec`` (an id or any revision) names, or None. Raises ``Damaged``."""

    def resolve(self, spec: str) -> Oid | None:
        """Return the id that ``spec`` names, or None."""

    def several(self, oids: Sequence[Oid]) -> list[Object]:
        """Return the sound ones among several objects. Empty if a batch is not faster than single reads."""

    def close(self) -> None:
        """End processes and close files."""


class Store:
    """Reads and writes objects. Every git started through ``repo`` sees what was written.

    Not thread-safe.

    Attributes:
        repo: repository whose gits see the objects written here.
        objects: reader for objects that are not pending.
    """

    def __init__(
        self, repo: Repository, objects: Objects, written: PendingObjects, composer: CommitComposer
    ) -> None:
        self.repo = repo
        self.objects = objects
        self._written = written
        self._composer = composer
        self._hash_size = 32 if repo.object_format == "sha256" else 20
        self._levels = LevelCache()
        self._expected_blobs: dict[Oid, bytes] = {}

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def read(self, oid: Oid) -> bytes:
        """Return a blob's bytes. Raises ``KeyError`` if it does not exist."""
        ahead = self._expected_blobs.pop(oid, None)
        if ahead is not None:
            return ahead
        found = self._get(oid)
        if found is None or found.kind != "blob":
            raise MissingObject(oid)
        return found.content

    def tree(self, oid: Oid) -> dict[str, Entry]:
        """Return the entries of one tree object, in its order. Raises ``Damaged`` if it is missing."""
        level = self._levels.get(oid)
        if level is None:
            found = self._get(oid)
            if found is None or found.kind != "tree":
                if oid != self._written.name("tree", b""):
                    raise MissingObject(oid)
                return {}  # git knows the empty tree even if it is not stored
            level = parse_tree(found.content, self._hash_size)
            self._levels.put(oid, level)
        return level

    def expect(self, blobs: Sequence[Oid] = (), trees: Sequence[Oid] = ()) -> None:
        """Read in one batch what will be needed next. Unreadable objects raise only when they are used.

        Blobs are kept until each is read or the next batch is announced, trees as long as others.
        """
        self._expected_blobs = {}
        for found in self._try_read_several([each for each in trees if self._levels.get(each) is None]):
            if found.kind == "tree":
                self._levels.put(found.oid, parse_tree(found.content, self._hash_size))
        self._expected_blobs = {
            found.oid: found.content for found in self._try_read_several(blobs) if found.kind == "blob"
        }

    def _try_read_several(self, oids: Sequence[Oid]) -> list[Object]:
        try:
            return self.objects.several([*dict.fromkeys(oids)])
        except (Damaged, InputOutput):
            return []

    def commit(self, revision: str) -> Commit:
        """Return the commit that a revision names. Raises ``KeyError`` if it does not exist."""
        found = self._get(f"{revision}^{{commit}}")
        if found is None:
            raise MissingObject(revision)
        return commits.parse_commit(found.oid, found.content)

    def tree_of(self, commit: Oid | None) -> Oid | None:
        """Return the tree of a commit. None for no commit, as before the first one."""
        return None if commit is None else self.commit(commit).tree

    def file(self, commit: Oid, path: str) -> bytes | None:
        """Return the bytes of a file of a commit. None if it does not exist."""
        found = self._get(f"{commit}:{path}")
        return found.content if found is not None and found.kind == "blob" else None

    def resolve(self, revision: str) -> Oid | None:
        """Return the id that a full ref name or revision names now, or None."""
        return Oid(revision) if self._written.get(revision) else self.objects.resolve(revision)

    def blob_id(self, content: bytes) -> Oid:
        """Return the id of ``content`` as a blob, without writing it."""
        return self._written.name("blob", content)

    def holds(self, oid: Oid) -> bool:
        """Return True if an object with this id exists."""
        return bool(self._written.get(oid)) or self.objects.resolve(f"{oid}^{{}}") is not None

    def write_blob(self, content: bytes) -> Oid:
        """Write a blob and return its id."""
        return self._written.add("blob", content)

    def write_tree(
        self, base: Oid | None, edits: Iterable[tuple[str, Entry | None]], fresh: Iterable[bytes] = ()
    ) -> Oid:
        """Write the tree ``base`` (None for an empty one) with other entries at some paths.

        An entry of None removes a path. ``fresh`` are blobs in it that are not stored yet.
        """
        for content in fresh:
            self._written.add("blob", content)
        return edit_tree(base, edits, self.tree, self.add_tree)

    def write_commit(
        self,
        tree: Oid,
        parents: Sequence[Oid],
        message: str,
        *,
        author: str | None = None,
        sign: bool | None = None,
    ) -> Oid:
        """Write a commit and return its id. The message gets exactly one final line ending.

        ``author`` is in the form of :attr:`Commit.author`, or None for the user and the current time.
        ``sign`` is None to follow ``commit.gpgSign``.

        Raises:
            Misconfigured: ``identity_unknown``, or ``config_error`` if signing failed.
            NotAllowed: ``untrusted``: the signing program comes from the repository.
        """
        text = (message.rstrip("\n") + "\n").encode("utf-8", "surrogateescape")
        if sign is None:
            sign = self._composer.signs()
        signers = hooks.select_signers(self.repo.untrusted) if sign else []
        if signers:
            raise trust.untrusted_error(signers)
        if not sign:
            content = self._composer.commit(tree, parents, text, author)
            if content is not None and self._can_commit(tree, parents):
                return self.write_raw_commit(content)
        return commits.write_by_git(self.repo, tree, parents, text, author=author, sign=sign)

    def write_raw_commit(self, content: bytes) -> Oid:
        """Write a commit object from its bytes. Such commits are internal records."""
        return self._written.add("commit", content)

    def difference(self, old: Oid | None, new: Oid | None) -> list[Change]:
        """Return the changed files between two trees. A rename is a removal and an addition."""
        return diff_trees(old, new, self.tree)

    def lasting(self) -> AbstractContextManager[None]:
        """Make written objects durable, and keep them from repacks while the block writes refs to them."""
        return self._written.lasting()

    def show(self) -> None:
        """Make written objects visible to other processes. Processes started here see them anyway."""
        self._written.show()

    def close(self) -> None:
        """End processes and close files."""
        self.objects.close()

    def _get(self, spec: str) -> Object | None:
        oid = spec.removesuffix("^{commit}")
        found = self._written.get(oid)
        if found is not None and (oid == spec or found[0] == "commit"):
            return Object(Oid(oid), *found)
        if self._written.get(spec.partition(":")[0]):
            self.show()  # git resolves the path
        return self.objects.get(spec)

    def _can_commit(self, tree: Oid, parents: Sequence[Oid]) -> bool:
        """Return True if tree and parents exist. If not, git reports what is wrong."""
        wanted = [(tree, "tree"), *((parent, "commit") for parent in parents)]
        try:
            found = [self._get(oid) for oid, _ in wanted]
        except Damaged:
            return False
        return [each and (each.oid, each.kind) for each in found] == wanted

    def add_tree(self, content: bytes) -> Oid:
        """Add a tree object from its bytes and return its id."""
        oid = self._written.add("tree", content)
        self._levels.put(oid, parse_tree(content, self._hash_size))
        return oid


is_libgit2_loaded = False
"""True if the process has imported libgit2 already, as the server has for its children."""


def open_store(repo: Repository, long_lived: bool = False) -> Store:
    """Open the object store of ``repo``.

    In a long-lived process, importing libgit2 pays off if it is installed and can open the repository, and
    commit settings are read once.
    """
    written = PendingObjects(repo.objects, repo.object_format)
    repo = repo.telling(written.starting)
    settings = LiveSettings(repo) if long_lived else FixedSettings(repo)
    git = CatFile(repo.git)
    objects: Objects = git
    if long_lived or is_libgit2_loaded:
        with suppress(ImportError):  # pygit2 is not installed
            objects = open_objects(repo, git) or git
    return Store(repo, objects, written, CommitComposer(settings))


_FAILURES = (pygit2.GitError, KeyError, ValueError, OSError)
_KINDS: dict[int, str] = {
    ObjectType.COMMIT: "commit",
    ObjectType.TREE: "tree",
    ObjectType.BLOB: "blob",
    ObjectType.TAG: "tag",
}
_OBJECT_ID = re.compile("[0-9a-f]{40}", re.ASCII)
_WIDTH = 20
"""Bytes of an object id. libgit2 opens no SHA-256 repository."""
_FULL_REF = re.compile("refs/[^~^:@]+")
"""Matches a full ref name, but no revision that begins with one."""
_COMMIT, _PEELED = "^{commit}", "^{}"
_SPECIAL_STEPS = frozenset({"", ".", ".."})
"""Path components that git does not take for names."""


class _Unclear(Exception):
    """Raised if only git can answer."""


class Libgit2:
    """Objects read through libgit2, or through ``behind`` where it cannot answer."""

    def __init__(self, library: pygit2.Repository, repo: Repository, behind: CatFile) -> None:
        self._library = library
        self.fallback = behind
        folders = list(_object_folders(repo))
        self._loose = [LooseObjects(folder, "sha1") for folder in folders]
        self._packs = [pygit2.OdbBackendPack(str(folder)) for folder in folders]

    def get(self, spec: str) -> Object | None:
        """Return the object that ``spec`` names. None if it does not exist."""
        try:
            return self._get(spec)
        except _Unclear:
            return self.fallback.get(spec)

    def resolve(self, spec: str) -> Oid | None:
        """Return the id that ``spec`` names. None if it does not exist."""
        try:
            found = self._get(spec)
        except _Unclear:
            return self.fallback.resolve(spec)
        return None if found is None else found.oid

    def several(self, _: Sequence[Oid]) -> list[Object]:
        """Return nothing: reading objects one by one is as fast here."""
        return []

    def close(self) -> None:
        """Close the repository and end the git process."""
        self.fallback.close()
        self._library.free()

    def _get(self, spec: str) -> Object | None:
        revision, colon, path = spec.partition(":")
        suffix = next((each for each in (_COMMIT, _PEELED) if revision.endswith(each)), "")
        oid = self._find_id(revision.removesuffix(suffix))
        if oid is None:
            return None
        found = self._read(oid)
        if (suffix and found.kind == "tag") or (suffix == _COMMIT and found.kind != "commit"):
            raise _Unclear
        return self._read_below(found, path) if colon else found

    def _find_id(self, name: str) -> Oid | None:
        if _OBJECT_ID.fullmatch(name):
            return Oid(name)
        if name != "HEAD" and not name.startswith("refs/"):
            raise _Unclear
        try:
            ref = self._library.lookup_reference(name)
        except KeyError:
            if _FULL_REF.fullmatch(name):
                return None
            raise _Unclear from None
        except _FAILURES:  # it exists, and is broken
            raise _Unclear from None
        try:
            return Oid(str(ref.resolve().target))
        except _FAILURES:
            raise _Unclear from None

    def _read(self, oid: Oid) -> Object:
        found = self._read_packed(oid)
        for loose in self._loose if found is None else ():
            if (read := loose.read(oid)) is not None:
                return Object(oid, *read)
        if found is None:  # packed by now, or in a new pack
            for packs in self._packs:
                packs.refresh()
            found = self._read_packed(oid)
        if found is None:
            raise _Unclear
        return found

    def _read_packed(self, oid: Oid) -> Object | None:
        for packs in self._packs:
            try:
                number, content = packs.read(oid)
            except _FAILURES:
                continue
            kind = _KINDS[number]
            if object_id("sha1", kind, content) == oid:
                return Object(oid, kind, content)
        return None

    def _read_below(self, found: Object, path: str) -> Object | None:
        steps = path.split("/")
        if found.kind != "commit" or not _SPECIAL_STEPS.isdisjoint(steps):
            raise _Unclear
        oid = Oid(found.content[5:45].decode("ascii", "replace"))
        for step in steps:
            tree = self._read(oid)
            if tree.kind != "tree":
                return None
            entry = parse_tree(tree.content, _WIDTH).get(step)
            if entry is None:
                return None
            oid = entry.oid
        return self._read(oid)


def open_objects(repo: Repository, behind: CatFile) -> Libgit2 | None:
    """Open the objects of a repository through libgit2.

    The path is explicit: neither a search nor the environment can lead elsewhere.

    Returns:
        None if libgit2 refuses the repository: SHA-256, reftable and other extensions that it does not know,
        a configuration that it cannot parse, or an owner that it does not trust.
    """
    flags = RepositoryOpenFlag.NO_SEARCH | RepositoryOpenFlag.NO_DOTGIT | RepositoryOpenFlag.BARE
    try:
        return Libgit2(pygit2.Repository(str(repo.git_dir), flags), repo, behind)
    except _FAILURES:
        return None


def _object_folders(repo: Repository) -> Iterator[Path]:
    """Yield the object directory and its alternates, as far as git prints them without quotes."""
    own = repo.common_dir / "objects"
    yield own
    if (own / "info/alternates").exists():
        rows = repo.git("count-objects", "-v").decode("utf-8", "surrogateescape").splitlines()
        yield from (Path(row[11:]) for row in rows if row.startswith("alternate: /"))
