"""Ref updates are atomic, every step is in the operation log, and one process runs at a time."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import msgspec
import pytest

from gitscalpel.changesets import answers, paths
from gitscalpel.changesets.file_tree import REGULAR, Entry, Oid
from gitscalpel.errors import Damaged, DoesNotFit, NotAllowed, TryAgain, WorldMoved
from gitscalpel.git import journal, oplog, ref_transaction, refs
from gitscalpel.git.journal import DiskChange, Journal, JournalRow
from gitscalpel.git.object_store import Store
from gitscalpel.git.oplog import Record
from gitscalpel.git.refs import RefUpdate
from gitscalpel.system import repo_lock
from tests.sandbox import Sandbox


def _make_record(n: int = 0) -> Record:
    user = "Ada <ada@example.org>"
    return Record(kind="drop", tx=f"abcd234{n}", user=user, time=1700000000 + n, message="m\nmore")


def test_ids_have_eight_characters_and_are_unique() -> None:
    ids = {refs.new_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(re.fullmatch("[a-z2-7]{8}", each) for each in ids)


def test_transaction_is_found_by_prefix(repo: Sandbox) -> None:
    repo.begin({"a.py": b"1"}, tx="abcd2345")
    repo.begin({"a.py": b"2"}, tx="abcd7777")
    with repo.opened() as (opened, _):
        assert refs.find_transaction(opened, "abcd2")[0] == "abcd2345"
        assert refs.find_transaction(opened, "scalpel/tx/abcd7")[0] == "abcd7777"
        assert refs.find_transaction(opened, "refs/scalpel/tx/ABCD7777") == (
            "abcd7777",
            repo.tip("scalpel/tx/abcd7777"),
        )
        for wrong, candidates in (("abcd", ["abcd2345", "abcd7777"]), ("zzzz", []), ("abc", []), ("", [])):
            with pytest.raises(DoesNotFit) as refused:
                refs.find_transaction(opened, wrong)
            assert (refused.value.code, refused.value.data["candidates"]) == ("tx_not_found", candidates)


def test_ref_update_is_atomic(repo: Sandbox) -> None:
    tip = repo.tip()
    before = repo.git("for-each-ref")
    wrong = RefUpdate("refs/heads/main", Oid("1" * 40), None)
    with repo.opened() as (opened, _):
        for bad in (wrong, RefUpdate("refs/heads/main", None, tip), RefUpdate("refs/heads/no", tip, None)):
            with pytest.raises(WorldMoved) as refused:
                ref_transaction.update_refs(opened, [RefUpdate("refs/heads/new", None, tip), bad], "test")
            assert refused.value.code == "target_moved"
    assert repo.git("for-each-ref") == before


def test_ref_transaction_without_commit_is_aborted(repo: Sandbox) -> None:
    before = repo.git("for-each-ref")
    with (
        repo.opened() as (opened, _),
        ref_transaction.RefTransaction(opened, "test") as transaction,
    ):
        transaction.prepare([RefUpdate("refs/heads/new", None, repo.tip())])
        assert (repo.root / ".git/refs/heads/new.lock").exists()
    assert repo.git("for-each-ref") == before
    assert not (repo.root / ".git/refs/heads/new.lock").exists()


def test_log_is_a_chain_read_newest_first(repo: Sandbox) -> None:
    with repo.opened() as (opened, store):
        assert list(oplog.read_log(opened)) == []
        oids = [oplog.append_record(opened, store, _make_record(n)) for n in range(3)]
        entries = list(oplog.read_log(opened))
        assert [entry.oid for entry in entries] == oids[::-1]
        assert [entry.record for entry in entries] == [_make_record(n) for n in (2, 1, 0)]
        assert [entry.oid for entry in oplog.read_log(opened, limit=1)] == oids[-1:]
    newest = repo.git("log", "--format=%s|%an|%at", "-1", "refs/scalpel/ops")
    assert newest == "drop abcd2342: m|Ada|1700000002"
    repo.git("fsck", "--strict")


def test_log_and_refs_are_updated_together(repo: Sandbox) -> None:
    movement = repo.begin({"a.py": b"1"}, tx="abcd2345")
    with repo.opened() as (opened, store):
        oplog.append_record(opened, store, _make_record(5), movement.refs)
        assert refs.find_open_transactions(opened) == {}
        with pytest.raises(WorldMoved):
            oplog.append_record(opened, store, _make_record(6), movement.refs)
        assert [entry.record.time for entry in oplog.read_log(opened)] == [1700000005]


def test_format_of_recorded_changes_is_stable() -> None:
    """Existing logs and journals contain an entry of a tree as an array."""
    blob = "a" * 40
    row = DiskChange("a.py", Entry(REGULAR, Oid(blob)), None)
    encoded = b'{"path":"a.py","before":["100644","%s"],"after":null}' % blob.encode()
    assert msgspec.json.encode(row) == encoded
    assert msgspec.json.decode(encoded, type=DiskChange) == row


def test_damaged_log_raises(repo: Sandbox) -> None:
    repo.git("update-ref", "refs/scalpel/ops", "HEAD")
    with repo.opened() as (opened, _), pytest.raises(Damaged):
        list(oplog.read_log(opened))


@pytest.mark.parametrize("name", [b"caf\xe9", b'q"\\\n\xff'])
def test_paths_that_are_not_utf8_are_quoted_as_by_git(repo: Sandbox, name: bytes) -> None:
    repo.write({os.fsdecode(name): b""})
    quoted = repo.git("ls-files", "--others")
    assert answers.quote_path(os.fsdecode(name)) == quoted
    assert paths.normalize_path(quoted) == os.fsdecode(name)
    record = msgspec.structs.replace(_make_record(), paths=(os.fsdecode(name), "plain", "ünï"))
    with repo.opened() as (opened, store):
        oplog.append_record(opened, store, record)
        assert next(oplog.read_log(opened)).record.paths == (quoted, "plain", "ünï")


def test_journal_is_read_as_written(tmp_path: Path) -> None:
    entry = Entry(REGULAR, Oid("1" * 40))
    row = JournalRow(path="caf\udce9 ü", index=None, new=entry, before=None, after=entry)
    update = RefUpdate("refs/heads/main", None, Oid("2" * 40))
    written = Journal(
        token="0123456789abcdef",  # noqa: S106  no password
        what="land x",
        git_dir=".",
        work_tree="/w\udce9",
        refs=(update,),
        rows=(row,),
    )
    assert journal.read_journal(tmp_path) is None
    journal.write_journal(tmp_path, written)
    assert journal.read_journal(tmp_path) == written
    journal.remove_journal(tmp_path)
    assert journal.read_journal(tmp_path) is None
    journal.journal_path(tmp_path).write_bytes(b"{")
    with pytest.raises(NotAllowed):
        journal.read_journal(tmp_path)
    with pytest.raises(Damaged):
        journal.read_foreign_journal(journal.journal_path(tmp_path))


def test_lock_reports_its_holder_and_is_released(tmp_path: Path) -> None:
    with (
        repo_lock.hold_lock(tmp_path),
        pytest.raises(TryAgain) as refused,
        repo_lock.hold_lock(tmp_path, timeout=0.01),
    ):
        pass
    assert refused.value.data["pid"] == os.getpid()
    with repo_lock.hold_lock(
        tmp_path, timeout=5
    ):  # a waiter that gave up may get the lock once more, and releases it at once
        pass


def test_lock_of_a_killed_process_lasts_until_its_git_ends(repo: Sandbox) -> None:
    with repo.opened() as (opened, _):
        parent = os.fork()
        if parent == 0:
            with repo_lock.hold_lock(opened.scalpel_dir) as held:
                opened.git.inheriting(held).start("-c", "alias.busy=!sleep 0.7", "busy")
                os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(parent, 0)
        with pytest.raises(TryAgain), repo_lock.hold_lock(opened.scalpel_dir, timeout=0.1):
            pass
        with repo_lock.hold_lock(opened.scalpel_dir, timeout=5):
            pass


def test_log_created_during_a_read_is_not_damage(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    with repo.opened() as (opened, store):
        resolve = type(store).resolve

        def resolve_and_land(self: Store, name: str) -> Oid | None:
            found = resolve(self, name)
            if name == refs.OPS and found is None:
                monkeypatch.undo()
                repo.land({"a.py": b"1"})
            return found

        monkeypatch.setattr(type(store), "resolve", resolve_and_land)
        assert oplog.find_log_tip(opened, store) == repo.tip(refs.OPS)
