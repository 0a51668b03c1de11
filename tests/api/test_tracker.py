"""A tracker rejects edits of files not read by the caller, and allowed folders confine edits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitscalpel import FileTracker, NotAllowed, Replace, Repository, Text, WorldMoved
from gitscalpel.errors import BadCall
from tests.sandbox import Sandbox

A = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n\n\nclass C:\n    def m(self):\n        return 3\n"
F, G = "def f():\n    return 7", "def g():\n    return 8"


@pytest.fixture
def box(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"src/a.py": A, "docs/a.py": A, "b.py": A})


@pytest.fixture
def repo(box: Sandbox) -> Iterator[Repository]:
    with Repository(box.root, tracker=FileTracker()) as opened:
        yield opened


def edit_as_other(box: Sandbox, old: str, new: str) -> None:
    """Land an edit of b.py as another session."""
    with Repository(box.root) as other:
        other.edit(Text(path="b.py", old=old, new=new))


def test_unread_file_cannot_be_edited(repo: Repository) -> None:
    with pytest.raises(WorldMoved, match="never read"):
        repo.edit(Replace(path="b.py", symbol="f", code=F))
    repo.view().find("function[name=g]", ["b.py"])
    repo.edit(Replace(path="b.py", symbol="f", code=F))
    repo.edit(Text(path="b.py", old="return 7", new="return 1"))


def test_marked_file_can_be_edited(repo: Repository, box: Sandbox) -> None:
    tracker = FileTracker()
    tracker.mark_seen("b.py", box.git("rev-parse", "HEAD:b.py").strip())
    repo.tracker = tracker
    repo.edit(Replace(path="b.py", symbol="f", code=F))


def test_change_elsewhere_does_not_block_a_read_symbol(repo: Repository, box: Sandbox) -> None:
    repo.view().show("b.py", symbol="f")
    edit_as_other(box, "return 2", "return 5")
    with pytest.raises(WorldMoved, match="has changed since"):
        repo.edit(Text(path="b.py", old="return 1", new="return 6"))
    with pytest.raises(WorldMoved, match="has changed since"):
        repo.edit(Replace(path="b.py", symbol="g", code=G))
    repo.edit(Replace(path="b.py", symbol="f", code=F))
    edit_as_other(box, "return 5", "return 4")
    repo.edit(Replace(path="b.py", symbol="f", code=F.replace("7", "9")))  # the tracker knows its own edits


def test_change_of_the_symbol_blocks_the_edit(repo: Repository, box: Sandbox) -> None:
    repo.view().show("b.py", symbol="f")
    edit_as_other(box, "return 1", "return 5")
    with pytest.raises(WorldMoved, match="has changed since"):
        repo.edit(Replace(path="b.py", symbol="f", code=F))


def test_read_class_includes_its_methods(repo: Repository, box: Sandbox) -> None:
    repo.view().show("b.py", symbol="C")
    edit_as_other(box, "return 1", "return 5")
    repo.edit(Replace(path="b.py", symbol="C.m", code="def m(self):\n    return 4"))


def test_tracker_applies_in_a_transaction(repo: Repository) -> None:
    tx = repo.begin("x")
    with pytest.raises(WorldMoved, match="never read"):
        tx.edit(Replace(path="b.py", symbol="f", code=F))
    tx.view().show("b.py")
    tx.edit(Replace(path="b.py", symbol="f", code=F))
    tx.edit(Replace(path="b.py", symbol="f", code=F.replace("7", "9")))


@pytest.mark.parametrize("folder", ["src", "./src/", "{root}/src"])
def test_only_files_in_allowed_folders_can_be_edited(box: Sandbox, folder: str) -> None:
    with Repository(box.root, allowed_folders=[folder.format(root=box.root)]) as repo:
        repo.edit(Replace(path="src/a.py", symbol="f", code=F))
        for path in ("docs/a.py", "b.py"):
            with pytest.raises(NotAllowed):
                repo.edit(Replace(path=path, symbol="f", code=F))


def test_invalid_allowed_folders_are_rejected(box: Sandbox) -> None:
    with pytest.raises(NotAllowed):
        Repository(box.root, allowed_folders=["../elsewhere"])
    with pytest.raises(BadCall):
        Repository(box.root, allowed_folders=["src"], within=["src/**"])
    with Repository(box.root, allowed_folders=["."]) as repo:
        repo.edit(Replace(path="b.py", symbol="f", code=F))
