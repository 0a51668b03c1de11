"""``fsck`` finds and names damage, tells it from leftovers, and a damaged transaction can be dropped."""

from __future__ import annotations

import os
import time

import pytest

import gitscalpel
from gitscalpel import changeset
from gitscalpel.git import refs
from tests.command import scalpel
from tests.maintenance.test_gc import record_path
from tests.sandbox import Sandbox
from tests.whole import text

META = "refs/scalpel/meta/"


def run_fsck(repo: Sandbox, *, full: bool = False) -> list[tuple[str, str, str]]:
    with gitscalpel.open(repo.root) as opened:
        return [(f.level, f.what, f.name) for f in opened.fsck(full=full)]


@pytest.fixture
def tx(repo: Sandbox) -> str:
    with gitscalpel.open(repo.root) as opened:
        opened.edit(text("one", "1"))
        return str(opened.apply(changeset(text("two", "2")), land=False).tx)


def test_intact_repository_has_no_findings(repo: Sandbox, tx: str) -> None:
    assert run_fsck(repo) == run_fsck(repo, full=True) == []
    assert scalpel(repo.root, "fsck").out == "nothing is damaged\n"
    assert scalpel(repo.root, "fsck", "--json").data == {"findings": []}


def test_missing_object_is_damage(repo: Sandbox) -> None:
    blob = repo.tip("HEAD:a.py")
    repo.object_file(blob).unlink()
    assert ("damage", "objects", blob) in run_fsck(repo)
    answer = scalpel(repo.root, "fsck", "--json")
    assert (answer.status, answer.error["code"]) == (76, "corrupt")
    assert answer.error["data"]["findings"][0]["level"] == "damage"
    assert "damage: objects" in scalpel(repo.root, "fsck").err


def test_wrong_object_content_is_found_by_a_full_check(repo: Sandbox) -> None:
    file, other = repo.object_file(repo.tip("HEAD:a.py")), repo.object_file(repo.tip("HEAD:sub/b.py"))
    file.chmod(0o644)
    file.write_bytes(other.read_bytes())
    assert [level for level, *_ in run_fsck(repo, full=True)].count("damage") > 0


def test_transaction_without_a_valid_record_is_damage(repo: Sandbox, tx: str) -> None:
    broken = repo.git("hash-object", "-w", "--stdin", stdin="{")
    repo.git("update-ref", META + tx, broken)
    repo.git("update-ref", refs.TX + "alone234", "HEAD")
    repo.git("update-ref", META + "head2345", broken)
    assert {name for *_, name in run_fsck(repo)} == {refs.TX + "alone234", META + "head2345", refs.TX + tx}
    assert {(level, subject) for level, subject, _ in run_fsck(repo)} == {("damage", "transaction")}
    head = repo.tip(refs.TX + tx)
    for each in (tx, "alone", "head2345"):
        assert scalpel(repo.root, "drop", each, "--json").data["state"] == "dropped"
    assert run_fsck(repo) == []
    assert repo.tip(refs.KEEP + tx) == head
    assert scalpel(repo.root, "drop", tx, "--json").error["code"] == "tx_closed"
    assert scalpel(repo.root, "drop", "nothing2", "--json").error["code"] == "tx_not_found"
    assert scalpel(repo.root, "log").out.splitlines()[0].split()[2] == "drop"


def test_transaction_with_missing_objects_is_damage(repo: Sandbox, tx: str) -> None:
    repo.object_file(repo.tip(META + tx)).unlink()
    assert ("damage", "transaction", refs.TX + tx) in run_fsck(repo)
    assert scalpel(repo.root, "drop", tx).status == 0
    assert [level for level, *_ in run_fsck(repo)] == []


def test_log_step_without_a_record_is_damage(repo: Sandbox, tx: str) -> None:
    with gitscalpel.open(repo.root) as opened:
        opened.edit(text("three", "3"))
    tree = repo.git("mktree", stdin="")
    bad = repo.git("commit-tree", tree, "-p", refs.OPS, "-m", "no record")
    repo.git("update-ref", refs.OPS, bad)
    assert run_fsck(repo) == [("damage", "log", refs.OPS)]


def test_invalid_journal_is_damage(repo: Sandbox, tx: str) -> None:
    journal = repo.root / ".git/scalpel/journal"
    journal.write_bytes(b"{")
    assert run_fsck(repo) == [("damage", "journal", str(journal))]


def test_leftovers_are_not_damage(repo: Sandbox, tx: str) -> None:
    with gitscalpel.open(repo.root) as opened:
        unused = opened.begin().worktree()
    record_path(unused).write_bytes(b"torn")
    lock_file = repo.root / ".git/index.lock"
    lock_file.write_bytes(b"")
    quarantine = repo.root / ".git/scalpel/quarantine/0a/sub/b.py"
    quarantine.parent.mkdir(parents=True)
    quarantine.write_bytes(b"b\n")
    assert ("left", "lock", str(lock_file)) not in run_fsck(repo)
    os.utime(lock_file, (time.time() - 100,) * 2)
    assert run_fsck(repo) == [
        ("left", "worktree", str(unused)),
        ("left", "quarantine", str(quarantine)),
        ("left", "lock", str(lock_file)),
    ]
    answer = scalpel(repo.root, "fsck")
    assert answer.status == 0
    assert answer.out.startswith("left: worktree")


def test_fsck_changes_nothing(repo: Sandbox, tx: str) -> None:
    before = repo.state()
    run_fsck(repo, full=True)
    assert repo.state() == before
