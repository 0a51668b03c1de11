"""What a killed command had begun for itself alone is given up, and it is said; what was asked for stays."""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.cli import command_line
from gitscalpel.git import journal, ref_transaction, scratch
from gitscalpel.git.refs import RefUpdate
from gitscalpel.git.scratch import Scratch
from gitscalpel.transaction import branch_update
from tests.command import started
from tests.sandbox import Sandbox

EDIT = ("text", "a.py", "--old", "two", "--new", "2")
KILLED = 128 + 9
BEFORE_LANDING = {"GITSCALPEL_FAILPOINT": "1"}


def test_an_edit_that_is_killed_before_it_lands_leaves_nothing(repo: Sandbox) -> None:
    before = repo.state()
    assert started(repo.root, *EDIT, env=BEFORE_LANDING).status == KILLED
    status = started(repo.root, "status", "--json").data
    assert (status["recovery"], status["transactions"]) == ("none", [])
    assert repo.state() == before
    assert started(repo.root, "recover").out == "nothing to recover\n"


@pytest.fixture
def judged(repo: Sandbox) -> Sandbox:
    """A repository whose gate kills who asks it, as long as there is a file."""
    trap = repo.root.parent / "trap"
    trap.touch()
    run = f"test ! -e {trap} || {{ rm {trap}; kill -9 $PPID; sleep 1; }}"
    repo.commit({".gitscalpel.toml": f'[[gates.command]]\nname = "trap"\nrun = "{run}"\n'.encode()})
    return repo


TRUSTED = {"SCALPEL_TRUST": "1"}


def test_the_transaction_of_an_edit_that_is_killed_while_commands_judge_is_given_up(judged: Sandbox) -> None:
    before = judged.state()
    assert started(judged.root, *EDIT, env=TRUSTED).status == KILLED
    assert "refs/scalpel/tx/" in judged.git("for-each-ref")
    status = started(judged.root, "status", "--json")
    assert status.data["recovery_pending"]
    assert "git scalpel recover" in status.json["warnings"][0]
    tx = status.data["transactions"][0]["tx"]
    words = f"transaction {tx} had not landed when its command was interrupted; it was given up"
    assert started(judged.root, "recover", "--json").data == {
        "done": [words],
        "message": words,
        "recovery": "pending",
    }
    assert judged.state() == before
    assert started(judged.root, "recover").out == "nothing to recover\n"


def test_the_next_edit_gives_it_up_as_well(judged: Sandbox) -> None:
    assert started(judged.root, *EDIT, env=TRUSTED).status == KILLED
    assert "was given up" in started(judged.root, *EDIT, env=TRUSTED).err
    assert judged.files()["a.py"] == b"one\n2\nthree\n"
    assert "refs/scalpel/tx/" not in judged.git("for-each-ref")


def test_a_transaction_that_was_asked_for_stays(repo: Sandbox) -> None:
    tx = started(repo.root, *EDIT, "--no-land", "--json").data["tx"]
    assert started(repo.root, "land", tx, env=BEFORE_LANDING).status == KILLED
    assert started(repo.root, "recover").status == 0
    assert started(repo.root, "land", tx).status == 0
    assert repo.files()["a.py"] == b"one\n2\nthree\n"


def test_what_a_living_process_holds_is_left_alone(repo: Sandbox) -> None:
    folder = repo.root / ".git/scalpel"
    with scratch.make_scratch(folder) as mine:
        assert not scratch.has_abandoned(folder)
        assert started(repo.root, "recover").status == 0
        assert mine.path.exists()
    assert not mine.path.exists()


@pytest.mark.parametrize(("moved", "then"), [((), []), (("one",), ["one", "two"])])
def test_refs_that_a_killed_git_had_begun_to_move_follow(
    repo: Sandbox, moved: tuple[str, ...], then: list[str]
) -> None:
    """Git moves several refs one after the other: once the first has moved, the others belong to it."""
    updates = [RefUpdate(f"refs/heads/{name}", None, repo.tip()) for name in ("one", "two")]
    with repo.opened() as (opened, _), scratch.hold_new_scratch(opened.scalpel_dir) as held:
        held.write("refs", msgspec.json.encode(updates))
    for name in moved:
        repo.git("branch", name)
    assert started(repo.root, "recover").status == 0
    assert repo.git("branch", "--format=%(refname:short)").split() == ["main", *then]


