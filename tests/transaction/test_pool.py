"""The pool when the world around it changes: moved, copied, deleted, full, used by two at once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gitscalpel
from gitscalpel import Repository, ScalpelError
from tests.command import scalpel
from tests.sandbox import Sandbox
from tests.whole import text

HAND = b"by_hand = 1\n"


def edited(repo: Sandbox) -> tuple[str, Sandbox]:
    """A transaction, and its worktree with an edit by hand."""
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        tx.edit(text("one", "1"))
        place = Sandbox(tx.worktree())
        place.write({"sub/b.py": HAND})
        return tx.id, place


def test_a_repository_that_was_moved_finds_its_worktrees(repo: Sandbox, tmp_path: Path) -> None:
    tx, place = edited(repo)
    moved = Sandbox(repo.root.rename(tmp_path / "moved"))
    with gitscalpel.open(moved.root) as opened:
        assert opened.transaction(tx).worktree() == place.root
        assert place.status() == "M  a.py\n M sub/b.py"
        opened.transaction(tx).stage()
    assert scalpel(place.root, "land").status == 0
    assert (moved.files()["sub/b.py"], moved.status()) == (HAND, "")


def test_a_copy_makes_its_own_and_leaves_those_of_the_first_alone(repo: Sandbox, tmp_path: Path) -> None:
    tx, place = edited(repo)
    copy = Sandbox(Path(shutil.copytree(repo.root, tmp_path / "copy")))
    with gitscalpel.open(copy.root) as opened:
        own = opened.transaction(tx).worktree()
        assert own != place.root
        opened.transaction(tx).land()
    assert (place.status(), place.files()["sub/b.py"]) == ("M  a.py\n M sub/b.py", HAND)
    with gitscalpel.open(repo.root) as opened:
        assert opened.transaction(tx).worktree() == place.root


def test_another_place_for_new_ones_leaves_the_old_ones_in_use(repo: Sandbox, tmp_path: Path) -> None:
    tx, place = edited(repo)
    repo.git("config", "scalpel.worktreeDir", str(tmp_path / "elsewhere"))
    assert scalpel(repo.root, "trust").status == 0
    with gitscalpel.open(repo.root) as opened:
        assert opened.transaction(tx).worktree() == place.root
        assert tmp_path / "elsewhere" in opened.begin().worktree().parents


def test_what_came_with_a_repository_does_not_say_where_worktrees_are_made(
    repo: Sandbox, tmp_path: Path
) -> None:
    repo.git("config", "scalpel.worktreeDir", str(tmp_path / "keys"))
    error = scalpel(repo.root, "begin", "--worktree", "--json").error
    assert (error["code"], str(tmp_path / "keys") in error["message"]) == ("untrusted", True)
    assert scalpel(repo.root, "doctor").status in (0, 78)
    assert scalpel(repo.root, "gc").status == 0
    assert not (tmp_path / "keys").exists()
    assert scalpel(repo.root, "text", "a.py", "--old", "one", "--new", "1").status == 0
    scalpel(repo.root, "trust")
    made = scalpel(repo.root, "begin", "--worktree", "--json").data["worktree"]
    assert tmp_path / "keys" in Path(made).parents


def test_a_cache_that_was_deleted(repo: Sandbox) -> None:
    tx, place = edited(repo)
    place.git("commit", "-q", "-a", "-m", "by hand")
    shutil.rmtree(place.root.parents[2])
    told: list[str] = []
    with Repository(repo.root, told.append) as opened:
        assert Sandbox(opened.transaction(tx).worktree()).status() == "M  a.py"
        assert repo.git("show", f"{told[0].split()[-1]}:sub/b.py").encode() + b"\n" == HAND
        opened.transaction(tx).land()
    assert repo.status() == ""


def test_where_no_folder_can_be_made_the_hint_says_how_to_name_another(repo: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    repo.git("config", "scalpel.worktreeDir", str(tmp_path / "file"))
    assert scalpel(repo.root, "trust").status == 0
    before = repo.state()
    error = scalpel(repo.root, "run", "--json", "--", "touch", "x").error
    assert (error["code"], "scalpel.worktreeDir" in error["hint"]) == ("unavailable", True)
    assert repo.state() == before


def test_where_files_cannot_be_written_nothing_lands_and_the_next_one_does(repo: Sandbox) -> None:
    repo.commit({f"{number}.txt": b"x" * 9_000 for number in range(40)})
    limited = f"ulimit -f 8; exec {sys.executable} -m gitscalpel run -- touch x"
    done = subprocess.run(["bash", "-c", limited], cwd=repo.root, capture_output=True, check=False)
    assert done.returncode != 0
    assert repo.status() == ""
    assert scalpel(repo.root, "run", "--", "touch", "x").status == 0
    assert repo.status() == ""


def test_what_the_user_does_with_git_harms_no_leased_worktree(repo: Sandbox) -> None:
    tx, _ = edited(repo)
    repo.git("worktree", "prune", "--expire", "now")
    repo.git("gc", "--quiet", "--prune=now")
    repo.git("reflog", "expire", "--expire=now", "--all")
    assert repo.git("fsck", "--strict") == ""
    assert repo.git("branch", "--list", "--all") == "* main"
    assert len(repo.git("worktree", "list").splitlines()) == 2
    with gitscalpel.open(repo.root) as opened:
        opened.transaction(tx).stage()
        opened.transaction(tx).land()
    assert repo.files()["sub/b.py"] == HAND


def test_a_branch_that_was_checked_out_there_can_be_given_back(repo: Sandbox) -> None:
    repo.git("branch", "side")
    _, place = edited(repo)
    place.git("switch", "-q", "side")
    error = scalpel(repo.root, "text", "a.py", "--old", "two", "--new", "2", "--onto", "side", "--json").error
    assert error["code"] == "branch_in_use"
    command = error["hint"].split("`")[1]
    subprocess.run(command.split(), check=True, capture_output=True)
    assert scalpel(repo.root, "text", "a.py", "--old", "two", "--new", "2", "--onto", "side").status == 0


def test_two_at_once_take_two_worktrees_or_wait(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        txs = [opened.begin().id for _ in range(4)]
    words = [[sys.executable, "-m", "gitscalpel", "worktree", tx] for tx in [*txs, *txs]]
    started = [subprocess.Popen(w, cwd=repo.root, stdout=-1, stderr=-1, text=True) for w in words]
    ended = [(*child.communicate(), child.returncode) for child in started]
    places = {out.strip() for out, _, status in ended if status == 0}
    assert {status for *_, status in ended} <= {0, 75}
    assert len(places) == 4
    with gitscalpel.open(repo.root) as opened:
        assert {str(opened.transaction(tx).worktree()) for tx in txs} == places


def test_a_slot_that_goes_while_it_is_looked_at_is_no_obstacle(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process removes a free slot between its being listed and its being locked."""
    from gitscalpel.git.pool import slots

    with gitscalpel.open(repo.root) as opened:
        first = opened.begin()
        place = first.worktree()
        first.drop()
        seen, looks = slots.find_slots, iter(range(9))

        def removed_then(*arguments: object) -> object:
            found = seen(*arguments)  # type: ignore[arg-type]
            if next(looks) == 1:  # the first look is for its own, the second for a free one
                assert found
                repo.git("worktree", "remove", "--force", str(place))
            return found

        monkeypatch.setattr(slots, "find_slots", removed_then)
        second = opened.begin()
        try:
            assert Sandbox(second.worktree()).status() == ""
        except ScalpelError as error:
            pytest.fail(error.message)


def test_links_that_git_writes_relative_are_followed(repo: Sandbox) -> None:
    """As git does it from 2.48 on with ``worktree.useRelativePaths``."""
    tx, place = edited(repo)
    (record,) = (repo.root / ".git/worktrees").iterdir()
    (record / "gitdir").write_text(f"{os.path.relpath(place.root / '.git', record)}\n")
    (place.root / ".git").write_text(f"gitdir: {os.path.relpath(record, place.root)}\n")
    with gitscalpel.open(repo.root) as opened:
        assert opened.transaction(tx).worktree() == place.root
        opened.transaction(tx).stage()
    assert place.status() == "M  a.py\nM  sub/b.py"
