"""An open store sees what others write at once and never reads another repository."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from gitscalpel.git.libgit2 import Libgit2
from gitscalpel.git.object_store import Store, open_store
from gitscalpel.git.objects import CatFile
from gitscalpel.git.process import Git
from gitscalpel.git.repository import discover
from tests.git.repository_kinds import (
    add_linked_worktree,
    clone_with_alternates,
    iter_files,
    open_stores,
    pack_repository,
    reader_type,
)
from tests.git.tree_writer import write_tree
from tests.sandbox import Sandbox


def _is_git_unused(store: Store) -> bool:
    """Return True if no git process was started."""
    assert isinstance(store.objects, Libgit2)
    return store.objects.fallback.process is None


@pytest.mark.parametrize("long_lived", [False, True])
def test_changes_by_other_processes_are_seen_at_once(repo: Sandbox, long_lived: bool) -> None:
    with open_store(discover(repo.root, os.environ), long_lived) as store:
        first = store.commit("refs/heads/main")
        for turn in range(3):
            tip = repo.commit({"a.py": b"turn %d\n" % turn})
            assert store.resolve("refs/heads/main") == store.resolve("HEAD") == tip
            repo.git("pack-refs", "--all")
            assert store.resolve("refs/heads/main") == tip
            repo.git("repack", "-adq")
            repo.git("prune-packed", "-q")
            commit = store.commit("refs/heads/main")
            assert store.read(store.tree(commit.tree)["a.py"].oid) == b"turn %d\n" % turn
            assert store.commit(first.oid) == first
        assert not long_lived or _is_git_unused(store), "git was asked for what can be found here"
        repo.git("update-ref", "-d", "refs/heads/main")
        assert store.resolve("refs/heads/main") is None


def test_two_stores_can_move_one_branch_in_turn(repo: Sandbox) -> None:
    opened = discover(repo.root, os.environ)
    with open_store(opened, long_lived=True) as one, open_store(opened, long_lived=True) as other:
        for turn in range(6):
            store = (one, other)[turn % 2]
            tip = store.commit("refs/heads/main")
            tree = write_tree(store, tip.tree, {f"f{turn}": b"x"})
            new = store.write_commit(tree, [tip.oid], f"turn {turn}")
            store.show()
            repo.git("update-ref", "refs/heads/main", new, tip.oid)
        assert len(one.tree(other.commit("HEAD").tree)) == 2 + 6
    assert repo.git("rev-list", "--count", "main") == "7"


def test_git_variables_do_not_redirect_an_open_store(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Sandbox.init(repo.root.parent / "other")
    other.commit({"a.py": b"other\n"})
    tip = repo.tip()
    for name, folder in (("GIT_DIR", ""), ("GIT_COMMON_DIR", ""), ("GIT_OBJECT_DIRECTORY", "objects")):
        monkeypatch.setenv(name, str(other.root / ".git" / folder))
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", str(other.root / ".git/objects"))
    monkeypatch.setenv("GIT_NAMESPACE", "space")
    for store in open_stores(repo):
        assert store.resolve("refs/heads/main") == tip
        blob = store.write_blob(b"here")
        store.show()
        assert (repo.root / ".git/objects" / blob[:2] / blob[2:]).exists()
        assert store.resolve(store.blob_id(b"other\n")) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_owner_in_safe_directory_is_accepted(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in (repo.root, *repo.root.rglob("*")):
        os.chown(file, 12345, 12345)
    config = repo.root.parent / "config"
    config.write_text(f"[safe]\n\tdirectory = {repo.root}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    found = [(store.commit("HEAD").message, reader_type(store)) for store in open_stores(repo)]
    assert found == [("a commit\n", kind) for kind in (CatFile, CatFile)]


def test_store_reads_through_git_without_pygit2(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "gitscalpel.git.libgit2")
    monkeypatch.delattr("gitscalpel.git.libgit2")
    monkeypatch.setitem(sys.modules, "pygit2", None)
    with open_store(discover(repo.root, os.environ), long_lived=True) as store:
        assert reader_type(store) is CatFile
        assert store.commit("HEAD").message == "a commit\n"


@pytest.mark.parametrize("make", [pack_repository, clone_with_alternates, add_linked_worktree])
def test_existing_objects_are_read_without_git(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch, make: Callable[[Sandbox], Sandbox]
) -> None:
    with open_store(discover(make(pack_repository(repo)).root, os.environ), long_lived=True) as store:
        store.write_commit(store.commit("HEAD").tree, [], "asks who the user is")
        assert reader_type(store) is Libgit2
        assert _is_git_unused(store)
        monkeypatch.setattr(Git, "start", None)
        head = store.commit("HEAD")
        tree = write_tree(store, head.tree, {"sub/new": b"new"})
        commit = store.write_commit(tree, [head.oid], "x")
        assert store.commit(commit).parents == (head.oid,)
        assert {path: content for path, _, content in iter_files(store, tree)}["sub/new"] == b"new"
        assert store.difference(head.tree, tree)[0].path == "sub/new"


def test_command_line_does_not_import_pygit2(repo: Sandbox) -> None:
    code = (
        "import sys, gitscalpel.cli.command_line\n"
        "from gitscalpel.workspace.workspace import Session\n"
        "from gitscalpel.workspace.workspace import Workspace\n"
        "with Workspace(Session()) as ws: ws.target()\n"
        "print('pygit2' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=repo.root, capture_output=True, check=True)
    assert result.stdout == b"False\n"
