"""Entries read from the index file are those that git lists, or git is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitscalpel.changesets.file_tree import EXECUTABLE, SYMLINK
from gitscalpel.git import index
from gitscalpel.git.repository import Repository, discover
from gitscalpel.workspace.workspace import environment
from tests.sandbox import Content, Sandbox

FILES: dict[str, Content] = {
    "b.py": b"b\n",
    "a/b.py": b"ab\n",
    "xb.py": b"xb\n",
    "run": (EXECUTABLE, b"run\n"),
    "link": (SYMLINK, b"b.py"),
    "ä/ö.txt": b"\n",
    "long/" + "n" * 200 + ".txt": b"long\n",
    "folder/in": b"in\n",
}
NAMES = [*FILES, "new", "py", "folder", "nothing/here", "in"]


def _open_repository(repo: Sandbox) -> Repository:
    return discover(repo.root, environment())


def _compare_with_git(repo: Sandbox, names: list[str]) -> None:
    found = _open_repository(repo)
    assert {
        path: staged for path, staged in index.read_index_entries(found.git, names).items() if path in names
    } == {
        path: staged for path, staged in index.read_own_index_entries(found, names).items() if path in names
    }


@pytest.mark.parametrize("version", ["2", "3", "4"])
@pytest.mark.parametrize("name", NAMES)
def test_entry_equals_the_one_that_git_lists(tmp_path: Path, version: str, name: str) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    repo.git("update-index", "--index-version", version)
    _compare_with_git(repo, [name])


def test_plain_index_is_read_without_git(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    found = index.find_entries(_open_repository(repo), ["b.py", "run", "link", "new"])
    assert found is not None
    assert {path: entry.mode for path, entry in found.items()} == {
        "b.py": "100644",
        "run": "100755",
        "link": "120000",
    }


@pytest.mark.parametrize(
    "change",
    [
        ("update-index", "--assume-unchanged", "b.py"),
        ("update-index", "--skip-worktree", "b.py"),
        ("update-index", "--split-index"),
        ("rm", "-q", "--cached", "b.py"),
        ("config", "core.splitIndex", "true"),
    ],
)
def test_unusual_index_is_read_as_by_git(tmp_path: Path, change: tuple[str, ...]) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    repo.git(*change)
    _compare_with_git(repo, ["b.py", "a/b.py"])


def test_intent_to_add_and_conflicted_entries_are_read_as_by_git(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    (repo.root / "n.py").write_bytes(b"n\n")
    repo.git("add", "-N", "n.py")
    _compare_with_git(repo, ["n.py", "b.py"])
    repo.git("switch", "-q", "-c", "side")
    repo.commit({"b.py": b"side\n"})
    repo.git("switch", "-q", "main")
    repo.commit({"b.py": b"main\n"})
    repo.git("merge", "side", check=False)
    _compare_with_git(repo, ["b.py"])
    assert index.read_own_index_entries(_open_repository(repo), ["b.py"])["b.py"].conflicted


def test_missing_index_has_no_entries(tmp_path: Path) -> None:
    repo = Sandbox.init(tmp_path)
    assert index.read_own_index_entries(_open_repository(repo), ["b.py"]) == {}


@given(
    names=st.sets(st.text("ab/.", min_size=1, max_size=6).filter(lambda n: all(n.split("/"))), max_size=30)
)
def test_paths_with_common_parts_are_read_as_by_git(
    tmp_path_factory: pytest.TempPathFactory, names: set[str]
) -> None:
    repo = Sandbox.init(tmp_path_factory.mktemp("names"))
    oid = repo.git("hash-object", "-w", "--stdin", stdin="x")
    plain = [name for name in names if not {".", ".."} & set(name.split("/"))]
    lines = "".join(f"100644 {oid}\t{name}\n" for name in sorted(plain))
    repo.git("update-index", "--index-info", stdin=lines)
    for name in sorted(plain):
        _compare_with_git(repo, [name])
