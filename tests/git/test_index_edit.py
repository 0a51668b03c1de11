"""An index that is changed in place is the one that git would have written, and git takes it for that."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitscalpel.changesets.file_tree import REGULAR, Entry, Oid
from gitscalpel.git import index
from gitscalpel.git.repository import Repository, discover
from gitscalpel.workspace.workspace import environment
from tests.sandbox import Content, Sandbox

FILES: dict[str, Content] = {
    "b.py": b"b\n",
    "a/b.py": b"ab\n",
    "a/c/d.py": b"acd\n",
    "a/c/e/f.py": b"acef\n",
    "a.c/d.py": b"a.cd\n",
    "z/TREE": b"tree\n",
    "z/z": b"z\n",
}


def _found(repo: Sandbox) -> Repository:
    return discover(repo.root, environment())


def _later(repo: Sandbox) -> None:
    """Let the index not be of the very moment of its files."""
    time = (repo.root / ".git/index").stat().st_mtime_ns + 10**9
    os.utime(repo.root / ".git/index", ns=(time, time))


def _changes(repo: Sandbox, names: list[str], content: str = "new") -> list[index.IndexChange]:
    blob = Oid(repo.git("hash-object", "-w", "--stdin", stdin=content))
    return [(name, Entry(REGULAR, blob), "H") for name in names]


def _edited(repo: Sandbox, changes: list[index.IndexChange]) -> Path | None:
    """A copy of the index that was changed in place; None: git has to do it."""
    edited = index.replace_blobs(_found(repo), changes)
    if edited is None:
        return None
    copy = repo.root / ".git/edited"
    copy.write_bytes(b"")
    assert index.write_index(copy, *edited)
    return copy


def _seen(repo: Sandbox, file: Path) -> tuple[str, str]:
    os.environ["GIT_INDEX_FILE"] = str(file)
    try:
        return repo.git("ls-files", "--stage", "-v", "--debug"), repo.git("write-tree")
    finally:
        del os.environ["GIT_INDEX_FILE"]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(st.sampled_from(sorted(FILES)), min_size=1, unique=True), version=st.sampled_from("23"))
def test_it_is_the_one_that_git_would_have_written(tmp_path: Path, names: list[str], version: str) -> None:
    """Entries, and the tree that is made of them: what a cache of trees knows wrong would be in it."""
    repo = Sandbox.of(tmp_path / os.urandom(4).hex(), FILES)
    repo.git("update-index", "--index-version", version)
    repo.git("write-tree")  # the cache of trees knows all of them
    _later(repo)
    changes = _changes(repo, names)
    mine = _edited(repo, changes)
    assert mine is not None
    git = repo.root / ".git/by-git"
    git.write_bytes((repo.root / ".git/index").read_bytes())
    rows = "".join(f"{entry.mode} {entry.oid}\t{name}\n" for name, entry, _ in changes if entry)
    os.environ["GIT_INDEX_FILE"] = str(git)
    try:
        repo.git("update-index", "--index-info", stdin=rows)
    finally:
        del os.environ["GIT_INDEX_FILE"]
    assert mine.read_bytes() == git.read_bytes()
    assert _seen(repo, mine) == _seen(repo, git)


@pytest.mark.parametrize(
    "change",
    [
        ("update-index", "--assume-unchanged", "b.py"),
        ("update-index", "--skip-worktree", "b.py"),
        ("update-index", "--split-index"),
        ("update-index", "--index-version", "4"),
        ("-c", "index.threads=2", "update-index", "--force-write-index"),
    ],
)
def test_what_is_not_plain_is_left_to_git(tmp_path: Path, change: tuple[str, ...]) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    repo.git(*change)
    _later(repo)
    assert index.replace_blobs(_found(repo), _changes(repo, ["b.py"])) is None


def test_what_comes_or_goes_is_left_to_git(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    _later(repo)
    assert index.replace_blobs(_found(repo), _changes(repo, ["b.py"])) is not None
    assert index.replace_blobs(_found(repo), _changes(repo, ["b.py", "new"])) is None
    assert index.replace_blobs(_found(repo), [("b.py", None, "H")]) is None


def test_a_file_that_was_changed_as_the_index_was_written_is_told_from_an_unchanged_one(
    tmp_path: Path,
) -> None:
    """Its time and size are those that the index has of it: https://git-scm.com/docs/racy-git."""
    repo = Sandbox.of(tmp_path, FILES)
    file, now = repo.root / "z/z", (repo.root / ".git/index").stat().st_mtime_ns // 10**9 * 10**9 + 5
    os.utime(file, ns=(now, now))
    repo.git("update-index", "--refresh")
    os.utime(repo.root / ".git/index", ns=(now + 7, now + 7))
    file.write_bytes(b"y\n")
    os.utime(file, ns=(now, now))
    found = _found(repo)
    copy = repo.root / ".git/edited"
    time = index.write_edited_copy(found, found.git, copy, _changes(repo, ["b.py"], "b\n"))
    assert time == now + 8
    index.install_index(repo.root / ".git/index", copy, {}, time)
    assert repo.status() == " M z/z"


def test_one_of_the_very_same_time_is_left_to_git(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    now = (repo.root / "z/z").stat().st_mtime_ns
    os.utime(repo.root / ".git/index", ns=(now, now))
    assert index.replace_blobs(_found(repo), _changes(repo, ["b.py"])) is None


def test_an_edit_that_lands_starts_no_git_for_the_index(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    _later(repo)
    traced = tmp_path / "trace"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_TRACE2_EVENT", str(traced))
        repo.land({"a/c/d.py": b"other\n"})
    assert "update-index" not in traced.read_text()
    assert repo.status() == ""
    assert repo.git("write-tree") == repo.git("rev-parse", "HEAD^{tree}")
