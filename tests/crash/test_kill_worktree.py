"""Killed before any changing step, what works in the pool loses no edit and leaves nothing in the way.

Which steps: see :mod:`tests.today`.
"""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import gitscalpel
from gitscalpel import Repository, ScalpelError, Transaction
from gitscalpel.system import failpoint
from tests.sandbox import Sandbox
from tests.today import some
from tests.whole import text

HAND = b"by hand\n"
STEPS = some(range(1, 60))
Action = Callable[[Repository], object]


def dies(repo: Sandbox, n: int, action: Action) -> bool:
    """Whether a child that is killed before its n-th changing step is killed before it has done it."""
    child = os.fork()
    if child == 0:
        failpoint.arm(n)
        try:
            with gitscalpel.open(repo.root) as opened:
                action(opened)
        except BaseException:
            os._exit(1)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL)
    assert status or n > 3
    return status != 0


def on(tx: str, action: Callable[[Transaction], object]) -> Action:
    return lambda opened: action(opened.transaction(tx))


def patient(call: Callable[[], object]) -> object:
    """Do it once the git that a killed process left has ended."""
    for _ in range(200):
        try:
            return call()
        except ScalpelError as error:
            if error.code != "busy":
                raise
            time.sleep(0.02)
    return call()


def sound(repo: Sandbox) -> None:
    assert repo.git("fsck", "--strict", "--no-dangling") == ""
    assert repo.status() == ""
    rows = repo.git("worktree", "list", "--porcelain").splitlines()
    assert [row for row in rows if row.startswith("prunable")] == []


def kept(repo: Sandbox) -> list[str]:
    refs = repo.git("for-each-ref", "--format=%(refname)", "refs/scalpel/keep/worktree-*").splitlines()
    return [ref for ref in refs if repo.git("ls-tree", "-r", "--name-only", ref)]


def test_making_the_first_worktree(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        tx.edit(text("one", "1"))
        for n in STEPS:
            alive = not dies(repo, n, on(tx.id, Transaction.worktree))
            place = Sandbox(Path(str(patient(tx.worktree))))
            assert place.status() == "M  a.py"
            sound(repo)
            patient(opened.gc)
            assert len(repo.git("worktree", "list").splitlines()) == 2
            if alive:
                break
            repo.git("worktree", "remove", "--force", str(place.root))


def test_bringing_a_worktree_along_under_edits_by_hand(repo: Sandbox) -> None:
    states = set()
    with gitscalpel.open(repo.root) as opened:
        for n in STEPS:
            tx = opened.begin()
            place = Sandbox(tx.worktree())
            place.write({"a.py": b"one\ntwo\nthree\nby hand\n", "sub/b.py": HAND, "new.txt": HAND})
            alive = not dies(repo, n, on(tx.id, lambda now: now.edit(text("one", "1"))))
            now = opened.transaction(tx.id)
            states.add(_after_the_kill(now.worktree, place))
            sound(repo)
            now.drop()
            if alive:
                break
    assert states == {"MM a.py\n M sub/b.py\n?? new.txt"}


def _after_the_kill(lease: Callable[[], Path], place: Sandbox) -> str:
    """The edits are on top still, of the old tree or the new one."""
    assert patient(lease) == place.root
    status = place.status()
    first = b"1" if status.startswith("MM") else b"one"
    files = place.files()
    assert files["a.py"] == first + b"\ntwo\nthree\nby hand\n"
    assert (files["sub/b.py"], files["new.txt"]) == (HAND, HAND)
    assert list(place.root.rglob("*.tmp")) == []
    return status


def test_taking_edits_in(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        for n in STEPS:
            tx = opened.begin()
            place = Sandbox(tx.worktree())
            place.write({"sub/b.py": HAND})
            alive = not dies(repo, n, on(tx.id, Transaction.stage))
            now = opened.transaction(tx.id)
            patient(now.worktree)
            assert place.files()["sub/b.py"] == HAND
            if place.status() == " M sub/b.py":
                now.stage()
            assert place.status() == "M  sub/b.py"
            sound(repo)
            now.drop()
            if alive:
                break


def test_using_a_slot_again(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        for n in STEPS:
            before = opened.begin()
            mark = f"by hand {n}"
            Sandbox(before.worktree()).write({"sub/b.py": mark.encode()})
            before.drop()
            after = opened.begin()
            alive = not dies(repo, n, on(after.id, Transaction.worktree))
            assert Sandbox(Path(str(patient(after.worktree)))).status() == ""
            assert any(repo.git("show", f"{ref}:sub/b.py", check=False) == mark for ref in kept(repo))
            sound(repo)
            after.drop()
            if alive:
                break
    assert len(repo.git("worktree", "list").splitlines()) == 2


def test_gc(repo: Sandbox) -> None:
    repo.git("config", "scalpel.keepDays", "0")
    with gitscalpel.open(repo.root) as opened:
        leased = opened.begin()
        places = [str(repo.root), str(leased.worktree())]
        for n in STEPS:
            _littered(opened)
            alive = not dies(repo, n, Repository.gc)
            patient(opened.gc)
            sound(repo)
            assert [row.split()[0] for row in repo.git("worktree", "list").splitlines()] == places
            if alive:
                break


def _littered(opened: Repository) -> None:
    """Leave a slot without a folder, one without a record, and one that has not been used for long."""
    others = [opened.begin() for _ in range(3)]
    folders = [other.worktree() for other in others]
    records = [
        Path(Sandbox(each).git("rev-parse", "--absolute-git-dir")) / "scalpel.json" for each in folders
    ]
    for other in others:
        other.drop()
    shutil.rmtree(folders[0])
    records[1].unlink()
    os.utime(records[2], (1, 1))


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox.init(tmp_path / "repo")
    sandbox.git("config", "gc.auto", "0")
    sandbox.commit({"a.py": b"one\ntwo\nthree\n", "sub/b.py": b"b\n"})
    return sandbox
