"""What stands against a landing: it is named, and refs, index and files stay as they were."""

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


def _stage(files: dict[str, Content], then: dict[str, Content] | None = None) -> Callable[[Sandbox], None]:
    def make(repo: Sandbox) -> None:
        repo.write(files)
        repo.git("add", "-A", "-f")
        repo.write(then or {})

    return make


def _write(files: dict[str, Content]) -> Callable[[Sandbox], None]:
    return lambda repo: repo.write(files)


def _folder_for_file(repo: Sandbox) -> None:
    repo.write({"a.py": None})
    repo.write({"a.py/mine": b"m\n"})


def _link_for_folder(repo: Sandbox) -> None:
    repo.write({"sub/b.py": None})
    (repo.root / "sub").rmdir()
    repo.write({"sub": (SYMLINK, b"elsewhere")})
    (repo.root / "elsewhere").mkdir()


def _unmerged(repo: Sandbox) -> None:
    oid = repo.git("hash-object", "-w", "a.py")
    repo.git("update-index", "--index-info", stdin=f"100644 {oid} 1\ta.py\n100644 {oid} 2\ta.py\n")


NEW_A: dict[str, Content] = {"a.py": NUMBERS.replace(b"4", b"theirs")}
STANDING: dict[str, tuple[Callable[[Sandbox], None], dict[str, Content], str, str]] = {
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
    "unmerged": (_unmerged, NEW_A, "a.py", "unmerged"),
    "untracked": (_write({"n.py": b"mine\n"}), {"n.py": b"theirs\n"}, "n.py", "in_the_way"),
    "ignored": (_write({"n.log": b"mine\n"}), {"n.log": b"theirs\n"}, "n.log", "ignored"),
    "untracked for folder": (_write({"n": b"mine\n"}), {"n/x.py": b"theirs\n"}, "n", "in_the_way"),
    "ignored for folder": (_write({"n.log": b"mine\n"}), {"n.log/x": b"theirs\n"}, "n.log", "ignored"),
    "folder for file": (_write({"n/x": b"mine\n"}), {"n": b"theirs\n"}, "n", "in_the_way"),
    "untracked in a folder that goes": (
        _write({"sub/mine": b"m\n"}),
        {"sub/b.py": None, "sub": b"s\n"},
        "sub",
        "in_the_way",
    ),
    "folder in a changed file's place": (_folder_for_file, NEW_A, "a.py", "in_the_way"),
    "link in a folder's place": (_link_for_folder, {"sub/c.py": b"c\n"}, "sub", "in_the_way"),
    "deleted by the user": (_write({"a.py": None}), NEW_A, "a.py", "deleted"),
    "removed by the landing": (_write({"a.py": NUMBERS + b"8\n"}), {"a.py": None}, "a.py", "changed"),
}


@pytest.mark.parametrize(("make", "change", "path", "why"), STANDING.values(), ids=STANDING)
def test_users_work_stands_against_it(
    repo: Sandbox, make: Callable[[Sandbox], None], change: dict[str, Content], path: str, why: str
) -> None:
    make(repo)
    movement = repo.begin({**change, "other.py": b"o\n"})
    before = repo.state()
    with pytest.raises(WorldMoved) as refused:
        repo.move(movement)
    assert refused.value.code == "dirty_overlap"
    assert [(file["path"], file["why"]) for file in refused.value.data["files"]] == [(path, why)]
    assert path in refused.value.message
    assert repo.state() == before


def test_overlapping_lines_are_named(repo: Sandbox) -> None:
    repo.write({"a.py": b"0\n" + NUMBERS.replace(b"4", b"mine")})
    movement = repo.begin(NEW_A)
    with pytest.raises(WorldMoved) as refused:
        repo.move(movement)
    assert refused.value.data["files"][0]["lines"] == [[5, 5]]


def _conflicting(repo: Sandbox, how: str) -> None:
    repo.git("switch", "-q", "-c", "side")
    repo.commit({"sub/b.py": b"side\n"})
    repo.git("switch", "-q", "main")
    repo.commit({"sub/b.py": b"main\n"})
    if how == "revert":
        repo.commit({"sub/b.py": b"more\n"})
    what = {"merge": "side", "cherry-pick": "side", "revert": "HEAD~1", "rebase": "side"}[how]
    repo.git(how, what, check=False)


def test_what_is_written_meanwhile_is_waited_for_before_it_is_tried_again() -> None:
    blocked = [BlockedPath("moved", "a.py"), BlockedPath("deleted", "b.py"), BlockedPath("moved", "c.py")]
    assert blocked_error(None, blocked).hint == (
        "wait until the other program has finished; "
        "restore it (`git restore b.py`) or commit the deletion, then try again"
    )


