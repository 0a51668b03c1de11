"""The object store made of git plumbing: for every repository that git can open, without a library.

Reads go through one ``cat-file`` that stays; blobs and trees are written as
loose objects here; commits are made by git, which knows identity and signing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import TracebackType

from gitscalpel.errors import Damaged, Misconfigured
from gitscalpel.git import trees
from gitscalpel.git.catfile import CatFile
from gitscalpel.git.loose import LooseObjects
from gitscalpel.git.repository import Repository, unknown_identity
from gitscalpel.git.run import failure
from gitscalpel.git.store import Commit, parse_commit
from gitscalpel.git.trees import Delta
from gitscalpel.snapshot import Change, Entry, Oid

_IDENTITY_UNKNOWN = ("tell me who you are", "ident name", "no email was given", "no name was given")


class PlumbingStore:
    """A :class:`gitscalpel.git.store.Store`."""

    def __init__(self, repo: Repository) -> None:
        self._repo = repo
        self._objects = CatFile(repo.git)
        self._loose = LooseObjects(repo.common_dir / "objects", repo.object_format)
        self._hash_size = 32 if repo.object_format == "sha256" else 20
        self._trees: dict[Oid, dict[str, Entry]] = {}

    def __enter__(self) -> PlumbingStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def read(self, oid: Oid) -> bytes:
        """See :meth:`gitscalpel.git.store.Store.read`."""
        found = self._objects.get(oid)
        if found is None or found.kind != "blob":
            raise KeyError(oid)
        return found.content

    def tree(self, oid: Oid) -> dict[str, Entry]:
        """See :meth:`gitscalpel.git.store.Store.tree`."""
        level = self._trees.get(oid)
        if level is None:
            found = self._objects.get(oid)
            if found is None or found.kind != "tree":
                if oid != self._loose.name("tree", b""):
                    raise Damaged("corrupt", f"tree {oid} is missing", "run `git fsck --full`")
                return {}  # git knows the empty tree even where it is not stored
            level = self._trees[oid] = trees.parse(found.content, self._hash_size)
        return level

    def commit(self, revision: str) -> Commit:
        """See :meth:`gitscalpel.git.store.Store.commit`."""
        found = self._objects.get(f"{revision}^{{commit}}")
        if found is None:
            raise KeyError(revision)
        return parse_commit(found.oid, found.content)

    def resolve(self, revision: str) -> Oid | None:
        """See :meth:`gitscalpel.git.store.Store.resolve`."""
        return self._objects.resolve(revision)

    def blob_id(self, content: bytes) -> Oid:
        """See :meth:`gitscalpel.git.store.Store.blob_id`."""
        return self._loose.name("blob", content)

    def write_blob(self, content: bytes) -> Oid:
        """See :meth:`gitscalpel.git.store.Store.write_blob`."""
        oid = self._loose.add("blob", content)
        self._loose.publish()
        return oid

    def write_tree(self, base: Oid | None, changes: Iterable[Change]) -> Oid:
        """See :meth:`gitscalpel.git.store.Store.write_tree`."""
        edits = [(change.path, self._entry(change)) for change in changes]
        oid = trees.edit(base, edits, self.tree, self._add_tree)
        self._loose.publish()
        return oid

    def write_commit(
        self,
        tree: Oid,
        parents: Sequence[Oid],
        message: str,
        *,
        author: str | None = None,
        sign: bool | None = None,
    ) -> Oid:
        """See :meth:`gitscalpel.git.store.Store.write_commit`."""
        signing = self._repo.flag("commit.gpgSign") if sign is None else sign
        result = self._repo.git.run(
            *("commit-tree", tree, *(part for parent in parents for part in ("-p", parent))),
            *("-S" if signing else "--no-gpg-sign", "-F", "-"),
            stdin=(message.rstrip("\n") + "\n").encode("utf-8", "surrogateescape"),
            env={} if author is None else _author(author),
        )
        if not result.status:
            return Oid(result.out.decode("ascii").strip())
        if any(words in result.err for words in _IDENTITY_UNKNOWN):
            raise unknown_identity(result.err)
        if signing and "sign" in result.err:
            raise Misconfigured(
                "config_error",
                f"git could not sign the commit: {result.err}",
                "check user.signingKey and gpg.program, or unset commit.gpgSign",
            )
        raise failure("commit-tree", result.status, result.err)

    def write_raw_commit(self, content: bytes) -> Oid:
        """See :meth:`gitscalpel.git.store.Store.write_raw_commit`."""
        oid = self._loose.add("commit", content)
        self._loose.publish()
        return oid

    def difference(self, old: Oid | None, new: Oid | None) -> list[Delta]:
        """See :meth:`gitscalpel.git.store.Store.difference`."""
        return trees.difference(old, new, self.tree)

    def sync(self) -> None:
        """See :meth:`gitscalpel.git.store.Store.sync`."""
        self._loose.sync()

    def close(self) -> None:
        """See :meth:`gitscalpel.git.store.Store.close`."""
        self._objects.close()

    def _entry(self, change: Change) -> Entry | None:
        if change.content is None:
            return None
        if isinstance(change.content, bytes):
            return Entry(change.mode, self._loose.add("blob", change.content))
        return Entry(change.mode, change.content)

    def _add_tree(self, content: bytes) -> Oid:
        oid = self._loose.add("tree", content)
        self._trees.setdefault(oid, trees.parse(content, self._hash_size))
        return oid


def _author(author: str) -> dict[str, str]:
    name, _, rest = author.partition(" <")
    mail, _, date = rest.partition("> ")
    return {
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": mail,
        **({"GIT_AUTHOR_DATE": "@" + date} if date else {}),
    }
