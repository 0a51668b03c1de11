"""``--wait``: what passes is waited for, the rest is refused at once; the last refusal is the answer."""

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
def meanwhile(act: Callable[[], object], after: float = 0.3) -> Iterator[None]:
    timer = threading.Timer(after, act)
    timer.start()
    yield
    timer.join()


def test_an_edit_waits_until_nothing_stands_against_it(repo: Sandbox) -> None:
    repo.write({"a.py": DIRTY})
    with Repository(repo.root) as opened, meanwhile(lambda: repo.write({"a.py": CLEAN})):
        landed = opened.edit(EDIT, wait=30)
    assert landed.landed is not None
    assert repo.files()["a.py"] == b"ONE\ntwo\nthree\n"
    assert repo.git("rev-list", "--count", "main") == "2"
    assert not repo.git("for-each-ref", "refs/scalpel/tx")


def test_a_landing_waits_until_a_merge_is_over(repo: Sandbox) -> None:
    with Repository(repo.root) as opened:
        tx = opened.begin()
        tx.edit(EDIT)
        head = repo.root / ".git" / "MERGE_HEAD"
        head.write_text(repo.tip() + "\n")
        with pytest.raises(ScalpelError) as caught:
            tx.land()
        assert caught.value.code == "operation_in_progress"
        with meanwhile(head.unlink):
            assert tx.land(wait=30).landed is not None


def test_in_the_end_the_last_refusal_is_the_answer(repo: Sandbox) -> None:
    repo.write({"a.py": DIRTY})
    began = time.monotonic()
    answer = scalpel(
        repo.root, "text", "a.py", "--old", "one", "--new", "ONE", "--wait", "0.5", "--json"
    )  # fmt: skip
    assert answer.error["code"] == "dirty_overlap"
    assert time.monotonic() - began > 0.5
    assert repo.files()["a.py"] == DIRTY
    assert repo.git("for-each-ref", "refs/scalpel/tx").count("\n") == 0  # one, and not one for each attempt
    assert answer.error["data"]["tx"] in repo.git("for-each-ref", "refs/scalpel/tx")


def test_what_does_not_pass_is_refused_at_once(repo: Sandbox) -> None:
    began = time.monotonic()
    with Repository(repo.root) as opened, pytest.raises(ScalpelError) as caught:
        opened.edit(Text(path="a.py", old="four", new="4"), wait=30)
    assert caught.value.code == "not_found"
    assert time.monotonic() - began < 15


def test_a_worktree_that_is_in_use_is_refused_at_once(repo: Sandbox) -> None:
    with Repository(repo.root) as opened:
        tx = opened.begin()
        tx.edit(EDIT)
        tx.worktree()
        with Workspace(Session(folder=repo.root)) as ws, lease_worktree(ws, load_change(ws, tx.id)):
            began = time.monotonic()
            with pytest.raises(ScalpelError) as caught:
                tx.land()
    assert caught.value.code == "busy"
    assert time.monotonic() - began < 9  # a git by hand is waited for longer


@pytest.mark.parametrize("seconds", ["-1", "soon", "nan", "inf"])
def test_how_long_is_a_number_of_seconds(tmp_path: Path, seconds: str) -> None:
    repo = Sandbox.init(tmp_path / "r")
    answer = scalpel(repo.root, "land", "abcd", "--wait", seconds, "--json")
    assert answer.error["code"] == "invalid_args"
