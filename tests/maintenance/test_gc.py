"""What grows is bounded: kept commits, worktrees, temporary files, objects; and nothing that matters goes."""

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


def swept(repo: Sandbox, *, dry_run: bool = False, quarantine: bool = False) -> Swept:
    with gitscalpel.open(repo.root) as opened:
        return opened.gc(dry_run=dry_run, quarantine=quarantine)


def aged(path: Path, days: float) -> None:
    then = time.time() - days * DAYS
    os.utime(path, (then, then))


def loose(repo: Sandbox) -> list[str]:
    objects = repo.root / ".git/objects"
    return sorted(path.parent.name + path.name for path in objects.glob("??/*"))


def slots(repo: Sandbox) -> list[Path]:
    rows = repo.git("worktree", "list", "--porcelain").splitlines()
    return [Path(row.removeprefix("worktree ")) for row in rows if row.startswith("worktree ")][1:]


def kept(repo: Sandbox) -> list[str]:
    return repo.git("for-each-ref", "--format=%(refname)", KEEP).splitlines()


def record_of(place: Path) -> Path:
    return Path(Sandbox(place).git("rev-parse", "--absolute-git-dir")) / "scalpel.json"


def ended(opened: Repository, count: int) -> list[Path]:
    """Slots of so many transactions that have ended, the one used last at the end."""
    open_now = [opened.begin() for _ in range(count)]
    places = [tx.worktree() for tx in open_now]
    for number, place in enumerate(places):
        aged(record_of(place), 1 - number / 100)
    for tx in open_now:
        tx.drop()
    return places


