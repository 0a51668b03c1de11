"""A risk is computed where it is asked for, is on record from then on, and may ask for people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Content, Sandbox
from tests.transaction.test_approving import ANN, AUTH, BOB, PY, by, code, waiting

FILES: dict[str, Content] = {"auth/a.py": PY, "c.txt": b"one\n"}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", FILES)


def test_it_is_told_where_it_is_asked_for_and_kept(repo: Sandbox) -> None:
    staged = by(ANN, repo, *AUTH, "--no-land").data
    tx = staged["tx"]
    assert "risk" not in staged
    assert "risk" not in by(ANN, repo, "list").data["transactions"][0]
    score = by(ANN, repo, "list", "--risk").data["transactions"][0]["risk"]["score"]
    assert by(ANN, repo, "show-tx", tx).data["risk"]["score"] == score
    assert by(ANN, repo, "check", tx).data["risk"]["score"] == score
    assert by(ANN, repo, "list").data["transactions"][0]["risk"]["score"] == score
    said = scalpel(repo.root, "risk", tx).out
    assert said.splitlines()[1] == f"  risk {score:.2f}"
    assert "size" in scalpel(repo.root, "show-tx", tx).out
    by(ANN, repo, "land", tx)
    record = json.loads(repo.git("show", "refs/scalpel/ops:record.json"))
    assert record["note"]["risk"]["score"] == score
    assert by(ANN, repo, "show-tx", tx).data["risk"]["score"] == score


def test_it_is_not_that_of_another_change(repo: Sandbox) -> None:
    tx = by(ANN, repo, *AUTH, "--no-land").data["tx"]
    before = by(ANN, repo, "check", tx).data["risk"]["score"]
    by(ANN, repo, "text", "c.txt", "--old", "one", "--new", "1\n" * 80, "--tx", tx)
    assert "risk" not in by(ANN, repo, "list").data["transactions"][0]
    assert by(ANN, repo, "show-tx", tx).data["risk"]["score"] > before


def test_a_plain_edit_has_none(repo: Sandbox) -> None:
    by(ANN, repo, *AUTH)
    assert "risk" not in json.loads(repo.git("show", "refs/scalpel/ops:record.json"))["note"]


def test_from_some_risk_on_people_have_to_agree(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": b"[approval]\nrisk = 0.5\n\n[risk]\nbias = -1.5\nsize = 8.0\n"})
    small = by(ANN, repo, "text", "c.txt", "--old", "one", "--new", "two")
    assert small.data["state"] == "landed"
    assert small.data["unchecked"] == ["c.txt: no parser for this type of file, so its syntax was not judged"]
    large = ("text", "c.txt", "--old", "two", "--new", "1\n" * 99)
    staged = by(ANN, repo, *large, "--dry-run").data["unchecked"]
    assert "a risk of 0.5 or more needs approval; check and land tell it" in staged
    tx = waiting(repo, *large)
    (why,) = by(ANN, repo, "show-tx", tx).data["approval"]["needed"]
    assert why.startswith("the risk is 0.98, mostly for size and ")
    assert why.endswith("; approval.risk is 0.5")
    by(BOB, repo, "approve", tx)
    assert by(ANN, repo, "land", tx).status == 0
    assert json.loads(repo.git("show", "refs/scalpel/ops:record.json"))["note"]["risk"]["score"] > 0.9


def test_other_weights_are_another_risk(repo: Sandbox) -> None:
    tx = by(ANN, repo, *AUTH, "--no-land").data["tx"]
    by(ANN, repo, "check", tx)
    repo.commit({".gitscalpel.toml": b"[approval]\nrisk = 0.5\n\n[risk]\nbias = 5.0\n"})
    assert code(by(ANN, repo, "land", tx)) == "approval_required"
