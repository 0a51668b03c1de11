"""Reasons that block a landing are named, and refs, index and files stay unchanged."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gitscalpel.changesets.file_tree import SYMLINK
from gitscalpel.errors import GateRefused, TryAgain, WorldMoved
from gitscalpel.git.checkout import BlockedPath, blocked_error
from tests.sandbox import Content, Sandbox

NUMBERS = b"1\n2\n3\n4\n5\n6\n7\n"


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.py": NUMBERS, "sub/b.py": b"b\n", ".gitignore": b"*.log\n"})


def _stage(files: dict[str, Content], later: dict[str, Content] | None = None) -> Callable[[Sandbox], None]:
    def make(repo: Sandbox) -> None:
        repo.write(files)
        repo.git("add", "-A", "-f")
        repo.write(later or {})

    return make


def _write(files: dict[str, Content]) -> Callable[[Sandbox], None]:
    return lambda repo: repo.write(files)


def _put_directory_for_file(repo: Sandbox) -> None:
    repo.write({"a.py": None})
    repo.write({"a.py/mine": b"m\n"})


def _put_link_for_directory(repo: Sandbox) -> None:
    repo.write({"sub/b.py": None})
    (repo.root / "sub").rmdir()
    repo.write({"sub": (SYMLINK, b"elsewhere")})
    (repo.root / "elsewhere").mkdir()


def _make_unmerged(repo: Sandbox) -> None:
    oid = repo.git("hash-object", "-w", "a.py")
    repo.git("update-index", "--index-info", stdin=f"100644 {oid} 1\ta.py\n100644 {oid} 2\ta.py\n")


NEW_A: dict[str, Content] = {"a.py": NUMBERS.replace(b"4", b"theirs")}
BLOCKERS: dict[str, tuple[Callable[[Sandbox], None], dict[str, Content], str, str]] = {
    "same line": (_write({"a.py": NUMBERS.replace(b"4", b"mine")}), NEW_A, "a.py", "overlap"),
    "binary": (_write({"a.py": b"\0mine"}), {"a.py": b"\0theirs"}, "a.py", "overlap"),
    "became a symlink": (_write({"a.py": (SYMLINK, b"sub")}), NEW_A, "a.py", "overlap"),
    "staged": (_stage({"a.py": NUMBERS.replace(b"4", b"mine")}), NEW_A, "a.py", "staged"),
    "partly staged": (
        _stage({"a.py": NUMBERS.replace(b"4", b"mine")}, {"a.py": NUMBERS.replace(b"4", b"4\n9")}),
        NEW_A,
        "a.py",
        "staged",
    ),
    "staged deletion": (_stage({"a.py": None}), NEW_A, "a.py", "staged"),
    "staged addition": (_stage({"n.py": b"mine\n"}), {"n.py": b"theirs\n"}, "n.py", "staged"),
    "unmerged": (_make_unmerged, NEW_A, "a.py", "unmerged"),
    "untracked": (_write({"n.py": b"mine\n"}), {"n.py": b"theirs\n"}, "n.py", "in_the_way"),
    "ignored": (_write({"n.log": b"mine\n"}), {"n.log": b"theirs\n"}, "n.log", "ignored"),
    "untracked for directory": (_write({"n": b"mine\n"}), {"n/x.py": b"theirs\n"}, "n", "in_the_way"),
    "ignored for directory": (_write({"n.log": b"mine\n"}), {"n.log/x": b"theirs\n"}, "n.log", "ignored"),
    "directory for file": (_write({"n/x": b"mine\n"}), {"n": b"theirs\n"}, "n", "in_the_way"),
    "untracked in a removed directory": (
        _write({"sub/mine": b"m\n"}),
        {"sub/b.py": None, "sub": b"s\n"},
        "sub",
        "in_the_way",
    ),
    "directory in place of a changed file": (_put_directory_for_file, NEW_A, "a.py", "in_the_way"),
    "symlink in place of a directory": (_put_link_for_directory, {"sub/c.py": b"c\n"}, "sub", "in_the_way"),
    "deleted by the user": (_write({"a.py": None}), NEW_A, "a.py", "deleted"),
    "removed by the landing": (_write({"a.py": NUMBERS + b"8\n"}), {"a.py": None}, "a.py", "changed"),
}


@pytest.mark.parametrize(("make", "change", "path", "reason"), BLOCKERS.values(), ids=BLOCKERS)
def test_uncommitted_work_blocks_the_landing(
    repo: Sandbox, make: Callable[[Sandbox], None], change: dict[str, Content], path: str, reason: str
) -> None:
    make(repo)
    movement = repo.begin({**change, "other.py": b"o\n"})
    before = repo.state()
    with pytest.raises(WorldMoved) as caught:
        repo.move(movement)
    assert caught.value.code == "dirty_overlap"
    assert [(file["path"], file["why"]) for file in caught.value.data["files"]] == [(path, reason)]
    assert path in caught.value.message
    assert repo.state() == before


def test_overlapping_lines_are_reported(repo: Sandbox) -> None:
    repo.write({"a.py": b"0\n" + NUMBERS.replace(b"4", b"mine")})
    movement = repo.begin(NEW_A)
    with pytest.raises(WorldMoved) as caught:
        repo.move(movement)
    assert caught.value.data["files"][0]["lines"] == [[5, 5]]


def _start_conflict(repo: Sandbox, command: str) -> None:
    repo.git("switch", "-q", "-c", "side")
    repo.commit({"sub/b.py": b"side\n"})
    repo.git("switch", "-q", "main")
    repo.commit({"sub/b.py": b"main\n"})
    if command == "revert":
        repo.commit({"sub/b.py": b"more\n"})
    revision = {"merge": "side", "cherry-pick": "side", "revert": "HEAD~1", "rebase": "side"}[command]
    repo.git(command, revision, check=False)


def test_hint_for_concurrent_writes_and_deletions() -> None:
    blocked = [BlockedPath("moved", "a.py"), BlockedPath("deleted", "b.py"), BlockedPath("moved", "c.py")]
    assert blocked_error(None, blocked).hint == (
        "wait until the other program has finished; "
        "restore it (`git restore b.py`) or commit the deletion, then try again"
    )


@pytest.mark.parametrize("command", ["merge", "cherry-pick", "revert", "rebase"])
def test_operation_in_progress_blocks_the_landing(repo: Sandbox, command: str) -> None:
    _start_conflict(repo, command)
    movement = repo.begin(NEW_A)
    before = repo.state()
    with pytest.raises(WorldMoved) as caught:
        repo.move(movement)
    assert (caught.value.code, caught.value.data["operation"]) == ("operation_in_progress", command)
    assert repo.state() == before


def test_bisect_blocks_the_landing(repo: Sandbox) -> None:
    first = repo.tip()
    for n in range(4):
        repo.commit({"a.py": b"%d\n" % n})
    repo.git("bisect", "start", "HEAD", first)
    with pytest.raises(WorldMoved) as caught:
        repo.land(NEW_A)
    assert caught.value.data["operation"] == "bisect"


def test_merge_does_not_block_another_branch(repo: Sandbox) -> None:
    repo.git("branch", "third")
    _start_conflict(repo, "merge")
    repo.land({"c.py": b"c\n"}, branch="third")
    assert repo.git("show", "third:c.py") == "c"


@pytest.mark.parametrize("lander", ["linked", "main"])
def test_branch_in_use_in_another_worktree_is_rejected(repo: Sandbox, tmp_path: Path, lander: str) -> None:
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Sandbox(tmp_path / "side")
    current, other, branch = (repo, side, "side") if lander == "main" else (side, repo, "main")
    movement = current.begin(NEW_A, branch=branch)
    before = current.state(), other.state()
    with pytest.raises(WorldMoved) as caught:
        current.move(movement)
    assert (caught.value.code, caught.value.data["worktree"]) == ("branch_in_use", str(other.root))
    assert (current.state(), other.state()) == before


def test_moved_target_is_rejected(repo: Sandbox) -> None:
    movement = repo.begin(NEW_A)
    repo.commit({"sub/b.py": b"moved\n"})
    before = repo.state()
    with pytest.raises(WorldMoved) as caught:
        repo.move(movement)
    assert caught.value.code == "target_moved"
    assert caught.value.data["actual"] == repo.tip()
    assert repo.state() == before


def test_moved_transaction_ref_is_rejected(repo: Sandbox) -> None:
    movement = repo.begin(NEW_A, tx="abcd2345")
    repo.git("update-ref", "refs/scalpel/tx/abcd2345", "HEAD")
    before = repo.state()
    with pytest.raises(WorldMoved, match="a ref has moved"):
        repo.move(movement)
    assert repo.state() == before


@pytest.mark.parametrize("lock", ["index.lock", "refs/heads/main.lock"])
def test_git_lock_makes_the_landing_busy(repo: Sandbox, lock: str) -> None:
    movement = repo.begin(NEW_A)
    before = repo.state()
    lock_file = repo.root / ".git" / lock
    lock_file.write_bytes(b"")
    with pytest.raises(TryAgain) as caught:
        repo.move(movement)
    assert caught.value.code == "busy"
    assert lock_file.exists()
    lock_file.unlink()
    assert repo.state() == before
    assert not (repo.root / ".git/scalpel/journal").exists()


def test_reference_transaction_hook_can_block_the_landing(repo: Sandbox) -> None:
    movement = repo.begin(NEW_A)
    hook = repo.root / ".git/hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\n[ "$1" != prepared ] || { echo not today; exit 1; }\n')
    hook.chmod(0o755)
    before = repo.state()
    with pytest.raises(GateRefused, match="not today"):
        repo.move(movement)
    assert repo.state() == before


def test_failed_write_rolls_back(repo: Sandbox) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    movement = repo.begin({**NEW_A, "sub/b.py": b"B\n"})
    before = repo.state()
    (repo.root / "sub").chmod(0o555)
    with pytest.raises(PermissionError):
        repo.move(movement)
    (repo.root / "sub").chmod(0o755)
    assert repo.state() == before


def test_concurrently_written_file_is_left_alone(repo: Sandbox) -> None:
    movement = repo.begin(NEW_A)
    hook = repo.root / ".git/hooks/reference-transaction"  # runs after the landing is planned
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\n[ "$1" != prepared ] || echo more >> "$GIT_DIR/../a.py"\n')
    hook.chmod(0o755)
    with pytest.raises(WorldMoved, match=r"a\.py has just been changed") as caught:
        repo.move(movement)
    assert "left" not in caught.value.data
    assert repo.files()["a.py"] == NUMBERS + b"more\n"
    assert not (repo.root / ".git/scalpel/quarantine").exists()
