"""The object store: reads through git or libgit2, keeps what is written until it has to be seen.

The reader is an :class:`Objects`: one ``git cat-file`` for a call, or libgit2 in front of it in processes
that stay. Only :func:`open_store` knows that there are two. All other code is common to them, so they
cannot differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from gitscalpel.changesets.file_tree import Change, Entry, Oid
from gitscalpel.errors import Damaged, InputOutput
from gitscalpel.git import commits, hooks
from gitscalpel.git.commits import Commit, CommitComposer, FixedSettings, LiveSettings
from gitscalpel.git.object_writer import PendingObjects
from gitscalpel.git.repository import Repository
from gitscalpel.system import trust

if TYPE_CHECKING:
    pass


from gitscalpel.git.objects import CatFile, LevelCache, Object, diff_trees, edit_tree, parse_tree


class Missing(Damaged, KeyError):
    """An object that is not there: a ``KeyError`` for who asks whether it is, damage for who needs it."""

    def __init__(self, name: str) -> None:
        super().__init__(
            "corrupt",
            f"object {name} is missing",
            "`git fsck --full` names all that are; fetch them again, or copy them from another clone",
        )

    __str__ = Exception.__str__  # of a KeyError it would be quoted


class Objects(Protocol):
    """What reads objects. What anybody wrote, and refs that anybody moved, are seen at once."""

    def get(self, spec: str) -> Object | None:
        """The object that ``spec`` (an id or any revision) names, or None. Raises ``Damaged``."""

    def resolve(self, spec: str) -> Oid | None:
        """The id that ``spec`` names, or None."""

    def several(self, oids: Sequence[Oid]) -> list[Object]:
        """Those of several objects that are there and sound, where asking at once is faster; else none."""

    def close(self) -> None:
        """Let go of processes and files."""


class Store:
    """Where objects come from and go to. What is written is seen by every git that is started by ``repo``.

    One thread at a time.

    Attributes:
        repo: the repository, with gits that see what is written here.
        objects: the reader that is asked, pending objects aside.
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
        self._ahead: dict[Oid, bytes] = {}

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def read(self, oid: Oid) -> bytes:
        """A blob's bytes. Raises ``KeyError`` if there is no such blob."""
        ahead = self._ahead.pop(oid, None)
        if ahead is not None:
            return ahead
        found = self._get(oid)
        if found is None or found.kind != "blob":
            raise Missing(oid)
        return found.content

    def tree(self, oid: Oid) -> dict[str, Entry]:
        """One level of a tree, in its order. Raises ``Damaged`` if it is missing."""
        level = self._levels.get(oid)
        if level is None:
            found = self._get(oid)
            if found is None or found.kind != "tree":
                if oid != self._written.name("tree", b""):
                    raise Missing(oid)
                return {}  # git knows the empty tree even where it is not stored
            level = parse_tree(found.content, self._hash_size)
            self._levels.put(oid, level)
        return level

    def expect(self, blobs: Sequence[Oid] = (), trees: Sequence[Oid] = ()) -> None:
        """Read what will be asked for next, together; what cannot be read so is told who asks for it.

        Args:
            blobs: are kept until each is read, or others are expected.
            trees: are kept as all that were read.
        """
        self._ahead = {}
        for found in self._several([each for each in trees if self._levels.get(each) is None]):
            if found.kind == "tree":
                self._levels.put(found.oid, parse_tree(found.content, self._hash_size))
        self._ahead = {found.oid: found.content for found in self._several(blobs) if found.kind == "blob"}

    def _several(self, oids: Sequence[Oid]) -> list[Object]:
        try:
            return self.objects.several([*dict.fromkeys(oids)])
        except (Damaged, InputOutput):
            return []

    def commit(self, revision: str) -> Commit:
        """The commit that a revision names. Raises ``KeyError`` if there is none."""
        found = self._get(f"{revision}^{{commit}}")
        if found is None:
            raise Missing(revision)
        return commits.parse(found.oid, found.content)

    def tree_of(self, commit: Oid | None) -> Oid | None:
        """The tree of a commit; None: of no commit, as before the first one."""
        return None if commit is None else self.commit(commit).tree

    def file(self, commit: Oid, path: str) -> bytes | None:
        """The bytes of a file of a commit; None: it has none there."""
        found = self._get(f"{commit}:{path}")
        return found.content if found is not None and found.kind == "blob" else None

    def resolve(self, revision: str) -> Oid | None:
        """The id of what a ref or revision names now, or None. Name refs in full."""
        return Oid(revision) if self._written.get(revision) else self.objects.resolve(revision)

    def blob_id(self, content: bytes) -> Oid:
        """The id that ``content`` has as a blob; nothing is written."""
        return self._written.name("blob", content)

    def holds(self, oid: Oid) -> bool:
        """Whether an object of this id is there."""
        return bool(self._written.get(oid)) or self.objects.resolve(f"{oid}^{{}}") is not None

    def write_blob(self, content: bytes) -> Oid:
        """Write a blob."""
        return self._written.add("blob", content)

    def write_tree(
        self, base: Oid | None, edits: Iterable[tuple[str, Entry | None]], fresh: Iterable[bytes] = ()
    ) -> Oid:
        """The tree ``base`` (None: empty) with other entries at some paths.

        Args:
            base: what it starts from.
            edits: paths, and what is to stand there; see :func:`gitscalpel.git.object_store.edit`.
            fresh: blobs in it that are not stored yet.
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
        """Write a commit.

        Args:
            tree: its tree.
            parents: its parents.
            message: taken as it is, but ends in one line ending.
            author: as in :attr:`Commit.author`; None: the user, now.
            sign: None: as ``commit.gpgSign`` says.

        Raises:
            Misconfigured: ``identity_unknown``, or ``config_error`` if signing failed.
            NotAllowed: ``untrusted``: it would be signed by a program that the repository names.
        """
        text = (message.rstrip("\n") + "\n").encode("utf-8", "surrogateescape")
        if sign is None:
            sign = self._composer.signs()
        signers = hooks.select_signers(self.repo.untrusted) if sign else []
        if signers:
            raise trust.refusal(signers)
        if not sign:
            content = self._composer.commit(tree, parents, text, author)
            if content is not None and self._fit(tree, parents):
                return self.write_raw_commit(content)
        return commits.write_by_git(self.repo, tree, parents, text, author=author, sign=sign)

    def write_raw_commit(self, content: bytes) -> Oid:
        """Write a commit object given as bytes, for commits that are records and not anybody's work."""
        return self._written.add("commit", content)

    def difference(self, old: Oid | None, new: Oid | None) -> list[Change]:
        """The files in which two trees differ; renames are a removal and an addition."""
        return diff_trees(old, new, self.tree)

    def lasting(self) -> AbstractContextManager[None]:
        """What was written is durable, and stays while the block names it: no ref before what it names."""
        return self._written.lasting()

    def show(self) -> None:
        """Let other processes see what was written; those that this one starts see it without."""
        self._written.show()

    def close(self) -> None:
        """Let go of processes and files."""
        self.objects.close()

    def _get(self, spec: str) -> Object | None:
        oid = spec.removesuffix("^{commit}")
        found = self._written.get(oid)
        if found is not None and (oid == spec or found[0] == "commit"):
            return Object(Oid(oid), *found)
        if self._written.get(spec.partition(":")[0]):
            self.show()  # it takes git to follow the path
        return self.objects.get(spec)

    def _fit(self, tree: Oid, parents: Sequence[Oid]) -> bool:
        """Whether a commit of them would be sound; if not, it is git that says what is wrong."""
        wanted = [(tree, "tree"), *((parent, "commit") for parent in parents)]
        try:
            found = [self._get(oid) for oid, _ in wanted]
        except Damaged:
            return False
        return [each and (each.oid, each.kind) for each in found] == wanted

    def add_tree(self, content: bytes) -> Oid:
        """Add a tree in git's own form, and return its id."""
        oid = self._written.add("tree", content)
        self._levels.put(oid, parse_tree(content, self._hash_size))
        return oid


is_libgit2_loaded = False
"""It is imported already, and read with by whoever opens a store: so for all children of a server."""


def open_store(repo: Repository, long_lived: bool = False) -> Store:
    """Open the object store of ``repo``.

    Args:
        repo: the repository.
        long_lived: this process stays, so libgit2 is worth its import (where it is
            installed and can open the repository), and so is asking once who commits.
    """
    written = PendingObjects(repo.objects, repo.object_format)
    repo = repo.telling(written.starting)
    settings = LiveSettings(repo) if long_lived else FixedSettings(repo)
    git = CatFile(repo.git)
    objects: Objects = git
    if long_lived or is_libgit2_loaded:
        with suppress(ImportError):  # pygit2 is not installed
            from gitscalpel.git import libgit2

            objects = libgit2.open_objects(repo, git) or git
    return Store(repo, objects, written, CommitComposer(settings))
