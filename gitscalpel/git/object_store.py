"""Object store: read objects through git or libgit2, and delay writes until other processes need them.

The reader is one ``git cat-file`` for a short call, with libgit2 in front of it in long-lived processes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Protocol

from gitscalpel.changesets.file_tree import Change, Entry, Oid
from gitscalpel.errors import Damaged, InputOutput
from gitscalpel.git import commits, hooks
from gitscalpel.git.commits import Commit, CommitComposer, FixedSettings, LiveSettings
from gitscalpel.git.object_writer import PendingObjects
from gitscalpel.git.objects import CatFile, LevelCache, Object, diff_trees, edit_tree, parse_tree
from gitscalpel.git.repository import Repository
from gitscalpel.system import trust


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
    """Reads and writes objects. Every git started through ``repo`` sees what was written. Not thread-safe."""

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

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, oid: Oid) -> bytes:
        """Return a blob's bytes. Raises ``KeyError`` if it does not exist."""
        expected = self._expected_blobs.pop(oid, None)
        if expected is not None:
            return expected
        object_ = self._get(oid)
        if object_ is None or object_.kind != "blob":
            raise MissingObject(oid)
        return object_.content

    def tree(self, oid: Oid) -> dict[str, Entry]:
        """Return the entries of one tree object, in its order. Raises ``Damaged`` if it is missing."""
        level = self._levels.get(oid)
        if level is None:
            object_ = self._get(oid)
            if object_ is None or object_.kind != "tree":
                if oid != self._written.name("tree", b""):
                    raise MissingObject(oid)
                return {}  # git knows the empty tree even if it is not stored
            level = parse_tree(object_.content, self._hash_size)
            self._levels.put(oid, level)
        return level

    def expect(self, blobs: Sequence[Oid] = (), trees: Sequence[Oid] = ()) -> None:
        """Read in one batch what will be needed next. Unreadable objects raise only when they are used.

        Blobs are kept until each is read or the next batch is announced, trees as long as others.
        """
        self._expected_blobs = {}
        for object_ in self._try_read_several([each for each in trees if self._levels.get(each) is None]):
            if object_.kind == "tree":
                self._levels.put(object_.oid, parse_tree(object_.content, self._hash_size))
        self._expected_blobs = {
            object_.oid: object_.content
            for object_ in self._try_read_several(blobs)
            if object_.kind == "blob"
        }

    def _try_read_several(self, oids: Sequence[Oid]) -> list[Object]:
        try:
            return self.objects.several([*dict.fromkeys(oids)])
        except (Damaged, InputOutput):
            return []

    def commit(self, revision: str) -> Commit:
        """Return the commit that a revision names. Raises ``KeyError`` if it does not exist."""
        object_ = self._get(f"{revision}^{{commit}}")
        if object_ is None:
            raise MissingObject(revision)
        return commits.parse_commit(object_.oid, object_.content)

    def tree_of(self, commit: Oid | None) -> Oid | None:
        """Return the tree of a commit. None for no commit, as before the first one."""
        return None if commit is None else self.commit(commit).tree

    def file(self, commit: Oid, path: str) -> bytes | None:
        """Return the bytes of a file of a commit. None if it does not exist."""
        object_ = self._get(f"{commit}:{path}")
        return object_.content if object_ is not None and object_.kind == "blob" else None

    def resolve(self, revision: str) -> Oid | None:
        return Oid(revision) if self._written.get(revision) else self.objects.resolve(revision)

    def blob_id(self, content: bytes) -> Oid:
        return self._written.name("blob", content)

    def holds(self, oid: Oid) -> bool:
        return bool(self._written.get(oid)) or self.objects.resolve(f"{oid}^{{}}") is not None

    def write_blob(self, content: bytes) -> Oid:
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
        self.objects.close()

    def _get(self, spec: str) -> Object | None:
        oid = spec.removesuffix("^{commit}")
        pending = self._written.get(oid)
        if pending is not None and (oid == spec or pending[0] == "commit"):
            return Object(Oid(oid), *pending)
        if self._written.get(spec.partition(":")[0]):
            self.show()  # git resolves the path
        return self.objects.get(spec)

    def _can_commit(self, tree: Oid, parents: Sequence[Oid]) -> bool:
        """Return True if tree and parents exist. If not, git reports what is wrong."""
        wanted = [(tree, "tree"), *((parent, "commit") for parent in parents)]
        try:
            objects = [self._get(oid) for oid, _ in wanted]
        except Damaged:
            return False
        return [each and (each.oid, each.kind) for each in objects] == wanted

    def add_tree(self, content: bytes) -> Oid:
        oid = self._written.add("tree", content)
        self._levels.put(oid, parse_tree(content, self._hash_size))
        return oid


# True if the process has imported libgit2 already, as the server has for its children.
is_libgit2_loaded = False


def open_store(repo: Repository, long_lived: bool = False) -> Store:
    """Open the object store of ``repo``.

    In a long-lived process, importing libgit2 pays off if it is installed and can open the repository, and
    commit settings are read once.
    """
    written = PendingObjects(repo.objects, repo.object_format)
    repo = repo.with_callback(written.starting)
    settings = LiveSettings(repo) if long_lived else FixedSettings(repo)
    git = CatFile(repo.git)
    objects: Objects = git
    if long_lived or is_libgit2_loaded:
        with suppress(ImportError):  # pygit2 is not installed
            from gitscalpel.git.libgit2 import open_objects

            objects = open_objects(repo, git) or git
    return Store(repo, objects, written, CommitComposer(settings))
