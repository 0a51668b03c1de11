"""Decisions and edits of people while a change is judged or waits, and cleanup after failures."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gitscalpel import BadCall, DoesNotFit, GateRefused, Repository, WaitsForPerson, changeset
from gitscalpel.landing import landing
from gitscalpel.landing.group_landing import hold_branch_lock
from gitscalpel.landing.rebase import rebase_onto_tip
from gitscalpel.system import repo_lock
from gitscalpel.transaction import result
from gitscalpel.transaction.change import load_change
from gitscalpel.transaction.check import gate_runner
from gitscalpel.workspace.workspace import Session, Workspace
from tests.command import scalpel
from tests.sandbox import Sandbox
from tests.whole import stage, text

BOB = {"GIT_AUTHOR_NAME": "Bob", "GIT_AUTHOR_EMAIL": "bob@example.org"}
BOB |= {name.replace("AUTHOR", "COMMITTER"): value for name, value in BOB.items()}
PEOPLE = b'[approval]\npaths = ["b/**"]\n'


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(
        tmp_path / "repo",
        {"a.py": b"def f():\n    return 1\n", "other.txt": b"fine\n", ".gitscalpel.toml": PEOPLE},
    )


def test_approval_during_a_queued_landing_does_not_stop_it(repo: Sandbox) -> None:
    tx = str(stage(repo, text("return 1", "return 2")).tx)

    def land() -> Any:
        with Repository(repo.root) as opened:
            return opened.transaction(tx).land()

    with ThreadPoolExecutor(1) as pool, Workspace(Session(folder=repo.root)) as ws:
        with hold_branch_lock(ws, "refs/heads/main"):
            landing = pool.submit(land)
            time.sleep(1)
            assert scalpel(repo.root, "approve", tx, "-m", "yes", env=BOB).status == 0
        assert landing.result().state == "landed"


def test_rejection_during_a_queue_blocks_the_landing(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    one = str(stage(repo, text("return 1", "return 2")).tx)
    two = str(stage(repo, text("fine", "finer", "other.txt")).tx)
    run_together = gate_runner.run_together

    def run_and_reject(ws: Workspace, stack: Sequence[Any]) -> list[Any]:
        if stack[-1].id == one:
            assert scalpel(repo.root, "reject", two, "-m", "never", env=BOB).status == 0
        return run_together(ws, stack)

    monkeypatch.setattr(gate_runner, "run_together", run_and_reject)
    with Repository(repo.root) as opened:
        queue = opened.queue(one, two, batch=1)
    assert [row.tx for row in queue.landed] == [one]
    assert [(row.tx, row.error.code) for row in queue.stayed] == [(two, "rejected")]


def test_edited_pending_undo_is_not_reused(repo: Sandbox) -> None:
    looser = b'[approval]\npaths = ["c/**"]\n'
    with Repository(repo.root) as opened:
        write = {"op": "write", "path": ".gitscalpel.toml", "content": looser.decode(), "overwrite": True}
        with pytest.raises(WaitsForPerson) as caught:
            opened.edit(write)
        tx = caught.value.data["tx"]
        assert scalpel(repo.root, "approve", tx, "-m", "yes", env=BOB).status == 0
        opened.transaction(tx).land()
        with pytest.raises(WaitsForPerson) as caught:
            opened.undo()
        first = caught.value.data["tx"]
        opened.transaction(first).edit(write, text("fine", "harmless", "other.txt"))
        with pytest.raises(WaitsForPerson) as caught:
            opened.undo()
        assert caught.value.data["tx"] != first
    assert repo.files()[".gitscalpel.toml"] == looser


def test_edit_rejected_after_waiting_leaves_nothing(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCALPEL_TRUST", "1")
    gate = b'[[gates.command]]\nname = "ok"\nrun = "! grep -q BAD other.txt"\n'
    repo.commit({".gitscalpel.toml": gate})
    (repo.root / "a.py").write_bytes(b"def f():\n    return 3\n")

    def commit_bad_file() -> None:
        (repo.root / "other.txt").write_bytes(b"BAD\n")
        repo.git("commit", "-qm", "bad", "other.txt")

    timer = threading.Timer(2, commit_bad_file)
    timer.start()
    with Repository(repo.root) as opened:
        with pytest.raises(GateRefused) as caught:
            opened.edit(text("return 1", "return 2"), wait=60)
        timer.join()
        assert "tx" not in caught.value.data
        assert opened.status().transactions == ()
    assert "refs/scalpel/tx/" not in repo.git("for-each-ref")


def test_repeated_request_does_not_land_other_edits(repo: Sandbox) -> None:
    request = changeset(text("return 1", "return 2"), request_id="q1")
    with Repository(repo.root) as opened:
        tx = opened.begin()
        tx.apply(request)
        tx.edit(text("fine", "half done", "other.txt"))
        again = opened.apply(request)
        assert (again.tx, again.landed, again.state) == (tx.id, None, "checked")
    assert repo.files()["other.txt"] == b"fine\n"


def test_used_request_id_is_rejected_in_a_transaction(repo: Sandbox) -> None:
    request = changeset(text("return 1", "return 2"), request_id="q1")
    with Repository(repo.root) as opened:
        landed = opened.apply(request)
        tx = opened.begin()
        for changed in (request, changeset(text("fine", "finer", "other.txt"), request_id="q1")):
            with pytest.raises(BadCall, match="q1 was used"):
                tx.apply(changed)
        assert opened.apply(request).tx == landed.tx


def test_dropped_transaction_has_no_next_command(repo: Sandbox) -> None:
    request = changeset(text("return 1", "return 2"), request_id="q1")
    with Repository(repo.root) as opened:
        opened.drop(str(opened.apply(request, land=False).tx))
        again = opened.apply(request)
    assert (again.state, again.next) == ("dropped", ())


def test_drop_keeps_the_latest_content(repo: Sandbox) -> None:
    tx = str(stage(repo, text("return 1", "return 2")).tx)
    with Workspace(Session(folder=repo.root)) as ws:
        change = load_change(ws, tx)
        more = ("text", "other.txt", "--old", "fine", "--new", "finer", "--tx", tx)
        assert scalpel(repo.root, *more).status == 0
        assert landing.drop(ws, change).state == "dropped"
    assert repo.git("cat-file", "blob", f"refs/scalpel/keep/{tx}:other.txt") == "finer"


def test_landed_transaction_is_not_dropped(repo: Sandbox) -> None:
    tx = str(stage(repo, text("return 1", "return 2")).tx)
    with Workspace(Session(folder=repo.root)) as ws:
        change = load_change(ws, tx)
        assert scalpel(repo.root, "land", tx).status == 0
        with pytest.raises(DoesNotFit) as caught:
            landing.drop(ws, change)
    assert caught.value.code == "tx_closed"


def test_request_landed_by_another_process_is_found(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """The branch moves before the log records the landing, while the other process holds the lock."""
    sent = changeset(text("return 1", "return 2"), request_id="r1")
    logged, earlier = threading.Event(), result.find_earlier

    def find_if_logged(*arguments: Any) -> Any:
        return earlier(*arguments) if logged.is_set() else None

    def land() -> None:
        with repo_lock.hold_lock(repo.root / ".git/scalpel"):
            is_locked.set()
            time.sleep(0.3)
            logged.set()

    with Repository(repo.root) as opened:
        first = opened.apply(sent)
        monkeypatch.setattr(result, "find_earlier", find_if_logged)
        is_locked, landing = threading.Event(), threading.Thread(target=land)
        landing.start()
        is_locked.wait()
        again = opened.apply(sent)
        landing.join()
    assert again.tx == first.tx


def test_transaction_rebased_by_another_process_lands(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    tx = str(stage(repo, text("return 1", "return 2")).tx)
    repo.commit({"other.txt": b"finer\n"})

    def check_then_rebase(*arguments: Any) -> Any:
        monkeypatch.setattr(landing, "rebase_onto_tip", rebase_onto_tip)
        assert scalpel(repo.root, "check", tx).status == 0
        return rebase_onto_tip(*arguments)

    monkeypatch.setattr(landing, "rebase_onto_tip", check_then_rebase)
    with Workspace(Session(folder=repo.root)) as ws:
        assert landing.land(ws, load_change(ws, tx)).state == "landed"
