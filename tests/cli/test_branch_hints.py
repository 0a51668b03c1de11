"""Hints of undo and redo name a branch that is not checked out, and errors tell branches from other refs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import Answer, scalpel
from tests.sandbox import Sandbox

EDIT = ("text", "t.txt", "--old", "one", "--new", "two")


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    repo = Sandbox.of(tmp_path / "repo", {"t.txt": b"one\n"})
    repo.git("branch", "side")
    return repo


def _next_commands(answer: Answer) -> list[str]:
    found: list[str] = json.loads(answer.out)["next"]
    return found


def test_undo_hint_names_a_branch_that_is_not_checked_out(repo: Sandbox) -> None:
    assert scalpel(repo.root, *EDIT).out.endswith("undo with: git scalpel undo\n")
    landed = scalpel(repo.root, *EDIT, "--onto", "side")
    assert landed.out.endswith("undo with: git scalpel undo --onto side\n")
    undone = scalpel(repo.root, "undo", "--onto", "side", "--json")
    assert (undone.data["target"], _next_commands(undone)) == ("side", ["git scalpel redo --onto side"])
    again = scalpel(repo.root, "redo", "--onto", "side")
    assert again.out.endswith("take it back with: git scalpel undo --onto side\n")
    assert repo.files()["t.txt"] == b"two\n", "the one here still stands"


def test_undo_hint_names_the_branch_after_land_and_with_detached_head(repo: Sandbox) -> None:
    tx = scalpel(repo.root, *EDIT, "--onto", "side", "--no-land", "--json").data["tx"]
    assert _next_commands(scalpel(repo.root, "land", tx, "--json")) == ["git scalpel undo --onto side"]
    assert _next_commands(scalpel(repo.root, *EDIT, "--onto", "main", "--json")) == ["git scalpel undo"]
    assert scalpel(repo.root, "undo").status == 0
    repo.git("checkout", "-q", "--detach")
    assert _next_commands(scalpel(repo.root, *EDIT, "--onto", "main", "--json")) == [
        "git scalpel undo --onto main"
    ]
    ran = scalpel(repo.root, "run", "--onto", "side", "--json", "--", "touch", "b")
    assert _next_commands(ran) == ["git scalpel undo --onto side"]


def test_undo_hint_names_the_branch_of_a_transaction(repo: Sandbox) -> None:
    tx = scalpel(repo.root, *EDIT, "--onto", "side", "--json").data["tx"]
    assert f"it is on side: git scalpel undo {tx} --onto side\n" in scalpel(repo.root, "undo", tx).err
    assert scalpel(repo.root, "undo", tx, "--onto", "side").status == 0
    assert "git scalpel log lists the steps" in scalpel(repo.root, "undo", tx).err


def test_hint_names_the_kind_of_a_ref_that_is_not_a_branch(repo: Sandbox) -> None:
    repo.git("tag", "v1")
    repo.git("update-ref", "refs/remotes/origin/topic", "HEAD")
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    for name, hint in {
        "v1": "it is a tag, not a branch; `git branch NEW v1` creates a branch there",
        repo.tip(): "it is a commit, not a branch",
        "origin/topic": "it is a remote branch; name a local one, topic; "
        "`git branch topic origin/topic` creates it\n",
        "origin/main": "it is a remote branch; name a local one, main\n",
        "sides": "did you mean side? `git branch sides` creates it\n",
        "other": "hint: `git branch other` creates it\n",
    }.items():
        refused = scalpel(repo.root, *EDIT, "--onto", str(name))
        assert (refused.status, hint in refused.err) == (2, True), refused.err
    repo.git("checkout", "-q", "--detach")
    assert "or edit the files on the disk (--checkout)" in scalpel(repo.root, *EDIT).err
