"""Trees edited in memory equal those that git makes of the same files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, TREE, Change, Entry, Oid
from gitscalpel.git import objects
from gitscalpel.git.object_store import Store, open_store
from gitscalpel.git.repository import discover
from tests.git.tree_writer import write_tree
from tests.sandbox import Sandbox

NAMES = st.sampled_from(["a", "a.b", "a-b", "a0", "b", "é", "z"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


def _write_tree_with_git(repo: Sandbox, files: dict[str, bytes]) -> Oid:
    repo.git("read-tree", "--empty")
    contents = set(files.values())
    blobs = {each: repo.git("hash-object", "-w", "--stdin", stdin=each.decode()) for each in contents}
    rows = [f"100644 {blobs[content]}\t{path}\n" for path, content in files.items()]
    repo.git("update-index", "--index-info", stdin="".join(rows))
    return Oid(repo.git("write-tree"))


def _remove_path(files: dict[str, bytes], path: str) -> dict[str, bytes]:
    """Return ``files`` without ``path`` and everything below it."""
    return {p: c for p, c in files.items() if not (p + "/").startswith(path + "/")}


def _put_file(files: dict[str, bytes], path: str, content: bytes) -> dict[str, bytes]:
    """Return ``files`` with a file at ``path``, replacing conflicting paths."""
    rest = {p: c for p, c in _remove_path(files, path).items() if not path.startswith(p + "/")}
    return {**rest, path: content}


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(base=st.lists(PATHS, max_size=6), edits=st.lists(st.tuples(PATHS, st.booleans()), max_size=4))
def test_edited_tree_equals_the_one_of_git(
    tmp_path: Path, base: list[str], edits: list[tuple[str, bool]]
) -> None:
    repo = Sandbox.init(tmp_path / "repo")
    files: dict[str, bytes] = {}
    for path in base:
        files = _put_file(files, path, b"base")
    with open_store(discover(repo.root, os.environ)) as store:
        tree = write_tree(store, None, files)
        store.show()
        assert tree == _write_tree_with_git(repo, files)
        for path, put in edits:  # one by one, because together they could conflict
            files = _put_file(files, path, b"new") if put else _remove_path(files, path)
            tree = write_tree(store, tree, {path: b"new" if put else None})
        assert tree == _write_tree_with_git(repo, files)


@pytest.fixture
def store(repo: Sandbox) -> Store:
    return open_store(discover(repo.root, os.environ))


def test_unchanged_directories_are_not_read(repo: Sandbox, store: Store) -> None:
    tree = write_tree(store, None, {f"d{n}/e/f.py": b"%d" % n for n in range(5)})
    read: list[Oid] = []

    def read_tree(oid: Oid) -> dict[str, Entry]:
        read.append(oid)
        return store.tree(oid)

    blob = store.write_blob(b"new")
    new = objects.edit_tree(tree, [("d3/e/f.py", Entry(REGULAR, blob))], read_tree, store.add_tree)
    store.show()
    assert len(read) == 3  # root, d3, d3/e
    read.clear()
    objects.diff_trees(tree, new, read_tree)
    assert len(read) == 6
    store.close()


def test_directory_can_replace_a_file_and_back(store: Store) -> None:
    base_tree = write_tree(store, None, {"a": b"1"})
    for files in ({"a": None, "a/b": b"2"}, {"a/b": b"2", "a": None}, {"a/b": b"2"}):
        edited_tree = write_tree(store, base_tree, files)
        assert store.tree(edited_tree)["a"].mode == TREE
    restored = write_tree(store, edited_tree, {"a/b": None, "a": b"1"})
    assert restored == base_tree
    store.close()


def test_difference_lists_the_changed_entries(store: Store) -> None:
    old = write_tree(store, None, {"a": b"1", "d/x": b"x"})
    new = write_tree(store, old, {"a": (EXECUTABLE, b"1"), "d/x": None, "d": b"d"})
    one, x, d = (store.blob_id(content) for content in (b"1", b"x", b"d"))
    assert store.difference(old, new) == [
        Change("a", Entry(REGULAR, one), Entry(EXECUTABLE, one)),
        Change("d", None, Entry(REGULAR, d)),
        Change("d/x", Entry(REGULAR, x), None),
    ]
    assert store.difference(None, old) == [
        Change("a", None, Entry(REGULAR, one)),
        Change("d/x", None, Entry(REGULAR, x)),
    ]
    store.close()
