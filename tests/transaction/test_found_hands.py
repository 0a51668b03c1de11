"""What somebody found who tried to break worktrees: nothing written there is lost, or lands unasked."""

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


def test_a_submodule_is_taken_only_where_it_was_staged(
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


def test_what_a_command_leaves_running_ends_with_it(repo: Sandbox) -> None:
    script = "touch a; (sleep 1; echo LATE >> t.txt) >/dev/null 2>&1 &"
    assert scalpel(repo.root, "run", "--", "sh", "-c", script).status == 0
    assert scalpel(repo.root, "run", "--", "sh", "-c", "sleep 1.5; touch b").status == 0
    assert repo.git("show", "HEAD:t.txt") + "\n" == "1\n2\n3\n4\n5\n6\n7\n8\n"


def test_edits_by_hand_during_a_run_that_fails_are_kept(repo: Sandbox) -> None:
    told: list[str] = []
    with gitscalpel.Repository(repo.root, told.append) as opened:
        tx = opened.begin()
        place = Sandbox(tx.worktree())
        script = f"echo mine > {place.root}/essay; exit 1"  # as if by somebody else
        with pytest.raises(ScalpelError):
            tx.run("sh", "-c", script)
        assert place.status() == ""
    assert repo.git("show", f"{told[-1].split()[-1]}:essay") == "mine"


def test_what_is_written_while_it_is_taken_in_stays(repo: Sandbox) -> None:
    tx = scalpel(repo.root, "begin", "--json").data["tx"]
    place = Sandbox(Path(scalpel(repo.root, "worktree", tx).out.strip()))
    place.write({"first": b"x\n"})
    stage = subprocess.Popen([sys.executable, "-m", "gitscalpel", "stage", tx], cwd=repo.root)
    written = 0
    while stage.poll() is None:
        place.write({f"h{written}": b"x\n"})
        with (place.root / "t.txt").open("ab") as file:
            file.write(b"more\n")
        written += 1
        time.sleep(0.005)
    assert stage.returncode == 0
    assert all((place.root / f"h{number}").exists() for number in range(written))
    assert (place.root / "t.txt").read_bytes().count(b"more\n") == written


def test_a_slot_that_is_no_longer_one_leaves_the_repository_around_it_alone(repo: Sandbox) -> None:
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


def test_a_repository_that_was_moved_and_one_that_was_copied(repo: Sandbox, tmp_path: Path) -> None:
    assert scalpel(repo.root, "run", "--", "touch", "a").status == 0
    subprocess.run(["cp", "-r", str(repo.root), str(tmp_path / "copy")], check=True)
    moved = Sandbox(repo.root.rename(tmp_path / "moved"))
    for each in (moved, Sandbox(tmp_path / "copy")):
        assert scalpel(each.root, "run", "--", "touch", "b").status == 0
        assert (each.status(), each.git("rev-list", "--count", "main")) == ("", "3")


def test_a_symbolic_branch_is_the_one_behind_it(repo: Sandbox) -> None:
    repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    assert scalpel(repo.root, "text", "t.txt", "--old", "1", "--new", "ONE", "--onto", "alias").status == 0
    assert repo.status() == ""
    assert repo.git("show", "main:t.txt").startswith("ONE")


def test_a_killed_run_leaves_nothing_for_the_next(repo: Sandbox) -> None:
    tx = scalpel(repo.root, "begin", "--json").data["tx"]
    place = Sandbox(Path(scalpel(repo.root, "worktree", tx).out.strip()))
    script = "echo half >> t.txt; echo $$ > new; mv new started; exec sleep 60"
    runner = subprocess.Popen(
        [sys.executable, "-m", "gitscalpel", "run", "--tx", tx, "--", "sh", "-c", script], cwd=repo.root
    )
    while not (place.root / "started").exists():
        time.sleep(0.02)
    runner.kill()
    runner.wait()
    again = ("run", "--tx", tx, "--", "touch", "new")
    assert scalpel(repo.root, *again).status == TryAgain.exit_status  # what it started still has the worktree
    os.kill(int((place.root / "started").read_text()), signal.SIGKILL)
    while (done := scalpel(repo.root, *again)).status == TryAgain.exit_status:
        pass
    assert done.status == 0
    assert [row["path"] for row in scalpel(repo.root, "diff", tx, "--json").data["files"]] == ["new"]


def test_staging_beside_a_git_that_works_there_is_refused_before_anything_happens(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        place = Sandbox(tx.worktree())
        place.write({"n": b"n\n"})
        lock = Path(place.git("rev-parse", "--absolute-git-dir")) / "index.lock"
        lock.touch()
        head = tx.result.head
        with pytest.raises(ScalpelError) as caught:
            tx.stage()
        assert (caught.value.code, tx.result.head) == ("busy", head)
        lock.unlink()
        assert [row.path for row in tx.stage().patch.rows] == ["n"]


def test_an_operation_does_not_run_over_an_ignored_file_there(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        place = Sandbox(tx.worktree())
        place.write({"notes": b"mine\n"})
        with pytest.raises(ScalpelError) as caught:
            tx.edit({"op": "write", "path": "notes", "content": "tx"})
        assert caught.value.code == "dirty_overlap"
        assert place.files()["notes"] == b"mine\n"
        assert not tx.result.files


def test_a_with_block_does_not_drop_edits_by_hand(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        with pytest.raises(ScalpelError) as caught, opened.begin() as tx:
            (tx.worktree() / "work.txt").write_text("work\n")
        assert (caught.value.code, caught.value.data["tx"]) == ("dirty_overlap", tx.id)
        tx.stage()
        tx.land()
    assert repo.files()["work.txt"] == b"work\n"


def test_a_folder_that_becomes_a_file(repo: Sandbox) -> None:
    assert scalpel(repo.root, "run", "--", "sh", "-c", "rm -r sub; echo f > sub").status == 0
    assert (repo.files()["sub"], repo.status()) == (b"f\n", "")
    assert scalpel(repo.root, "undo").status == 0
    assert repo.files() == FILES


def test_a_conflict_is_resolved_by_merging_the_branch_in_the_worktree(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin("Mine")
        tx.edit(text("1", "MINE", "t.txt"))
        opened.edit(text("1", "THEIRS", "t.txt"))
        opened.edit(text("8", "EIGHT", "t.txt"))
        with pytest.raises(ScalpelError) as caught:
            tx.land()
        assert caught.value.code == "merge_conflict"
        assert "stage(tx=" in caught.value.hint
        place = Sandbox(tx.worktree())
        place.git("commit", "-q", "-m", "mine")
        place.git("merge", "-q", "main", check=False)
        place.write({"t.txt": b"THEIRS\nMINE\n2\n3\n4\n5\n6\n7\nEIGHT\n"})
        place.git("add", "t.txt")
        place.git("commit", "-q", "-m", "merged")
        tx.stage()
        assert [(row.added, row.removed) for row in tx.result.patch.rows] == [(1, 0)]
        tx.land()
    assert repo.git("log", "-1", "--format=%s %P").split() == ["Mine", repo.tip("HEAD^")]
    assert repo.files()["t.txt"] == b"THEIRS\nMINE\n2\n3\n4\n5\n6\n7\nEIGHT\n"


def test_names_that_are_not_text(repo: Sandbox, tmp_path: Path) -> None:
    assert scalpel(repo.root, "run", "--json", "--", "touch", "a\udcff").data["landed"] == repo.tip()
    odd = Sandbox.of(tmp_path / "r\udcff", {"a": b"a\n"})
    assert scalpel(odd.root, "run", "--", "touch", "b").status == 0
    assert odd.files() == {"a": b"a\n", "b": b""}


def test_markers_of_a_conflict_are_not_taken_in(repo: Sandbox) -> None:
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


def test_a_deletion_that_is_staged_is_adopted_by_its_name(repo: Sandbox) -> None:
    repo.git("rm", "-q", "t.txt")
    with gitscalpel.open(repo.root) as opened, opened.begin(adopt=["t.txt"]):
        pass
    assert (repo.status(), "t.txt" in repo.files()) == ("", False)


def test_from_a_folder_the_root_is_adopted(repo: Sandbox) -> None:
    repo.write({"new": b"n\n"})
    data = scalpel(repo.root / "sub", "begin", "--adopt", "..", "--json").data
    assert [row["path"] for row in data["files"]] == ["new"]


def test_what_the_branch_has_already_does_not_land_again(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        tx.edit(text("1", "ONE", "t.txt"))
        repo.commit({"t.txt": tx.view().read("t.txt")}, "the same")
        tip = repo.tip()
        with pytest.raises(ScalpelError) as caught:
            tx.land()
        assert (caught.value.code, repo.tip()) == ("no_change", tip)
        assert opened.log() == []


def test_one_record_that_cannot_be_read_does_not_hide_the_others(repo: Sandbox) -> None:
    told: list[str] = []
    with gitscalpel.Repository(repo.root, told.append) as opened:
        bad, good = opened.begin(), opened.begin()
        blob = repo.git("hash-object", "-w", "--stdin", stdin="no record")
        repo.git("update-ref", f"refs/scalpel/meta/{bad.id}", blob)
        assert [result.tx for result in opened.status().transactions] == [good.id]
        assert bad.id in told[-1]


@pytest.mark.parametrize("resolved", [b"theirs and mine\n", b"mine\n"])
def test_a_merge_conflict_is_resolved_as_its_hint_says(repo: Sandbox, resolved: bytes) -> None:
    change = ("write", "sub/x", "--overwrite", "--json", "--content")
    tx = scalpel(repo.root, *change, "mine\n", "--no-land").data["tx"]
    scalpel(repo.root, *change, "theirs\n")
    hint = scalpel(repo.root, "land", tx, "--json").error["hint"]
    place = Sandbox(Path(scalpel(repo.root, "worktree", tx).out.strip()))
    steps = ("git commit", "git merge main", "git add", f"git scalpel stage {tx}")
    assert [step in hint for step in steps] == [True] * 4
    place.git("commit", "-q", "-m", "mine")
    place.git("merge", "-q", "main", check=False)
    place.write({"sub/x": resolved})
    place.git("add", "sub/x")
    assert scalpel(repo.root, "stage", tx).status == 0
    assert scalpel(repo.root, "land", tx).status == 0
    assert (repo.files()["sub/x"], repo.status(), place.status()) == (resolved, "", "M  sub/x")
