"""Regression tests of worktrees: edits made there are neither lost nor landed by accident."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import gitscalpel
from gitscalpel import ScalpelError
from gitscalpel.errors import TryAgain
from tests.command import scalpel
from tests.sandbox import Content, Sandbox
from tests.whole import text

FILES: dict[str, Content] = {"t.txt": b"1\n2\n3\n4\n5\n6\n7\n8\n", "sub/x": b"x\n", ".gitignore": b"notes\n"}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "shop", FILES)


def test_submodule_is_committed_only_if_staged(
    repo: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, (key, value) in enumerate({"protocol.file.allow": "always"}.items()):
        monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    library = Sandbox.of(tmp_path / "library", {"l": b"1\n"})
    repo.git("submodule", "add", "-q", str(library.root), "lib")
    repo.git("commit", "-q", "-m", "submodule")
    command = ("sh", "-c", "git submodule -q update --init; touch a")
    assert scalpel(repo.root, "run", "--", *command).status == 0
    newer = library.commit({"l": b"2\n"})
    repo.git("-C", "lib", "pull", "-q")
    repo.git("commit", "-q", "-a", "-m", "newer")
    assert scalpel(repo.root, "run", "--", "touch", "b").status == 0
    assert repo.git("rev-parse", "HEAD:lib") == newer
    assert repo.git("diff", "--name-only", "HEAD^", "HEAD") == "b"


def test_background_process_of_a_command_is_ended(repo: Sandbox) -> None:
    script = "touch a; (sleep 1; echo LATE >> t.txt) >/dev/null 2>&1 &"
    assert scalpel(repo.root, "run", "--", "sh", "-c", script).status == 0
    assert scalpel(repo.root, "run", "--", "sh", "-c", "sleep 1.5; touch b").status == 0
    assert repo.git("show", "HEAD:t.txt") + "\n" == "1\n2\n3\n4\n5\n6\n7\n8\n"


def test_manual_edits_during_a_failed_run_are_kept(repo: Sandbox) -> None:
    warnings: list[str] = []
    with gitscalpel.Repository(repo.root, warnings.append) as opened:
        tx = opened.begin()
        worktree = Sandbox(tx.worktree())
        script = f"echo mine > {worktree.root}/essay; exit 1"  # as another program does
        with pytest.raises(ScalpelError):
            tx.run("sh", "-c", script)
        assert worktree.status() == ""
    assert repo.git("show", f"{warnings[-1].split()[-1]}:essay") == "mine"


def test_files_written_during_stage_are_kept(repo: Sandbox) -> None:
    tx = scalpel(repo.root, "begin", "--json").data["tx"]
    worktree = Sandbox(Path(scalpel(repo.root, "worktree", tx).out.strip()))
    worktree.write({"first": b"x\n"})
    stage = subprocess.Popen([sys.executable, "-m", "gitscalpel", "stage", tx], cwd=repo.root)
    written = 0
    while stage.poll() is None:
        worktree.write({f"h{written}": b"x\n"})
        with (worktree.root / "t.txt").open("ab") as file:
            file.write(b"more\n")
        written += 1
        time.sleep(0.005)
    assert stage.returncode == 0
    assert all((worktree.root / f"h{number}").exists() for number in range(written))
    assert (worktree.root / "t.txt").read_bytes().count(b"more\n") == written


def test_broken_slot_does_not_touch_the_outer_repository(repo: Sandbox) -> None:
    repo.git("config", "scalpel.worktreeDir", "../pool")
    assert scalpel(repo.root, "trust").status == 0
    (repo.root / ".git/info/exclude").write_text("pool\n")
    assert scalpel(repo.root, "run", "--", "touch", "a").status == 0
    repo.git("switch", "-q", "-c", "feature")
    repo.write({"t.txt": b"v1\n"})
    repo.git("add", "t.txt")
    repo.write({"t.txt": b"v2\n", "untracked": b"precious\n"})
    (link,) = (repo.root / "pool").glob("*/1/*/.git")
    link.unlink()
    status = repo.git("status", "-sb")
    assert scalpel(repo.root, "run", "--", "touch", "b").status == 0
    assert repo.git("status", "-sb") == status
    assert repo.files()["b"] == b""
    assert repo.files()["untracked"] == b"precious\n"


def test_run_works_in_a_moved_and_a_copied_repository(repo: Sandbox, tmp_path: Path) -> None:
    assert scalpel(repo.root, "run", "--", "touch", "a").status == 0
    subprocess.run(["cp", "-r", str(repo.root), str(tmp_path / "copy")], check=True)
    moved = Sandbox(repo.root.rename(tmp_path / "moved"))
    for copy in (moved, Sandbox(tmp_path / "copy")):
        assert scalpel(copy.root, "run", "--", "touch", "b").status == 0
        assert (copy.status(), copy.git("rev-list", "--count", "main")) == ("", "3")


def test_symbolic_branch_lands_on_its_target(repo: Sandbox) -> None:
    repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    assert scalpel(repo.root, "text", "t.txt", "--old", "1", "--new", "ONE", "--onto", "alias").status == 0
    assert repo.status() == ""
    assert repo.git("show", "main:t.txt").startswith("ONE")


def test_killed_run_leaves_nothing_for_the_next_run(repo: Sandbox) -> None:
    tx = scalpel(repo.root, "begin", "--json").data["tx"]
    worktree = Sandbox(Path(scalpel(repo.root, "worktree", tx).out.strip()))
    script = "echo half >> t.txt; echo $$ > new; mv new started; exec sleep 60"
    runner = subprocess.Popen(
        [sys.executable, "-m", "gitscalpel", "run", "--tx", tx, "--", "sh", "-c", script], cwd=repo.root
    )
    while not (worktree.root / "started").exists():
        time.sleep(0.02)
    runner.kill()
    runner.wait()
    again = ("run", "--tx", tx, "--", "touch", "new")
    assert (
        scalpel(repo.root, *again).status == TryAgain.exit_status
    )  # its child process still has the worktree
    os.kill(int((worktree.root / "started").read_text()), signal.SIGKILL)
    while (answer := scalpel(repo.root, *again)).status == TryAgain.exit_status:
        pass
    assert answer.status == 0
    assert [row["path"] for row in scalpel(repo.root, "diff", tx, "--json").data["files"]] == ["new"]


def test_stage_is_busy_while_git_locks_the_index(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        worktree = Sandbox(tx.worktree())
        worktree.write({"n": b"n\n"})
        lock = Path(worktree.git("rev-parse", "--absolute-git-dir")) / "index.lock"
        lock.touch()
        head = tx.result.head
        with pytest.raises(ScalpelError) as caught:
            tx.stage()
        assert (caught.value.code, tx.result.head) == ("busy", head)
        lock.unlink()
        assert [row.path for row in tx.stage().patch.rows] == ["n"]


def test_operation_does_not_overwrite_an_ignored_file(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        worktree = Sandbox(tx.worktree())
        worktree.write({"notes": b"mine\n"})
        with pytest.raises(ScalpelError) as caught:
            tx.edit({"op": "write", "path": "notes", "content": "tx"})
        assert caught.value.code == "dirty_overlap"
        assert worktree.files()["notes"] == b"mine\n"
        assert not tx.result.files


def test_with_block_does_not_drop_manual_edits(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        with pytest.raises(ScalpelError) as caught, opened.begin() as tx:
            (tx.worktree() / "work.txt").write_text("work\n")
        assert (caught.value.code, caught.value.data["tx"]) == ("dirty_overlap", tx.id)
        tx.stage()
        tx.land()
    assert repo.files()["work.txt"] == b"work\n"


def test_directory_replaced_by_a_file_lands(repo: Sandbox) -> None:
    assert scalpel(repo.root, "run", "--", "sh", "-c", "rm -r sub; echo f > sub").status == 0
    assert (repo.files()["sub"], repo.status()) == (b"f\n", "")
    assert scalpel(repo.root, "undo").status == 0
    assert repo.files() == FILES


def test_conflict_is_resolved_by_a_merge_in_the_worktree(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin("Mine")
        tx.edit(text("1", "MINE", "t.txt"))
        opened.edit(text("1", "THEIRS", "t.txt"))
        opened.edit(text("8", "EIGHT", "t.txt"))
        with pytest.raises(ScalpelError) as caught:
            tx.land()
        assert caught.value.code == "merge_conflict"
        assert "stage(tx=" in caught.value.hint
        worktree = Sandbox(tx.worktree())
        worktree.git("commit", "-q", "-m", "mine")
        worktree.git("merge", "-q", "main", check=False)
        worktree.write({"t.txt": b"THEIRS\nMINE\n2\n3\n4\n5\n6\n7\nEIGHT\n"})
        worktree.git("add", "t.txt")
        worktree.git("commit", "-q", "-m", "merged")
        tx.stage()
        assert [(row.added, row.removed) for row in tx.result.patch.rows] == [(1, 0)]
        tx.land()
    assert repo.git("log", "-1", "--format=%s %P").split() == ["Mine", repo.tip("HEAD^")]
    assert repo.files()["t.txt"] == b"THEIRS\nMINE\n2\n3\n4\n5\n6\n7\nEIGHT\n"


def test_non_utf8_names_land(repo: Sandbox, tmp_path: Path) -> None:
    assert scalpel(repo.root, "run", "--json", "--", "touch", "a\udcff").data["landed"] == repo.tip()
    other = Sandbox.of(tmp_path / "r\udcff", {"a": b"a\n"})
    assert scalpel(other.root, "run", "--", "touch", "b").status == 0
    assert other.files() == {"a": b"a\n", "b": b""}


def test_conflict_markers_are_not_staged(repo: Sandbox) -> None:
    markers = b"<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n"
    repo.write({"t.txt": markers})
    assert scalpel(repo.root, "begin", "--adopt", "t.txt", "--json").error["code"] == "conflicted"
    repo.write({"t.txt": FILES["t.txt"]})
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        (tx.worktree() / "t.txt").write_bytes(markers)
        with pytest.raises(ScalpelError) as caught:
            tx.stage()
        assert caught.value.code == "conflicted"


def test_staged_deletion_is_adopted_by_path(repo: Sandbox) -> None:
    repo.git("rm", "-q", "t.txt")
    with gitscalpel.open(repo.root) as opened, opened.begin(adopt=["t.txt"]):
        pass
    assert (repo.status(), "t.txt" in repo.files()) == ("", False)


def test_root_is_adopted_from_a_subdirectory(repo: Sandbox) -> None:
    repo.write({"new": b"n\n"})
    data = scalpel(repo.root / "sub", "begin", "--adopt", "..", "--json").data
    assert [row["path"] for row in data["files"]] == ["new"]


def test_change_already_on_the_branch_does_not_land(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        tx.edit(text("1", "ONE", "t.txt"))
        repo.commit({"t.txt": tx.view().read("t.txt")}, "the same")
        tip = repo.tip()
        with pytest.raises(ScalpelError) as caught:
            tx.land()
        assert (caught.value.code, repo.tip()) == ("no_change", tip)
        assert opened.log() == []


def test_unreadable_record_does_not_hide_others(repo: Sandbox) -> None:
    warnings: list[str] = []
    with gitscalpel.Repository(repo.root, warnings.append) as opened:
        bad, good = opened.begin(), opened.begin()
        blob = repo.git("hash-object", "-w", "--stdin", stdin="no record")
        repo.git("update-ref", f"refs/scalpel/meta/{bad.id}", blob)
        assert [result.tx for result in opened.status().transactions] == [good.id]
        assert bad.id in warnings[-1]


@pytest.mark.parametrize("resolved", [b"theirs and mine\n", b"mine\n"])
def test_merge_conflict_hint_resolves_the_conflict(repo: Sandbox, resolved: bytes) -> None:
    change = ("write", "sub/x", "--overwrite", "--json", "--content")
    tx = scalpel(repo.root, *change, "mine\n", "--no-land").data["tx"]
    scalpel(repo.root, *change, "theirs\n")
    hint = scalpel(repo.root, "land", tx, "--json").error["hint"]
    worktree = Sandbox(Path(scalpel(repo.root, "worktree", tx).out.strip()))
    steps = ("git commit", "git merge main", "git add", f"git scalpel stage {tx}")
    assert [step in hint for step in steps] == [True] * 4
    worktree.git("commit", "-q", "-m", "mine")
    worktree.git("merge", "-q", "main", check=False)
    worktree.write({"sub/x": resolved})
    worktree.git("add", "sub/x")
    assert scalpel(repo.root, "stage", tx).status == 0
    assert scalpel(repo.root, "land", tx).status == 0
    assert (repo.files()["sub/x"], repo.status(), worktree.status()) == (resolved, "", "M  sub/x")
