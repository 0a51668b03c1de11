"""After a landing the house is kept by itself, quickly, unless the user does not want it."""

from __future__ import annotations

from pathlib import Path

import pytest

import gitscalpel
from gitscalpel import Repository
from gitscalpel.system import repo_lock
from gitscalpel.workspace import pruning
from tests.maintenance.test_gc import aged, ended, kept, loose, slots
from tests.sandbox import Sandbox
from tests.whole import text


@pytest.fixture
def littered(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """A repository with more loose objects than it should have."""
    monkeypatch.setattr(pruning, "MAX_LOOSE_OBJECTS", 400)
    litter = repo.root / "litter"
    litter.mkdir()
    for number in range(800):
        (litter / str(number)).write_bytes(b"%d\n" % number)
    repo.git("hash-object", "-w", "--stdin-paths", stdin="".join(f"{f}\n" for f in sorted(litter.iterdir())))
    return repo


def landed(repo: Sandbox, notices: list[str] | None = None) -> None:
    told = [] if notices is None else notices
    with Repository(repo.root, told.append) as opened:
        opened.edit(text("one", "1"))
    assert repo.files()["a.py"] == b"1\ntwo\nthree\n"


def packs(repo: Sandbox) -> list[Path]:
    return sorted((repo.root / ".git/objects/pack").glob("*.pack"))


def test_a_landing_packs_what_is_loose_and_deletes_nothing(littered: Sandbox) -> None:
    told: list[str] = []
    everything = littered.git("cat-file", "--batch-check", "--batch-all-objects").splitlines()
    landed(littered, told)
    assert (loose(littered), len(packs(littered)), told) == (
        [],
        2,
        [],
    )  # what was loose, and the landing's own
    after = littered.git("cat-file", "--batch-check", "--batch-all-objects").splitlines()
    assert {*everything} < {*after}
    assert littered.git("fsck", "--strict", "--no-dangling") == ""


@pytest.mark.parametrize(
    ("key", "value"), [("gc.auto", "0"), ("maintenance.auto", "false"), ("scalpel.autoGc", "no")]
)
def test_unless_the_user_does_not_want_it(littered: Sandbox, key: str, value: str) -> None:
    littered.git("config", key, value)
    landed(littered)
    assert len(loose(littered)) >= 800


@pytest.mark.parametrize(("key", "value"), [("gc.auto", "1"), ("maintenance.auto", "true")])
def test_what_the_user_says_is_told_from_what_our_own_gits_are_told(
    littered: Sandbox, key: str, value: str
) -> None:
    littered.git("config", key, value)
    landed(littered)
    assert loose(littered) == []


def test_while_somebody_else_packs_nothing_is_done(littered: Sandbox) -> None:
    folder = littered.root / ".git/scalpel"
    folder.mkdir()
    with repo_lock.try_hold_lock(folder / "gc.lock"):
        landed(littered)
    (littered.root / ".git/gc.pid").write_text("1 elsewhere")
    landed_again(littered)
    assert len(loose(littered)) >= 800


def landed_again(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        opened.edit(text("two", "2"))


def test_what_cannot_be_packed_is_told_and_tried_again_a_day_later(littered: Sandbox) -> None:
    broken = littered.root / ".git/objects" / loose(littered)[0][:2] / loose(littered)[0][2:]
    broken.chmod(0o644)
    broken.write_bytes(broken.read_bytes()[:-6])
    told: list[str] = []
    landed(littered, told)
    assert "automatic cleanup failed" in told[-1]
    told.clear()
    landed_again(littered)
    assert told == []
    broken.unlink()
    aged(littered.root / ".git/scalpel/gc.failed", 2)
    with gitscalpel.open(littered.root) as opened:
        opened.edit(text("three", "3"))
    assert loose(littered) == []


def test_a_partial_clone_keeps_its_promises(
    repo: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pruning, "MAX_LOOSE_OBJECTS", 0)
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("clone", "-q", "--filter=blob:none", repo.root.as_uri(), str(tmp_path / "partial"))
    partial = Sandbox(tmp_path / "partial")
    promised = sorted((partial.root / ".git/objects/pack").glob("*.promisor"))
    assert promised
    landed(partial)
    assert loose(partial) == []
    assert sorted((partial.root / ".git/objects/pack").glob("*.promisor")) == promised
    with gitscalpel.open(partial.root) as opened:
        assert all(item.removed for item in opened.gc().items)
    assert partial.git("fsck", "--strict", "--no-dangling") == ""


def test_what_is_borrowed_stays_where_it_is(
    repo: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pruning, "MAX_LOOSE_OBJECTS", 0)
    repo.git("clone", "-q", "--shared", str(repo.root), str(tmp_path / "borrower"))
    borrower = Sandbox(tmp_path / "borrower")
    before = loose(repo)
    landed(borrower)
    with gitscalpel.open(borrower.root) as opened:
        opened.gc()
    assert (loose(borrower), loose(repo)) == ([], before)
    assert borrower.git("fsck", "--strict", "--no-dangling") == ""


def test_what_was_kept_expires_by_the_way(littered: Sandbox) -> None:
    littered.git("config", "scalpel.keepDays", "0")
    with gitscalpel.open(littered.root) as opened:
        opened.begin().drop()
    assert kept(littered) == []


def test_a_landing_takes_away_one_worktree_too_many(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        places = ended(opened, 4)
        fifth, sixth = opened.begin(), opened.begin()
        leased = [fifth.worktree(), sixth.worktree()]
        assert {*leased} <= {*places}
    repo.git("config", "scalpel.poolSize", "1")
    with gitscalpel.open(repo.root) as opened:
        opened.edit(text("one", "1"))
        assert len(slots(repo)) == 3
        opened.edit(text("two", "2"))
        assert {*leased} < {*slots(repo)}
        assert len(slots(repo)) == 3  # leased, leased, and the one that may be free
