"""What changes in the checkout without anybody telling becomes a step; what is told of elsewhere does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitscalpel import Repository, Text
from gitscalpel.changesets.answers import CHECKOUT
from tests.sandbox import Sandbox

FILES = {"a.py": b"x = 1\n", "b.txt": b"one\r\n", ".gitignore": b"*.log\n"}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox.of(tmp_path / "repo", FILES)
    assert account(sandbox) is None  # from now on there is something to compare with
    return sandbox


def account(repo: Sandbox) -> list[str] | None:
    """The files of the step that was made."""
    with Repository(repo.root) as there:
        done = there.account("Somebody")
        return None if done is None else sorted(change.path for change in done.files)


def undo(repo: Sandbox) -> None:
    with Repository(repo.root) as there:
        there.undo()


def test_what_nobody_told_is_a_step_that_can_be_undone(repo: Sandbox) -> None:
    (repo.root / "a.py").write_bytes(b"x = 2\n")
    (repo.root / "b.txt").unlink()
    (repo.root / "new").write_bytes(b"n")
    (repo.root / "x.log").write_bytes(b"ignored")
    assert account(repo) == ["a.py", "b.txt", "new"]
    assert account(repo) is None
    undo(repo)
    assert {name: (repo.root / name).read_bytes() for name in FILES} == FILES
    assert not (repo.root / "new").exists()
    assert account(repo) is None


def test_what_the_log_tells_is_known(repo: Sandbox) -> None:
    with Repository(repo.root) as there:
        there.edit(Text(path="a.py", old="1", new="2"), onto=CHECKOUT)
        (repo.root / "b.txt").write_bytes(b"two\r\n")
        there.edit(Text(path="a.py", old="2", new="3"), onto=CHECKOUT)
        there.undo()
    assert account(repo) == ["b.txt"]
    with Repository(repo.root) as there:
        there.edit(Text(path=".gitignore", old="log", new="tmp"))  # lands, and the checkout comes along
    assert account(repo) is None


def test_a_told_file_that_changes_again_is_told_from_where_the_log_left_it(repo: Sandbox) -> None:
    with Repository(repo.root) as there:
        there.edit(Text(path="a.py", old="1", new="2"), onto=CHECKOUT)
    (repo.root / "a.py").write_bytes(b"x = 9\n")
    assert account(repo) == ["a.py"]
    undo(repo)
    assert (repo.root / "a.py").read_bytes() == b"x = 2\n"


def test_what_git_brings_along_is_gits(repo: Sandbox) -> None:
    repo.git("checkout", "-q", "-b", "topic")
    (repo.root / "a.py").write_bytes(b"x = 5\n")
    assert account(repo) == ["a.py"]
    repo.git("commit", "-qam", "five")
    assert account(repo) is None
    repo.git("checkout", "-q", "main")
    assert (repo.root / "a.py").read_bytes() == FILES["a.py"]
    assert account(repo) is None
    repo.git("checkout", "-q", "topic")
    (repo.root / "b.txt").write_bytes(b"three\n")
    assert account(repo) == ["b.txt"]


def test_what_others_have_written_there_is_not_believed(repo: Sandbox) -> None:
    (name,) = repo.git("for-each-ref", "--format=%(refname)", "refs/scalpel/account").split()
    commit = repo.git("commit-tree", "-m", "forged\n\nnone 00", "-p", "HEAD", "HEAD^{tree}")
    repo.git("update-ref", name, commit)
    (repo.root / "a.py").write_bytes(b"x = 2\n")
    assert account(repo) is None
    (repo.root / "a.py").write_bytes(b"x = 3\n")
    assert account(repo) == ["a.py"]