def test_a_worktree_that_was_being_made_is_removed(repo: Sandbox, tmp_path: Path) -> None:
    root = tmp_path / "pool/1/repo"
    repo.git("worktree", "add", "-q", "--detach", "--no-checkout", str(root))
    with repo.opened() as (opened, _), scratch.hold_new_scratch(opened.scalpel_dir) as held:
        held.write("worktree", bytes(root))
    (repo.root / ".git/worktrees/repo/commondir").write_bytes(b"")
    words = f"removed {root}, a worktree that was being made"
    assert started(repo.root, "recover", "--json").data["done"] == [words]
    assert not root.exists()
    repo.git("fsck", "--strict")


OURS = Oid("1" * 40)


@pytest.fixture
def noted(repo: Sandbox) -> tuple[Scratch, Path]:
    """Notes of a git that was to write one ref, and the lock file of that."""
    with repo.opened() as (opened, _), ExitStack() as stack:
        held = stack.enter_context(scratch.hold_new_scratch(opened.scalpel_dir))
        ref_transaction.note_ref_locks(held, opened, [("refs/heads/main", OURS)])
    return held, repo.root / ".git/refs/heads/main.lock"


@pytest.mark.parametrize("content", ["", OURS[:7], f"{OURS}\n"])
def test_the_lock_of_a_killed_git_is_removed(noted: tuple[Scratch, Path], content: str) -> None:
    notes, lock = noted
    lock.write_text(content)
    assert ref_transaction.remove_noted_locks(notes, killed=True) == [lock]
    assert not lock.exists()


def test_a_lock_that_was_held_needs_no_patience(noted: tuple[Scratch, Path]) -> None:
    notes, lock = noted
    lock.write_text("")
    ref_transaction.note_held_locks(notes)
    began = time.monotonic()
    assert ref_transaction.remove_noted_locks(notes, killed=True) == [lock]
    assert time.monotonic() - began < 0.9


def test_a_lock_with_other_content_stays(noted: tuple[Scratch, Path]) -> None:
    notes, lock = noted
    lock.write_text("2" * 40)
    assert ref_transaction.remove_noted_locks(notes, killed=True) == []
    assert lock.exists()


def test_a_lock_that_was_there_before_stays(repo: Sandbox) -> None:
    lock = repo.root / ".git/refs/heads/main.lock"
    lock.write_text("")
    with repo.opened() as (opened, _), scratch.make_scratch(opened.scalpel_dir) as notes:
        ref_transaction.note_ref_locks(notes, opened, [("refs/heads/main", OURS)])
        assert ref_transaction.remove_noted_locks(notes, killed=True) == []
    assert lock.exists()


def test_a_lock_that_changes_hands_stays(noted: tuple[Scratch, Path]) -> None:
    """Somebody's git, which lives: it lets go and takes it again while we look."""
    notes, lock = noted
    lock.write_text("")

    def go_on() -> None:
        lock.unlink()
        lock.write_text("")

    timer = threading.Timer(0.3, go_on)
    timer.start()
    assert ref_transaction.remove_noted_locks(notes, killed=True) == []
    timer.join()
    assert lock.exists()


def test_where_git_has_ended_by_itself_nothing_is_guessed(noted: tuple[Scratch, Path]) -> None:
    notes, lock = noted
    lock.write_text("")
    assert ref_transaction.remove_noted_locks(notes, killed=False) == []
    assert lock.exists()


@pytest.mark.parametrize("landed", [True, False])
def test_who_is_interrupted_is_told_whether_it_was_done(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], landed: bool
) -> None:
    """Who runs it again although it was would do it twice."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(repo.root)
    monkeypatch.setattr(branch_update, "DONE", deque(maxlen=9))
    monkeypatch.setattr(journal, "remove_journal" if landed else "write_journal", interrupted)
    assert command_line.run([*EDIT, "--json"]) == 130
    error = msgspec.json.decode(capsys.readouterr().out)["error"]
    assert (repo.files()["a.py"] == b"one\n2\nthree\n") is landed
    assert error["retryable"] is not landed
    assert ("was done" in error["message"], "log" in error["hint"]) == (landed, landed)
