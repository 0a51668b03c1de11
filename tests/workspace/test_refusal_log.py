"""The refusal log records who was refused, when, for which files and why, but no file content."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitscalpel import Repository
from gitscalpel.errors import NotAllowed
from gitscalpel.workspace import refusals
from tests.command import scalpel
from tests.sandbox import Sandbox
from tests.transaction.test_approvals import ANN, BOB, run_as

RULES = b"""
[policy]
deny = ["locked/**"]

[approval]
paths = ["auth/**"]

[[gates.command]]
name = "tests"
run = "cat a.py; exit 1"
paths = ["a.py"]
"""
PY = b"def f():\n    return 'tell nobody'\n"


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    monkeypatch.setenv("SCALPEL_TRUST", "1")
    files = {"locked/x.txt": b"1\n", "auth/y.txt": b"1\n", "a.py": PY, "b.txt": b"1\n"}
    return Sandbox.of(tmp_path / "repo", {**files, ".gitscalpel.toml": RULES})


def edit_call(path: str) -> tuple[str, ...]:
    return ("text", path, "--old", "1", "--new", "2")


def test_refusals_are_listed(repo: Sandbox) -> None:
    assert scalpel(repo.root, "log", "--refused").out == "nothing was refused\n"
    run_as(ANN, repo, *edit_call("locked/x.txt"), "--agent", "robot")
    tx = run_as(BOB, repo, *edit_call("auth/y.txt")).error["data"]["tx"]
    run_as(BOB, repo, "land", tx)
    run_as(BOB, repo, "queue")
    rows = run_as(ANN, repo, "log", "--refused").data
    assert [(row["code"], row["what"], row["paths"], row["tx"]) for row in rows] == [
        ("approval_required", "land", ["auth/y.txt"], tx),
        ("approval_required", "land", ["auth/y.txt"], tx),
        ("approval_required", "apply", ["auth/y.txt"], tx),
        ("policy_denied", "apply", ["locked/x.txt"], None),
    ]
    assert (rows[3]["user"], rows[3]["agent"]) == ("ann <ann@example.org>", "robot")
    assert rows[3]["message"].startswith("the policy of the target branch forbids this: locked/x.txt")
    assert len(run_as(ANN, repo, "log", "--refused", "-n", "1").data) == 1
    assert (
        "policy_denied  apply  ann <ann@example.org>, robot  locked/x.txt"
        in scalpel(repo.root, "log", "--refused").out
    )


def test_agent_name_cannot_start_a_line(repo: Sandbox) -> None:
    run_as(
        ANN, repo, *edit_call("locked/x.txt"), "--agent", "robot\n2026-01-01 00:00  approved  land  somebody"
    )
    out = scalpel(repo.root, "log", "--refused").out
    assert [line.startswith(" ") for line in out.splitlines()] == [False, True]
    assert "ann <ann@example.org>, robot 2026-01-01" in out


def test_output_of_a_gate_is_not_logged(repo: Sandbox) -> None:
    error = run_as(ANN, repo, "replace", "a.py::f", "--code", PY.decode().replace("tell", "show")).error
    assert "show nobody" in error["message"]
    (row,) = run_as(ANN, repo, "log", "--refused").data
    assert (row["code"], row["message"]) == ("gate_failed", "tests ended with exit status 1")
    (file,) = (repo.root / ".git/scalpel/refused").iterdir()
    assert b"nobody" not in file.read_bytes()


def test_success_dry_run_and_error_are_not_logged(repo: Sandbox) -> None:
    run_as(ANN, repo, *edit_call("b.txt"))
    run_as(ANN, repo, *edit_call("locked/x.txt"), "--dry-run")
    run_as(ANN, repo, *edit_call("b.txt"))
    assert not (repo.root / ".git/scalpel/refused").exists()


def test_only_the_newest_refusals_are_kept(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusals, "KEPT", 3)
    with Repository(repo.root) as opened:
        for number in range(5):
            attempt = refusals.Attempt("land", (f"{number}.txt",), "", "", 0)
            refusals.record_refusal(
                repo.root / ".git/scalpel", attempt, NotAllowed("policy_denied", "no", "ask")
            )
        assert [row.paths for row in opened.refused()] == [("4.txt",), ("3.txt",), ("2.txt",)]


def test_unwritable_log_does_not_change_the_error(repo: Sandbox) -> None:
    run_as(ANN, repo, *edit_call("b.txt"))
    (repo.root / ".git/scalpel/refused").write_bytes(b"in the way")
    assert run_as(ANN, repo, *edit_call("locked/x.txt")).error["code"] == "policy_denied"
    assert run_as(ANN, repo, "log", "--refused").data == []


def test_unsealed_entry_is_not_listed(repo: Sandbox) -> None:
    run_as(ANN, repo, *edit_call("locked/x.txt"))
    (file,) = (repo.root / ".git/scalpel/refused").iterdir()
    file.with_name("9").write_bytes(file.read_bytes())
    assert len(run_as(ANN, repo, "log", "--refused").data) == 1
