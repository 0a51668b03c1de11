"""An edit in a shared repository sets the same permissions as git does."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gitscalpel.cli import command_line
from gitscalpel.errors import Misconfigured
from gitscalpel.system import private_files
from gitscalpel.system.private_files import Sharing
from tests.command import started
from tests.sandbox import Sandbox
from tests.states.unprivileged import import_everything

VALUES = ("group", "all", "0640", "umask")


@contextmanager
def umask(bits: int) -> Iterator[None]:
    before = os.umask(bits)
    try:
        yield
    finally:
        os.umask(before)


def list_modes(root: Path) -> dict[str, str]:
    """Return the permissions of every file and directory of the git directory."""
    git_dir = root / ".git"
    return {
        os.path.relpath(path, git_dir): stat.filemode(path.lstat().st_mode)
        for path in (git_dir, *git_dir.rglob("*"))
        if not path.is_symlink()
    }


def new_modes(root: Path, before: dict[str, str]) -> set[tuple[str, str]]:
    """Return type and permissions of everything that is not in ``before``."""
    new = {path: mode for path, mode in list_modes(root).items() if path not in before}
    return {
        ("object" if path.startswith("objects/") and mode[0] == "-" else mode[0], mode)
        for path, mode in new.items()
    }


@pytest.mark.parametrize("bits", [0o022, 0o077])
@pytest.mark.parametrize("value", VALUES)
def test_edit_sets_the_permissions_that_git_sets(tmp_path: Path, value: str, bits: int) -> None:
    repo = Sandbox.init(tmp_path / "repo")
    repo.git("config", "core.sharedRepository", value)
    with umask(bits):
        repo.commit({"a.txt": b"one\n"})
        before = list_modes(repo.root)
        repo.git("hash-object", "-w", "--stdin", stdin="by git\n")
        repo.git("update-ref", "refs/heads/by/git", "HEAD")
        by_git = new_modes(repo.root, before)
        before = list_modes(repo.root)
        assert started(repo.root, "text", "a.txt", "--old", "one", "--new", "two").status == 0
        assert started(repo.root, "undo").status == 0
    after = list_modes(repo.root)
    assert new_modes(repo.root, before) <= by_git
    assert after["index"] == before["index"]


def test_private_umask_applies_without_sharing(tmp_path: Path) -> None:
    repo = Sandbox.init(tmp_path / "repo")
    repo.commit({"a.txt": b"one\n"})
    before = list_modes(repo.root)
    with umask(0o077):
        assert started(repo.root, "text", "a.txt", "--old", "one", "--new", "two").status == 0
    assert {mode[4:] for _, mode in new_modes(repo.root, before)} == {"------"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become two others")
def test_another_user_of_the_group_can_edit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = Sandbox.init(tmp_path / "repo", "--shared=group")
    repo.commit({"a.txt": b"one\n"})
    for path in (repo.root, *repo.root.rglob("*")):
        os.lchown(path, -1, GROUP)
        path.chmod(path.stat().st_mode | (0o2070 if path.is_dir() else 0o060))
    import_everything()
    for key, value in (("COUNT", "1"), ("KEY_0", "safe.directory"), ("VALUE_0", "*")):
        monkeypatch.setenv(f"GIT_CONFIG_{key}", value)
    with umask(0o077):
        assert (
            run_as_user(60_001, tmp_path / "ada", repo.root, "text", "a.txt", "--old", "one", "--new", "two")
            == 0
        )
        assert (
            run_as_user(60_002, tmp_path / "bob", repo.root, "text", "a.txt", "--old", "two", "--new", "3")
            == 0
        )
    assert repo.git("show", "HEAD:a.txt") == "3"


GROUP = 60_000


def run_as_user(user: int, home: Path, directory: Path, *arguments: str) -> int:
    """Return the exit status of a call by another user of the group."""
    home.mkdir(exist_ok=True)
    os.chown(home, user, GROUP)
    for above in home.parents[:-2]:  # each pytest that starts closes its directories again
        above.chmod(above.stat().st_mode | 0o011)
    child = os.fork()
    if child == 0:
        status = 70
        try:
            os.setgroups([])
            os.setgid(GROUP)
            os.setuid(user)
            folders = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
            os.environ |= dict.fromkeys(folders, str(home))
            os.chdir(directory)
            status = command_line.run(list(arguments))
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_values_of_shared_repository_are_read_as_by_git() -> None:
    assert (
        private_files.read_sharing("group")
        == private_files.read_sharing("yes")
        == private_files.read_sharing("1")
        == Sharing(0o660)
    )
    assert private_files.read_sharing("everybody") == private_files.read_sharing("2") == Sharing(0o664)
    assert private_files.read_sharing("0640") == Sharing(0o640, exact=True)
    assert private_files.read_sharing("0777") == Sharing(0o666, exact=True)
    assert (
        private_files.read_sharing(None)
        == private_files.read_sharing("umask")
        == private_files.read_sharing("no")
        == Sharing(0)
    )
    with pytest.raises(Misconfigured):
        private_files.read_sharing("0440")
