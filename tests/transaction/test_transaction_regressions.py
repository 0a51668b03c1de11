"""Regression tests: unusable slots, interrupts, and errors that left something behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import gitscalpel
from gitscalpel import Repository, ScalpelError, Transaction
from gitscalpel.transaction import retries
from tests.command import scalpel
from tests.sandbox import Content, Sandbox
from tests.whole import text

A = b"def f():\n    return 1\n"
FILES: dict[str, Content] = {"a.py": A, "b.txt": b"one\n"}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "shop", FILES)


def _nest_repository(worktree: Sandbox) -> None:
    Sandbox.init(worktree.root / "inner").write({"x": b"x\n"})


def _nest_repository_with_commit(worktree: Sandbox) -> None:
    Sandbox.init(worktree.root / "inner").commit({"x": b"x\n"})


def _start_merge(worktree: Sandbox) -> None:
    worktree.git("merge", "-q", "side", check=False)


@pytest.mark.parametrize("spoil", [_nest_repository, _nest_repository_with_commit, _start_merge])
def test_free_slot_with_unsavable_content_is_left_alone(repo: Sandbox, spoil: object) -> None:
    repo.git("switch", "-q", "-c", "side")
    repo.commit({"b.txt": b"side\n"})
    repo.git("switch", "-q", "main")
    repo.commit({"b.txt": b"main\n"})
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        worktree = Sandbox(tx.worktree())
        spoil(worktree)  # type: ignore[operator]
        content = worktree.files()
        with pytest.raises(ScalpelError):
            tx.stage()
        tx.drop()
        other = opened.begin()
        assert other.worktree() != worktree.root
        assert worktree.files() == content
        assert other.run("touch", "fine").tx == other.id


def test_stale_index_lock_in_a_free_slot_is_removed(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        worktree = Sandbox(tx.worktree())
        (Path(worktree.git("rev-parse", "--absolute-git-dir")) / "index.lock").touch()
        tx.drop()
        assert opened.begin().worktree() == worktree.root


def test_concurrent_worktree_calls_get_one_worktree(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
    worktrees: list[str] = []

    def request_worktree() -> None:
        answer = scalpel(repo.root, "worktree", tx.id)
        worktrees.extend([answer.out] if answer.status == 0 else [])

    threads = [threading.Thread(target=request_worktree) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert worktrees
    assert len(set(worktrees)) == 1
    assert len(repo.git("worktree", "list").splitlines()) == 2


def _reset_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_run_leaves_no_files_or_processes(repo: Sandbox, number: int) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        worktree = Sandbox(tx.worktree())
        script = "trap '' INT TERM HUP; echo half > b.txt; touch started; sleep 2; echo late > b.txt"
        runner = subprocess.Popen(
            [sys.executable, "-m", "gitscalpel", "run", "--tx", tx.id, "--", "sh", "-c", script],
            cwd=repo.root,
            stderr=subprocess.DEVNULL,
            # A shell ignores interrupts in background jobs, and tests may run in one.
            preexec_fn=_reset_signals,  # noqa: PLW1509 - this process has one thread
        )
        while not (worktree.root / "started").exists():
            time.sleep(0.02)
        runner.send_signal(number)
        assert runner.wait() == 130
        assert (worktree.status(), worktree.files()) == ("", FILES)
        time.sleep(2.2)
        assert worktree.files() == FILES
        with pytest.raises(ScalpelError) as caught:
            tx.run("true")
        assert caught.value.code == "no_change"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_of_the_process_group_is_reported_once(repo: Sandbox, number: int) -> None:
    before = repo.state()
    script = f"touch {repo.root.parent / 'started'}; sleep 60"
    runner = subprocess.Popen(
        [sys.executable, "-m", "gitscalpel", "run", "--json", "--", "sh", "-c", script],
        cwd=repo.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=_reset_signals,  # noqa: PLW1509 - this process has one thread
    )
    while not (repo.root.parent / "started").exists():
        time.sleep(0.02)
    os.killpg(runner.pid, number)
    out, _ = runner.communicate()
    assert (runner.returncode, json.loads(out)["error"]["code"]) == (130, "interrupted")
    assert repo.state() == before
    assert scalpel(repo.root, "list", "--json").data["transactions"] == []


def test_run_works_if_stderr_is_not_a_file(repo: Sandbox) -> None:
    script = (
        "import sys, io, gitscalpel\nsys.stderr = io.StringIO()\n"
        "print(gitscalpel.open().run('touch', 'x').state)"
    )
    assert subprocess.check_output([sys.executable, "-c", script], cwd=repo.root, text=True) == "landed\n"


def test_run_works_in_a_directory_not_on_the_branch(repo: Sandbox) -> None:
    (repo.root / "fresh").mkdir()
    assert scalpel(repo.root / "fresh", "run", "--", "touch", "x").status == 0
    assert repo.files()["fresh/x"] == b""


def test_run_and_stage_take_a_message(repo: Sandbox) -> None:
    tx = scalpel(repo.root, "begin", "--json").data["tx"]
    assert scalpel(repo.root, "run", "--tx", tx, "-m", "Said", "--", "touch", "x").status == 0
    assert scalpel(repo.root, "land", tx).out.startswith("landed on main: Said")


def test_show_in_a_worktree_reads_its_files(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        worktree = Sandbox(opened.begin().worktree())
    worktree.write({"b.txt": b"edited here\n"})
    assert scalpel(worktree.root, "show", "b.txt", "--json").data["dirty"] is True
    assert scalpel(worktree.root, "show", "b.txt", "--checkout", "--json").data["content"] == "edited here\n"
    assert scalpel(worktree.root, "show", str(worktree.root / "b.txt"), "--json").data["content"] == "one\n"


def _lock_index(repo: Sandbox) -> None:
    (repo.root / ".git/index.lock").touch()


def _write_rejecting_hook(repo: Sandbox) -> None:
    hook = repo.root / ".git/hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ngrep -q refs/heads/ && exit 1\nexit 0\n")
    hook.chmod(0o755)


@pytest.mark.parametrize(("hinder", "code"), [(_lock_index, "busy"), (_write_rejecting_hook, "hook_failed")])
def test_retryable_edit_leaves_no_transaction(repo: Sandbox, hinder: object, code: str) -> None:
    hinder(repo)  # type: ignore[operator]
    answer = scalpel(repo.root, "text", "b.txt", "--old", "one", "--new", "1", "--json")
    assert answer.error["code"] == code
    assert "tx" not in answer.error["data"]
    assert scalpel(repo.root, "list", "--json").data == {"transactions": []}


def test_failed_landing_names_the_open_transaction(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(retries.RULES, "land", retries.Rule(tries=10, busy_s=0.5))
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        tx.edit(text("return 1", "return 3"))
        _lock_index(repo)
        with pytest.raises(ScalpelError) as caught:
            tx.land()
        assert (caught.value.code, caught.value.data["tx"]) == ("busy", tx.id)
        (repo.root / ".git/index.lock").unlink()
        tx.land()


def test_concurrent_edits_of_one_transaction_are_all_kept(repo: Sandbox) -> None:
    repo.commit({f"m{n}.txt": b"old\n" for n in range(4)})
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()

    def add(n: int) -> None:
        with Repository(repo.root) as opened:
            opened.transaction(tx.id).edit(text("old", f"new {n}", f"m{n}.txt"))

    threads = [threading.Thread(target=add, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with gitscalpel.open(repo.root) as opened:
        opened.transaction(tx.id).land()
    assert [repo.files()[f"m{n}.txt"] for n in range(4)] == [b"new %d\n" % n for n in range(4)]


def test_committed_change_is_no_longer_adopted(repo: Sandbox) -> None:
    repo.write({"b.txt": b"mine\n"})
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin("Edit", adopt=["b.txt"])
        tx.edit(text("return 1", "return 3"))
        repo.commit({}, "mine")
        tx.land()
    assert repo.git("log", "-3", "--format=%s").splitlines() == ["Edit", "mine", "a commit"]


def test_adoption_has_a_default_message(repo: Sandbox) -> None:
    repo.write({"b.txt": b"mine\n"})
    with gitscalpel.open(repo.root) as opened, opened.begin(adopt=["b.txt"]) as tx:
        assert tx.result.message == "Adopt uncommitted changes of b.txt"
    assert repo.git("log", "-1", "--format=%s") == "Adopt uncommitted changes of b.txt"


@pytest.mark.parametrize("git_command", [("add", "-N", "new.txt"), ("add", "b.txt")])
def test_partially_staged_file_is_not_adopted(repo: Sandbox, git_command: tuple[str, ...]) -> None:
    repo.write({"new.txt": b"new\n", "b.txt": b"staged\n"})
    repo.git(*git_command)
    repo.write({"b.txt": b"on top\n"})
    before = repo.state()
    answer = scalpel(repo.root, "begin", "--adopt", git_command[-1], "--json")
    assert answer.error["code"] == "dirty_overlap"
    assert repo.state() == before


def test_changed_policy_of_the_branch_applies(repo: Sandbox) -> None:
    def begin_and_edit(opened: Repository, new: str) -> Transaction:
        tx = opened.begin()
        tx.edit(text("return 1", new))
        return tx

    with gitscalpel.open(repo.root) as opened:
        fine = begin_and_edit(opened, "return 3")
        repo.commit({".gitscalpel.toml": b"[gates]\nsyntax = true\n"})
        fine.land()
    assert repo.files()["a.py"] == A.replace(b"1", b"3")


def test_transaction_forgotten_in_a_with_block_does_not_land(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        with opened.begin() as tx:
            tx.edit(text("return 1", "return 3"))
            tx.forget()
        assert opened.log() == []
        assert opened.status().transactions == ()


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_unwritable_answer_is_reported(repo: Sandbox, as_json: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        completed = subprocess.run(
            [sys.executable, "-m", "gitscalpel", "text", "b.txt", "--old", "one", "--new", "1", *as_json],
            cwd=repo.root,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (completed.returncode, completed.stderr.startswith("it is done, but")) == (74, True)
    assert repo.files()["b.txt"] == b"1\n"


def test_option_of_the_command_is_not_parsed(repo: Sandbox) -> None:
    assert scalpel(repo.root, "run", "--", "false", "--json").err.count("error: gate_failed") == 1


def test_status_of_many_transactions_starts_few_processes(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gitscalpel.git.process import Git

    with gitscalpel.open(repo.root) as opened:
        for _ in range(12):
            opened.begin()
    started: list[str] = []
    start = Git.start

    def count_and_start(git: Git, *words: str, **more: Any) -> Any:
        started.append(words[0])
        return start(git, *words, **more)

    monkeypatch.setattr(Git, "start", count_and_start)
    with Repository(repo.root, long_lived=False) as opened:
        assert len(opened.status().transactions) == 12
    assert len(started) < 6
