"""``account`` records changes of the checkout that no operation made. Changes by git are left out."""

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
    assert account(sandbox) is None  # sets the state for later comparisons
    return sandbox


def account(repo: Sandbox) -> list[str] | None:
    """Return the files of the recorded operation. None if there is none."""
    with Repository(repo.root) as opened:
        operation = opened.account("Somebody")
        return None if operation is None else sorted(change.path for change in operation.files)


def undo(repo: Sandbox) -> None:
    with Repository(repo.root) as opened:
        opened.undo()


def test_unrecorded_changes_become_an_undoable_operation(repo: Sandbox) -> None:
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


def test_logged_changes_are_not_recorded_again(repo: Sandbox) -> None:
    with Repository(repo.root) as opened:
        opened.edit(Text(path="a.py", old="1", new="2"), onto=CHECKOUT)
        (repo.root / "b.txt").write_bytes(b"two\r\n")
        opened.edit(Text(path="a.py", old="2", new="3"), onto=CHECKOUT)
        opened.undo()
    assert account(repo) == ["b.txt"]
    with Repository(repo.root) as opened:
        opened.edit(Text(path=".gitignore", old="log", new="tmp"))  # lands, and updates the checkout
    assert account(repo) is None


def test_later_change_is_relative_to_the_log(repo: Sandbox) -> None:
    with Repository(repo.root) as opened:
        opened.edit(Text(path="a.py", old="1", new="2"), onto=CHECKOUT)
    (repo.root / "a.py").write_bytes(b"x = 9\n")
    assert account(repo) == ["a.py"]
    undo(repo)
    assert (repo.root / "a.py").read_bytes() == b"x = 2\n"


def test_changes_by_git_checkout_are_not_recorded(repo: Sandbox) -> None:
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


def test_forged_account_ref_is_not_trusted(repo: Sandbox) -> None:
    (name,) = repo.git("for-each-ref", "--format=%(refname)", "refs/scalpel/account").split()
    commit = repo.git("commit-tree", "-m", "forged\n\nnone 00", "-p", "HEAD", "HEAD^{tree}")
    repo.git("update-ref", name, commit)
    (repo.root / "a.py").write_bytes(b"x = 2\n")
    assert account(repo) is None
    (repo.root / "a.py").write_bytes(b"x = 3\n")
    assert account(repo) == ["a.py"]
