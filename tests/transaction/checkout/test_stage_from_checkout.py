"""Work in the checkout is checked, staged into a transaction and landed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox
from tests.transaction.checkout.editing import TWO, edit, return_op


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    repo = Sandbox.init(tmp_path / "shop")
    repo.commit({"a.py": TWO, "b.txt": b"one\n"})
    return repo


def run_json(repo: Sandbox, *words: str) -> dict[str, object]:
    data = scalpel(repo.root, *words, "--json").data
    assert isinstance(data, dict)
    return data


def test_checkout_edits_land_through_a_transaction(repo: Sandbox) -> None:
    tx = str(run_json(repo, "begin", "-m", "Both ways")["tx"])
    run_json(repo, "replace", "a.py::g", "--code", "def g():\n    return 20\n", "--tx", tx)
    edit(repo, return_op("a.py", "f", 10), {"op": "write", "path": "new.txt", "content": "n\n"}).data  # noqa: B018
    repo.write({"b.txt": b"mine\n"})
    staged = run_json(repo, "stage", tx, "--from-checkout", "a.py", "new.txt")
    assert [row["path"] for row in staged["files"]] == ["a.py", "new.txt"]  # type: ignore[attr-defined]
    run_json(repo, "land", tx)
    assert repo.files()["a.py"] == TWO.replace(b"1", b"10").replace(b"2", b"20")
    assert repo.status() == " M b.txt"
    assert repo.git("log", "--format=%s", "-2").splitlines()[0] == "Both ways"
    run_json(repo, "undo")
    assert repo.files()["a.py"] == TWO.replace(b"1", b"10")
    assert repo.status() == " M a.py\n M b.txt\n?? new.txt"


def test_later_edit_of_an_adopted_file_is_staged(repo: Sandbox) -> None:
    edit(repo, return_op("a.py", "f", 10)).data  # noqa: B018
    tx = str(run_json(repo, "begin", "--adopt", "a.py")["tx"])
    edit(repo, return_op("a.py", "f", 11)).data  # noqa: B018
    run_json(repo, "stage", tx, "--from-checkout", ".")
    run_json(repo, "land", tx)
    assert (repo.files()["a.py"], repo.status()) == (TWO.replace(b"1", b"11"), "")


def test_conflicting_checkout_edit_is_rejected(repo: Sandbox) -> None:
    tx = str(run_json(repo, "begin")["tx"])
    run_json(repo, "replace", "a.py::f", "--code", "def f():\n    return 12\n", "--tx", tx)
    edit(repo, return_op("a.py", "f", 10)).data  # noqa: B018
    call = ("stage", tx, "--from-checkout", "a.py", "--json")
    assert scalpel(repo.root, *call).error["code"] == "merge_conflict"
    assert scalpel(repo.root, "stage", tx, "--from-checkout", "b.txt", "--json").error["code"] == "no_change"


def test_stage_from_checkout_updates_the_worktree(repo: Sandbox) -> None:
    transaction = run_json(repo, "begin", "--worktree")
    edit(repo, return_op("a.py", "f", 10)).data  # noqa: B018
    run_json(repo, "stage", str(transaction["tx"]), "--from-checkout", "a.py")
    assert Sandbox(Path(str(transaction["worktree"]))).files()["a.py"] == TWO.replace(b"1", b"10")


def test_check_checkout_runs_all_gates(repo: Sandbox) -> None:
    rules = b'[[gates.command]]\nname = "tests"\nrun = "grep -q 10 a.py && test -e new.txt"\n'
    repo.commit({".gitscalpel.toml": rules})
    run_json(repo, "trust")
    assert scalpel(repo.root, "check", "@checkout", "--json").error["code"] == "no_change"
    edit(repo, return_op("a.py", "f", 10)).data  # noqa: B018
    before = repo.state()
    error = scalpel(repo.root, "check", "@checkout", "--json").error
    assert (error["code"], "tx" in error["data"]) == ("gate_failed", False)
    assert "stays staged" not in scalpel(repo.root, "check", "@checkout").err
    assert repo.state() == before
    repo.write({"new.txt": b"n\n"})
    before = repo.state()
    data = run_json(repo, "check", "@checkout")
    assert (data["tx"], data["target"], repo.state()) == (None, "@checkout", before)
    verdicts = {row["name"]: row["status"] for row in data["gates"]}  # type: ignore[attr-defined]
    assert verdicts["tests"] == "passed"
    repo.write({"a.py": b"def f(:\n"})
    assert scalpel(repo.root, "check", "@checkout", "--json").error["code"] == "syntax_error"


def test_repeated_edit_reuses_the_open_transaction(repo: Sandbox) -> None:
    repo.write({"b.txt": b"mine\n"})
    call = ("text", "b.txt", "--old", "one", "--new", "1", "--json")
    first = scalpel(repo.root, *call).error
    assert first["code"] == "dirty_overlap"
    assert scalpel(repo.root, *call).error["data"]["tx"] == first["data"]["tx"]
    assert scalpel(repo.root, *call[:-2], "2", "--json").error["data"]["tx"] != first["data"]["tx"]
    open_txs = [row["tx"] for row in scalpel(repo.root, "list", "--json").data["transactions"]]
    assert len(open_txs) == 2
    assert len(scalpel(repo.root, "drop", *open_txs, "--json").data) == 2
    assert scalpel(repo.root, "list", "--json").data["transactions"] == []
