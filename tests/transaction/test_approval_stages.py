"""Approval in stages, one after the other, each with its own approvers and paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitscalpel.changesets.config import parse_rules
from gitscalpel.errors import Misconfigured
from tests.command import scalpel
from tests.sandbox import Content, Sandbox
from tests.transaction.test_approvals import (
    ANN,
    AUTH,
    BOB,
    EVE,
    PY,
    error_code,
    person_env,
    request_approval,
    run_as,
)

DAN = person_env("dan")
STAGES = """
[[approval]]
name = "team"
paths = ["auth/**", "b.py"]

[[approval]]
name = "security"
paths = ["auth/**"]
by = ["eve@example.org", "*@security.example.org"]
"""
FILES: dict[str, Content] = {"auth/a.py": PY, "b.py": PY, "c.txt": b"one\n"}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {**FILES, ".gitscalpel.toml": STAGES.encode()})


def missing_by_stage(data: Any) -> list[tuple[str, int]]:
    return [(row["name"], row["missing"]) for row in data["stages"]]


def test_stage_waits_for_earlier_stages(repo: Sandbox) -> None:
    answer = run_as(ANN, repo, *AUTH)
    tx = answer.error["data"]["tx"]
    assert answer.error["data"]["stage"] == "team"
    assert missing_by_stage(run_as(ANN, repo, "show-tx", tx).data["approval"]) == [
        ("team", 1),
        ("security", 1),
    ]
    early = run_as(EVE, repo, "approve", tx, "--stage", "security")
    assert (early.status, error_code(early)) == (5, "approval_required")
    assert f"git scalpel approve {tx} --stage team" in early.error["hint"]
    assert run_as(BOB, repo, "approve", tx).data["waiting"] == "security"
    assert "of stage security" in run_as(ANN, repo, "land", tx).error["message"]
    assert "needs 1 more in stage security" in scalpel(repo.root, "list", env=ANN).out
    assert run_as(EVE, repo, "approve", tx).data["waiting"] is None
    assert run_as(ANN, repo, "land", tx).data["state"] == "landed"


def test_only_named_approvers_count(repo: Sandbox) -> None:
    tx = request_approval(repo)
    run_as(BOB, repo, "approve", tx)
    error = run_as(DAN, repo, "approve", tx).error
    assert error["code"] == "invalid_args"
    assert "approval.security.by is eve@example.org" in error["message"]
    assert error_code(run_as(ANN, repo, "land", tx)) == "approval_required"
    sam = {**DAN, "GIT_COMMITTER_EMAIL": "Sam@security.example.org"}
    assert run_as(sam, repo, "approve", tx).data["missing"] == 0


def test_removed_approver_does_not_count(repo: Sandbox) -> None:
    tx = request_approval(repo)
    for identity in (BOB, EVE):
        run_as(identity, repo, "approve", tx)
    repo.commit({".gitscalpel.toml": STAGES.replace("eve@", "dan@").encode()})
    error = run_as(ANN, repo, "land", tx).error
    assert (error["code"], error["data"]["stage"]) == ("approval_required", "security")
    assert "approval.security.by does not name them" in error["message"]


def test_stage_without_matching_paths_is_skipped(repo: Sandbox) -> None:
    tx = request_approval(repo, "text", "b.py", "--old", "return 1", "--new", "return 3")
    assert run_as(BOB, repo, "approve", tx).data["stages"] == [
        {"name": "team", "needed": ["b.py (approval.team.paths)"], "missing": 0}
    ]
    assert run_as(ANN, repo, "land", tx).status == 0


def test_rejection_removes_approvals_of_all_stages(repo: Sandbox) -> None:
    tx = request_approval(repo)
    assert [run_as(EVE, repo, "approve", tx).data["missing"] for _ in range(2)] == [1, 0]
    run_as(EVE, repo, "reject", tx, "-m", "no")
    assert error_code(run_as(ANN, repo, "land", tx)) == "rejected"
    assert (
        run_as(EVE, repo, "approve", tx).data["waiting"] == "security"
    )  # the rejection removes the earlier approvals


def test_merge_voids_stages_with_changed_paths(repo: Sandbox) -> None:
    tx = run_as(ANN, repo, *AUTH, "--no-land").data["tx"]
    run_as(ANN, repo, "text", "b.py", "--old", "return 1", "--new", "return 3", "--tx", tx)
    for identity in (BOB, EVE):
        run_as(identity, repo, "approve", tx)
    repo.commit({"b.py": PY.replace(b"return 2", b"return 22")})
    assert run_as(ANN, repo, "land", tx).error["data"]["stage"] == "team"
    assert missing_by_stage(run_as(ANN, repo, "show-tx", tx).data["approval"]) == [
        ("team", 1),
        ("security", 0),
    ]
    run_as(BOB, repo, "approve", tx)
    assert run_as(ANN, repo, "land", tx).status == 0


def test_undo_needs_each_stage(repo: Sandbox) -> None:
    tx = request_approval(repo)
    for identity in (BOB, EVE):
        run_as(identity, repo, "approve", tx)
    run_as(ANN, repo, "land", tx)
    repo.commit({"c.txt": b"two\n"})
    for identity, stage in ((BOB, "team"), (EVE, "security")):
        error = run_as(ANN, repo, "undo").error
        assert error["data"]["stage"] == stage
        run_as(identity, repo, "approve", error["data"]["tx"])
    assert run_as(ANN, repo, "undo").data["tx"] == tx
    assert repo.files()["auth/a.py"] == PY


def test_removal_of_a_stage_needs_all_stages(repo: Sandbox) -> None:
    one = STAGES[STAGES.index('[[approval]]\nname = "security"') :]
    tx = request_approval(repo, "write", ".gitscalpel.toml", "--content", one, "--overwrite")
    assert missing_by_stage(run_as(ANN, repo, "show-tx", tx).data["approval"]) == [
        ("team", 1),
        ("security", 1),
    ]


def test_approval_without_a_stage_does_not_count(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": b'[approval]\npaths = ["auth/**"]\n'})
    tx = request_approval(repo)
    run_as(BOB, repo, "approve", tx)
    assert run_as(BOB, repo, "approve", tx, "--stage", "team").error["code"] == "invalid_args"
    repo.commit({".gitscalpel.toml": STAGES.encode()})
    error = run_as(ANN, repo, "land", tx).error
    assert "it names no stage" in error["message"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[[approval]]\npaths = ['a']\n", "approval[0] has no name"),
        ("[[approval]]\nname = 'a'\n[[approval]]\nname = 'a'\n", "approval: two have the name 'a'"),
        ("[[approval]]\nname = 'a'\npathes = []\n", "did you mean approval[0].paths?"),
        ("[approval]\ncount = 0\n", "approval.count takes a whole number from 1 on"),
        ("[[approval]]\nname = 'a'\ncount = 0\n", "approval[0].count takes a whole number from 1 on"),
        ("[aproval]\n", "did you mean [approval]?"),
    ],
)
def test_invalid_stage_is_rejected(content: str, words: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        parse_rules(content.encode(), {})
    assert words in caught.value.message
