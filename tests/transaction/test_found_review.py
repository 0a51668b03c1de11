"""What a reading found: slots that are in the way, interrupts, refusals that left something behind."""

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


def _nested(place: Sandbox) -> None:
    Sandbox.init(place.root / "inner").write({"x": b"x\n"})


def _nested_with_a_commit(place: Sandbox) -> None:
    Sandbox.init(place.root / "inner").commit({"x": b"x\n"})


def _unmerged(place: Sandbox) -> None:
    place.git("merge", "-q", "side", check=False)


@pytest.mark.parametrize("spoil", [_nested, _nested_with_a_commit, _unmerged])
def test_a_free_slot_whose_content_cannot_be_kept_is_left_alone(repo: Sandbox, spoil: object) -> None:
    repo.git("switch", "-q", "-c", "side")
    repo.commit({"b.txt": b"side\n"})
    repo.git("switch", "-q", "main")
    repo.commit({"b.txt": b"main\n"})
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        place = Sandbox(tx.worktree())
        spoil(place)  # type: ignore[operator]
        left = place.files()
        with pytest.raises(ScalpelError):
            tx.stage()
        tx.drop()
        other = opened.begin()
        assert other.worktree() != place.root
        assert place.files() == left
        assert other.run("touch", "fine").tx == other.id


