"""The worktree pool after external changes: moved, copied, deleted, full, used by two processes."""

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

MANUAL_EDIT = b"by_hand = 1\n"


def begin_with_manual_edit(repo: Sandbox) -> tuple[str, Sandbox]:
    """Return a transaction and its worktree with a manual edit."""
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        tx.edit(text("one", "1"))
        worktree = Sandbox(tx.worktree())
        worktree.write({"sub/b.py": MANUAL_EDIT})
        return tx.id, worktree


def test_moved_repository_finds_its_worktrees(repo: Sandbox, tmp_path: Path) -> None:
    tx, worktree = begin_with_manual_edit(repo)
    moved = Sandbox(repo.root.rename(tmp_path / "moved"))
    with gitscalpel.open(moved.root) as opened:
        assert opened.transaction(tx).worktree() == worktree.root
        assert worktree.status() == "M  a.py\n M sub/b.py"
        opened.transaction(tx).stage()
    assert scalpel(worktree.root, "land").status == 0
    assert (moved.files()["sub/b.py"], moved.status()) == (MANUAL_EDIT, "")


def test_copied_repository_makes_its_own_worktrees(repo: Sandbox, tmp_path: Path) -> None:
    tx, worktree = begin_with_manual_edit(repo)
    copy = Sandbox(Path(shutil.copytree(repo.root, tmp_path / "copy")))
    with gitscalpel.open(copy.root) as opened:
        own = opened.transaction(tx).worktree()
        assert own != worktree.root
        opened.transaction(tx).land()
    assert (worktree.status(), worktree.files()["sub/b.py"]) == ("M  a.py\n M sub/b.py", MANUAL_EDIT)
    with gitscalpel.open(repo.root) as opened:
        assert opened.transaction(tx).worktree() == worktree.root


def test_changed_worktree_dir_keeps_old_worktrees(repo: Sandbox, tmp_path: Path) -> None:
    tx, worktree = begin_with_manual_edit(repo)
    repo.git("config", "scalpel.worktreeDir", str(tmp_path / "elsewhere"))
    assert scalpel(repo.root, "trust").status == 0
    with gitscalpel.open(repo.root) as opened:
        assert opened.transaction(tx).worktree() == worktree.root
        assert tmp_path / "elsewhere" in opened.begin().worktree().parents


def test_untrusted_worktree_dir_is_not_used(repo: Sandbox, tmp_path: Path) -> None:
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


def test_deleted_pool_is_recreated(repo: Sandbox) -> None:
    tx, worktree = begin_with_manual_edit(repo)
    worktree.git("commit", "-q", "-a", "-m", "by hand")
    shutil.rmtree(worktree.root.parents[2])
    warnings: list[str] = []
    with Repository(repo.root, warnings.append) as opened:
        assert Sandbox(opened.transaction(tx).worktree()).status() == "M  a.py"
        assert repo.git("show", f"{warnings[0].split()[-1]}:sub/b.py").encode() + b"\n" == MANUAL_EDIT
        opened.transaction(tx).land()
    assert repo.status() == ""


def test_unusable_worktree_dir_has_a_hint(repo: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    repo.git("config", "scalpel.worktreeDir", str(tmp_path / "file"))
    assert scalpel(repo.root, "trust").status == 0
    before = repo.state()
    error = scalpel(repo.root, "run", "--json", "--", "touch", "x").error
    assert (error["code"], "scalpel.worktreeDir" in error["hint"]) == ("unavailable", True)
    assert repo.state() == before


def test_failed_write_lands_nothing_and_the_next_run_works(repo: Sandbox) -> None:
    repo.commit({f"{number}.txt": b"x" * 9_000 for number in range(40)})
    limited = f"ulimit -f 8; exec {sys.executable} -m gitscalpel run -- touch x"
    completed = subprocess.run(["bash", "-c", limited], cwd=repo.root, capture_output=True, check=False)
    assert completed.returncode != 0
    assert repo.status() == ""
    assert scalpel(repo.root, "run", "--", "touch", "x").status == 0
    assert repo.status() == ""


def test_git_maintenance_keeps_leased_worktrees(repo: Sandbox) -> None:
    tx, _ = begin_with_manual_edit(repo)
    repo.git("worktree", "prune", "--expire", "now")
    repo.git("gc", "--quiet", "--prune=now")
    repo.git("reflog", "expire", "--expire=now", "--all")
    assert repo.git("fsck", "--strict") == ""
    assert repo.git("branch", "--list", "--all") == "* main"
    assert len(repo.git("worktree", "list").splitlines()) == 2
    with gitscalpel.open(repo.root) as opened:
        opened.transaction(tx).stage()
        opened.transaction(tx).land()
    assert repo.files()["sub/b.py"] == MANUAL_EDIT


def test_branch_in_use_hint_releases_the_branch(repo: Sandbox) -> None:
    repo.git("branch", "side")
    _, worktree = begin_with_manual_edit(repo)
    worktree.git("switch", "-q", "side")
    error = scalpel(repo.root, "text", "a.py", "--old", "two", "--new", "2", "--onto", "side", "--json").error
    assert error["code"] == "branch_in_use"
    command = error["hint"].split("`")[1]
    subprocess.run(command.split(), check=True, capture_output=True)
    assert scalpel(repo.root, "text", "a.py", "--old", "two", "--new", "2", "--onto", "side").status == 0


def test_concurrent_leases_get_separate_worktrees(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        txs = [opened.begin().id for _ in range(4)]
    words = [[sys.executable, "-m", "gitscalpel", "worktree", tx] for tx in [*txs, *txs]]
    started = [subprocess.Popen(w, cwd=repo.root, stdout=-1, stderr=-1, text=True) for w in words]
    ended = [(*child.communicate(), child.returncode) for child in started]
    worktrees = {out.strip() for out, _, status in ended if status == 0}
    assert {status for *_, status in ended} <= {0, 75}
    assert len(worktrees) == 4
    with gitscalpel.open(repo.root) as opened:
        assert {str(opened.transaction(tx).worktree()) for tx in txs} == worktrees


def test_slot_removed_during_lookup_is_skipped(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process removes a free slot after it is listed and before it is locked."""
    from gitscalpel.git.pool import slots

    with gitscalpel.open(repo.root) as opened:
        first = opened.begin()
        worktree = first.worktree()
        first.drop()
        find_slots, calls = slots.find_slots, iter(range(9))

        def find_and_remove(*arguments: object) -> object:
            slots_found = find_slots(*arguments)  # type: ignore[arg-type]
            if next(calls) == 1:  # the first call finds its own slot, the second a free one
                assert slots_found
                repo.git("worktree", "remove", "--force", str(worktree))
            return slots_found

        monkeypatch.setattr(slots, "find_slots", find_and_remove)
        second = opened.begin()
        try:
            assert Sandbox(second.worktree()).status() == ""
        except ScalpelError as error:
            pytest.fail(error.message)


def test_relative_worktree_links_are_followed(repo: Sandbox) -> None:
    """Git from 2.48 on writes relative links if ``worktree.useRelativePaths`` is set."""
    tx, worktree = begin_with_manual_edit(repo)
    (record,) = (repo.root / ".git/worktrees").iterdir()
    (record / "gitdir").write_text(f"{os.path.relpath(worktree.root / '.git', record)}\n")
    (worktree.root / ".git").write_text(f"gitdir: {os.path.relpath(record, worktree.root)}\n")
    with gitscalpel.open(repo.root) as opened:
        assert opened.transaction(tx).worktree() == worktree.root
        opened.transaction(tx).stage()
    assert worktree.status() == "M  a.py\nM  sub/b.py"
