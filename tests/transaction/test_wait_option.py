"""``--wait`` retries temporary errors, fails at once on others, and returns the last error."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gitscalpel import Repository, ScalpelError, Text
from gitscalpel.transaction.change import load_change
from gitscalpel.transaction.worktree import lease_worktree
from gitscalpel.workspace.workspace import Session, Workspace
from tests.command import scalpel
from tests.sandbox import Sandbox

EDIT = Text(path="a.py", old="one", new="ONE")
DIRTY = b"uno\ntwo\nthree\n"
CLEAN = b"one\ntwo\nthree\n"


@contextmanager
def run_after(act: Callable[[], object], delay_s: float = 0.3) -> Iterator[None]:
    timer = threading.Timer(delay_s, act)
    timer.start()
    yield
    timer.join()


def test_edit_waits_for_a_dirty_file(repo: Sandbox) -> None:
    repo.write({"a.py": DIRTY})
    with Repository(repo.root) as opened, run_after(lambda: repo.write({"a.py": CLEAN})):
        landed = opened.edit(EDIT, wait=30)
    assert landed.landed is not None
    assert repo.files()["a.py"] == b"ONE\ntwo\nthree\n"
    assert repo.git("rev-list", "--count", "main") == "2"
    assert not repo.git("for-each-ref", "refs/scalpel/tx")


def test_landing_waits_for_a_merge(repo: Sandbox) -> None:
    with Repository(repo.root) as opened:
        tx = opened.begin()
        tx.edit(EDIT)
        head = repo.root / ".git" / "MERGE_HEAD"
        head.write_text(repo.tip() + "\n")
        with pytest.raises(ScalpelError) as caught:
            tx.land()
        assert caught.value.code == "operation_in_progress"
        with run_after(head.unlink):
            assert tx.land(wait=30).landed is not None


def test_last_error_is_returned_after_the_wait(repo: Sandbox) -> None:
    repo.write({"a.py": DIRTY})
    began = time.monotonic()
    answer = scalpel(
        repo.root, "text", "a.py", "--old", "one", "--new", "ONE", "--wait", "0.5", "--json"
    )  # fmt: skip
    assert answer.error["code"] == "dirty_overlap"
    assert time.monotonic() - began > 0.5
    assert repo.files()["a.py"] == DIRTY
    assert (
        repo.git("for-each-ref", "refs/scalpel/tx").count("\n") == 0
    )  # one ref in total, not one for each attempt
    assert answer.error["data"]["tx"] in repo.git("for-each-ref", "refs/scalpel/tx")


def test_permanent_error_fails_at_once(repo: Sandbox) -> None:
    began = time.monotonic()
    with Repository(repo.root) as opened, pytest.raises(ScalpelError) as caught:
        opened.edit(Text(path="a.py", old="four", new="4"), wait=30)
    assert caught.value.code == "not_found"
    assert time.monotonic() - began < 15


def test_busy_worktree_fails_at_once(repo: Sandbox) -> None:
    with Repository(repo.root) as opened:
        tx = opened.begin()
        tx.edit(EDIT)
        tx.worktree()
        with Workspace(Session(folder=repo.root)) as ws, lease_worktree(ws, load_change(ws, tx.id)):
            began = time.monotonic()
            with pytest.raises(ScalpelError) as caught:
                tx.land()
    assert caught.value.code == "busy"
    assert time.monotonic() - began < 9  # the wait for a manual git command is longer


@pytest.mark.parametrize("seconds", ["-1", "soon", "nan", "inf"])
def test_invalid_wait_is_rejected(tmp_path: Path, seconds: str) -> None:
    repo = Sandbox.init(tmp_path / "r")
    answer = scalpel(repo.root, "land", "abcd", "--wait", seconds, "--json")
    assert answer.error["code"] == "invalid_args"
