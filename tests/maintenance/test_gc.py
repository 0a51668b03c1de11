"""``gc`` limits kept commits, worktrees, temporary files and objects, and keeps everything needed."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

import gitscalpel
from gitscalpel import Repository, Swept
from gitscalpel.git.refs import KEEP
from gitscalpel.workspace import pruning
from tests.command import scalpel
from tests.sandbox import Sandbox
from tests.whole import text

DAYS = 86_400


def run_gc(repo: Sandbox, *, dry_run: bool = False, quarantine: bool = False) -> Swept:
    with gitscalpel.open(repo.root) as opened:
        return opened.gc(dry_run=dry_run, quarantine=quarantine)


def age_file(path: Path, days: float) -> None:
    timestamp = time.time() - days * DAYS
    os.utime(path, (timestamp, timestamp))


def list_loose_objects(repo: Sandbox) -> list[str]:
    objects = repo.root / ".git/objects"
    return sorted(path.parent.name + path.name for path in objects.glob("??/*"))


def list_slots(repo: Sandbox) -> list[Path]:
    rows = repo.git("worktree", "list", "--porcelain").splitlines()
    return [Path(row.removeprefix("worktree ")) for row in rows if row.startswith("worktree ")][1:]


def list_kept_refs(repo: Sandbox) -> list[str]:
    return repo.git("for-each-ref", "--format=%(refname)", KEEP).splitlines()


def record_path(place: Path) -> Path:
    return Path(Sandbox(place).git("rev-parse", "--absolute-git-dir")) / "scalpel.json"


def make_ended_slots(opened: Repository, count: int) -> list[Path]:
    """Make slots of ``count`` ended transactions, with the most recently used one last."""
    transactions = [opened.begin() for _ in range(count)]
    places = [tx.worktree() for tx in transactions]
    for number, place in enumerate(places):
        age_file(record_path(place), 1 - number / 100)
    for tx in transactions:
        tx.drop()
    return places


def test_dropped_commits_expire_by_the_age_of_their_step(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    with gitscalpel.open(repo.root) as opened:
        monkeypatch.setattr(time, "time", lambda: now - 15 * DAYS)
        old = opened.begin()
        old.drop()
        undone = opened.edit(text("one", "1"))
        opened.undo()
        monkeypatch.setattr(time, "time", lambda: now - 13 * DAYS)
        young = opened.begin()  # on a commit of 2023, like every commit in this test
        young.drop()
        monkeypatch.undo()
        repo.git("update-ref", f"{KEEP}by-hand", "HEAD")
        dry = opened.gc(dry_run=True)
        assert len(list_kept_refs(repo)) == 4
        result = opened.gc()
    assert list_kept_refs(repo) == sorted([f"{KEEP}by-hand", f"{KEEP}{young.id}"])
    assert {item.name for item in result.items if item.removed} == {f"{KEEP}{old.id}", f"{KEEP}{undone.tx}"}
    assert [item.name for item in result.items if not item.removed] == [f"{KEEP}by-hand"]
    assert dry.items == result.items


def test_expired_undone_transaction_is_shown_but_not_redone(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = str(opened.edit(text("one", "1")).tx)
        opened.undo()
    repo.git("config", "scalpel.keepDays", "0")
    run_gc(repo)
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "--quiet", "--prune=now")
    shown = scalpel(repo.root, "show-tx", tx, "--json").data
    assert (shown["state"], shown["files"]) == ("undone", [])
    assert scalpel(repo.root, "redo", "--json").error["code"] == "nothing_to_undo"
    assert is_undamaged(repo)


def is_undamaged(repo: Sandbox) -> bool:
    return scalpel(repo.root, "fsck").out == "nothing is damaged\n"


def test_keep_days_setting_is_used(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        opened.begin().drop()
    assert list_kept_refs(repo)
    repo.git("config", "scalpel.keepDays", "0")
    assert scalpel(repo.root, "gc", "--json").data["removed"][0]["kind"] == "ref"
    assert list_kept_refs(repo) == []
    repo.git("config", "scalpel.keepDays", "soon")
    assert scalpel(repo.root, "gc", "--json").error["code"] == "config_error"


def test_free_worktrees_above_the_limit_are_removed(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        leased = opened.begin().worktree()
        places = make_ended_slots(opened, 4)
    (places[0] / "a.py").write_bytes(b"left\n")
    repo.git("config", "scalpel.poolSize", "2")
    result = run_gc(repo)
    assert sorted(list_slots(repo)) == sorted([leased, *places[2:]])
    assert [item.why for item in result.items] == ["more than 2 are free"] * 2
    assert all(item.bytes > 0 for item in result.items)
    (saved,) = [item for item in result.items if item.kept]
    assert saved.name == str(places[0])
    assert repo.git("show", f"{saved.kept}:a.py") == "left"
    assert not places[0].parent.exists()


def test_worktrees_unused_for_two_weeks_are_removed(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        old, young = make_ended_slots(opened, 2)
        leased = opened.begin()
        place = leased.worktree()  # leases one of these slots
        assert place in (old, young)
        for slot in list_slots(repo):
            age_file(record_path(slot), 15)
        opened.gc()
    assert list_slots(repo) == [place]


def test_worktree_that_cannot_be_saved_stays_and_is_reported(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        place, locked = make_ended_slots(opened, 2)
    Sandbox.init(place / "inner").commit({"x": b"x\n"})
    repo.git("worktree", "lock", str(locked))
    repo.git("config", "scalpel.poolSize", "0")
    result = run_gc(repo)
    assert sorted(list_slots(repo)) == sorted([place, locked])
    assert (place / "inner/x").read_bytes() == b"x\n"
    assert {item.name for item in result.items if not item.removed} == {str(place), str(locked)}


def test_locked_worktree_stays(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        (place,) = make_ended_slots(opened, 1)
    repo.git("config", "scalpel.poolSize", "0")
    lock_file = record_path(place).with_name("scalpel.lock")
    with subprocess.Popen(["flock", str(lock_file), "cat"], stdin=subprocess.PIPE) as holder:
        while not _is_held(lock_file):
            time.sleep(0.01)
        assert [item.removed for item in run_gc(repo).items] == [False]
        holder.communicate()
    assert [item.removed for item in run_gc(repo).items] == [True]


def _is_held(file: Path) -> bool:
    return subprocess.run(["flock", "-n", str(file), "true"], check=False).returncode != 0


def test_orphans_of_the_pool_are_removed(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        missing = opened.begin().worktree()
        deleted, unrecorded, unused, copied = make_ended_slots(opened, 4)
        Sandbox(deleted).commit({"a.py": b"committed there\n"})
        shutil.rmtree(deleted)
        (unrecorded / "a.py").write_bytes(b"by hand\n")
        shutil.rmtree(record_path(unrecorded).parent)
        record_path(unused).unlink()
        for path in unused.iterdir():
            if path.name != ".git":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        (copied.parent / "empty").mkdir()
        shutil.rmtree(missing)  # of an open transaction, whose disk may be mounted again
        dry = opened.gc(dry_run=True)
        assert deleted in list_slots(repo)
        result = opened.gc()
    why = {item.name: item.why for item in result.items}
    assert why == {
        str(deleted): "its folder is gone, or another repository's",
        str(unrecorded): "no repository knows it",
        str(unused): "made, but never used",
        str(copied.parent / "empty"): "no repository knows it",
    }
    assert {item.name for item in dry.items} == why.keys()
    kept_commits = {item.name: item.kept for item in result.items}
    assert repo.git("show", f"{kept_commits[str(deleted)]}:a.py") == "committed there"
    assert repo.git("show", f"{kept_commits[str(unrecorded)]}:a.py") == "by hand"
    assert kept_commits[str(unused)] is None
    assert sorted(list_slots(repo)) == sorted([copied, missing])
    assert copied.is_dir()


def test_worktree_of_the_user_stays(repo: Sandbox, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", str(tmp_path / "mine"))
    repo.git("config", "scalpel.poolSize", "0")
    run_gc(repo)
    assert list_slots(repo) == [tmp_path / "mine"]


def test_copied_repository_drops_the_worktrees_of_the_original(repo: Sandbox, tmp_path: Path) -> None:
    with gitscalpel.open(repo.root) as opened:
        (place,) = make_ended_slots(opened, 1)
    shutil.copytree(repo.root, tmp_path / "copy")
    copy = Sandbox(tmp_path / "copy")
    assert [item.removed for item in run_gc(copy).items] == [True]
    assert list_slots(copy) == []
    assert Sandbox(place).status() == ""
    assert run_gc(repo).items == ()


def test_doctor_leftovers_are_removed_and_quarantine_is_reported(repo: Sandbox) -> None:
    folder = repo.root / ".git/scalpel"
    (folder / "quarantine/old").mkdir(parents=True)
    names = ["doctor.0123", "doctor.abcd", "doctor.young"]
    for name in names:
        (folder / name).write_bytes(b"x")
    for name in [*names[:2], "quarantine/old"]:
        age_file(folder / name, 31)
    result = run_gc(repo)
    assert {Path(item.name).name for item in result.items if item.removed} == {*names[:2]}
    assert [Path(item.name).name for item in result.items if not item.removed] == ["old"]
    assert sorted(path.name for path in folder.glob("doctor*")) == [names[2]]
    assert (folder / "quarantine/old").exists()
    run_gc(repo, quarantine=True)
    assert not (folder / "quarantine/old").exists()


def test_objects_are_packed_and_recent_ones_are_kept(repo: Sandbox) -> None:
    repo.git("config", "gc.pruneExpire", "now")
    with gitscalpel.open(repo.root) as opened:
        landed = [opened.edit(text(*pair)).landed for pair in (("one", "1"), ("two", "2"), ("three", "3"))]
        running = repo.git("hash-object", "-w", "--stdin", stdin="of a running transaction")
        old = repo.git("hash-object", "-w", "--stdin", stdin="long gone")
        age_file(repo.root / ".git/objects" / old[:2] / old[2:], 15)
        before = repo.git("cat-file", "--batch-check", "--batch-all-objects").splitlines()
        result = opened.gc()
        assert opened.view().show("a.py").content == "1\n2\n3\n"
    after = repo.git("cat-file", "--batch-check", "--batch-all-objects").splitlines()
    assert {row.split()[0] for row in before} - {row.split()[0] for row in after} == {old}
    assert repo.git("cat-file", "-p", running) == "of a running transaction"
    assert list_loose_objects(repo) == []
    assert result.before.loose > 2
    assert (result.before.packs, result.after.loose) == (3, 0)
    assert result.freed > 0
    assert len(landed) == 3
    assert repo.git("fsck", "--strict", "--no-dangling") == ""
    assert not (repo.root / ".git/refs/scalpel/ops").exists()  # the ref is packed


def test_longer_prune_expiry_of_the_user_is_respected(repo: Sandbox) -> None:
    repo.git("config", "gc.pruneExpire", "never")
    old = repo.git("hash-object", "-w", "--stdin", stdin="long gone")
    age_file(repo.root / ".git/objects" / old[:2] / old[2:], 1000)
    run_gc(repo)
    assert repo.git("cat-file", "-p", old) == "long gone"


def test_running_git_gc_is_reported(repo: Sandbox) -> None:
    host = os.uname().nodename
    (repo.root / ".git/gc.pid").write_text(f"{os.getpid()} {host}")
    (item,) = run_gc(repo).items
    assert (item.kind, item.removed, item.why) == ("objects", False, "a git gc is running")


def test_dry_run_changes_nothing(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        make_ended_slots(opened, 2)
    repo.git("config", "scalpel.poolSize", "0")
    repo.git("config", "scalpel.keepDays", "0")
    before = (repo.state(), list_loose_objects(repo), list_slots(repo))
    result = run_gc(repo, dry_run=True)
    assert len(result.items) == 4
    assert result.freed > 0
    assert (repo.state(), list_loose_objects(repo), list_slots(repo)) == before


def test_answers_have_their_fields(repo: Sandbox) -> None:
    data = scalpel(repo.root, "gc", "--json").data
    assert data.keys() == {"dry_run", "removed", "left", "objects", "freed"}
    assert data["objects"]["after"]["loose"] == 0
    assert scalpel(repo.root, "gc").out.startswith("0 loose objects before, 0 now\n")
    assert scalpel(repo.root, "gc", "--dry-run").out.startswith("0 loose objects\nwould free 0 bytes")


_COPY_PACKS = """#!/bin/sh
case " $* " in *" gc "*|*" -d "*)
  cp -r "$(dirname "$0")/repo/.git/objects/pack" "$0.before" ;;
