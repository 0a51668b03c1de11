"""A file that gitscalpel calls untouched is unmodified for git as well."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitscalpel.changesets.file_tree import EXECUTABLE, SYMLINK
from gitscalpel.git.attributes import is_untouched
from gitscalpel.git.object_store import open_store
from gitscalpel.git.repository import discover
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.workspace.workspace import environment
from tests.sandbox import Content, Sandbox

FILES: dict[str, Content] = {"a.txt": b"a\n", "run": (EXECUTABLE, b"run\n"), "link": (SYMLINK, b"a.txt")}


def _is_untouched(repo: Sandbox, path: str) -> bool:
    found = discover(repo.root, environment())
    with open_store(found) as store:
        tree_id = store.tree_of(repo.tip())
        assert tree_id is not None
        tree = TreeSnapshot(store, found.git, tree_id)
        return is_untouched(found, store, path, tree.entry(path))


@pytest.mark.parametrize("path", FILES)
def test_unmodified_file_is_untouched(tmp_path: Path, path: str) -> None:
    assert _is_untouched(Sandbox.of(tmp_path, FILES), path)


@pytest.mark.parametrize(
    "files",
    [{"a.txt": b"b\n"}, {"a.txt": None}, {"a.txt": (EXECUTABLE, b"a\n")}, {"a.txt": (SYMLINK, b"a\n")}],
)
def test_modified_file_is_not_untouched(tmp_path: Path, files: dict[str, Content]) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    repo.write(files)
    assert not _is_untouched(repo, "a.txt")


def test_staged_or_unknown_file_is_not_untouched(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    repo.write({"a.txt": b"b\n"})
    repo.git("add", "a.txt")
    repo.write({"a.txt": b"a\n"})
    assert not _is_untouched(repo, "a.txt")
    assert not _is_untouched(repo, "nowhere")


def test_file_with_conversion_is_not_untouched(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path, {**FILES, ".gitattributes": b"*.txt eol=crlf\n"})
    assert not _is_untouched(repo, "a.txt")
    repo = Sandbox.of(tmp_path / "other", FILES)
    repo.git("config", "core.autocrlf", "input")
    assert not _is_untouched(repo, "a.txt")
