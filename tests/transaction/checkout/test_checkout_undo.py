"""Undo, redo and log of edits of the checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox
from tests.transaction.checkout.editing import TWO, edit, git_state, return_op, text_op


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    repo = Sandbox.init(tmp_path / "shop")
    repo.commit({"a.py": TWO, "b.txt": b"one\ntwo\n"})
    return repo


def undo(repo: Sandbox, *arguments: str, agent: str = "") -> str:
    """Undo, assert that git's state is unchanged, and return the outcome."""
    before = git_state(repo)
    answer = scalpel(repo.root, "undo", *arguments, "--json", env={"SCALPEL_AGENT": agent} if agent else {})
    assert git_state(repo) == before
    return "undone" if answer.status == 0 else str(answer.error["code"])


def test_undo_and_redo_restore_exact_content(repo: Sandbox) -> None:
    dirty = b"# mine\r\n" + TWO
    repo.write({"a.py": dirty, "new.py": ("100755", b"x = 1\n")})
    edit(repo, return_op("a.py", "f", 10), text_op("new.py", "1", "2")).data  # noqa: B018
    after = repo.files()
    assert undo(repo) == "undone"
    assert repo.files() == {"a.py": dirty, "b.txt": b"one\ntwo\n", "new.py*": b"x = 1\n"}
    data = scalpel(repo.root, "redo", "--json").data
    assert (data["state"], data["target"], repo.files()) == ("edited", "@checkout", after)
    assert undo(repo) == "undone"
    assert undo(repo) == "nothing_to_undo"


def test_undo_keeps_later_edits_elsewhere(repo: Sandbox) -> None:
    edit(repo, return_op("a.py", "f", 10)).data  # noqa: B018
    repo.write({"a.py": TWO.replace(b"1", b"10").replace(b"2", b"2222")})
    assert undo(repo) == "undone"
    assert repo.files()["a.py"] == TWO.replace(b"2", b"2222")
    assert scalpel(repo.root, "redo").status == 0
    assert repo.files()["a.py"] == TWO.replace(b"1", b"10").replace(b"2", b"2222")


def test_undo_conflicts_with_a_later_edit(repo: Sandbox) -> None:
    edit(repo, return_op("a.py", "f", 10), text_op("b.txt", "two", "2")).data  # noqa: B018
    repo.write({"a.py": TWO.replace(b"1", b"11")})
    before = repo.files()
    error = scalpel(repo.root, "undo", "--json").error
    assert (error["code"], error["data"]["files"]) == (
        "merge_conflict",
        [{"path": "a.py", "lines": [[2, 2]]}],
    )
    assert repo.files() == before
    repo.write({"a.py": None})
    assert undo(repo) == "merge_conflict"


def test_older_operation_is_undone_by_name(repo: Sandbox) -> None:
    first = edit(repo, return_op("a.py", "f", 10)).data["tx"]
    edit(repo, return_op("a.py", "g", 20)).data  # noqa: B018
    assert undo(repo, first) == "undone"
    assert repo.files()["a.py"] == TWO.replace(b"2", b"20")
    assert undo(repo, first) == "nothing_to_undo"


def test_operations_of_other_agents_are_separate(repo: Sandbox) -> None:
    call = ("text", "b.txt", "--old", "one", "--new", "1", "--checkout", "--agent", "ada", "--json")
    tx = scalpel(repo.root, *call).data["tx"]
    assert undo(repo) == "nothing_to_undo"
    assert undo(repo, agent="ada") == "undone"
    assert repo.files()["b.txt"] == b"one\ntwo\n"
    assert scalpel(repo.root, "redo", "--json").error["code"] == "nothing_to_undo"
    assert scalpel(repo.root, "redo", "--agent", "ada", "--json").data["tx"] == tx


def test_undo_follows_the_order_of_edits_and_landings(repo: Sandbox) -> None:
    scalpel(repo.root, "text", "b.txt", "--old", "one", "--new", "1").status  # noqa: B018
    landed = repo.tip()
    edit(repo, return_op("a.py", "f", 10)).data  # noqa: B018
    assert undo(repo) == "undone"
    assert (repo.files()["a.py"], repo.tip()) == (TWO, landed)
    assert scalpel(repo.root, "undo", "--json").data["target"] == "main"
    assert repo.tip() != landed


def test_undo_is_separate_for_each_worktree(repo: Sandbox, tmp_path: Path) -> None:
    edit(repo, return_op("a.py", "f", 10)).data  # noqa: B018
    repo.git("worktree", "add", "-q", str(tmp_path / "other"), "-b", "other")
    other = Sandbox(tmp_path / "other")
    assert undo(other) == "nothing_to_undo"
    edit(other, return_op("a.py", "g", 20)).data  # noqa: B018
    assert undo(repo) == "undone"
    assert (repo.files()["a.py"], other.files()["a.py"]) == (TWO, TWO.replace(b"2", b"20"))


def test_undo_dry_run_shows_the_diff(repo: Sandbox) -> None:
    tx = edit(repo, return_op("a.py", "f", 10)).data["tx"]
    before = repo.state()
    data = scalpel(repo.root, "undo", "--dry-run", "--json").data
    assert (data["tx"], data["target"], repo.state()) == (tx, "@checkout", before)
    assert "-    return 10\n+    return 1\n" in data["diff"]


def test_edit_is_in_the_log(repo: Sandbox) -> None:
    tx = edit(repo, return_op("a.py", "f", 10), message="Ten").data["tx"]
    (row,) = scalpel(repo.root, "log", "--json").data
    assert (row["kind"], row["tx"], row["branch"], row["paths"]) == ("edit", tx, "@checkout", ["a.py"])
    shown = scalpel(repo.root, "show-tx", tx, "--json").data
    assert (shown["state"], shown["target"], shown["message"]) == ("edited", "@checkout", "Ten")
    assert "+    return 10\n" in shown["diff"]
    assert scalpel(repo.root, "land", tx, "--json").error["code"] == "tx_closed"
    undo(repo)
    assert scalpel(repo.root, "show-tx", tx, "--json").data["state"] == "undone"
    for call in (("audit", "verify"), ("fsck",), ("log",), ("status",), ("list",)):
        assert scalpel(repo.root, *call).status == 0


def test_expired_operation_is_reported(repo: Sandbox) -> None:
    tx = edit(repo, return_op("a.py", "f", 10)).data["tx"]
    repo.git("update-ref", "-d", f"refs/scalpel/disk/{tx}")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    error = scalpel(repo.root, "undo", "--json").error
    assert error["code"] == "nothing_to_undo"
    assert "expired" in error["message"]


def test_operation_undone_by_hand_is_skipped(repo: Sandbox) -> None:
    edit(repo, return_op("a.py", "f", 10)).data  # noqa: B018
    edit(repo, text_op("b.txt", "one", "1")).data  # noqa: B018
    repo.git("checkout", "-q", "b.txt")
    assert undo(repo) == "undone"
    assert repo.files()["a.py"] == TWO
