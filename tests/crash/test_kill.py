"""Killed before any of its changing steps, a landing or an undo leaves the old state or the new one.

The child is killed with SIGKILL, so nothing of it runs afterwards; then a
second process heals what it finds. Which steps: see :mod:`tests.today`.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from gitscalpel.changesets.file_tree import EXECUTABLE, SYMLINK
from gitscalpel.errors import TryAgain
from gitscalpel.git import journal
from gitscalpel.system import failpoint, private_files, repo_lock
from gitscalpel.transaction import recovery
from gitscalpel.transaction.branch_update import Movement
from tests import copies
from tests.command import scalpel
from tests.sandbox import Content, Sandbox
from tests.today import some

STEPS = some(range(1, 100))
BASE: dict[str, Content] = {
    "a.py": b"1\n2\n3\n4\n5\n6\n",
    "dirty.py": b"1\n2\n3\n4\n5\n6\n",
    "gone/x.py": b"x\n",
    "run.sh": b"run\n",
    "file": b"f\n",
    "folder/in": b"i\n",
}
CHANGE: dict[str, Content] = {
    "a.py": b"ONE\n",
    "dirty.py": b"1 theirs\n2\n3\n4\n5\n6\n",
    "gone/x.py": None,
    "run.sh": (EXECUTABLE, b"run\n"),
    "new/y.py": b"y\n",
    "link": (SYMLINK, b"a.py"),
    "file": None,
    "file/in": b"now a folder\n",
    "folder/in": None,
    "folder": b"now a file\n",
}


def _made(root: Path, undo: bool) -> tuple[Sandbox, Movement]:
    repo = Sandbox.init(root)
    repo.git("config", "gc.auto", "0")
    repo.commit(BASE)
    if undo:
        landed = repo.move(repo.begin(CHANGE))
        repo.write({"dirty.py": b"1 theirs\n2\n3\n4\n5\n6 mine\n", "untracked": b"u\n"})
        return repo, repo.undoing(landed)
    repo.write({"dirty.py": b"1\n2\n3\n4\n5\n6 mine\n", "untracked": b"u\n"})
    return repo, repo.begin(CHANGE)


def _run(repo: Sandbox, movement: Movement, kill_before: int) -> int:
    """Make the movement in a child that dies before its n-th changing step; its exit status."""
    child = os.fork()
    if child == 0:
        failpoint.arm(kill_before)
        try:
            repo.move(movement)
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _seen(repo: Sandbox) -> tuple[str, dict[str, bytes | str], str]:
    return _refs(repo), repo.files(), repo.status()


def _refs(repo: Sandbox) -> str:
    """Every ref but the one that is only a safety net."""
    rows = repo.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    return "\n".join(row for row in rows if not row.startswith("refs/scalpel/saved "))


def _copy(template: Sandbox, root: Path) -> Sandbox:
    shutil.copytree(template.root, root, symlinks=True)
    copy = Sandbox(root)
    copy.git("update-index", "-q", "--refresh", check=False)
    return copy


def _healed(repo: Sandbox) -> list[str]:
    with repo.opened() as (opened, store), repo_lock.hold_lock(opened.scalpel_dir) as held:
        said = recovery.recover(opened, store, held)
        assert not recovery.is_pending(opened)
        return said


def _leftovers(repo: Sandbox) -> Iterator[Path]:
    for name in ("*.lock", "*.tmp", "index.new"):
        yield from repo.root.rglob(name)


@pytest.mark.parametrize("undo", [False, True], ids=["land", "undo"])
def test_killed_anywhere(tmp_path: Path, undo: bool) -> None:
    template, movement = _made(tmp_path / "template", undo)
    old = _seen(template)
    whole = _copy(template, tmp_path / "whole")
    assert _run(whole, movement, 0) == 0
    new = _seen(whole)
    outcomes = []
    for n in STEPS:
        copies.copied(template.root, tmp_path / str(n))
        repo = Sandbox(tmp_path / str(n))
        status = _run(repo, movement, n)
        if status == 0:
            break
        assert status == -signal.SIGKILL
        said = _healed(repo)
        state = _seen(repo)
        assert state in (old, new), f"step {n}: {said}"
        assert list(_leftovers(repo)) == []
        outcomes.append(state == new)
        _run(repo, movement, 0)  # the next one goes through, or finds that it is done
        assert _seen(repo) == new
        repo.git("fsck", "--strict")
    assert len(outcomes) >= 8
    assert outcomes == sorted(outcomes)  # once it has landed, it has landed
    assert set(outcomes) == {False, True}


def test_killed_while_healing(tmp_path: Path) -> None:
    template, movement = _made(tmp_path / "template", undo=False)
    old = _seen(template)
    _killed_after_writing(template, movement, "a.py")
    kept = _copy(template, tmp_path / "kept")
    for n in STEPS:
        shutil.rmtree(template.root)
        repo = _copy(kept, template.root)  # where it was: what a killed landing noted holds for that place
        child = os.fork()
        if child == 0:
            failpoint.arm(n)
            _healed(repo)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        _healed(repo)
        assert _seen(repo) == old
        assert list(_leftovers(repo)) == []
        if status == 0:
            break
    assert n > 3


def test_a_file_changed_since_the_kill_stays_and_is_reported(tmp_path: Path) -> None:
    repo, movement = _made(tmp_path / "repo", undo=False)
    _killed_after_writing(repo, movement, "a.py")
    repo.write({"a.py": b"the user went on\n"})
    said = _healed(repo)
    assert repo.files()["a.py"] == b"the user went on\n"
    assert any("a.py has been changed since" in words for words in said)
    copies = list((repo.root / ".git/scalpel/quarantine").rglob("a.py"))
    assert [copy.read_bytes() for copy in copies] == [b"the user went on\n"]
    assert repo.files()["dirty.py"] == b"1\n2\n3\n4\n5\n6 mine\n"


def test_a_killed_git_leaves_no_lock_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process group is killed: neither Python nor git can clean up."""
    repo, movement = _made(tmp_path / "repo", undo=False)
    old = _seen(repo)
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        monkeypatch.setattr(os, "kill", lambda _pid, number: os.killpg(0, number))
        failpoint.arm(8)
        repo.move(movement)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert (repo.root / ".git/refs/heads/main.lock").exists()
    assert (repo.root / ".git/HEAD.lock").exists()
    _healed(repo)
    assert list(_leftovers(repo)) == []
    assert _seen(repo) == old


