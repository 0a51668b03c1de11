"""What a store wrote and synced is on the disk: every file before it has its name, then every folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitscalpel.system import private_files
from tests.git.written import written
from tests.sandbox import Sandbox

pytestmark = pytest.mark.usefixtures("each_store")


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """The inodes that this process has synced."""
    inodes: set[int] = set()
    fsync = os.fsync

    def recorded(descriptor: int) -> None:
        fsync(descriptor)
        inodes.add(os.fstat(descriptor).st_ino)

    monkeypatch.setattr(os, "fsync", recorded)
    return inodes


def _objects(repo: Sandbox) -> dict[Path, int]:
    return {path: path.stat().st_ino for path in (repo.root / ".git/objects").rglob("*")}


@pytest.mark.parametrize("packed", [True, False], ids=["in a pack", "shown before"])
def test_files_before_their_names_and_then_the_folders(
    repo: Sandbox, synced: set[int], monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    named: list[Path] = []
    rename = Path.rename

    def checked(self: Path, target: Path) -> Path:
        assert self.stat().st_ino in synced, "a name before the content is on the disk"
        named.append(target)
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", checked)
    before = _objects(repo)
    with repo.opened() as (_, store):
        head = store.commit("HEAD")
        tree = written(store, head.tree, {"x/y": b"new"})
        commit = store.write_commit(tree, [head.oid], "x")
        store.write_raw_commit(b"tree %s\n\n" % tree.encode())
        if not packed:
            store.show()
        with store.lasting():
            pass
    new = {path: inode for path, inode in _objects(repo).items() if path not in before}
    files = {path for path in new if path.is_file()}
    assert len(files) == (2 if packed else 5)  # a pack and its index; or a blob, two trees, two commits
    assert set(named) >= {path for path in files if path.name != commit[2:]}
    assert {path for path in new if path.is_dir() and new[path] not in synced} == set()
    assert {path for path in files if path.parent.stat().st_ino not in synced} == set()
    assert ((repo.root / ".git/objects").stat().st_ino in synced) is not packed
    assert len(synced) == 3 or not packed


def test_what_stock_git_left_unsynced_is_synced_when_it_is_needed(repo: Sandbox, synced: set[int]) -> None:
    blob = repo.git("hash-object", "-w", "--stdin", stdin="same")
    file = repo.root / ".git/objects" / blob[:2] / blob[2:]
    with repo.opened() as (_, store):
        assert store.write_blob(b"same") == blob
        with store.lasting():
            pass
    assert {file.stat().st_ino, file.parent.stat().st_ino} <= synced


def test_names_of_what_git_has_written_for_us_are_synced(repo: Sandbox, synced: set[int]) -> None:
    with repo.opened() as (opened, store):
        blob = opened.git("hash-object", "-w", "--stdin", stdin=b"by git").decode().strip()
        objects = repo.root / ".git/objects"
        folder = objects / blob[:2]
        assert folder.stat().st_ino not in synced
        with store.lasting():
            pass
        assert {folder.stat().st_ino, objects.stat().st_ino} <= synced
        synced.clear()
        with store.lasting():
            pass
        assert synced == set()


def test_folders_that_a_gc_takes_away_are_no_error(repo: Sandbox) -> None:
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


def test_a_folder_that_git_removes_as_empty_is_made_again(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its gc does that to one which we have just made, too, before anything is in it."""
    make, left = private_files.make_folder, [2]

    def made(folder: Path) -> None:
        make(folder)
        if folder.parent.name == "objects" and left[0]:
            left[0] -= 1
            folder.rmdir()

    monkeypatch.setattr(private_files, "make_folder", made)
    with repo.opened() as (_, store):
        blob = store.write_blob(b"new")
        with store.lasting():
            pass
    assert repo.git("cat-file", "blob", blob) == "new"
    assert left == [0]
