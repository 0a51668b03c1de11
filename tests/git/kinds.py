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


def plain(repo: Sandbox) -> Sandbox:
    return repo


def packed(repo: Sandbox) -> Sandbox:
    repo.git("repack", "-adq")
    repo.git("pack-refs", "--all")
    return repo


def linked_worktree(repo: Sandbox) -> Sandbox:
    repo.git("worktree", "add", "-q", "-b", "side", "../linked")
    linked = Sandbox(repo.root.parent / "linked")
    linked.commit({"a.py": b"side\n"})
    linked.git("update-ref", "refs/worktree/mine", "HEAD")
    repo.git("update-ref", "refs/worktree/theirs", "HEAD")
    return linked


def worktree_config(repo: Sandbox) -> Sandbox:
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.worktreeConfig", "true")
    return repo


def clone(*options: str) -> Callable[[Sandbox], Sandbox]:
    def cloned(repo: Sandbox) -> Sandbox:
        repo.git("config", "uploadpack.allowFilter", "true")
        repo.git("clone", "-q", *options, f"file://{repo.root}", "../clone")
        return Sandbox(repo.root.parent / "clone")

    return cloned


def borrowing(repo: Sandbox) -> Sandbox:
    """A clone of a clone, each with no objects of its own but what was written there."""
    repo.git("clone", "-q", "--shared", str(repo.root), "../between")
    between = Sandbox(repo.root.parent / "between")
    between.commit({"between.py": b"between\n"})
    between.git("clone", "-q", "--shared", str(between.root), "../borrowing")
    return Sandbox(repo.root.parent / "borrowing")


def old_partial_clone(repo: Sandbox) -> Sandbox:
    cloned = clone("--filter=blob:none", "--no-checkout")(repo)
    cloned.git("config", "extensions.partialClone", "origin")
    return cloned


def sha256(repo: Sandbox) -> Sandbox:
    other = Sandbox.init(repo.root.parent / "sha256", "--object-format=sha256")
    other.commit({"a.py": b"one\n"})
    other.commit({"a.py": b"two\n", "sub/b.py": b"b\n"})
    return other


def reftable(repo: Sandbox) -> Sandbox:
    if "--ref-format" not in repo.git("init", "--git-completion-helper"):
        pytest.skip("this git has no reftable: it refuses such a repository, as libgit2 does")
    other = Sandbox.init(repo.root.parent / "reftable", "--ref-format=reftable")
    other.commit({"a.py": b"one\n"})
    other.commit({"a.py": b"two\n"})
    return other


KINDS: dict[str, tuple[Callable[[Sandbox], Sandbox], type]] = {
    "plain": (plain, Libgit2),
    "packed": (packed, Libgit2),
    "linked worktree": (linked_worktree, Libgit2),
    "worktree configuration": (worktree_config, Libgit2),
    "bare": (clone("--bare"), Libgit2),
    "alternates": (borrowing, Libgit2),
    "shallow": (clone("--depth=1"), Libgit2),
    "partial": (clone("--filter=blob:none", "--no-checkout"), Libgit2),
    "partial, with the extension": (old_partial_clone, CatFile),
    "sha256": (sha256, CatFile),
    "reftable": (reftable, CatFile),
}
"""How to make one, and what reads it in a process that stays."""


def each(repo: Sandbox) -> Iterator[Store]:
    """The store that git reads for, and that of a process that stays."""
    found = discover(repo.root, os.environ)
    for store in (open_store(found), open_store(found, long_lived=True)):
        with store:
            yield store
            store.show()


def reader(store: Store) -> type:
    """What reads for a store."""
    return type(store.objects)


def answer(ask: Callable[..., Any], *args: Any) -> Any:
    """What a call returns, or how it fails."""
    try:
        return ask(*args)
    except KeyError as error:
        return "KeyError", error.args
    except ScalpelError as error:
        return type(error).__name__, error.code


def whole(store: Store, tree: Oid, at: str = "") -> Iterator[tuple[str, str, bytes]]:
    """Every file below ``tree``."""
    for name, entry in store.tree(tree).items():
        if entry.mode == TREE:
            yield from whole(store, entry.oid, f"{at}{name}/")
        elif entry.mode != SUBMODULE:
            yield at + name, entry.mode, store.read(entry.oid)
