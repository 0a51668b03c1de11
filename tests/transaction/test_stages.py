"""Approval in stages: one after the other, each with those whose word counts, each bound to its own paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitscalpel.changesets.config import parse_rules
from gitscalpel.errors import Misconfigured
from tests.command import scalpel
from tests.sandbox import Content, Sandbox
from tests.transaction.test_approving import ANN, AUTH, BOB, EVE, PY, by, code, person, waiting

DAN = person("dan")
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


def stages(data: Any) -> list[tuple[str, int]]:
    return [(row["name"], row["missing"]) for row in data["stages"]]


def test_a_stage_waits_for_those_before_it(repo: Sandbox) -> None:
    answer = by(ANN, repo, *AUTH)
    tx = answer.error["data"]["tx"]
    assert answer.error["data"]["stage"] == "team"
    assert stages(by(ANN, repo, "show-tx", tx).data["approval"]) == [("team", 1), ("security", 1)]
    early = by(EVE, repo, "approve", tx, "--stage", "security")
    assert (early.status, code(early)) == (5, "approval_required")
    assert f"git scalpel approve {tx} --stage team" in early.error["hint"]
    assert by(BOB, repo, "approve", tx).data["waiting"] == "security"
    assert "of stage security" in by(ANN, repo, "land", tx).error["message"]
    assert "needs 1 more in stage security" in scalpel(repo.root, "list", env=ANN).out
    assert by(EVE, repo, "approve", tx).data["waiting"] is None
    assert by(ANN, repo, "land", tx).data["state"] == "landed"


def test_only_those_whom_a_stage_names_count_in_it(repo: Sandbox) -> None:
    tx = waiting(repo)
    by(BOB, repo, "approve", tx)
    error = by(DAN, repo, "approve", tx).error
    assert error["code"] == "invalid_args"
    assert "approval.security.by is eve@example.org" in error["message"]
    assert code(by(ANN, repo, "land", tx)) == "approval_required"
    sam = {**DAN, "GIT_COMMITTER_EMAIL": "Sam@security.example.org"}
    assert by(sam, repo, "approve", tx).data["missing"] == 0


def test_who_is_taken_out_of_a_stage_counts_no_more(repo: Sandbox) -> None:
    tx = waiting(repo)
    for who in (BOB, EVE):
        by(who, repo, "approve", tx)
    repo.commit({".gitscalpel.toml": STAGES.replace("eve@", "dan@").encode()})
    error = by(ANN, repo, "land", tx).error
    assert (error["code"], error["data"]["stage"]) == ("approval_required", "security")
    assert "approval.security.by does not name them" in error["message"]


def test_a_stage_that_a_change_does_not_concern_is_passed_over(repo: Sandbox) -> None:
    tx = waiting(repo, "text", "b.py", "--old", "return 1", "--new", "return 3")
    assert by(BOB, repo, "approve", tx).data["stages"] == [
        {"name": "team", "needed": ["b.py (approval.team.paths)"], "missing": 0}
    ]
    assert by(ANN, repo, "land", tx).status == 0


def test_one_person_can_agree_in_each_stage_and_take_all_of_it_back(repo: Sandbox) -> None:
    tx = waiting(repo)
    assert [by(EVE, repo, "approve", tx).data["missing"] for _ in range(2)] == [1, 0]
    by(EVE, repo, "reject", tx, "-m", "no")
    assert code(by(ANN, repo, "land", tx)) == "rejected"
    assert by(EVE, repo, "approve", tx).data["waiting"] == "security"  # what came before the no is gone


def test_a_merge_takes_back_the_stages_whose_paths_it_has_touched(repo: Sandbox) -> None:
    tx = by(ANN, repo, *AUTH, "--no-land").data["tx"]
    by(ANN, repo, "text", "b.py", "--old", "return 1", "--new", "return 3", "--tx", tx)
    for who in (BOB, EVE):
        by(who, repo, "approve", tx)
    repo.commit({"b.py": PY.replace(b"return 2", b"return 22")})
    assert by(ANN, repo, "land", tx).error["data"]["stage"] == "team"
    assert stages(by(ANN, repo, "show-tx", tx).data["approval"]) == [("team", 1), ("security", 0)]
    by(BOB, repo, "approve", tx)
    assert by(ANN, repo, "land", tx).status == 0


def test_an_undo_goes_through_the_stages_too(repo: Sandbox) -> None:
    tx = waiting(repo)
    for who in (BOB, EVE):
        by(who, repo, "approve", tx)
    by(ANN, repo, "land", tx)
    repo.commit({"c.txt": b"two\n"})
    for who, stage in ((BOB, "team"), (EVE, "security")):
        error = by(ANN, repo, "undo").error
        assert error["data"]["stage"] == stage
        by(who, repo, "approve", error["data"]["tx"])
    assert by(ANN, repo, "undo").data["tx"] == tx
    assert repo.files()["auth/a.py"] == PY


def test_who_may_leave_a_stage_out_is_decided_in_all_of_them(repo: Sandbox) -> None:
    one = STAGES[STAGES.index('[[approval]]\nname = "security"') :]
    tx = waiting(repo, "write", ".gitscalpel.toml", "--content", one, "--overwrite")
    assert stages(by(ANN, repo, "show-tx", tx).data["approval"]) == [("team", 1), ("security", 1)]


def test_an_approval_without_stages_is_none_of_a_stage(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": b'[approval]\npaths = ["auth/**"]\n'})
    tx = waiting(repo)
    by(BOB, repo, "approve", tx)
    assert by(BOB, repo, "approve", tx, "--stage", "team").error["code"] == "invalid_args"
    repo.commit({".gitscalpel.toml": STAGES.encode()})
    error = by(ANN, repo, "land", tx).error
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
def test_what_cannot_be_a_stage_is_refused(content: str, words: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        parse_rules(content.encode(), {})
    assert words in caught.value.message
