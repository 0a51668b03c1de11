"""A tracker refuses edits of what the caller has not read; allowed folders confine what it changes."""

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


def elsewhere(box: Sandbox, old: str, new: str) -> None:
    """Somebody else lands an edit."""
    with Repository(box.root) as other:
        other.edit(Text(path="b.py", old=old, new=new))


def test_a_file_has_to_be_read_before_it_is_edited(repo: Repository) -> None:
    with pytest.raises(WorldMoved, match="never read"):
        repo.edit(Replace(path="b.py", symbol="f", code=F))
    repo.view().find("function[name=g]", ["b.py"])
    repo.edit(Replace(path="b.py", symbol="f", code=F))
    repo.edit(Text(path="b.py", old="return 7", new="return 1"))


def test_a_file_that_is_marked_may_be_edited(repo: Repository, box: Sandbox) -> None:
    tracker = FileTracker()
    tracker.mark_seen("b.py", box.git("rev-parse", "HEAD:b.py").strip())
    repo.tracker = tracker
    repo.edit(Replace(path="b.py", symbol="f", code=F))


def test_a_change_elsewhere_in_the_file_does_not_stand_against_a_symbol(
    repo: Repository, box: Sandbox
) -> None:
    repo.view().show("b.py", symbol="f")
    elsewhere(box, "return 2", "return 5")
    with pytest.raises(WorldMoved, match="has changed since"):
        repo.edit(Text(path="b.py", old="return 1", new="return 6"))
    with pytest.raises(WorldMoved, match="has changed since"):
        repo.edit(Replace(path="b.py", symbol="g", code=G))
    repo.edit(Replace(path="b.py", symbol="f", code=F))
    elsewhere(box, "return 5", "return 4")
    repo.edit(Replace(path="b.py", symbol="f", code=F.replace("7", "9")))  # its own edit it knows


def test_a_change_of_the_symbol_stands_against_it(repo: Repository, box: Sandbox) -> None:
    repo.view().show("b.py", symbol="f")
    elsewhere(box, "return 1", "return 5")
    with pytest.raises(WorldMoved, match="has changed since"):
        repo.edit(Replace(path="b.py", symbol="f", code=F))


def test_who_has_read_a_class_knows_its_methods(repo: Repository, box: Sandbox) -> None:
    repo.view().show("b.py", symbol="C")
    elsewhere(box, "return 1", "return 5")
    repo.edit(Replace(path="b.py", symbol="C.m", code="def m(self):\n    return 4"))


def test_an_open_transaction_asks_as_well(repo: Repository) -> None:
    tx = repo.begin("x")
    with pytest.raises(WorldMoved, match="never read"):
        tx.edit(Replace(path="b.py", symbol="f", code=F))
    tx.view().show("b.py")
    tx.edit(Replace(path="b.py", symbol="f", code=F))
    tx.edit(Replace(path="b.py", symbol="f", code=F.replace("7", "9")))


@pytest.mark.parametrize("folder", ["src", "./src/", "{root}/src"])
def test_only_files_in_allowed_folders_are_changed(box: Sandbox, folder: str) -> None:
    with Repository(box.root, allowed_folders=[folder.format(root=box.root)]) as repo:
        repo.edit(Replace(path="src/a.py", symbol="f", code=F))
        for path in ("docs/a.py", "b.py"):
            with pytest.raises(NotAllowed):
                repo.edit(Replace(path=path, symbol="f", code=F))


def test_folders_outside_are_none_and_one_word_says_what_is_allowed(box: Sandbox) -> None:
    with pytest.raises(NotAllowed):
        Repository(box.root, allowed_folders=["../elsewhere"])
    with pytest.raises(BadCall):
        Repository(box.root, allowed_folders=["src"], within=["src/**"])
    with Repository(box.root, allowed_folders=["."]) as repo:
        repo.edit(Replace(path="b.py", symbol="f", code=F))
