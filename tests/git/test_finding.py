"""A repository that is found without git is the one that git finds, with the same configuration."""

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
PLAIN = {"GIT_CONFIG_NOSYSTEM": "1"}


def _same(folder: Path, **variables: str) -> bool:
    """Hold the two against each other; whether git was not asked."""
    env = {**environment(), **variables}
    found = repository.find_repository(folder, env)
    if found is None:
        return False
    asked = repository.discover_with_git(folder, env)
    read = repository.open_usual(found, env)
    assert {**read.config} == {**asked.config}
    assert msgspec.structs.replace(read, config={}) == msgspec.structs.replace(asked, config={})
    return True


def _same_beside(repo: Sandbox, root: Path) -> bool:
    """The same of a linked worktree, seen from its repository."""
    read = repository.open_linked(repository.discover(repo.root, environment()), root)
    asked = repository.discover_with_git(root, environment())
    if read is not None:
        assert {**read.config} == {**asked.config}
        assert msgspec.structs.replace(read, config={}) == msgspec.structs.replace(asked, config={})
    return read is not None


def test_a_linked_worktree(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    repo.git("worktree", "add", "-q", "--detach", "../linked")
    assert _same_beside(repo, tmp_path / "linked")
    (tmp_path / "link").symlink_to(tmp_path / "linked")
    assert _same_beside(repo, tmp_path / "link")


def test_a_linked_worktree_with_a_configuration_of_its_own(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    repo.git("worktree", "add", "-q", "--detach", "../linked")
    repo.git("config", "extensions.worktreeConfig", "true")
    assert not _same_beside(repo, tmp_path / "linked")


def test_a_repository_in_the_place_of_a_linked_worktree(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    other = Sandbox.of(tmp_path / "other", FILES)
    other.git("worktree", "add", "-q", "--detach", "../linked")
    assert not _same_beside(repo, tmp_path / "linked")


@pytest.mark.parametrize("folder", [".", "sub", "sub/deep"])
def test_a_usual_one(tmp_path: Path, folder: str) -> None:
    assert _same(Sandbox.of(tmp_path, FILES).root / folder)


def test_through_a_link(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    (tmp_path / "link").symlink_to(repo.root / "sub")
    assert _same(tmp_path / "link")


def test_programs_and_hooks_of_its_own(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path, {**FILES, ".githooks/pre-commit": b"#!/bin/sh\n"})
    repo.git("config", "core.hooksPath", ".githooks")
    repo.git("config", "filter.x.clean", "sed 's/a/b/' | cat")
    repo.git("config", "alias.x", '!f() { echo "$@"; }; f')
    assert _same(repo.root)


def test_the_users_files(tmp_path: Path) -> None:
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
    asked = ["git", "config", "--list", "--show-scope", "-z"]
    listed = subprocess.run(asked, cwd=repo.root, env=env, capture_output=True, check=True)
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
def test_git_is_asked_about_others(tmp_path: Path, key: str, value: str) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    subprocess.run(["git", "config", "--file", ".git/config", key, value], cwd=repo.root, check=True)
    assert not _same(repo.root)


@pytest.mark.parametrize(
    "env",
    [{"GIT_CEILING_DIRECTORIES": "/"}, {"GIT_CONFIG_COUNT": "0"}, {"GIT_CONFIG_PARAMETERS": "'a.b'='c'"}],
)
def test_and_where_it_is_told_otherwise(tmp_path: Path, env: dict[str, str]) -> None:
    assert not _same(Sandbox.of(tmp_path, FILES).root, **env)


def test_worktrees_submodules_bare_ones_and_none(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    repo.git("worktree", "add", "-q", str(tmp_path / "beside"))
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    for folder in ("beside", "beside/sub", "bare", "bare/refs", "repo/.git", "."):
        assert not _same(tmp_path / folder), folder


def test_a_folder_that_only_looks_like_one(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    (repo.root / "sub/.git").mkdir()
    assert not _same(repo.root / "sub")
    assert repository.discover(repo.root / "sub", environment()).work_tree == repo.root


def test_a_broken_configuration_is_told_by_git(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    (repo.root / ".git/config").write_text("[core\n")
    with pytest.raises(ScalpelError):
        repository.discover(repo.root, environment())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
@pytest.mark.parametrize("what", [".", ".git"])
def test_one_of_somebody_else(tmp_path: Path, what: str) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    os.chown(repo.root / what, 4242, 4242)
    assert repository.find_repository(repo.root, environment()) is None


@pytest.mark.skipif(shutil.which("git") not in repository.USUAL_GITS, reason="git is installed elsewhere")
def test_as_git_itself_starts_us(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For ``git scalpel`` git puts the folder of its own programs first in the search path."""
    repo = Sandbox.of(tmp_path, FILES)
    monkeypatch.delenv("GIT_CONFIG_NOSYSTEM")
    programs = repo.git("--exec-path").strip()
    assert _same(repo.root)
    assert _same(repo.root, PATH=programs + os.pathsep + os.environ["PATH"])
