"""Damage is found, named and told from what merely lies about; a damaged transaction can be given up."""

from __future__ import annotations

import os
import time

import pytest

import gitscalpel
from gitscalpel import changeset
from gitscalpel.git import refs
from tests.command import scalpel
from tests.maintenance.test_gc import record_of
from tests.sandbox import Sandbox
from tests.whole import text

META = "refs/scalpel/meta/"


def found(repo: Sandbox, *, full: bool = False) -> list[tuple[str, str, str]]:
    with gitscalpel.open(repo.root) as opened:
        return [(f.level, f.what, f.name) for f in opened.fsck(full=full)]


@pytest.fixture
def tx(repo: Sandbox) -> str:
    with gitscalpel.open(repo.root) as opened:
        opened.edit(text("one", "1"))
        return str(opened.apply(changeset(text("two", "2")), land=False).tx)


def test_nothing(repo: Sandbox, tx: str) -> None:
    assert found(repo) == found(repo, full=True) == []
    assert scalpel(repo.root, "fsck").out == "nothing is damaged\n"
    assert scalpel(repo.root, "fsck", "--json").data == {"findings": []}


def test_a_missing_object(repo: Sandbox) -> None:
    blob = repo.tip("HEAD:a.py")
    repo.object_file(blob).unlink()
    assert ("damage", "objects", blob) in found(repo)
    answer = scalpel(repo.root, "fsck", "--json")
    assert (answer.status, answer.error["code"]) == (76, "corrupt")
    assert answer.error["data"]["findings"][0]["level"] == "damage"
    assert "damage: objects" in scalpel(repo.root, "fsck").err


def test_an_object_with_another_content_is_found_when_all_are_read(repo: Sandbox) -> None:
    file, other = repo.object_file(repo.tip("HEAD:a.py")), repo.object_file(repo.tip("HEAD:sub/b.py"))
    file.chmod(0o644)
    file.write_bytes(other.read_bytes())
    assert [level for level, *_ in found(repo, full=True)].count("damage") > 0


def test_a_record_that_cannot_be_read_and_a_transaction_without_one(repo: Sandbox, tx: str) -> None:
    broken = repo.git("hash-object", "-w", "--stdin", stdin="{")
    repo.git("update-ref", META + tx, broken)
    repo.git("update-ref", refs.TX + "alone234", "HEAD")
    repo.git("update-ref", META + "head2345", broken)
    assert {name for *_, name in found(repo)} == {refs.TX + "alone234", META + "head2345", refs.TX + tx}
    assert {(level, what) for level, what, _ in found(repo)} == {("damage", "transaction")}
    head = repo.tip(refs.TX + tx)
    for each in (tx, "alone", "head2345"):
        assert scalpel(repo.root, "drop", each, "--json").data["state"] == "dropped"
    assert found(repo) == []
    assert repo.tip(refs.KEEP + tx) == head
    assert scalpel(repo.root, "drop", tx, "--json").error["code"] == "tx_closed"
    assert scalpel(repo.root, "drop", "nothing2", "--json").error["code"] == "tx_not_found"
    assert scalpel(repo.root, "log").out.splitlines()[0].split()[2] == "drop"


def test_a_transaction_whose_objects_are_gone(repo: Sandbox, tx: str) -> None:
    repo.object_file(repo.tip(META + tx)).unlink()
    assert ("damage", "transaction", refs.TX + tx) in found(repo)
    assert scalpel(repo.root, "drop", tx).status == 0
    assert [level for level, *_ in found(repo)] == []


def test_a_step_of_the_log_that_holds_no_record(repo: Sandbox, tx: str) -> None:
    with gitscalpel.open(repo.root) as opened:
        opened.edit(text("three", "3"))
    tree = repo.git("mktree", stdin="")
    bad = repo.git("commit-tree", tree, "-p", refs.OPS, "-m", "no record")
    repo.git("update-ref", refs.OPS, bad)
    assert found(repo) == [("damage", "log", refs.OPS)]


def test_a_journal(repo: Sandbox, tx: str) -> None:
    journal = repo.root / ".git/scalpel/journal"
    journal.write_bytes(b"{")
    assert found(repo) == [("damage", "journal", str(journal))]


def test_what_lies_about_is_no_damage(repo: Sandbox, tx: str) -> None:
    with gitscalpel.open(repo.root) as opened:
        unused = opened.begin().worktree()
    record_of(unused).write_bytes(b"torn")
    lock_file = repo.root / ".git/index.lock"
    lock_file.write_bytes(b"")
    quarantine = repo.root / ".git/scalpel/quarantine/0a/sub/b.py"
    quarantine.parent.mkdir(parents=True)
    quarantine.write_bytes(b"b\n")
    assert ("left", "lock", str(lock_file)) not in found(repo)
    os.utime(lock_file, (time.time() - 100,) * 2)
    assert found(repo) == [
        ("left", "worktree", str(unused)),
        ("left", "quarantine", str(quarantine)),
        ("left", "lock", str(lock_file)),
    ]
    answer = scalpel(repo.root, "fsck")
    assert answer.status == 0
    assert answer.out.startswith("left: worktree")


def test_it_changes_nothing(repo: Sandbox, tx: str) -> None:
    before = repo.state()
    found(repo, full=True)
    assert repo.state() == before
