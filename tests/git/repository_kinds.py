"""Repositories of every kind, and the two stores that read them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gitscalpel.changesets.file_tree import SUBMODULE, TREE, Oid
from gitscalpel.errors import ScalpelError
from gitscalpel.git.libgit2 import Libgit2
from gitscalpel.git.object_store import Store, open_store
from gitscalpel.git.objects import CatFile
from gitscalpel.git.repository import discover
from tests.sandbox import Sandbox


def keep_plain(repo: Sandbox) -> Sandbox:
    return repo


def pack_repository(repo: Sandbox) -> Sandbox:
    repo.git("repack", "-adq")
    repo.git("pack-refs", "--all")
    return repo


def add_linked_worktree(repo: Sandbox) -> Sandbox:
    repo.git("worktree", "add", "-q", "-b", "side", "../linked")
    linked = Sandbox(repo.root.parent / "linked")
    linked.commit({"a.py": b"side\n"})
    linked.git("update-ref", "refs/worktree/mine", "HEAD")
    repo.git("update-ref", "refs/worktree/theirs", "HEAD")
    return linked


def enable_worktree_config(repo: Sandbox) -> Sandbox:
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.worktreeConfig", "true")
    return repo


def clone_with(*options: str) -> Callable[[Sandbox], Sandbox]:
    def make_clone(repo: Sandbox) -> Sandbox:
        repo.git("config", "uploadpack.allowFilter", "true")
        repo.git("clone", "-q", *options, f"file://{repo.root}", "../clone")
        return Sandbox(repo.root.parent / "clone")

    return make_clone


def clone_with_alternates(repo: Sandbox) -> Sandbox:
    """Return a clone of a clone, each with only the objects that were written in it."""
    repo.git("clone", "-q", "--shared", str(repo.root), "../between")
    between = Sandbox(repo.root.parent / "between")
    between.commit({"between.py": b"between\n"})
    between.git("clone", "-q", "--shared", str(between.root), "../borrowing")
    return Sandbox(repo.root.parent / "borrowing")


def make_old_partial_clone(repo: Sandbox) -> Sandbox:
    cloned = clone_with("--filter=blob:none", "--no-checkout")(repo)
    cloned.git("config", "extensions.partialClone", "origin")
    return cloned


def make_sha256(repo: Sandbox) -> Sandbox:
    other = Sandbox.init(repo.root.parent / "sha256", "--object-format=sha256")
    other.commit({"a.py": b"one\n"})
    other.commit({"a.py": b"two\n", "sub/b.py": b"b\n"})
    return other


def make_reftable(repo: Sandbox) -> Sandbox:
    if "--ref-format" not in repo.git("init", "--git-completion-helper"):
        pytest.skip("this git has no reftable: it refuses such a repository, as libgit2 does")
    other = Sandbox.init(repo.root.parent / "reftable", "--ref-format=reftable")
    other.commit({"a.py": b"one\n"})
    other.commit({"a.py": b"two\n"})
    return other


KINDS: dict[str, tuple[Callable[[Sandbox], Sandbox], type]] = {
    "plain": (keep_plain, Libgit2),
    "packed": (pack_repository, Libgit2),
    "linked worktree": (add_linked_worktree, Libgit2),
    "worktree configuration": (enable_worktree_config, Libgit2),
    "bare": (clone_with("--bare"), Libgit2),
    "alternates": (clone_with_alternates, Libgit2),
    "shallow": (clone_with("--depth=1"), Libgit2),
    "partial": (clone_with("--filter=blob:none", "--no-checkout"), Libgit2),
    "partial, with the extension": (make_old_partial_clone, CatFile),
    "sha256": (make_sha256, CatFile),
    "reftable": (make_reftable, CatFile),
}
"""Function that makes each repository, and the reader that a long-lived process uses for it."""


def open_stores(repo: Sandbox) -> Iterator[Store]:
    """Yield the store that reads through git, then the store of a long-lived process."""
    found = discover(repo.root, os.environ)
    for store in (open_store(found), open_store(found, long_lived=True)):
        with store:
            yield store
            store.show()


def reader_type(store: Store) -> type:
    return type(store.objects)


def result_or_error(call: Callable[..., Any], *args: Any) -> Any:
    """Return the result of a call, or its error as a tuple."""
    try:
        return call(*args)
    except KeyError as error:
        return "KeyError", error.args
    except ScalpelError as error:
        return type(error).__name__, error.code


def iter_files(store: Store, tree: Oid, prefix: str = "") -> Iterator[tuple[str, str, bytes]]:
    """Yield every file below ``tree``."""
    for name, entry in store.tree(tree).items():
        if entry.mode == TREE:
            yield from iter_files(store, entry.oid, f"{prefix}{name}/")
        elif entry.mode != SUBMODULE:
            yield prefix + name, entry.mode, store.read(entry.oid)