def test_a_lock_that_a_killed_git_left_in_a_free_slot_goes(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        place = Sandbox(tx.worktree())
        (Path(place.git("rev-parse", "--absolute-git-dir")) / "index.lock").touch()
        tx.drop()
        assert opened.begin().worktree() == place.root


def test_two_that_ask_at_once_get_one_worktree(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
    places: list[str] = []

    def ask() -> None:
        answer = scalpel(repo.root, "worktree", tx.id)
        places.extend([answer.out] if answer.status == 0 else [])

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert places
    assert len(set(places)) == 1
    assert len(repo.git("worktree", "list").splitlines()) == 2


def _interruptible() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_leaves_nothing_and_nothing_running(repo: Sandbox, number: int) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        place = Sandbox(tx.worktree())
        script = "trap '' INT TERM HUP; echo half > b.txt; touch started; sleep 2; echo late > b.txt"
        runner = subprocess.Popen(
            [sys.executable, "-m", "gitscalpel", "run", "--tx", tx.id, "--", "sh", "-c", script],
            cwd=repo.root,
            stderr=subprocess.DEVNULL,
            # Whoever runs the tests in the background has interrupts ignored.
            preexec_fn=_interruptible,  # noqa: PLW1509 - this process has one thread
        )
        while not (place.root / "started").exists():
            time.sleep(0.02)
        runner.send_signal(number)
        assert runner.wait() == 130
        assert (place.status(), place.files()) == ("", FILES)
        time.sleep(2.2)
        assert place.files() == FILES
        with pytest.raises(ScalpelError) as caught:
            tx.run("true")
        assert caught.value.code == "no_change"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_for_all_that_runs_in_a_terminal_is_one(repo: Sandbox, number: int) -> None:
    before = repo.state()
    script = f"touch {repo.root.parent / 'started'}; sleep 60"
    runner = subprocess.Popen(
        [sys.executable, "-m", "gitscalpel", "run", "--json", "--", "sh", "-c", script],
        cwd=repo.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=_interruptible,  # noqa: PLW1509 - this process has one thread
    )
    while not (repo.root.parent / "started").exists():
        time.sleep(0.02)
    os.killpg(runner.pid, number)
    out, _ = runner.communicate()
    assert (runner.returncode, json.loads(out)["error"]["code"]) == (130, "interrupted")
    assert repo.state() == before
    assert scalpel(repo.root, "list", "--json").data["transactions"] == []


def test_run_in_a_program_whose_standard_error_is_no_file(repo: Sandbox) -> None:
    script = (
        "import sys, io, gitscalpel\nsys.stderr = io.StringIO()\n"
        "print(gitscalpel.open().run('touch', 'x').state)"
    )
    assert subprocess.check_output([sys.executable, "-c", script], cwd=repo.root, text=True) == "landed\n"


def test_run_where_the_branch_has_no_such_folder(repo: Sandbox) -> None:
    (repo.root / "fresh").mkdir()
    assert scalpel(repo.root / "fresh", "run", "--", "touch", "x").status == 0
    assert repo.files()["fresh/x"] == b""


def test_run_and_stage_take_a_message(repo: Sandbox) -> None:
    tx = scalpel(repo.root, "begin", "--json").data["tx"]
    assert scalpel(repo.root, "run", "--tx", tx, "-m", "Said", "--", "touch", "x").status == 0
    assert scalpel(repo.root, "land", tx).out.startswith("landed on main: Said")


def test_in_a_worktree_one_sees_what_is_there(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        place = Sandbox(opened.begin().worktree())
    place.write({"b.txt": b"edited here\n"})
    assert scalpel(place.root, "show", "b.txt", "--json").data["dirty"] is True
    assert scalpel(place.root, "show", "b.txt", "--checkout", "--json").data["content"] == "edited here\n"
    assert scalpel(place.root, "show", str(place.root / "b.txt"), "--json").data["content"] == "one\n"


def _busy(repo: Sandbox) -> None:
    (repo.root / ".git/index.lock").touch()


def _hook(repo: Sandbox) -> None:
    hook = repo.root / ".git/hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ngrep -q refs/heads/ && exit 1\nexit 0\n")
    hook.chmod(0o755)


@pytest.mark.parametrize(("hinder", "code"), [(_busy, "busy"), (_hook, "hook_failed")])
def test_an_edit_that_may_be_asked_for_again_leaves_no_transaction(
    repo: Sandbox, hinder: object, code: str
) -> None:
    hinder(repo)  # type: ignore[operator]
    answer = scalpel(repo.root, "text", "b.txt", "--old", "one", "--new", "1", "--json")
    assert answer.error["code"] == code
    assert "tx" not in answer.error["data"]
    assert scalpel(repo.root, "list", "--json").data == {"transactions": []}


def test_a_landing_that_is_refused_names_what_stays_open(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(retries.RULES, "land", retries.Rule(tries=10, busy_s=0.5))
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        tx.edit(text("return 1", "return 3"))
        _busy(repo)
        with pytest.raises(ScalpelError) as caught:
            tx.land()
        assert (caught.value.code, caught.value.data["tx"]) == ("busy", tx.id)
        (repo.root / ".git/index.lock").unlink()
        tx.land()


def test_several_processes_add_to_one_transaction_at_once(repo: Sandbox) -> None:
    repo.commit({f"m{n}.txt": b"old\n" for n in range(4)})
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()

    def add(n: int) -> None:
        with Repository(repo.root) as mine:
            mine.transaction(tx.id).edit(text("old", f"new {n}", f"m{n}.txt"))

    threads = [threading.Thread(target=add, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with gitscalpel.open(repo.root) as opened:
        opened.transaction(tx.id).land()
    assert [repo.files()[f"m{n}.txt"] for n in range(4)] == [b"new %d\n" % n for n in range(4)]


def test_what_the_user_commits_meanwhile_is_adopted_no_longer(repo: Sandbox) -> None:
    repo.write({"b.txt": b"mine\n"})
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin("Edit", adopt=["b.txt"])
        tx.edit(text("return 1", "return 3"))
        repo.commit({}, "mine")
        tx.land()
    assert repo.git("log", "-3", "--format=%s").splitlines() == ["Edit", "mine", "a commit"]


def test_an_adoption_alone_has_a_message(repo: Sandbox) -> None:
    repo.write({"b.txt": b"mine\n"})
    with gitscalpel.open(repo.root) as opened, opened.begin(adopt=["b.txt"]) as tx:
        assert tx.result.message == "Adopt uncommitted changes of b.txt"
    assert repo.git("log", "-1", "--format=%s") == "Adopt uncommitted changes of b.txt"


@pytest.mark.parametrize("words", [("add", "-N", "new.txt"), ("add", "b.txt")])
def test_what_is_half_staged_is_not_adopted(repo: Sandbox, words: tuple[str, ...]) -> None:
    repo.write({"new.txt": b"new\n", "b.txt": b"staged\n"})
    repo.git(*words)
    repo.write({"b.txt": b"on top\n"})
    before = repo.state()
    answer = scalpel(repo.root, "begin", "--adopt", words[-1], "--json")
    assert answer.error["code"] == "dirty_overlap"
    assert repo.state() == before


def test_a_branch_whose_rules_moved_is_landed_on_under_the_new_ones(repo: Sandbox) -> None:
    def begun(opened: Repository, new: str) -> Transaction:
        tx = opened.begin()
        tx.edit(text("return 1", new))
        return tx

    with gitscalpel.open(repo.root) as opened:
        fine = begun(opened, "return 3")
        repo.commit({".gitscalpel.toml": b"[gates]\nsyntax = true\n"})
        fine.land()
    assert repo.files()["a.py"] == A.replace(b"1", b"3")


def test_forgotten_in_a_with_block(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        with opened.begin() as tx:
            tx.edit(text("return 1", "return 3"))
            tx.forget()
        assert opened.log() == []
        assert opened.status().transactions == ()


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_an_answer_that_cannot_be_written(repo: Sandbox, as_json: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gitscalpel", "text", "b.txt", "--old", "one", "--new", "1", *as_json],
            cwd=repo.root,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr.startswith("it is done, but")) == (74, True)
    assert repo.files()["b.txt"] == b"1\n"


def test_an_option_of_the_command_is_not_ours(repo: Sandbox) -> None:
    assert scalpel(repo.root, "run", "--", "false", "--json").err.count("error: gate_failed") == 1


def test_looking_at_many_open_transactions_starts_few_processes(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gitscalpel.git.process import Git

    with gitscalpel.open(repo.root) as opened:
        for _ in range(12):
            opened.begin()
    started: list[str] = []
    start = Git.start

    def counted(git: Git, *words: str, **more: Any) -> Any:
        started.append(words[0])
        return start(git, *words, **more)

    monkeypatch.setattr(Git, "start", counted)
    with Repository(repo.root, long_lived=False) as opened:
        assert len(opened.status().transactions) == 12
    assert len(started) < 6
