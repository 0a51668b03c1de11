"""What people do while a change is judged, or waits, counts; and what is given up leaves nothing."""

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


def test_an_approval_given_while_a_landing_waits_for_its_turn_does_not_stop_it(repo: Sandbox) -> None:
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


def test_what_is_rejected_while_a_queue_runs_does_not_land(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = str(stage(repo, text("return 1", "return 2")).tx)
    two = str(stage(repo, text("fine", "finer", "other.txt")).tx)
    together = gate_runner.run_together

    def and_a_no(ws: Workspace, stack: Sequence[Any]) -> list[Any]:
        if stack[-1].id == one:
            assert scalpel(repo.root, "reject", two, "-m", "never", env=BOB).status == 0
        return together(ws, stack)

    monkeypatch.setattr(gate_runner, "run_together", and_a_no)
    with Repository(repo.root) as opened:
        done = opened.queue(one, two, batch=1)
    assert [each.tx for each in done.landed] == [one]
    assert [(each.tx, each.error.code) for each in done.stayed] == [(two, "rejected")]


def test_what_was_added_to_an_undo_that_waits_is_not_what_was_asked(repo: Sandbox) -> None:
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


def test_an_edit_that_a_command_refuses_after_it_has_waited_leaves_nothing(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCALPEL_TRUST", "1")
    gate = b'[[gates.command]]\nname = "ok"\nrun = "! grep -q BAD other.txt"\n'
    repo.commit({".gitscalpel.toml": gate})
    (repo.root / "a.py").write_bytes(b"def f():\n    return 3\n")

    def spoil() -> None:
        (repo.root / "other.txt").write_bytes(b"BAD\n")
        repo.git("commit", "-qm", "bad", "other.txt")

    later = threading.Timer(2, spoil)
    later.start()
    with Repository(repo.root) as opened:
        with pytest.raises(GateRefused) as caught:
            opened.edit(text("return 1", "return 2"), wait=60)
        later.join()
        assert "tx" not in caught.value.data
        assert opened.status().transactions == ()
    assert "refs/scalpel/tx/" not in repo.git("for-each-ref")


def test_a_step_that_is_asked_for_again_does_not_land_what_others_have_added(repo: Sandbox) -> None:
    ask = changeset(text("return 1", "return 2"), request_id="q1")
    with Repository(repo.root) as opened:
        tx = opened.begin()
        tx.apply(ask)
        tx.edit(text("fine", "half done", "other.txt"))
        again = opened.apply(ask)
        assert (again.tx, again.landed, again.state) == (tx.id, None, "checked")
    assert repo.files()["other.txt"] == b"fine\n"


def test_an_id_that_was_used_is_not_used_again_in_a_transaction(repo: Sandbox) -> None:
    ask = changeset(text("return 1", "return 2"), request_id="q1")
    with Repository(repo.root) as opened:
        landed = opened.apply(ask)
        tx = opened.begin()
        for other in (ask, changeset(text("fine", "finer", "other.txt"), request_id="q1")):
            with pytest.raises(BadCall, match="q1 was used"):
                tx.apply(other)
        assert opened.apply(ask).tx == landed.tx


def test_what_was_dropped_is_not_offered_to_be_landed(repo: Sandbox) -> None:
    ask = changeset(text("return 1", "return 2"), request_id="q1")
    with Repository(repo.root) as opened:
        opened.drop(str(opened.apply(ask, land=False).tx))
        again = opened.apply(ask)
    assert (again.state, again.next) == ("dropped", ())


def test_what_is_dropped_is_what_it_has_become(repo: Sandbox) -> None:
    tx = str(stage(repo, text("return 1", "return 2")).tx)
    with Workspace(Session(folder=repo.root)) as ws:
        seen = load_change(ws, tx)
        more = ("text", "other.txt", "--old", "fine", "--new", "finer", "--tx", tx)
        assert scalpel(repo.root, *more).status == 0
        assert landing.drop(ws, seen).state == "dropped"
    assert repo.git("cat-file", "blob", f"refs/scalpel/keep/{tx}:other.txt") == "finer"


def test_what_has_landed_meanwhile_is_not_dropped(repo: Sandbox) -> None:
    tx = str(stage(repo, text("return 1", "return 2")).tx)
    with Workspace(Session(folder=repo.root)) as ws:
        seen = load_change(ws, tx)
        assert scalpel(repo.root, "land", tx).status == 0
        with pytest.raises(DoesNotFit) as refused:
            landing.drop(ws, seen)
    assert refused.value.code == "tx_closed"


def test_a_request_that_somebody_else_has_just_landed_is_answered_so(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The branch moves before the log says so; who has the tool's lock is still at it."""
    sent = changeset(text("return 1", "return 2"), request_id="r1")
    logged, earlier = threading.Event(), result.find_earlier

    def late(*asked: Any) -> Any:
        return earlier(*asked) if logged.is_set() else None

    def land() -> None:
        with repo_lock.hold_lock(repo.root / ".git/scalpel"):
            held.set()
            time.sleep(0.3)
            logged.set()

    with Repository(repo.root) as opened:
        first = opened.apply(sent)
        monkeypatch.setattr(result, "find_earlier", late)
        held, landing = threading.Event(), threading.Thread(target=land)
        landing.start()
        held.wait()
        again = opened.apply(sent)
        landing.join()
    assert again.tx == first.tx


def test_what_somebody_else_puts_on_the_tip_at_the_same_moment_lands(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    tx = str(stage(repo, text("return 1", "return 2")).tx)
    repo.commit({"other.txt": b"finer\n"})

    def later(*asked: Any) -> Any:
        monkeypatch.setattr(landing, "rebase_onto_tip", rebase_onto_tip)
        assert scalpel(repo.root, "check", tx).status == 0
        return rebase_onto_tip(*asked)

    monkeypatch.setattr(landing, "rebase_onto_tip", later)
    with Workspace(Session(folder=repo.root)) as ws:
        assert landing.land(ws, load_change(ws, tx)).state == "landed"
