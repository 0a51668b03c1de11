"""Entries that are read out of the index are those that git lists, or git is asked."""

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


def _found(repo: Sandbox) -> Repository:
    return discover(repo.root, environment())


def _both(repo: Sandbox, names: list[str]) -> None:
    found = _found(repo)
    assert {
        path: staged for path, staged in index.read_index_entries(found.git, names).items() if path in names
    } == {
        path: staged for path, staged in index.read_own_index_entries(found, names).items() if path in names
    }


@pytest.mark.parametrize("version", ["2", "3", "4"])
@pytest.mark.parametrize("name", NAMES)
def test_each_is_what_git_lists(tmp_path: Path, version: str, name: str) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    repo.git("update-index", "--index-version", version)
    _both(repo, [name])


def test_what_is_plain_needs_no_git(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    found = index.find_entries(_found(repo), ["b.py", "run", "link", "new"])
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
def test_what_is_not_plain_is_as_git_lists_it(tmp_path: Path, change: tuple[str, ...]) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    repo.git(*change)
    _both(repo, ["b.py", "a/b.py"])


def test_one_that_is_added_later_or_in_conflict(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    (repo.root / "n.py").write_bytes(b"n\n")
    repo.git("add", "-N", "n.py")
    _both(repo, ["n.py", "b.py"])
    repo.git("switch", "-q", "-c", "side")
    repo.commit({"b.py": b"side\n"})
    repo.git("switch", "-q", "main")
    repo.commit({"b.py": b"main\n"})
    repo.git("merge", "side", check=False)
    _both(repo, ["b.py"])
    assert index.read_own_index_entries(_found(repo), ["b.py"])["b.py"].conflicted


def test_without_an_index(tmp_path: Path) -> None:
    repo = Sandbox.init(tmp_path)
    assert index.read_own_index_entries(_found(repo), ["b.py"]) == {}


@given(
    names=st.sets(st.text("ab/.", min_size=1, max_size=6).filter(lambda n: all(n.split("/"))), max_size=30)
)
def test_names_within_names(tmp_path_factory: pytest.TempPathFactory, names: set[str]) -> None:
    repo = Sandbox.init(tmp_path_factory.mktemp("names"))
    oid = repo.git("hash-object", "-w", "--stdin", stdin="x")
    plain = [name for name in names if not {".", ".."} & set(name.split("/"))]
    lines = "".join(f"100644 {oid}\t{name}\n" for name in sorted(plain))
    repo.git("update-index", "--index-info", stdin=lines)
    for name in sorted(plain):
        _both(repo, [name])