@pytest.mark.parametrize("how", ["merge", "cherry-pick", "revert", "rebase"])
def test_operation_in_progress(repo: Sandbox, how: str) -> None:
    _conflicting(repo, how)
    movement = repo.begin(NEW_A)
    before = repo.state()
    with pytest.raises(WorldMoved) as refused:
        repo.move(movement)
    assert (refused.value.code, refused.value.data["operation"]) == ("operation_in_progress", how)
    assert repo.state() == before


def test_bisect_is_an_operation_too(repo: Sandbox) -> None:
    first = repo.tip()
    for n in range(4):
        repo.commit({"a.py": b"%d\n" % n})
    repo.git("bisect", "start", "HEAD", first)
    with pytest.raises(WorldMoved) as refused:
        repo.land(NEW_A)
    assert refused.value.data["operation"] == "bisect"


def test_a_merge_in_this_worktree_is_no_concern_of_another_branch(repo: Sandbox) -> None:
    repo.git("branch", "third")
    _conflicting(repo, "merge")
    repo.land({"c.py": b"c\n"}, branch="third")
    assert repo.git("show", "third:c.py") == "c"


@pytest.mark.parametrize("from_where", ["linked", "main"])
def test_branch_in_use_in_another_worktree(repo: Sandbox, tmp_path: Path, from_where: str) -> None:
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Sandbox(tmp_path / "side")
    here, there, branch = (repo, side, "side") if from_where == "main" else (side, repo, "main")
    movement = here.begin(NEW_A, branch=branch)
    before = here.state(), there.state()
    with pytest.raises(WorldMoved) as refused:
        here.move(movement)
    assert (refused.value.code, refused.value.data["worktree"]) == ("branch_in_use", str(there.root))
    assert (here.state(), there.state()) == before


def test_target_moved(repo: Sandbox) -> None:
    movement = repo.begin(NEW_A)
    repo.commit({"sub/b.py": b"moved\n"})
    before = repo.state()
    with pytest.raises(WorldMoved) as refused:
        repo.move(movement)
    assert refused.value.code == "target_moved"
    assert refused.value.data["actual"] == repo.tip()
    assert repo.state() == before


def test_one_of_the_other_refs_moved(repo: Sandbox) -> None:
    movement = repo.begin(NEW_A, tx="abcd2345")
    repo.git("update-ref", "refs/scalpel/tx/abcd2345", "HEAD")
    before = repo.state()
    with pytest.raises(WorldMoved, match="a ref has moved"):
        repo.move(movement)
    assert repo.state() == before


@pytest.mark.parametrize("lock", ["index.lock", "refs/heads/main.lock"])
def test_a_lock_of_another_git_is_respected(repo: Sandbox, lock: str) -> None:
    movement = repo.begin(NEW_A)
    before = repo.state()
    held = repo.root / ".git" / lock
    held.write_bytes(b"")
    with pytest.raises(TryAgain) as refused:
        repo.move(movement)
    assert refused.value.code == "busy"
    assert held.exists()
    held.unlink()
    assert repo.state() == before
    assert not (repo.root / ".git/scalpel/journal").exists()


def test_the_reference_transaction_hook_may_refuse(repo: Sandbox) -> None:
    movement = repo.begin(NEW_A)
    hook = repo.root / ".git/hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\n[ "$1" != prepared ] || { echo not today; exit 1; }\n')
    hook.chmod(0o755)
    before = repo.state()
    with pytest.raises(GateRefused, match="not today"):
        repo.move(movement)
    assert repo.state() == before


def test_a_full_or_read_only_disk_takes_everything_back(repo: Sandbox) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    movement = repo.begin({**NEW_A, "sub/b.py": b"B\n"})
    before = repo.state()
    (repo.root / "sub").chmod(0o555)
    with pytest.raises(PermissionError):
        repo.move(movement)
    (repo.root / "sub").chmod(0o755)
    assert repo.state() == before


def test_a_file_that_another_program_writes_meanwhile_is_left_to_it_and_not_copied(repo: Sandbox) -> None:
    movement = repo.begin(NEW_A)
    hook = repo.root / ".git/hooks/reference-transaction"  # it runs when all has been planned
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\n[ "$1" != prepared ] || echo more >> "$GIT_DIR/../a.py"\n')
    hook.chmod(0o755)
    with pytest.raises(WorldMoved, match=r"a\.py has been changed just now") as refused:
        repo.move(movement)
    assert "left" not in refused.value.data
    assert repo.files()["a.py"] == NUMBERS + b"more\n"
    assert not (repo.root / ".git/scalpel/quarantine").exists()
