"""A store syncs every file before the file gets its name, and then every directory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitscalpel.system import private_files
from tests.git.tree_writer import write_tree
from tests.sandbox import Sandbox

pytestmark = pytest.mark.usefixtures("each_store")


@pytest.fixture
def synced_inodes(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Return the inodes that this process has synced."""
    inodes: set[int] = set()
    fsync = os.fsync

    def record_fsync(descriptor: int) -> None:
        fsync(descriptor)
        inodes.add(os.fstat(descriptor).st_ino)

    monkeypatch.setattr(os, "fsync", record_fsync)
    return inodes


def _object_inodes(repo: Sandbox) -> dict[Path, int]:
    return {path: path.stat().st_ino for path in (repo.root / ".git/objects").rglob("*")}


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "loose"])
def test_files_are_synced_before_their_names_and_directories(
    repo: Sandbox, synced_inodes: set[int], monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    renamed: list[Path] = []
    rename = Path.rename

    def check_rename(self: Path, target: Path) -> Path:
        assert self.stat().st_ino in synced_inodes, "a name before the content is on the disk"
        renamed.append(target)
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", check_rename)
    before = _object_inodes(repo)
    with repo.opened() as (_, store):
        head = store.commit("HEAD")
        tree = write_tree(store, head.tree, {"x/y": b"new"})
        commit = store.write_commit(tree, [head.oid], "x")
        store.write_raw_commit(b"tree %s\n\n" % tree.encode())
        if not packed:
            store.show()
        with store.lasting():
            pass
    new = {path: inode for path, inode in _object_inodes(repo).items() if path not in before}
    files = {path for path in new if path.is_file()}
    assert len(files) == (2 if packed else 5)  # a pack and its index, or a blob, two trees and two commits
    assert set(renamed) >= {path for path in files if path.name != commit[2:]}
    assert {path for path in new if path.is_dir() and new[path] not in synced_inodes} == set()
    assert {path for path in files if path.parent.stat().st_ino not in synced_inodes} == set()
    assert ((repo.root / ".git/objects").stat().st_ino in synced_inodes) is not packed
    assert len(synced_inodes) == 3 or not packed


def test_existing_unsynced_object_is_synced_when_needed(repo: Sandbox, synced_inodes: set[int]) -> None:
    blob = repo.git("hash-object", "-w", "--stdin", stdin="same")
    file = repo.root / ".git/objects" / blob[:2] / blob[2:]
    with repo.opened() as (_, store):
        assert store.write_blob(b"same") == blob
        with store.lasting():
            pass
    assert {file.stat().st_ino, file.parent.stat().st_ino} <= synced_inodes


def test_names_of_objects_written_by_git_are_synced(repo: Sandbox, synced_inodes: set[int]) -> None:
    with repo.opened() as (opened, store):
        blob = opened.git("hash-object", "-w", "--stdin", stdin=b"by git").decode().strip()
        objects = repo.root / ".git/objects"
        folder = objects / blob[:2]
        assert folder.stat().st_ino not in synced_inodes
        with store.lasting():
            pass
        assert {folder.stat().st_ino, objects.stat().st_ino} <= synced_inodes
        synced_inodes.clear()
        with store.lasting():
            pass
        assert synced_inodes == set()


def test_directories_removed_by_gc_are_no_error(repo: Sandbox) -> None:
    with repo.opened() as (_, store):
        blob = store.write_blob(b"x")
        store.show()
        repo.git("update-ref", "refs/tags/keep", blob)
        repo.git("repack", "-adq")
        repo.git("prune-packed")
        with store.lasting():
            pass
        head = store.commit("HEAD")
        again = store.write_commit(head.tree, [], "a commit", author="Ada <ada@example.org> 1700000000 +0000")
        with store.lasting():
            pass
        assert store.read(blob) == b"x"
        assert store.commit(again).tree == head.tree
    repo.git("fsck", "--strict")


def test_directory_that_git_removes_as_empty_is_made_again(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git's gc also removes a directory that was just made, before it has a file."""
    make, removals_left = private_files.make_folder, [2]

    def make_then_remove(folder: Path) -> None:
        make(folder)
        if folder.parent.name == "objects" and removals_left[0]:
            removals_left[0] -= 1
            folder.rmdir()

    monkeypatch.setattr(private_files, "make_folder", make_then_remove)
    with repo.opened() as (_, store):
        blob = store.write_blob(b"new")
        with store.lasting():
            pass
    assert repo.git("cat-file", "blob", blob) == "new"
    assert removals_left == [0]
