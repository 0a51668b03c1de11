"""A landing runs a quick gc by itself, unless the user disables this."""

from __future__ import annotations

from pathlib import Path

import pytest

import gitscalpel
from gitscalpel import Repository
from gitscalpel.system import repo_lock
from gitscalpel.workspace import pruning
from tests.maintenance.test_gc import (
    age_file,
    list_kept_refs,
    list_loose_objects,
    list_slots,
    make_ended_slots,
)
from tests.sandbox import Sandbox
from tests.whole import text


@pytest.fixture
def littered_repo(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """Return a repository with more loose objects than allowed."""
    monkeypatch.setattr(pruning, "MAX_LOOSE_OBJECTS", 400)
    extra_files = repo.root / "litter"
    extra_files.mkdir()
    for number in range(800):
        (extra_files / str(number)).write_bytes(b"%d\n" % number)
    repo.git(
        "hash-object", "-w", "--stdin-paths", stdin="".join(f"{f}\n" for f in sorted(extra_files.iterdir()))
    )
    return repo


def land_first(repo: Sandbox, notices: list[str] | None = None) -> None:
    messages = [] if notices is None else notices
    with Repository(repo.root, messages.append) as opened:
        opened.edit(text("one", "1"))
    assert repo.files()["a.py"] == b"1\ntwo\nthree\n"


def list_packs(repo: Sandbox) -> list[Path]:
    return sorted((repo.root / ".git/objects/pack").glob("*.pack"))


def test_landing_packs_loose_objects_and_deletes_nothing(littered_repo: Sandbox) -> None:
    notices: list[str] = []
    objects_before = littered_repo.git("cat-file", "--batch-check", "--batch-all-objects").splitlines()
    land_first(littered_repo, notices)
    assert (list_loose_objects(littered_repo), len(list_packs(littered_repo)), notices) == (
        [],
        2,
        [],
    )  # the loose objects, and those of the landing
    after = littered_repo.git("cat-file", "--batch-check", "--batch-all-objects").splitlines()
    assert {*objects_before} < {*after}
    assert littered_repo.git("fsck", "--strict", "--no-dangling") == ""


@pytest.mark.parametrize(
    ("key", "value"), [("gc.auto", "0"), ("maintenance.auto", "false"), ("scalpel.autoGc", "no")]
)
def test_automatic_gc_can_be_disabled(littered_repo: Sandbox, key: str, value: str) -> None:
    littered_repo.git("config", key, value)
    land_first(littered_repo)
    assert len(list_loose_objects(littered_repo)) >= 800


@pytest.mark.parametrize(("key", "value"), [("gc.auto", "1"), ("maintenance.auto", "true")])
def test_enabled_gc_of_the_user_is_recognized(littered_repo: Sandbox, key: str, value: str) -> None:
    littered_repo.git("config", key, value)
    land_first(littered_repo)
    assert list_loose_objects(littered_repo) == []


def test_automatic_gc_is_skipped_while_another_runs(littered_repo: Sandbox) -> None:
    folder = littered_repo.root / ".git/scalpel"
    folder.mkdir()
    with repo_lock.try_hold_lock(folder / "gc.lock"):
        land_first(littered_repo)
    (littered_repo.root / ".git/gc.pid").write_text("1 elsewhere")
    land_second(littered_repo)
    assert len(list_loose_objects(littered_repo)) >= 800


def land_second(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        opened.edit(text("two", "2"))


def test_failed_gc_is_reported_and_retried_after_a_day(littered_repo: Sandbox) -> None:
    broken = (
        littered_repo.root
        / ".git/objects"
        / list_loose_objects(littered_repo)[0][:2]
        / list_loose_objects(littered_repo)[0][2:]
    )
    broken.chmod(0o644)
    broken.write_bytes(broken.read_bytes()[:-6])
    notices: list[str] = []
    land_first(littered_repo, notices)
    assert "automatic cleanup failed" in notices[-1]
    notices.clear()
    land_second(littered_repo)
    assert notices == []
    broken.unlink()
    age_file(littered_repo.root / ".git/scalpel/gc.failed", 2)
    with gitscalpel.open(littered_repo.root) as opened:
        opened.edit(text("three", "3"))
    assert list_loose_objects(littered_repo) == []


def test_promisor_packs_of_a_partial_clone_are_kept(
    repo: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pruning, "MAX_LOOSE_OBJECTS", 0)
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("clone", "-q", "--filter=blob:none", repo.root.as_uri(), str(tmp_path / "partial"))
    partial = Sandbox(tmp_path / "partial")
    promised = sorted((partial.root / ".git/objects/pack").glob("*.promisor"))
    assert promised
    land_first(partial)
    assert list_loose_objects(partial) == []
    assert sorted((partial.root / ".git/objects/pack").glob("*.promisor")) == promised
    with gitscalpel.open(partial.root) as opened:
        assert all(item.removed for item in opened.gc().items)
    assert partial.git("fsck", "--strict", "--no-dangling") == ""


def test_objects_of_alternates_are_not_packed(
    repo: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pruning, "MAX_LOOSE_OBJECTS", 0)
    repo.git("clone", "-q", "--shared", str(repo.root), str(tmp_path / "borrower"))
    borrower = Sandbox(tmp_path / "borrower")
    before = list_loose_objects(repo)
    land_first(borrower)
    with gitscalpel.open(borrower.root) as opened:
        opened.gc()
    assert (list_loose_objects(borrower), list_loose_objects(repo)) == ([], before)
    assert borrower.git("fsck", "--strict", "--no-dangling") == ""


def test_kept_commits_expire_in_a_landing(littered_repo: Sandbox) -> None:
    littered_repo.git("config", "scalpel.keepDays", "0")
    with gitscalpel.open(littered_repo.root) as opened:
        opened.begin().drop()
    assert list_kept_refs(littered_repo) == []


def test_landing_removes_one_surplus_worktree(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        places = make_ended_slots(opened, 4)
        fifth, sixth = opened.begin(), opened.begin()
        leased = [fifth.worktree(), sixth.worktree()]
        assert {*leased} <= {*places}
    repo.git("config", "scalpel.poolSize", "1")
    with gitscalpel.open(repo.root) as opened:
        opened.edit(text("one", "1"))
        assert len(list_slots(repo)) == 3
        opened.edit(text("two", "2"))
        assert {*leased} < {*list_slots(repo)}
        assert len(list_slots(repo)) == 3  # two leased worktrees, and the one that may be free
