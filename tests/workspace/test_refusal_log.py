"""What was refused stays on record: who tried, when, on which files, why; bounded, without contents."""

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


def one(path: str) -> tuple[str, ...]:
    return ("text", path, "--old", "1", "--new", "2")


def test_who_was_refused_what_is_shown(repo: Sandbox) -> None:
    assert scalpel(repo.root, "log", "--refused").out == "nothing was refused\n"
    run_as(ANN, repo, *one("locked/x.txt"), "--agent", "robot")
    tx = run_as(BOB, repo, *one("auth/y.txt")).error["data"]["tx"]
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


def test_nobody_begins_a_line_of_it_by_his_name(repo: Sandbox) -> None:
    run_as(ANN, repo, *one("locked/x.txt"), "--agent", "robot\n2026-01-01 00:00  approved  land  somebody")
    out = scalpel(repo.root, "log", "--refused").out
    assert [line.startswith(" ") for line in out.splitlines()] == [False, True]
    assert "ann <ann@example.org>, robot 2026-01-01" in out


def test_what_a_command_prints_is_no_part_of_it(repo: Sandbox) -> None:
    error = run_as(ANN, repo, "replace", "a.py::f", "--code", PY.decode().replace("tell", "show")).error
    assert "show nobody" in error["message"]
    (row,) = run_as(ANN, repo, "log", "--refused").data
    assert (row["code"], row["message"]) == ("gate_failed", "tests ended with exit status 1")
    (file,) = (repo.root / ".git/scalpel/refused").iterdir()
    assert b"nobody" not in file.read_bytes()


def test_what_is_done_tried_or_mistaken_is_not_refused(repo: Sandbox) -> None:
    run_as(ANN, repo, *one("b.txt"))
    run_as(ANN, repo, *one("locked/x.txt"), "--dry-run")
    run_as(ANN, repo, *one("b.txt"))
    assert not (repo.root / ".git/scalpel/refused").exists()


def test_only_the_newest_stay(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusals, "KEPT", 3)
    with Repository(repo.root) as opened:
        for number in range(5):
            attempt = refusals.Attempt("land", (f"{number}.txt",), "", "", 0)
            refusals.record_refusal(
                repo.root / ".git/scalpel", attempt, NotAllowed("policy_denied", "no", "ask")
            )
        assert [row.paths for row in opened.refused()] == [("4.txt",), ("3.txt",), ("2.txt",)]


def test_a_refusal_is_what_it_is_where_it_cannot_be_kept(repo: Sandbox) -> None:
    run_as(ANN, repo, *one("b.txt"))
    (repo.root / ".git/scalpel/refused").write_bytes(b"in the way")
    assert run_as(ANN, repo, *one("locked/x.txt")).error["code"] == "policy_denied"
    assert run_as(ANN, repo, "log", "--refused").data == []


def test_what_nobody_has_sealed_is_not_shown(repo: Sandbox) -> None:
    run_as(ANN, repo, *one("locked/x.txt"))
    (file,) = (repo.root / ".git/scalpel/refused").iterdir()
    file.with_name("9").write_bytes(file.read_bytes())
    assert len(run_as(ANN, repo, "log", "--refused").data) == 1
