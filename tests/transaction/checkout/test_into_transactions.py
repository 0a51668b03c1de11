"""Work begun in the checkout is judged, and ends in a transaction; landing leaves the checkout clean."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox
from tests.transaction.checkout.here import TWO, edit, function


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    repo = Sandbox.init(tmp_path / "shop")
    repo.commit({"a.py": TWO, "b.txt": b"one\n"})
    return repo


def tell(repo: Sandbox, *words: str) -> dict[str, object]:
    data = scalpel(repo.root, *words, "--json").data
    assert isinstance(data, dict)
    return data


def test_edits_of_the_checkout_land_through_a_transaction(repo: Sandbox) -> None:
    tx = str(tell(repo, "begin", "-m", "Both ways")["tx"])
    tell(repo, "replace", "a.py::g", "--code", "def g():\n    return 20\n", "--tx", tx)
    edit(repo, function("a.py", "f", 10), {"op": "write", "path": "new.txt", "content": "n\n"}).data  # noqa: B018
    repo.write({"b.txt": b"mine\n"})
    taken = tell(repo, "stage", tx, "--from-checkout", "a.py", "new.txt")
    assert [row["path"] for row in taken["files"]] == ["a.py", "new.txt"]  # type: ignore[attr-defined]
    tell(repo, "land", tx)
    assert repo.files()["a.py"] == TWO.replace(b"1", b"10").replace(b"2", b"20")
    assert repo.status() == " M b.txt"
    assert repo.git("log", "--format=%s", "-2").splitlines()[0] == "Both ways"
    tell(repo, "undo")
    assert repo.files()["a.py"] == TWO.replace(b"1", b"10")
    assert repo.status() == " M a.py\n M b.txt\n?? new.txt"


def test_what_has_gone_on_since_is_taken_again(repo: Sandbox) -> None:
    edit(repo, function("a.py", "f", 10)).data  # noqa: B018
    tx = str(tell(repo, "begin", "--adopt", "a.py")["tx"])
    edit(repo, function("a.py", "f", 11)).data  # noqa: B018
    tell(repo, "stage", tx, "--from-checkout", ".")
    tell(repo, "land", tx)
    assert (repo.files()["a.py"], repo.status()) == (TWO.replace(b"1", b"11"), "")


def test_what_both_have_changed_is_refused(repo: Sandbox) -> None:
    tx = str(tell(repo, "begin")["tx"])
    tell(repo, "replace", "a.py::f", "--code", "def f():\n    return 12\n", "--tx", tx)
    edit(repo, function("a.py", "f", 10)).data  # noqa: B018
    call = ("stage", tx, "--from-checkout", "a.py", "--json")
    assert scalpel(repo.root, *call).error["code"] == "merge_conflict"
    assert scalpel(repo.root, "stage", tx, "--from-checkout", "b.txt", "--json").error["code"] == "no_change"


def test_its_worktree_follows(repo: Sandbox) -> None:
    begun = tell(repo, "begin", "--worktree")
    edit(repo, function("a.py", "f", 10)).data  # noqa: B018
    tell(repo, "stage", str(begun["tx"]), "--from-checkout", "a.py")
    assert Sandbox(Path(str(begun["worktree"]))).files()["a.py"] == TWO.replace(b"1", b"10")


def test_all_gates_are_asked_about_the_checkout(repo: Sandbox) -> None:
    rules = b'[[gates.command]]\nname = "tests"\nrun = "grep -q 10 a.py && test -e new.txt"\n'
    repo.commit({".gitscalpel.toml": rules})
    tell(repo, "trust")
    assert scalpel(repo.root, "check", "@checkout", "--json").error["code"] == "no_change"
    edit(repo, function("a.py", "f", 10)).data  # noqa: B018
    before = repo.state()
    refused = scalpel(repo.root, "check", "@checkout", "--json").error
    assert (refused["code"], "tx" in refused["data"]) == ("gate_failed", False)
    assert "stays staged" not in scalpel(repo.root, "check", "@checkout").err
    assert repo.state() == before
    repo.write({"new.txt": b"n\n"})
    before = repo.state()
    data = tell(repo, "check", "@checkout")
    assert (data["tx"], data["target"], repo.state()) == (None, "@checkout", before)
    verdicts = {row["name"]: row["status"] for row in data["gates"]}  # type: ignore[attr-defined]
    assert verdicts["tests"] == "passed"
    repo.write({"a.py": b"def f(:\n"})
    assert scalpel(repo.root, "check", "@checkout", "--json").error["code"] == "syntax_error"


def test_who_asks_again_takes_the_one_that_waits(repo: Sandbox) -> None:
    repo.write({"b.txt": b"mine\n"})
    call = ("text", "b.txt", "--old", "one", "--new", "1", "--json")
    first = scalpel(repo.root, *call).error
    assert first["code"] == "dirty_overlap"
    assert scalpel(repo.root, *call).error["data"]["tx"] == first["data"]["tx"]
    assert scalpel(repo.root, *call[:-2], "2", "--json").error["data"]["tx"] != first["data"]["tx"]
    open_ones = [row["tx"] for row in scalpel(repo.root, "list", "--json").data["transactions"]]
    assert len(open_ones) == 2
    assert len(scalpel(repo.root, "drop", *open_ones, "--json").data) == 2
    assert scalpel(repo.root, "list", "--json").data["transactions"] == []