def test_a_foreign_index_lock_stays(tmp_path: Path) -> None:
    repo, movement = _made(tmp_path / "repo", undo=False)
    _killed_after_writing(repo, movement, "a.py")
    lock_file = repo.root / ".git/index.lock"
    lock_file.unlink()
    lock_file.write_bytes(b"")
    with pytest.raises(TryAgain):
        _healed(repo)
    assert lock_file.exists()
    lock_file.unlink()
    assert _healed(repo)


def test_pending_is_seen_by_those_who_look(tmp_path: Path) -> None:
    repo, movement = _made(tmp_path / "repo", undo=False)
    _killed_after_writing(repo, movement, "a.py")
    with repo.opened() as (opened, _):
        assert recovery.is_pending(opened)


def test_the_next_edit_heals_and_says_so(tmp_path: Path) -> None:
    repo, movement = _made(tmp_path / "repo", undo=False)
    _killed_after_writing(repo, movement, "a.py")
    answer = scalpel(repo.root, "write", "later.txt", "--content", "x", "--json")
    assert answer.json["warnings"][0] == "land abcd2345 had been interrupted; it was taken back"
    assert answer.err == ""


def test_a_refusal_says_what_was_healed_first(tmp_path: Path) -> None:
    repo, movement = _made(tmp_path / "repo", undo=False)
    _killed_after_writing(repo, movement, "a.py")
    answer = scalpel(repo.root, "rm", "none.txt", "--json")
    assert answer.error["code"] == "file_not_found"
    assert "land abcd2345 had been interrupted; it was taken back" in answer.err


