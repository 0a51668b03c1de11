"""Special states of a checkout: permissions, sparse files, open files, bare and broken repositories."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gitscalpel import Repository, ScalpelError
from gitscalpel.changesets.file_tree import EXECUTABLE
from tests.command import blob
from tests.sandbox import Content, Sandbox
from tests.states.branch_commands import COMMANDS, check_fails, user_state
from tests.states.unprivileged import give_directory
from tests.whole import text


def edit(repo: Sandbox, path: str = "a.py", old: str = "line 10\n") -> None:
    with Repository(repo.root) as opened:
        opened.edit(text(old, "edited\n", path))


def permissions(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


@pytest.mark.parametrize(
    ("before", "umask"), [(0o600, 0o022), (0o640, 0o022), (0o444, 0o022), (0o664, 0o077)]
)
def test_permissions_of_a_file_are_kept(fresh: Sandbox, before: int, umask: int) -> None:
    (fresh.root / "a.py").chmod(before)
    old = os.umask(umask)
    try:
        edit(fresh)
        assert permissions(fresh.root / "a.py") == before
        COMMANDS["undo"].call(fresh, None)
        assert permissions(fresh.root / "a.py") == before
    finally:
        os.umask(old)
    assert fresh.status() == ""


def test_executable_bit_follows_the_read_bits(fresh: Sandbox) -> None:
    (fresh.root / "b.py").chmod(0o640)
    (fresh.root / "run.sh").chmod(0o750)
    fresh.land({"b.py": (EXECUTABLE, b"b = 1\n"), "run.sh": b"#!/bin/sh\n"})
    assert [permissions(fresh.root / name) for name in ("b.py", "run.sh")] == [0o750, 0o640]
    assert fresh.status() == ""


def test_permissions_are_kept_without_file_mode(fresh: Sandbox) -> None:
    fresh.git("config", "core.fileMode", "false")
    (fresh.root / "a.py").chmod(0o754)
    edit(fresh)
    assert permissions(fresh.root / "a.py") == 0o754


def test_new_file_outside_the_sparse_checkout_is_skipped(fresh: Sandbox) -> None:
    fresh.git("sparse-checkout", "set", "--cone", "sub/deep")
    with Repository(fresh.root) as opened:
        new = [
            {"op": "write", "path": f"{folder}n.py", "content": "n = 1\n"}
            for folder in ("", "sub/deep/", "other/")
        ]
        opened.edit(*new)
        assert [(fresh.root / row["path"]).exists() for row in new] == [True, True, False]
        assert fresh.git("ls-files", "-t", "other/n.py") == "S other/n.py"
        opened.edit(text("e = 1", "e = 2", "other/e.py"), text("n = 1", "n = 2", "other/n.py"))
        assert not (fresh.root / "other").exists()
        opened.undo()
        opened.undo()
    assert fresh.status() == ""
    fresh.git("sparse-checkout", "disable")
    assert (fresh.status(), (fresh.root / "other/e.py").read_bytes()) == ("", b"e = 1\n")


def test_present_file_outside_the_sparse_checkout_is_updated(fresh: Sandbox) -> None:
    fresh.git("sparse-checkout", "set", "--cone", "sub/deep")
    fresh.write({"other/e.py": b"e = 1\n"})
    edit(fresh, "other/e.py", "e = 1\n")
    assert (fresh.root / "other/e.py").read_bytes() == b"edited\n"


def test_skip_worktree_file_changes_only_on_the_branch(fresh: Sandbox) -> None:
    fresh.git("update-index", "--skip-worktree", "a.py")
    (fresh.root / "a.py").unlink()
    edit(fresh)
    assert (fresh.git("ls-files", "-t", "a.py"), (fresh.root / "a.py").exists()) == ("S a.py", False)
    assert b"edited" in (blob(fresh.root, "HEAD:a.py") or b"")


def test_file_replaced_by_a_directory_blocks_the_edit(fresh: Sandbox) -> None:
    (fresh.root / "a.py").unlink()
    fresh.write({"a.py/mine": b"m\n"})
    check_fails(fresh, COMMANDS["edit"], None, "dirty_overlap")


def test_running_program_is_replaced(fresh: Sandbox) -> None:
    program: Content = (EXECUTABLE, Path("/bin/sleep").read_bytes())
    fresh.commit({"program": program})
    with subprocess.Popen([fresh.root / "program", "60"]) as running:
        fresh.land({"program": (EXECUTABLE, b"#!/bin/sh\n")})
        assert running.poll() is None
        running.kill()
    assert fresh.status() == ""


def test_open_reader_keeps_the_old_content(fresh: Sandbox) -> None:
    with (fresh.root / "a.py").open("rb") as reader:
        edit(fresh)
        assert b"edited" not in reader.read()
    assert fresh.status() == ""


def test_hard_link_keeps_the_old_content(fresh: Sandbox) -> None:
    other = fresh.root.parent / "other"
    os.link(fresh.root / "a.py", other)
    before = other.read_bytes()
    edit(fresh)
    assert other.read_bytes() == before


def test_edit_undo_and_redo_before_the_first_commit(tmp_path: Path) -> None:
    repo = Sandbox.init(tmp_path / "new")
    repo.write({"mine": b"m\n", "staged": b"s\n"})
    repo.git("add", "staged")
    before = user_state(repo, "n.py")
    with Repository(repo.root) as opened:
        opened.edit({"op": "write", "path": "n.py", "content": "n = 1\n"})
        opened.undo()
        assert repo.git("rev-parse", "-q", "--verify", "HEAD", check=False) == ""
        opened.redo()
        opened.run("touch", "made")
    assert user_state(repo, "n.py", "made") == before
    assert repo.git("ls-tree", "--name-only", "HEAD").split() == ["made", "n.py"]


def test_bare_repository_needs_onto(fresh: Sandbox) -> None:
    fresh.git("clone", "-q", "--bare", ".", "../bare")
    bare = Sandbox(fresh.root.parent / "bare")
    with Repository(bare.root) as opened:
        with pytest.raises(ScalpelError) as caught:
            opened.edit(text("line 10\n", "edited\n"))
        assert caught.value.code == "invalid_args"
        opened.edit(text("line 10\n", "edited\n"), onto="main")
        opened.run("touch", "made", onto="main")
        opened.undo(onto="main")
    assert b"edited" in (blob(bare.root, "main:a.py") or b"")


def test_core_bare_needs_onto(fresh: Sandbox) -> None:
    fresh.git("config", "core.bare", "true")
    with Repository(fresh.root) as opened, pytest.raises(ScalpelError) as caught:
        opened.edit(text("line 10\n", "edited\n"))
    assert (caught.value.code, "onto BRANCH" in caught.value.hint) == ("invalid_args", True)
    fresh.git("config", "core.bare", "false")
    edit(fresh)
    assert fresh.status() == ""


def _remove_permissions(*names: str) -> Callable[[Sandbox], None]:
    def make(repo: Sandbox) -> None:
        for name in names:
            full = repo.root / name
            full.chmod(0o000 if full.is_file() else 0o555)

    return make


FORBIDDEN: dict[str, tuple[Callable[[Sandbox], None], str]] = {
    "a read-only directory": (_remove_permissions("sub"), "sub/c.py"),
    "an unreadable file": (_remove_permissions("a.py"), "a.py"),
    "a read-only git directory": (_remove_permissions(".git/scalpel", ".git"), "a.py"),
    "unwritable objects": (_remove_permissions(".git/objects/pack"), "a.py"),
    "unwritable refs": (_remove_permissions(".git/refs/heads", ".git/refs/scalpel"), "a.py"),
    "an unreadable index": (_remove_permissions(".git/index"), "a.py"),
}


@pytest.mark.parametrize(("make", "path"), FORBIDDEN.values(), ids=FORBIDDEN)
def test_missing_permission_is_an_io_error(
    fresh: Sandbox, make: Callable[[Sandbox], None], path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"COUNT": "1", "KEY_0": "safe.directory", "VALUE_0": "*"}.items():
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    old = {"a.py": "line 10\n", "sub/c.py": "c = 1\n"}[path]
    before = fresh.tip("main"), fresh.state()[1:]
    modes = {file: file.lstat().st_mode for file in fresh.root.rglob("*") if not file.is_symlink()}
    command = ("text", path, "--old", old, "--new", "edited\n", "--json")
    run = give_directory(fresh.root.parent)
    make(fresh)
    answer = run(fresh.root, *command)
    for file, mode in modes.items():
        file.chmod(stat.S_IMODE(mode))
    assert (answer.status, answer.error["code"]) == (74, "io_error"), answer
    assert "internal" not in answer.out
    assert (fresh.tip("main"), fresh.state()[1:]) == before
    assert run(fresh.root, *command).status == 0
    assert fresh.status() == ""


def test_repository_of_another_user_needs_safe_directory(
    fresh: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(ScalpelError) as caught:
        edit(fresh)
    assert (caught.value.code, "safe.directory" in caught.value.hint) == ("config_error", True)
    for name, value in {"COUNT": "1", "KEY_0": "safe.directory", "VALUE_0": str(fresh.root)}.items():
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    edit(fresh)
    assert fresh.status() == ""


def test_invalid_git_config_is_reported(fresh: Sandbox) -> None:
    with (fresh.root / ".git/config").open("a") as file:
        file.write("[core\n")
    with pytest.raises(ScalpelError) as caught:
        edit(fresh)
    assert (caught.value.code, "line" in caught.value.message) == ("config_error", True)
