"""Edits of the checkout are taken back, made again, and told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox
from tests.transaction.checkout.here import TWO, edit, function, still, text


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    repo = Sandbox.init(tmp_path / "shop")
    repo.commit({"a.py": TWO, "b.txt": b"one\ntwo\n"})
    return repo


def back(repo: Sandbox, *arguments: str, agent: str = "") -> str:
    """Undo, with nothing but files changed; what it says."""
    before = still(repo)
    answer = scalpel(repo.root, "undo", *arguments, "--json", env={"SCALPEL_AGENT": agent} if agent else {})
    assert still(repo) == before
    return "undone" if answer.status == 0 else str(answer.error["code"])


def test_back_and_forth_byte_for_byte(repo: Sandbox) -> None:
    dirty = b"# mine\r\n" + TWO
    repo.write({"a.py": dirty, "new.py": ("100755", b"x = 1\n")})
    edit(repo, function("a.py", "f", 10), text("new.py", "1", "2")).data  # noqa: B018
    after = repo.files()
    assert back(repo) == "undone"
    assert repo.files() == {"a.py": dirty, "b.txt": b"one\ntwo\n", "new.py*": b"x = 1\n"}
    data = scalpel(repo.root, "redo", "--json").data
    assert (data["state"], data["target"], repo.files()) == ("edited", "@checkout", after)
    assert back(repo) == "undone"
    assert back(repo) == "nothing_to_undo"


def test_what_was_edited_elsewhere_in_the_file_since_stays(repo: Sandbox) -> None:
    edit(repo, function("a.py", "f", 10)).data  # noqa: B018
    repo.write({"a.py": TWO.replace(b"1", b"10").replace(b"2", b"2222")})
    assert back(repo) == "undone"
    assert repo.files()["a.py"] == TWO.replace(b"2", b"2222")
    assert scalpel(repo.root, "redo").status == 0
    assert repo.files()["a.py"] == TWO.replace(b"1", b"10").replace(b"2", b"2222")


def test_what_was_edited_in_the_same_place_since_refuses(repo: Sandbox) -> None:
    edit(repo, function("a.py", "f", 10), text("b.txt", "two", "2")).data  # noqa: B018
    repo.write({"a.py": TWO.replace(b"1", b"11")})
    before = repo.files()
    error = scalpel(repo.root, "undo", "--json").error
    assert (error["code"], error["data"]["files"]) == (
        "merge_conflict",
        [{"path": "a.py", "lines": [[2, 2]]}],
    )
    assert repo.files() == before
    repo.write({"a.py": None})
    assert back(repo) == "merge_conflict"


def test_an_older_step_by_name(repo: Sandbox) -> None:
    first = edit(repo, function("a.py", "f", 10)).data["tx"]
    edit(repo, function("a.py", "g", 20)).data  # noqa: B018
    assert back(repo, first) == "undone"
    assert repo.files()["a.py"] == TWO.replace(b"2", b"20")
    assert back(repo, first) == "nothing_to_undo"


def test_steps_of_others_are_apart(repo: Sandbox) -> None:
    call = ("text", "b.txt", "--old", "one", "--new", "1", "--checkout", "--agent", "ada", "--json")
    tx = scalpel(repo.root, *call).data["tx"]
    assert back(repo) == "nothing_to_undo"
    assert back(repo, agent="ada") == "undone"
    assert repo.files()["b.txt"] == b"one\ntwo\n"
    assert scalpel(repo.root, "redo", "--json").error["code"] == "nothing_to_undo"
    assert scalpel(repo.root, "redo", "--agent", "ada", "--json").data["tx"] == tx


def test_edits_and_landings_in_the_order_in_which_they_were_made(repo: Sandbox) -> None:
    scalpel(repo.root, "text", "b.txt", "--old", "one", "--new", "1").status  # noqa: B018
    landed = repo.tip()
    edit(repo, function("a.py", "f", 10)).data  # noqa: B018
    assert back(repo) == "undone"
    assert (repo.files()["a.py"], repo.tip()) == (TWO, landed)
    assert scalpel(repo.root, "undo", "--json").data["target"] == "main"
    assert repo.tip() != landed


def test_in_another_worktree_it_is_not_seen(repo: Sandbox, tmp_path: Path) -> None:
    edit(repo, function("a.py", "f", 10)).data  # noqa: B018
    repo.git("worktree", "add", "-q", str(tmp_path / "other"), "-b", "other")
    other = Sandbox(tmp_path / "other")
    assert back(other) == "nothing_to_undo"
    edit(other, function("a.py", "g", 20)).data  # noqa: B018
    assert back(repo) == "undone"
    assert (repo.files()["a.py"], other.files()["a.py"]) == (TWO, TWO.replace(b"2", b"20"))


def test_a_dry_run(repo: Sandbox) -> None:
    tx = edit(repo, function("a.py", "f", 10)).data["tx"]
    before = repo.state()
    data = scalpel(repo.root, "undo", "--dry-run", "--json").data
    assert (data["tx"], data["target"], repo.state()) == (tx, "@checkout", before)
    assert "-    return 10\n+    return 1\n" in data["diff"]


def test_it_is_told(repo: Sandbox) -> None:
    tx = edit(repo, function("a.py", "f", 10), message="Ten").data["tx"]
    (row,) = scalpel(repo.root, "log", "--json").data
    assert (row["kind"], row["tx"], row["branch"], row["paths"]) == ("edit", tx, "@checkout", ["a.py"])
    shown = scalpel(repo.root, "show-tx", tx, "--json").data
    assert (shown["state"], shown["target"], shown["message"]) == ("edited", "@checkout", "Ten")
    assert "+    return 10\n" in shown["diff"]
    assert scalpel(repo.root, "land", tx, "--json").error["code"] == "tx_closed"
    back(repo)
    assert scalpel(repo.root, "show-tx", tx, "--json").data["state"] == "undone"
    for call in (("audit", "verify"), ("fsck",), ("log",), ("status",), ("list",)):
        assert scalpel(repo.root, *call).status == 0


def test_what_has_expired_says_so(repo: Sandbox) -> None:
    tx = edit(repo, function("a.py", "f", 10)).data["tx"]
    repo.git("update-ref", "-d", f"refs/scalpel/disk/{tx}")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    error = scalpel(repo.root, "undo", "--json").error
    assert error["code"] == "nothing_to_undo"
    assert "expired" in error["message"]


def test_a_step_that_was_taken_back_by_hand_is_passed_over(repo: Sandbox) -> None:
    edit(repo, function("a.py", "f", 10)).data  # noqa: B018
    edit(repo, text("b.txt", "one", "1")).data  # noqa: B018
    repo.git("checkout", "-q", "b.txt")
    assert back(repo) == "undone"
    assert repo.files()["a.py"] == TWO
