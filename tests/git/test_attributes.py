"""Gitscalpel does without git only where no attribute can be set."""

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
ATTRIBUTES = b"*.txt text eol=crlf\n"


def _open_repository(repo: Sandbox, **variables: str) -> Repository:
    return discover(repo.root, {**environment(), **variables})


def test_repository_without_attributes_is_recognized(tmp_path: Path) -> None:
    assert attributes.has_no_attributes(_open_repository(Sandbox.of(tmp_path, FILES)), NAMES)


@pytest.mark.parametrize(
    "attributes_path",
    [".gitattributes", "sub/.gitattributes", "sub/deep/.gitattributes", ".git/info/attributes"],
)
def test_attributes_file_above_the_path_is_found(tmp_path: Path, attributes_path: str) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    (repo.root / attributes_path).parent.mkdir(exist_ok=True)
    (repo.root / attributes_path).write_bytes(ATTRIBUTES)
    assert repo.git("check-attr", "eol", *NAMES).endswith("crlf")
    assert not attributes.has_no_attributes(_open_repository(repo), NAMES)


def test_attributes_file_only_in_the_index_is_found(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path, {**FILES, "sub/.gitattributes": ATTRIBUTES})
    (repo.root / "sub/.gitattributes").unlink()
    assert repo.git("check-attr", "eol", *NAMES).endswith("crlf")
    assert not attributes.has_no_attributes(_open_repository(repo), NAMES)


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_attributes_are_found_in_every_index_format(tmp_path: Path, version: str) -> None:
    repo = Sandbox.of(tmp_path, {**FILES, "sub/.gitattributes": ATTRIBUTES})
    (repo.root / "sub/.gitattributes").unlink()
    repo.git("update-index", "--index-version", version)
    assert not attributes.has_no_attributes(_open_repository(repo), NAMES)
    repo.git("update-index", "--split-index")
    assert not attributes.has_no_attributes(_open_repository(repo), NAMES)


@pytest.mark.parametrize("key", ["core.attributesFile", "core.attributesfile"])
def test_attributes_file_of_the_configuration_is_found(tmp_path: Path, key: str) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    (tmp_path / "mine").write_bytes(ATTRIBUTES)
    repo.git("config", key, str(tmp_path / "mine"))
    assert not attributes.has_no_attributes(_open_repository(repo), NAMES)


def test_attributes_in_xdg_config_home_are_found(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    (tmp_path / "git").mkdir()
    (tmp_path / "git/attributes").write_bytes(ATTRIBUTES)
    assert attributes.has_no_attributes(_open_repository(repo), NAMES)
    assert not attributes.has_no_attributes(_open_repository(repo, XDG_CONFIG_HOME=str(tmp_path)), NAMES)


def test_git_in_another_directory_may_have_system_attributes(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    other = tmp_path / "bin"
    other.mkdir()
    (other / "git").symlink_to("/usr/bin/git")
    path = f"{other}{os.pathsep}{os.environ['PATH']}"
    assert not attributes.has_no_attributes(_open_repository(repo, PATH=path, GIT_ATTR_NOSYSTEM="0"), NAMES)
    assert attributes.has_no_attributes(_open_repository(repo, PATH=path), NAMES)


def test_path_of_an_attributes_file_counts_as_attributes(tmp_path: Path) -> None:
    assert not attributes.has_no_attributes(
        _open_repository(Sandbox.of(tmp_path, FILES)), ["sub/.gitattributes"]
    )
