"""``--require-approval``: the change is staged, and lands after another person has approved it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import gitscalpel
from gitscalpel import Repository, Text
from tests.adapters.dialect_server import CODE, serve_dialects
from tests.command import Answer, scalpel
from tests.sandbox import Sandbox
from tests.transaction.test_approvals import ANN, BOB

PY = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"
NEW = "def f():\n    return 3"
EDIT = ("replace", "a.py::f", "--code", NEW, "--require-approval")


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.py": PY})


def run_as(person: dict[str, str], repo: Sandbox, *words: str, **options: Any) -> Answer:
    return scalpel(repo.root, *words, "--json", env=person, **options)


def read_file(repo: Sandbox) -> bytes:
    return (repo.root / "a.py").read_bytes()


def check_lands_after_approval(repo: Sandbox, tx: str) -> None:
    """Assert that the transaction lands only once another person has approved it."""
    assert read_file(repo) == PY
    error = run_as(ANN, repo, "land", tx).error
    assert error["code"] == "approval_required"
    assert "require_approval" in error["data"]["needed"][0] or "--require-approval" in error["message"]
    assert run_as(ANN, repo, "approve", tx).error["code"] == "invalid_args"
    assert run_as(BOB, repo, "approve", tx).data["missing"] == 0
    assert run_as(ANN, repo, "land", tx).data["landed"]
    assert b"return 3" in read_file(repo)


def test_edit_waits_for_its_required_approval(repo: Sandbox) -> None:
    staged = run_as(ANN, repo, *EDIT).data
    assert (staged["landed"], "approval" in " ".join(staged["unchecked"])) == (None, True)
    listed = run_as(ANN, repo, "list").data["transactions"]
    assert [(row["tx"], row["approval"]["missing"]) for row in listed] == [(staged["tx"], 1)]
    check_lands_after_approval(repo, staged["tx"])


def test_changeset_can_require_approval(repo: Sandbox) -> None:
    op = {"op": "replace", "path": "a.py", "symbol": "f", "code": NEW}
    request = json.dumps({"require_approval": True, "ops": [op]})
    check_lands_after_approval(repo, run_as(ANN, repo, "apply", "-", stdin=request).data["tx"])


def test_python_api_can_require_approval(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ANN.items():
        monkeypatch.setenv(name, value)
    with Repository(repo.root) as opened:
        result = opened.edit(Text(path="a.py", old="return 1", new="return 3"), require_approval=True)
        with pytest.raises(gitscalpel.WaitsForPerson, match="approval"):
            opened.transaction(str(result.tx)).land()
    check_lands_after_approval(repo, str(result.tx))


def test_open_transaction_keeps_the_requirement(repo: Sandbox) -> None:
    tx = run_as(ANN, repo, "begin").data["tx"]
    run_as(ANN, repo, *EDIT, "--tx", tx)
    run_as(ANN, repo, "text", "a.py", "--old", "return 2", "--new", "return 4", "--tx", tx)
    check_lands_after_approval(repo, tx)


def test_approval_is_void_after_another_edit(repo: Sandbox) -> None:
    tx = run_as(ANN, repo, *EDIT).data["tx"]
    run_as(BOB, repo, "approve", tx)
    run_as(ANN, repo, "text", "a.py", "--old", "return 2", "--new", "return 4", "--tx", tx)
    assert run_as(ANN, repo, "land", tx).error["code"] == "approval_required"


def test_requirement_survives_a_landing_of_others(repo: Sandbox) -> None:
    tx = run_as(ANN, repo, *EDIT).data["tx"]
    run_as(BOB, repo, "text", "a.py", "--old", "return 2", "--new", "return 4")
    assert run_as(ANN, repo, "land", tx).error["code"] == "approval_required"
    run_as(BOB, repo, "approve", tx)
    run_as(ANN, repo, "land", tx)
    assert read_file(repo) == PY.replace(b"1", b"3").replace(b"return 2", b"return 4")


def test_approval_cannot_be_required_in_the_checkout(repo: Sandbox) -> None:
    assert run_as(ANN, repo, *EDIT, "--checkout").error["code"] == "invalid_args"
    repo.git("config", "scalpel.land", "checkout")
    assert run_as(ANN, repo, *EDIT).data["state"] in ("open", "checked")
    assert read_file(repo) == PY


def test_update_symbol_can_require_approval(tmp_path: Path) -> None:
    target = {"file_path": "shop.py", "target_type": "method", "target_name": "Cart.total"}
    with serve_dialects(tmp_path / "r", "code-scalpel") as agent:
        code = "def total(self):\n    return 7"
        first = json.loads(agent.call("update_symbol", **target, new_code=code, require_approval=True))
        assert (first["success"], first["approval_status"]) == (True, "pending")
        assert agent.read() == CODE
        second = json.loads(agent.call("update_symbol", **target, new_code=code, require_approval=False))
        assert second["approval_status"] == "not_required"
        assert agent.read() == CODE.replace("return 1", "return 7")