def test_killed_in_one_worktree_and_healed_from_another(tmp_path: Path) -> None:
    repo, movement = _made(tmp_path / "repo", undo=False)
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    old = _seen(repo)
    _killed_after_writing(repo, movement, "a.py", 1)
    assert "taken back" in _healed(Sandbox(tmp_path / "side"))[0]
    assert _seen(repo) == old


def test_killed_in_a_linked_worktree_and_healed_from_the_main_one(tmp_path: Path) -> None:
    repo, movement = _made(tmp_path / "repo", undo=False)
    side = Sandbox(tmp_path / "moved")
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    moved = msgspec.structs.replace(movement, branch="refs/heads/side")
    _killed_after_writing(Sandbox(tmp_path / "side"), moved, "a.py", 1)
    repo.git("worktree", "move", "-f", str(tmp_path / "side"), str(side.root))
    assert "taken back" in _healed(repo)[0]
    assert side.status() == ""


def test_killed_where_only_refs_move(tmp_path: Path) -> None:
    repo, movement = _made(tmp_path / "repo", undo=False)
    repo.git("switch", "-q", "-c", "other")
    old = _refs(repo)
    for n in range(1, 100):
        if _run(repo, movement, n) == 0:
            break
        _healed(repo)
        if _refs(repo) != old:
            break
    assert repo.tip("main") == movement.new
    assert repo.git("for-each-ref", "refs/scalpel/tx") == ""


def test_a_transaction_that_is_gone_is_no_sign_of_a_landing(tmp_path: Path) -> None:
    """Somebody may have dropped it since, and the branch has not moved."""
    repo, movement = _made(tmp_path / "repo", undo=False)
    files = repo.files()
    _killed_after_writing(repo, movement, "a.py")
    for update in movement.refs:
        repo.git("update-ref", "-d", update.ref)
    assert "taken back" in _healed(repo)[0]
    assert (repo.tip(), repo.files()) == (movement.old, files)


def test_a_journal_that_cannot_be_made_durable_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, movement = _made(tmp_path / "repo", undo=False)
    old = _seen(repo)
    sync, folder = private_files.sync_path, repo.root / ".git/scalpel"
    monkeypatch.setattr(
        private_files, "sync_path", lambda path: _disk_error(path) if path == folder else sync(path)
    )
    with pytest.raises(OSError, match="Input/output"):
        repo.move(movement)
    with repo.opened() as (opened, _):
        assert not recovery.is_pending(opened)
    assert _seen(repo) == old


def test_a_journal_that_cannot_be_cleared_is_cleared_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, movement = _made(tmp_path / "repo", undo=False)
    with monkeypatch.context() as failing:
        failing.setattr(journal, "remove_journal", _disk_error)
        repo.move(movement)
    new = _seen(repo)
    assert "finished" in _healed(repo)[0]
    assert _seen(repo) == new


def _disk_error(_: Path) -> None:
    raise OSError(errno.EIO, "Input/output error")


_BEFORE: dict[str, int] = {}
"""The last step before a file has been written: the same in all repositories of :func:`_made`."""


def _killed_after_writing(repo: Sandbox, movement: Movement, path: str, first: int | None = None) -> None:
    """Kill a landing at the first step after it has written ``path``, which is looked for.

    From step ``first`` on, or from the last one that came before it in another test.
    """
    before = repo.files()[path]
    for n in range(first or _BEFORE.get(path, 1), 100):
        assert _run(repo, movement, n) == -signal.SIGKILL
        common = Path(repo.git("rev-parse", "--path-format=absolute", "--git-common-dir"))
        with repo_lock.hold_lock(common / "scalpel"):
            pass  # git inherits the lock, so now it has ended, too, and taken its own locks away
        if repo.files()[path] != before:
            return
        if first is None:
            _BEFORE[path] = n
        _healed(repo)
    raise AssertionError
