"""The risk score is computed on request, recorded, and can require an approval."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Content, Sandbox
from tests.transaction.test_approvals import ANN, AUTH, BOB, PY, error_code, request_approval, run_as

FILES: dict[str, Content] = {"auth/a.py": PY, "c.txt": b"one\n"}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", FILES)


def test_risk_is_computed_on_request_and_recorded(repo: Sandbox) -> None:
    staged = run_as(ANN, repo, *AUTH, "--no-land").data
    tx = staged["tx"]
    assert "risk" not in staged
    assert "risk" not in run_as(ANN, repo, "list").data["transactions"][0]
    score = run_as(ANN, repo, "list", "--risk").data["transactions"][0]["risk"]["score"]
    assert run_as(ANN, repo, "show-tx", tx).data["risk"]["score"] == score
    assert run_as(ANN, repo, "check", tx).data["risk"]["score"] == score
    assert run_as(ANN, repo, "list").data["transactions"][0]["risk"]["score"] == score
    output = scalpel(repo.root, "risk", tx).out
    assert output.splitlines()[1] == f"  risk {score:.2f}"
    assert "size" in scalpel(repo.root, "show-tx", tx).out
    run_as(ANN, repo, "land", tx)
    record = json.loads(repo.git("show", "refs/scalpel/ops:record.json"))
    assert record["note"]["risk"]["score"] == score
    assert run_as(ANN, repo, "show-tx", tx).data["risk"]["score"] == score


def test_risk_is_computed_again_after_an_edit(repo: Sandbox) -> None:
    tx = run_as(ANN, repo, *AUTH, "--no-land").data["tx"]
    before = run_as(ANN, repo, "check", tx).data["risk"]["score"]
    run_as(ANN, repo, "text", "c.txt", "--old", "one", "--new", "1\n" * 80, "--tx", tx)
    assert "risk" not in run_as(ANN, repo, "list").data["transactions"][0]
    assert run_as(ANN, repo, "show-tx", tx).data["risk"]["score"] > before


def test_plain_edit_records_no_risk(repo: Sandbox) -> None:
    run_as(ANN, repo, *AUTH)
    assert "risk" not in json.loads(repo.git("show", "refs/scalpel/ops:record.json"))["note"]


def test_high_risk_needs_approval(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": b"[approval]\nrisk = 0.5\n\n[risk]\nbias = -1.5\nsize = 8.0\n"})
    small = run_as(ANN, repo, "text", "c.txt", "--old", "one", "--new", "two")
    assert small.data["state"] == "landed"
    assert small.data["unchecked"] == ["c.txt: no parser for this type of file, so its syntax was not judged"]
    large = ("text", "c.txt", "--old", "two", "--new", "1\n" * 99)
    staged = run_as(ANN, repo, *large, "--dry-run").data["unchecked"]
    assert "a risk of 0.5 or more needs approval; check and land tell it" in staged
    tx = request_approval(repo, *large)
    (reason,) = run_as(ANN, repo, "show-tx", tx).data["approval"]["needed"]
    assert reason.startswith("the risk is 0.98, mostly for size and ")
    assert reason.endswith("; approval.risk is 0.5")
    run_as(BOB, repo, "approve", tx)
    assert run_as(ANN, repo, "land", tx).status == 0
    assert json.loads(repo.git("show", "refs/scalpel/ops:record.json"))["note"]["risk"]["score"] > 0.9


def test_changed_weights_change_the_risk(repo: Sandbox) -> None:
    tx = run_as(ANN, repo, *AUTH, "--no-land").data["tx"]
    run_as(ANN, repo, "check", tx)
    repo.commit({".gitscalpel.toml": b"[approval]\nrisk = 0.5\n\n[risk]\nbias = 5.0\n"})
    assert error_code(run_as(ANN, repo, "land", tx)) == "approval_required"
