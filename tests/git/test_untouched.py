"""A file that is certainly as a commit has it is so for git as well."""

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
        of = store.tree_of(repo.tip())
        assert of is not None
        tree = TreeSnapshot(store, found.git, of)
        return is_untouched(found, store, path, tree.entry(path))


@pytest.mark.parametrize("path", FILES)
def test_it_is(tmp_path: Path, path: str) -> None:
    assert _is_untouched(Sandbox.of(tmp_path, FILES), path)


@pytest.mark.parametrize(
    "files",
    [{"a.txt": b"b\n"}, {"a.txt": None}, {"a.txt": (EXECUTABLE, b"a\n")}, {"a.txt": (SYMLINK, b"a\n")}],
)
def test_it_is_not(tmp_path: Path, files: dict[str, Content]) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    repo.write(files)
    assert not _is_untouched(repo, "a.txt")


def test_what_is_staged_or_not_known_is_not(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    repo.write({"a.txt": b"b\n"})
    repo.git("add", "a.txt")
    repo.write({"a.txt": b"a\n"})
    assert not _is_untouched(repo, "a.txt")
    assert not _is_untouched(repo, "nowhere")


def test_where_something_may_lie_between_git_is_asked(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path, {**FILES, ".gitattributes": b"*.txt eol=crlf\n"})
    assert not _is_untouched(repo, "a.txt")
    repo = Sandbox.of(tmp_path / "other", FILES)
    repo.git("config", "core.autocrlf", "input")
    assert not _is_untouched(repo, "a.txt")
