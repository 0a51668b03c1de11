"""Discovery without git finds the repository that git finds, with the same configuration."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from gitscalpel.errors import ScalpelError
from gitscalpel.git import repository
from gitscalpel.workspace.workspace import environment
from tests.sandbox import Sandbox

FILES = {"a.txt": b"a\n", "sub/deep/b.txt": b"b\n"}
SEALED_VARIABLES = {"GIT_CONFIG_NOSYSTEM": "1"}


def _is_found_without_git(folder: Path, **variables: str) -> bool:
    """Compare discovery with and without git, and return True if it works without git."""
    env = {**environment(), **variables}
    found = repository.find_repository(folder, env)
    if found is None:
        return False
    by_git = repository.discover_with_git(folder, env)
    own = repository.open_usual(found, env)
    assert {**own.config} == {**by_git.config}
    assert msgspec.structs.replace(own, config={}) == msgspec.structs.replace(by_git, config={})
    return True


def _is_worktree_opened_without_git(repo: Sandbox, root: Path) -> bool:
    """Compare both ways to open a linked worktree from its repository."""
    own = repository.open_linked(repository.discover(repo.root, environment()), root)
    by_git = repository.discover_with_git(root, environment())
    if own is not None:
        assert {**own.config} == {**by_git.config}
        assert msgspec.structs.replace(own, config={}) == msgspec.structs.replace(by_git, config={})
    return own is not None


def test_linked_worktree_is_opened_without_git(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    repo.git("worktree", "add", "-q", "--detach", "../linked")
    assert _is_worktree_opened_without_git(repo, tmp_path / "linked")
    (tmp_path / "link").symlink_to(tmp_path / "linked")
    assert _is_worktree_opened_without_git(repo, tmp_path / "link")


def test_worktree_with_its_own_configuration_is_left_to_git(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    repo.git("worktree", "add", "-q", "--detach", "../linked")
    repo.git("config", "extensions.worktreeConfig", "true")
    assert not _is_worktree_opened_without_git(repo, tmp_path / "linked")


def test_worktree_of_another_repository_is_left_to_git(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    other = Sandbox.of(tmp_path / "other", FILES)
    other.git("worktree", "add", "-q", "--detach", "../linked")
    assert not _is_worktree_opened_without_git(repo, tmp_path / "linked")


@pytest.mark.parametrize("folder", [".", "sub", "sub/deep"])
def test_ordinary_repository_is_found_without_git(tmp_path: Path, folder: str) -> None:
    assert _is_found_without_git(Sandbox.of(tmp_path, FILES).root / folder)


def test_repository_is_found_through_a_symlink(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    (tmp_path / "link").symlink_to(repo.root / "sub")
    assert _is_found_without_git(tmp_path / "link")


def test_configured_hooks_and_filters_do_not_need_git(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path, {**FILES, ".githooks/pre-commit": b"#!/bin/sh\n"})
    repo.git("config", "core.hooksPath", ".githooks")
    repo.git("config", "filter.x.clean", "sed 's/a/b/' | cat")
    repo.git("config", "alias.x", '!f() { echo "$@"; }; f')
    assert _is_found_without_git(repo.root)


def test_user_configuration_files_are_read_as_by_git(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    home = tmp_path / "home"
    (home / ".config/git").mkdir(parents=True)
    (home / ".config/git/config").write_text("[user]\nname = XDG\n[a]\nb = 1\n")
    (home / ".gitconfig").write_text("[user]\nname = Home\n")
    env = {**environment(), "HOME": str(home)}
    for name in ("GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME"):
        env.pop(name, None)
    found = repository.find_repository(repo.root, env)
    assert found is not None
    command = ["git", "config", "--list", "--show-scope", "-z"]
    listed = subprocess.run(command, cwd=repo.root, env=env, capture_output=True, check=True)
    words = listed.stdout.decode().split("\0")
    pairs = zip(words[0::2], words[1::2], strict=False)
    rows = [msgspec.structs.astuple(row) for row in found.rows]
    assert rows == [(scope, *text.split("\n")) for scope, text in pairs]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.worktree", ".."),
        ("core.bare", "true"),
        ("extensions.worktreeConfig", "true"),
        ("include.path", "other"),
        ("includeIf.onbranch:main.path", "other"),
        ("core.repositoryformatversion", "1"),
    ],
)
def test_unusual_configuration_is_left_to_git(tmp_path: Path, key: str, value: str) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    subprocess.run(["git", "config", "--file", ".git/config", key, value], cwd=repo.root, check=True)
    assert not _is_found_without_git(repo.root)


@pytest.mark.parametrize(
    "env",
    [{"GIT_CEILING_DIRECTORIES": "/"}, {"GIT_CONFIG_COUNT": "0"}, {"GIT_CONFIG_PARAMETERS": "'a.b'='c'"}],
)
def test_environment_that_changes_discovery_is_left_to_git(tmp_path: Path, env: dict[str, str]) -> None:
    assert not _is_found_without_git(Sandbox.of(tmp_path, FILES).root, **env)


def test_worktrees_and_bare_repositories_are_left_to_git(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    repo.git("worktree", "add", "-q", str(tmp_path / "beside"))
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    for folder in ("beside", "beside/sub", "bare", "bare/refs", "repo/.git", "."):
        assert not _is_found_without_git(tmp_path / folder), folder


def test_empty_git_directory_is_not_a_repository(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    (repo.root / "sub/.git").mkdir()
    assert not _is_found_without_git(repo.root / "sub")
    assert repository.discover(repo.root / "sub", environment()).work_tree == repo.root


def test_broken_configuration_raises(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    (repo.root / ".git/config").write_text("[core\n")
    with pytest.raises(ScalpelError):
        repository.discover(repo.root, environment())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
@pytest.mark.parametrize("path", [".", ".git"])
def test_repository_of_another_owner_is_left_to_git(tmp_path: Path, path: str) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    os.chown(repo.root / path, 4242, 4242)
    assert repository.find_repository(repo.root, environment()) is None


@pytest.mark.skipif(shutil.which("git") not in repository.USUAL_GITS, reason="git is installed elsewhere")
def test_discovery_works_when_git_starts_gitscalpel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git puts its own program directory first in the search path for ``git scalpel``."""
    repo = Sandbox.of(tmp_path, FILES)
    monkeypatch.delenv("GIT_CONFIG_NOSYSTEM")
    programs = repo.git("--exec-path").strip()
    assert _is_found_without_git(repo.root)
    assert _is_found_without_git(repo.root, PATH=programs + os.pathsep + os.environ["PATH"])