esac
exec "{git}" "$@"
"""
"""A git wrapper that copies the packs before git removes any."""


@pytest.mark.parametrize("way", ["thorough", "quick"])
def test_objects_of_removed_packs_are_in_remaining_packs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"x = 1\n"})
    for old, new in ("12", "23"):
        assert scalpel(repo.root, "text", "a.py", "--old", old, "--new", new).status == 0
    wrapper = tmp_path / "git"
    wrapper.write_text(_COPY_PACKS.format(git=shutil.which("git")))
    wrapper.chmod(0o755)
    with monkeypatch.context() as patched:
        patched.setenv("PATH", str(tmp_path), prepend=os.pathsep)
        if way == "thorough":
            run_gc(repo)
        else:
            patched.setattr(pruning, "MAX_PACKS", 1)
            with gitscalpel.open(repo.root) as opened:
                opened.edit(text("3", "4"))
    before = {*(tmp_path / "git.before").glob("*.idx")}
    remaining_names = {file.name for file in repo.root.glob(".git/objects/pack/*.idx")}
    removed, remaining = (
        [each for each in before if (each.name in remaining_names) is is_kept] for is_kept in (False, True)
    )
    assert removed
    assert _list_packed_objects(repo, removed) <= _list_packed_objects(repo, remaining)
    assert not [*repo.root.glob(".git/objects/pack/*.keep")]
    assert list_loose_objects(repo) == []


def _list_packed_objects(repo: Sandbox, indexes: list[Path]) -> set[str]:
    rows = (row for each in indexes for row in repo.git("verify-pack", "-v", str(each)).splitlines())
    return {row.split()[0] for row in rows if len(row) > 40 and row[40] == " "}


def test_promised_objects_are_not_packed_twice(tmp_path: Path) -> None:
    remote = Sandbox.of(tmp_path / "there", {"a.py": b"x = 1\n", "b.py": b"y = 1\n"})
    remote.git("config", "uploadpack.allowFilter", "true")
    words = ["git", "clone", "-q", "--filter=blob:none", f"file://{remote.root}", str(tmp_path / "repo")]
    subprocess.run(words, check=True)
    repo = Sandbox(tmp_path / "repo")
    assert scalpel(repo.root, "text", "a.py", "--old", "1", "--new", "2").status == 0
    run_gc(repo)
    packs = repo.root.glob(".git/objects/pack/*.idx")
    object_ids = [name for each in packs for name in _list_packed_objects(repo, [each])]
    assert len(object_ids) == len({*object_ids})