def test_what_was_dropped_expires_by_the_age_of_its_step(
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
        young = opened.begin()  # on a commit of 2023, as every commit here
        young.drop()
        monkeypatch.undo()
        repo.git("update-ref", f"{KEEP}by-hand", "HEAD")
        dry = opened.gc(dry_run=True)
        assert len(kept(repo)) == 4
        done = opened.gc()
    assert kept(repo) == sorted([f"{KEEP}by-hand", f"{KEEP}{young.id}"])
    assert {item.name for item in done.items if item.removed} == {f"{KEEP}{old.id}", f"{KEEP}{undone.tx}"}
    assert [item.name for item in done.items if not item.removed] == [f"{KEEP}by-hand"]
    assert dry.items == done.items


def test_what_was_undone_long_ago_can_still_be_shown_but_not_redone(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = str(opened.edit(text("one", "1")).tx)
        opened.undo()
    repo.git("config", "scalpel.keepDays", "0")
    swept(repo)
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "--quiet", "--prune=now")
    shown = scalpel(repo.root, "show-tx", tx, "--json").data
    assert (shown["state"], shown["files"]) == ("undone", [])
    assert scalpel(repo.root, "redo", "--json").error["code"] == "nothing_to_undo"
    assert found_sound(repo)


def found_sound(repo: Sandbox) -> bool:
    return scalpel(repo.root, "fsck").out == "nothing is damaged\n"


def test_the_user_says_for_how_long(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        opened.begin().drop()
    assert kept(repo)
    repo.git("config", "scalpel.keepDays", "0")
    assert scalpel(repo.root, "gc", "--json").data["removed"][0]["kind"] == "ref"
    assert kept(repo) == []
    repo.git("config", "scalpel.keepDays", "soon")
    assert scalpel(repo.root, "gc", "--json").error["code"] == "config_error"


def test_free_worktrees_beyond_so_many_go_and_leased_ones_stay(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        leased = opened.begin().worktree()
        places = ended(opened, 4)
    (places[0] / "a.py").write_bytes(b"left\n")
    repo.git("config", "scalpel.poolSize", "2")
    done = swept(repo)
    assert sorted(slots(repo)) == sorted([leased, *places[2:]])
    assert [item.why for item in done.items] == ["more than 2 are free"] * 2
    assert all(item.bytes > 0 for item in done.items)
    (left,) = [item for item in done.items if item.kept]
    assert left.name == str(places[0])
    assert repo.git("show", f"{left.kept}:a.py") == "left"
    assert not places[0].parent.exists()


def test_worktrees_unused_for_two_weeks_go(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        old, young = ended(opened, 2)
        leased = opened.begin()
        place = leased.worktree()  # takes one of them
        assert place in (old, young)
        for slot in slots(repo):
            aged(record_of(slot), 15)
        opened.gc()
    assert slots(repo) == [place]


def test_what_cannot_be_kept_stays_and_is_named(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        place, locked = ended(opened, 2)
    Sandbox.init(place / "inner").commit({"x": b"x\n"})
    repo.git("worktree", "lock", str(locked))
    repo.git("config", "scalpel.poolSize", "0")
    done = swept(repo)
    assert sorted(slots(repo)) == sorted([place, locked])
    assert (place / "inner/x").read_bytes() == b"x\n"
    assert {item.name for item in done.items if not item.removed} == {str(place), str(locked)}


def test_a_worktree_in_which_a_process_works_stays(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        (place,) = ended(opened, 1)
    repo.git("config", "scalpel.poolSize", "0")
    lock_file = record_of(place).with_name("scalpel.lock")
    with subprocess.Popen(["flock", str(lock_file), "cat"], stdin=subprocess.PIPE) as holder:
        while not _is_held(lock_file):
            time.sleep(0.01)
        assert [item.removed for item in swept(repo).items] == [False]
        holder.communicate()
    assert [item.removed for item in swept(repo).items] == [True]


def _is_held(file: Path) -> bool:
    return subprocess.run(["flock", "-n", str(file), "true"], check=False).returncode != 0


def test_orphans_of_the_pool(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        elsewhere = opened.begin().worktree()
        gone, unrecorded, unused, copied = ended(opened, 4)
        Sandbox(gone).commit({"a.py": b"committed there\n"})
        shutil.rmtree(gone)
        (unrecorded / "a.py").write_bytes(b"by hand\n")
        shutil.rmtree(record_of(unrecorded).parent)
        record_of(unused).unlink()
        for path in unused.iterdir():
            if path.name != ".git":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        (copied.parent / "empty").mkdir()
        shutil.rmtree(elsewhere)  # of an open transaction; perhaps its disk comes back
        dry = opened.gc(dry_run=True)
        assert gone in slots(repo)
        done = opened.gc()
    why = {item.name: item.why for item in done.items}
    assert why == {
        str(gone): "its folder is gone, or another repository's",
        str(unrecorded): "no repository knows it",
        str(unused): "made, but never used",
        str(copied.parent / "empty"): "no repository knows it",
    }
    assert {item.name for item in dry.items} == why.keys()
    holds = {item.name: item.kept for item in done.items}
    assert repo.git("show", f"{holds[str(gone)]}:a.py") == "committed there"
    assert repo.git("show", f"{holds[str(unrecorded)]}:a.py") == "by hand"
    assert holds[str(unused)] is None
    assert sorted(slots(repo)) == sorted([copied, elsewhere])
    assert copied.is_dir()


def test_a_worktree_of_the_user_stays(repo: Sandbox, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", str(tmp_path / "mine"))
    repo.git("config", "scalpel.poolSize", "0")
    swept(repo)
    assert slots(repo) == [tmp_path / "mine"]


def test_a_copy_of_the_repository_lets_go_of_the_worktrees_of_the_first(
    repo: Sandbox, tmp_path: Path
) -> None:
    with gitscalpel.open(repo.root) as opened:
        (place,) = ended(opened, 1)
    shutil.copytree(repo.root, tmp_path / "copy")
    copy = Sandbox(tmp_path / "copy")
    assert [item.removed for item in swept(copy).items] == [True]
    assert slots(copy) == []
    assert Sandbox(place).status() == ""
    assert swept(repo).items == ()


def test_what_a_killed_doctor_left_goes_and_what_was_set_aside_is_named(repo: Sandbox) -> None:
    folder = repo.root / ".git/scalpel"
    (folder / "quarantine/old").mkdir(parents=True)
    names = ["doctor.0123", "doctor.abcd", "doctor.young"]
    for name in names:
        (folder / name).write_bytes(b"x")
    for name in [*names[:2], "quarantine/old"]:
        aged(folder / name, 31)
    done = swept(repo)
    assert {Path(item.name).name for item in done.items if item.removed} == {*names[:2]}
    assert [Path(item.name).name for item in done.items if not item.removed] == ["old"]
    assert sorted(path.name for path in folder.glob("doctor*")) == [names[2]]
    assert (folder / "quarantine/old").exists()
    swept(repo, quarantine=True)
    assert not (folder / "quarantine/old").exists()


def test_objects_are_packed_and_nothing_young_is_deleted(repo: Sandbox) -> None:
    repo.git("config", "gc.pruneExpire", "now")
    with gitscalpel.open(repo.root) as opened:
        landed = [opened.edit(text(*pair)).landed for pair in (("one", "1"), ("two", "2"), ("three", "3"))]
        running = repo.git("hash-object", "-w", "--stdin", stdin="of a running transaction")
        old = repo.git("hash-object", "-w", "--stdin", stdin="long gone")
        aged(repo.root / ".git/objects" / old[:2] / old[2:], 15)
        before = repo.git("cat-file", "--batch-check", "--batch-all-objects").splitlines()
        done = opened.gc()
        assert opened.view().show("a.py").content == "1\n2\n3\n"
    after = repo.git("cat-file", "--batch-check", "--batch-all-objects").splitlines()
    assert {row.split()[0] for row in before} - {row.split()[0] for row in after} == {old}
    assert repo.git("cat-file", "-p", running) == "of a running transaction"
    assert loose(repo) == []
    assert done.before.loose > 2
    assert (done.before.packs, done.after.loose) == (3, 0)
    assert done.freed > 0
    assert len(landed) == 3
    assert repo.git("fsck", "--strict", "--no-dangling") == ""
    assert not (repo.root / ".git/refs/scalpel/ops").exists()  # it is packed


def test_a_longer_term_of_the_user_holds(repo: Sandbox) -> None:
    repo.git("config", "gc.pruneExpire", "never")
    old = repo.git("hash-object", "-w", "--stdin", stdin="long gone")
    aged(repo.root / ".git/objects" / old[:2] / old[2:], 1000)
    swept(repo)
    assert repo.git("cat-file", "-p", old) == "long gone"


def test_a_running_git_gc_is_left_alone_and_named(repo: Sandbox) -> None:
    host = os.uname().nodename
    (repo.root / ".git/gc.pid").write_text(f"{os.getpid()} {host}")
    (item,) = swept(repo).items
    assert (item.kind, item.removed, item.why) == ("objects", False, "a git gc is running")


def test_a_dry_run_changes_nothing(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        ended(opened, 2)
    repo.git("config", "scalpel.poolSize", "0")
    repo.git("config", "scalpel.keepDays", "0")
    before = (repo.state(), loose(repo), slots(repo))
    done = swept(repo, dry_run=True)
    assert len(done.items) == 4
    assert done.freed > 0
    assert (repo.state(), loose(repo), slots(repo)) == before


def test_the_answers(repo: Sandbox) -> None:
    data = scalpel(repo.root, "gc", "--json").data
    assert data.keys() == {"dry_run", "removed", "left", "objects", "freed"}
    assert data["objects"]["after"]["loose"] == 0
    assert scalpel(repo.root, "gc").out.startswith("0 loose objects before, 0 now\n")
    assert scalpel(repo.root, "gc", "--dry-run").out.startswith("0 loose objects\nwould free 0 bytes")


_LOOKS = """#!/bin/sh
case " $* " in *" gc "*|*" -d "*)
  cp -r "$(dirname "$0")/repo/.git/objects/pack" "$0.before" ;;
esac
exec "{git}" "$@"
"""
"""A git that keeps the packs as they are before it removes any."""


@pytest.mark.parametrize("way", ["thorough", "quick"])
def test_what_git_removes_is_in_packs_that_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"x = 1\n"})
    for old, new in ("12", "23"):
        assert scalpel(repo.root, "text", "a.py", "--old", old, "--new", new).status == 0
    looks = tmp_path / "git"
    looks.write_text(_LOOKS.format(git=shutil.which("git")))
    looks.chmod(0o755)
    with monkeypatch.context() as patched:
        patched.setenv("PATH", str(tmp_path), prepend=os.pathsep)
        if way == "thorough":
            swept(repo)
        else:
            patched.setattr(pruning, "MAX_PACKS", 1)
            with gitscalpel.open(repo.root) as opened:
                opened.edit(text("3", "4"))
    before = {*(tmp_path / "git.before").glob("*.idx")}
    now = {file.name for file in repo.root.glob(".git/objects/pack/*.idx")}
    gone, stay = ([each for each in before if (each.name in now) is stays] for stays in (False, True))
    assert gone
    assert _packed(repo, gone) <= _packed(repo, stay)
    assert not [*repo.root.glob(".git/objects/pack/*.keep")]
    assert loose(repo) == []


def _packed(repo: Sandbox, indexes: list[Path]) -> set[str]:
    rows = (row for each in indexes for row in repo.git("verify-pack", "-v", str(each)).splitlines())
    return {row.split()[0] for row in rows if len(row) > 40 and row[40] == " "}


def test_what_was_promised_is_not_packed_twice(tmp_path: Path) -> None:
    there = Sandbox.of(tmp_path / "there", {"a.py": b"x = 1\n", "b.py": b"y = 1\n"})
    there.git("config", "uploadpack.allowFilter", "true")
    words = ["git", "clone", "-q", "--filter=blob:none", f"file://{there.root}", str(tmp_path / "repo")]
    subprocess.run(words, check=True)
    repo = Sandbox(tmp_path / "repo")
    assert scalpel(repo.root, "text", "a.py", "--old", "1", "--new", "2").status == 0
    swept(repo)
    packs = repo.root.glob(".git/objects/pack/*.idx")
    told = [name for each in packs for name in _packed(repo, [each])]
    assert len(told) == len({*told})
