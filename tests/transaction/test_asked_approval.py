"""An approval that one call asks for: the change is staged, and lands after somebody else has approved it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import gitscalpel
from gitscalpel import Repository, Text
from tests.adapters.speaking import CODE, speaking
from tests.command import Answer, scalpel
from tests.sandbox import Sandbox
from tests.transaction.test_approving import ANN, BOB

PY = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"
NEW = "def f():\n    return 3"
EDIT = ("replace", "a.py::f", "--code", NEW, "--require-approval")


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.py": PY})


def by(who: dict[str, str], repo: Sandbox, *words: str, **how: Any) -> Answer:
    return scalpel(repo.root, *words, "--json", env=who, **how)


def read(repo: Sandbox) -> bytes:
    return (repo.root / "a.py").read_bytes()


def lands_after_approval(repo: Sandbox, tx: str) -> None:
    """The transaction is open, and lands once somebody else has approved it."""
    assert read(repo) == PY
    refused = by(ANN, repo, "land", tx).error
    assert refused["code"] == "approval_required"
    assert "require_approval" in refused["data"]["needed"][0] or "--require-approval" in refused["message"]
    assert by(ANN, repo, "approve", tx).error["code"] == "invalid_args"
    assert by(BOB, repo, "approve", tx).data["missing"] == 0
    assert by(ANN, repo, "land", tx).data["landed"]
    assert b"return 3" in read(repo)


def test_an_edit_waits_for_an_approval_that_it_asks_for(repo: Sandbox) -> None:
    staged = by(ANN, repo, *EDIT).data
    assert (staged["landed"], "approval" in " ".join(staged["unchecked"])) == (None, True)
    listed = by(ANN, repo, "list").data["transactions"]
    assert [(row["tx"], row["approval"]["missing"]) for row in listed] == [(staged["tx"], 1)]
    lands_after_approval(repo, staged["tx"])


def test_a_changeset_asks_for_it(repo: Sandbox) -> None:
    op = {"op": "replace", "path": "a.py", "symbol": "f", "code": NEW}
    sent = json.dumps({"require_approval": True, "ops": [op]})
    lands_after_approval(repo, by(ANN, repo, "apply", "-", stdin=sent).data["tx"])


def test_python_asks_for_it(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ANN.items():
        monkeypatch.setenv(name, value)
    with Repository(repo.root) as opened:
        done = opened.edit(Text(path="a.py", old="return 1", new="return 3"), require_approval=True)
        with pytest.raises(gitscalpel.WaitsForPerson, match="approval"):
            opened.transaction(str(done.tx)).land()
    lands_after_approval(repo, str(done.tx))


def test_an_open_transaction_keeps_waiting_for_it(repo: Sandbox) -> None:
    tx = by(ANN, repo, "begin").data["tx"]
    by(ANN, repo, *EDIT, "--tx", tx)
    by(ANN, repo, "text", "a.py", "--old", "return 2", "--new", "return 4", "--tx", tx)
    lands_after_approval(repo, tx)


def test_another_change_needs_another_approval(repo: Sandbox) -> None:
    tx = by(ANN, repo, *EDIT).data["tx"]
    by(BOB, repo, "approve", tx)
    by(ANN, repo, "text", "a.py", "--old", "return 2", "--new", "return 4", "--tx", tx)
    assert by(ANN, repo, "land", tx).error["code"] == "approval_required"


def test_it_stays_asked_for_where_others_have_landed_meanwhile(repo: Sandbox) -> None:
    tx = by(ANN, repo, *EDIT).data["tx"]
    by(BOB, repo, "text", "a.py", "--old", "return 2", "--new", "return 4")
    assert by(ANN, repo, "land", tx).error["code"] == "approval_required"
    by(BOB, repo, "approve", tx)
    by(ANN, repo, "land", tx)
    assert read(repo) == PY.replace(b"1", b"3").replace(b"return 2", b"return 4")


def test_nothing_waits_in_the_checkout(repo: Sandbox) -> None:
    assert by(ANN, repo, *EDIT, "--checkout").error["code"] == "invalid_args"
    repo.git("config", "scalpel.land", "checkout")
    assert by(ANN, repo, *EDIT).data["state"] in ("open", "checked")
    assert read(repo) == PY


def test_update_symbol_asks_for_it_though_the_server_edits_the_checkout(tmp_path: Path) -> None:
    given = {"file_path": "shop.py", "target_type": "method", "target_name": "Cart.total"}
    with speaking(tmp_path / "r", "code-scalpel") as agent:
        code = "def total(self):\n    return 7"
        told = json.loads(agent.told("update_symbol", **given, new_code=code, require_approval=True))
        assert (told["success"], told["approval_status"]) == (True, "pending")
        assert agent.read() == CODE
        now = json.loads(agent.told("update_symbol", **given, new_code=code, require_approval=False))
        assert now["approval_status"] == "not_required"
        assert agent.read() == CODE.replace("return 1", "return 7")
