"""Discovery finds the repository from a directory, from git's variables and within a hook."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitscalpel.errors import BadCall, Misconfigured
from gitscalpel.git.repository import discover
from tests.sandbox import Sandbox


def test_repository_is_found_from_a_subdirectory(repo: Sandbox) -> None:
    found = discover(repo.root / "sub", os.environ)
    assert (found.work_tree, found.git_dir, found.prefix) == (repo.root, repo.root / ".git", "sub/")
    assert (found.head, found.object_format, found.branch()) == ("refs/heads/main", "sha1", "refs/heads/main")


def test_detached_head_has_no_branch(repo: Sandbox) -> None:
    repo.git("switch", "-q", "--detach")
    found = discover(repo.root, os.environ)
    assert found.head is None
    with pytest.raises(BadCall, match="no branch is checked out"):
        found.branch()
    assert found.branch("main") == "refs/heads/main"


@pytest.mark.parametrize("name", ["HEAD", "refs/heads/HEAD", "HEAD~1", "-x y"])
def test_invalid_branch_name_is_refused(repo: Sandbox, name: str) -> None:
    with pytest.raises(BadCall, match="is not a valid branch name"):
        discover(repo.root, os.environ).branch(name)


def test_unborn_branch_has_no_commit(tmp_path: Path) -> None:
    repo = Sandbox.init(tmp_path / "new")
    found = discover(repo.root, os.environ)
    assert found.head == "refs/heads/main"
    assert found.resolve("refs/heads/main") is None


def test_bare_repository_has_no_working_tree(repo: Sandbox, tmp_path: Path) -> None:
    repo.git("clone", "-q", "--bare", str(repo.root), str(tmp_path / "bare"))
    found = discover(tmp_path / "bare", os.environ)
    assert (found.work_tree, found.git_dir) == (None, tmp_path / "bare")
    with pytest.raises(BadCall, match="bare"):
        found.branch()


def test_linked_worktree_has_its_own_git_directory(repo: Sandbox, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    found = discover(tmp_path / "side", os.environ)
    assert (found.common_dir, found.work_tree) == (repo.root / ".git", tmp_path / "side")
    assert (found.git_dir, found.head) == (repo.root / ".git/worktrees/side", "refs/heads/side")


@pytest.mark.parametrize("directory", ["..", ".git"])
def test_directory_outside_a_working_tree_is_refused(repo: Sandbox, directory: str) -> None:
    with pytest.raises(Misconfigured) as refused:
        discover(repo.root / directory, os.environ)
    assert refused.value.code == "not_a_repository"


def test_git_variables_apply_only_without_a_directory(
    repo: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As set by `git --git-dir=… --work-tree=… scalpel`."""
    other = Sandbox.init(tmp_path / "other")
    monkeypatch.chdir(other.root)
    monkeypatch.setenv("GIT_DIR", str(repo.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(repo.root))
    assert discover(None, os.environ).git_dir == repo.root / ".git"
    assert discover(other.root, os.environ).git_dir == other.root / ".git"


def test_configuration_is_read_with_canonical_keys(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.git("config", "Scalpel.Agent.Some-Name", "x")
    repo.git("config", "--add", "core.autocrlf", "false")
    repo.git("config", "--add", "core.autocrlf", "input")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "scalpel.given")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "on the command line")
    found = discover(repo.root, os.environ)
    assert found.config["scalpel.Agent.some-name"] == "x"
    assert found.config["core.autocrlf"] == "input"
    assert found.config["scalpel.given"] == "on the command line"
    assert found.flag("core.fileMode")
    assert not found.flag("core.bare", default=True)


def test_reading_runs_no_configured_program(repo: Sandbox) -> None:
    trap = repo.root / "trap"
    trap.write_text("#!/bin/sh\ntouch sprung\n")
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "core.editor", "diff.external", "core.sshCommand"):
        repo.git("config", key, str(trap))
    with repo.opened() as (found, store):
        store.commit("HEAD")
        found.git("ls-files", "-z")
        found.git("diff-index", "--cached", "HEAD")
    assert not (repo.root / "sprung").exists()
