"""Where no attribute can be set git is not asked, and it would have said so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitscalpel.git import attributes
from gitscalpel.git.repository import Repository, discover
from gitscalpel.workspace.workspace import environment
from tests.sandbox import Sandbox

FILES = {"a.txt": b"a\n", "sub/deep/b.txt": b"b\n"}
NAMES = ["sub/deep/b.txt"]
SAYS = b"*.txt text eol=crlf\n"


def _found(repo: Sandbox, **variables: str) -> Repository:
    return discover(repo.root, {**environment(), **variables})


def test_there_are_none(tmp_path: Path) -> None:
    assert attributes.has_no_attributes(_found(Sandbox.of(tmp_path, FILES)), NAMES)


@pytest.mark.parametrize(
    "where", [".gitattributes", "sub/.gitattributes", "sub/deep/.gitattributes", ".git/info/attributes"]
)
def test_a_file_on_the_way(tmp_path: Path, where: str) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    (repo.root / where).parent.mkdir(exist_ok=True)
    (repo.root / where).write_bytes(SAYS)
    assert repo.git("check-attr", "eol", *NAMES).endswith("crlf")
    assert not attributes.has_no_attributes(_found(repo), NAMES)


def test_one_that_only_the_index_has(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path, {**FILES, "sub/.gitattributes": SAYS})
    (repo.root / "sub/.gitattributes").unlink()
    assert repo.git("check-attr", "eol", *NAMES).endswith("crlf")
    assert not attributes.has_no_attributes(_found(repo), NAMES)


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_whatever_the_index_is_like(tmp_path: Path, version: str) -> None:
    repo = Sandbox.of(tmp_path, {**FILES, "sub/.gitattributes": SAYS})
    (repo.root / "sub/.gitattributes").unlink()
    repo.git("update-index", "--index-version", version)
    assert not attributes.has_no_attributes(_found(repo), NAMES)
    repo.git("update-index", "--split-index")
    assert not attributes.has_no_attributes(_found(repo), NAMES)


@pytest.mark.parametrize("key", ["core.attributesFile", "core.attributesfile"])
def test_the_users(tmp_path: Path, key: str) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    (tmp_path / "mine").write_bytes(SAYS)
    repo.git("config", key, str(tmp_path / "mine"))
    assert not attributes.has_no_attributes(_found(repo), NAMES)


def test_those_in_the_users_folder(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    (tmp_path / "git").mkdir()
    (tmp_path / "git/attributes").write_bytes(SAYS)
    assert attributes.has_no_attributes(_found(repo), NAMES)
    assert not attributes.has_no_attributes(_found(repo, XDG_CONFIG_HOME=str(tmp_path)), NAMES)


def test_a_git_of_another_place_may_have_some_for_the_machine(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    other = tmp_path / "bin"
    other.mkdir()
    (other / "git").symlink_to("/usr/bin/git")
    path = f"{other}{os.pathsep}{os.environ['PATH']}"
    assert not attributes.has_no_attributes(_found(repo, PATH=path, GIT_ATTR_NOSYSTEM="0"), NAMES)
    assert attributes.has_no_attributes(_found(repo, PATH=path), NAMES)


def test_a_file_of_them_is_itself_named(tmp_path: Path) -> None:
    assert not attributes.has_no_attributes(_found(Sandbox.of(tmp_path, FILES)), ["sub/.gitattributes"])
