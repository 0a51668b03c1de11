"""An index that is changed in place equals the one that git writes, and git accepts it."""

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


def _open_repository(repo: Sandbox) -> Repository:
    return discover(repo.root, environment())


def _age_index(repo: Sandbox) -> None:
    """Make the index newer than its files, so that no entry is racy."""
    time = (repo.root / ".git/index").stat().st_mtime_ns + 10**9
    os.utime(repo.root / ".git/index", ns=(time, time))


def _make_changes(repo: Sandbox, names: list[str], content: str = "new") -> list[index.IndexChange]:
    blob = Oid(repo.git("hash-object", "-w", "--stdin", stdin=content))
    return [(name, Entry(REGULAR, blob), "H") for name in names]


def _edit_index(repo: Sandbox, changes: list[index.IndexChange]) -> Path | None:
    """Return an edited copy of the index, or None if git has to edit it."""
    edited = index.replace_blobs(_open_repository(repo), changes)
    if edited is None:
        return None
    copy = repo.root / ".git/edited"
    copy.write_bytes(b"")
    assert index.write_index(copy, *edited)
    return copy


def _read_with_git(repo: Sandbox, index_path: Path) -> tuple[str, str]:
    os.environ["GIT_INDEX_FILE"] = str(index_path)
    try:
        return repo.git("ls-files", "--stage", "-v", "--debug"), repo.git("write-tree")
    finally:
        del os.environ["GIT_INDEX_FILE"]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(st.sampled_from(sorted(FILES)), min_size=1, unique=True), version=st.sampled_from("23"))
def test_edited_index_equals_the_one_of_git(tmp_path: Path, names: list[str], version: str) -> None:
    """Compare entries and the written tree, which would contain a wrong cache-tree entry."""
    repo = Sandbox.of(tmp_path / os.urandom(4).hex(), FILES)
    repo.git("update-index", "--index-version", version)
    repo.git("write-tree")  # the cache-tree extension contains all of them
    _age_index(repo)
    changes = _make_changes(repo, names)
    own = _edit_index(repo, changes)
    assert own is not None
    git = repo.root / ".git/by-git"
    git.write_bytes((repo.root / ".git/index").read_bytes())
    rows = "".join(f"{entry.mode} {entry.oid}\t{name}\n" for name, entry, _ in changes if entry)
    os.environ["GIT_INDEX_FILE"] = str(git)
    try:
        repo.git("update-index", "--index-info", stdin=rows)
    finally:
        del os.environ["GIT_INDEX_FILE"]
    assert own.read_bytes() == git.read_bytes()
    assert _read_with_git(repo, own) == _read_with_git(repo, git)


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
def test_unusual_index_is_left_to_git(tmp_path: Path, change: tuple[str, ...]) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    repo.git(*change)
    _age_index(repo)
    assert index.replace_blobs(_open_repository(repo), _make_changes(repo, ["b.py"])) is None


def test_added_and_removed_paths_are_left_to_git(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    _age_index(repo)
    assert index.replace_blobs(_open_repository(repo), _make_changes(repo, ["b.py"])) is not None
    assert index.replace_blobs(_open_repository(repo), _make_changes(repo, ["b.py", "new"])) is None
    assert index.replace_blobs(_open_repository(repo), [("b.py", None, "H")]) is None


def test_racily_changed_file_is_reported_as_modified(
    tmp_path: Path,
) -> None:
    """The file has the time and size of its index entry: https://git-scm.com/docs/racy-git."""
    repo = Sandbox.of(tmp_path, FILES)
    file, now = repo.root / "z/z", (repo.root / ".git/index").stat().st_mtime_ns // 10**9 * 10**9 + 5
    os.utime(file, ns=(now, now))
    repo.git("update-index", "--refresh")
    os.utime(repo.root / ".git/index", ns=(now + 7, now + 7))
    file.write_bytes(b"y\n")
    os.utime(file, ns=(now, now))
    found = _open_repository(repo)
    copy = repo.root / ".git/edited"
    time = index.write_edited_copy(found, found.git, copy, _make_changes(repo, ["b.py"], "b\n"))
    assert time == now + 8
    index.install_index(repo.root / ".git/index", copy, {}, time)
    assert repo.status() == " M z/z"


def test_index_with_the_time_of_a_file_is_left_to_git(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path, FILES)
    now = (repo.root / "z/z").stat().st_mtime_ns
    os.utime(repo.root / ".git/index", ns=(now, now))
    assert index.replace_blobs(_open_repository(repo), _make_changes(repo, ["b.py"])) is None


def test_landing_updates_the_index_without_git(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    _age_index(repo)
    trace = tmp_path / "trace"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_TRACE2_EVENT", str(trace))
        repo.land({"a/c/d.py": b"other\n"})
    assert "update-index" not in trace.read_text()
    assert repo.status() == ""
    assert repo.git("write-tree") == repo.git("rev-parse", "HEAD^{tree}")
