"""Each command that moves the branch, checks of its effect, and a repository to run them in.

The repository has one landed and one undone edit, so there is something to undo and to redo.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from gitscalpel import Repository, ScalpelError, changeset
from gitscalpel.changesets.file_tree import EXECUTABLE, SYMLINK
from tests import copies
from tests.command import blob
from tests.sandbox import Content, Sandbox
from tests.whole import text

LINES = b"".join(b"line %d\n" % number for number in range(1, 31))
BASE: dict[str, Content] = {
    "a.py": LINES,
    "b.py": b"b = 1\n",
    "sub/c.py": b"c = 1\n",
    "sub/deep/d.py": b"d = 1\n",
    "other/e.py": b"e = 1\n",
    "run.sh": (EXECUTABLE, b"#!/bin/sh\n"),
    "link": (SYMLINK, b"b.py"),
    ".gitignore": b"*.log\n",
}


def make_repository(root: Path, *options: str) -> Sandbox:
    """Create the repository from which every state is made."""
    repo = Sandbox.init(root, *options)
    repo.git("config", "gc.auto", "0")
    repo.commit(BASE)
    with Repository(repo.root) as opened:
        opened.edit(text("line 2\n", "line 2, landed\n"))
        opened.edit(text("line 4\n", "line 4, undone\n"))
        opened.undo()
    return repo


def copy_repository(repo: Sandbox, root: Path) -> Sandbox:
    """Copy a repository to another directory."""
    copies.copied(repo.root, root)
    return Sandbox(root)


class UserState(NamedTuple):
    """State of the user's index, status and files."""

    staged: tuple[str, ...]
    status: tuple[str, ...]
    files: Mapping[str, bytes | str]


def user_state(repo: Sandbox, *except_paths: str) -> UserState:
    """Return the state of everything except the given paths."""
    staged = repo.git("ls-files", "--stage", "-v", "-t").splitlines()
    status = repo.status().splitlines()
    files = repo.files().items()
    return UserState(
        tuple(row for row in staged if row.partition("\t")[2] not in except_paths),
        tuple(row for row in status if row[3:] not in except_paths),
        {path: content for path, content in files if path.rstrip("*") not in except_paths},
    )


class BranchCommand(NamedTuple):
    """A command that moves the branch.

    Attributes:
        call: runs the command on the checked-out branch or on the named one.
        path: the changed file.
        before, after: content of the file on the branch.
    """

    call: Callable[[Sandbox, str | None], object]
    path: str
    before: bytes | None
    after: bytes | None


def _edit(repo: Sandbox, onto: str | None) -> None:
    with Repository(repo.root) as opened:
        opened.edit(text("line 10\n", "line 10, edited\n"), onto=onto)


def _stage_and_land(repo: Sandbox, onto: str | None) -> None:
    with Repository(repo.root) as opened:
        request = changeset({"op": "write", "path": "sub/new/n.py", "content": "n = 1\n"})
        tx = opened.apply(request, onto=onto, land=False).tx
        opened.transaction(str(tx)).land()


def _run(repo: Sandbox, onto: str | None) -> None:
    with Repository(repo.root) as opened:
        opened.run("sh", "-c", "mkdir -p other; echo 'made = 1' > other/made.py", onto=onto)


def _adopt(repo: Sandbox, onto: str | None) -> None:
    repo.write({"other/mine.py": b"mine = 1\n"})
    try:
        with Repository(repo.root) as opened:
            opened.begin(adopt=["other/mine.py"], onto=onto).land()
    except ScalpelError:
        assert (repo.root / "other/mine.py").read_bytes() == b"mine = 1\n"
        (repo.root / "other/mine.py").unlink()
        raise


def _undo(repo: Sandbox, onto: str | None) -> None:
    with Repository(repo.root) as opened:
        opened.undo(onto=onto)


def _redo(repo: Sandbox, onto: str | None) -> None:
    with Repository(repo.root) as opened:
        opened.redo(onto=onto)


_LANDED = LINES.replace(b"line 2\n", b"line 2, landed\n")
_REDONE = _LANDED.replace(b"line 4\n", b"line 4, undone\n")
_EDITED = _LANDED.replace(b"line 10\n", b"line 10, edited\n")
COMMANDS = {
    "redo": BranchCommand(_redo, "a.py", _LANDED, _REDONE),
    "undo": BranchCommand(_undo, "a.py", _REDONE, _LANDED),
    "edit": BranchCommand(_edit, "a.py", _LANDED, _EDITED),
    "land": BranchCommand(_stage_and_land, "sub/new/n.py", None, b"n = 1\n"),
    "run": BranchCommand(_run, "other/made.py", None, b"made = 1\n"),
    "adopt": BranchCommand(_adopt, "other/mine.py", None, b"mine = 1\n"),
}
"""Each command needs the ones before it."""


def check_works(repo: Sandbox, command: BranchCommand, onto: str | None) -> None:
    """Run the command, and assert that it changes only its file on the branch and on disk."""
    branch = onto or "HEAD"
    assert blob(repo.root, f"{branch}:{command.path}") == command.before
    before = user_state(repo, command.path)
    command.call(repo, onto)
    assert blob(repo.root, f"{branch}:{command.path}") == command.after
    assert user_state(repo, command.path) == before
    if onto is None:
        is_present = not repo.git("ls-files", "-t", "--", command.path).startswith("S ")
        assert (repo.root / command.path).exists() == is_present
        assert repo.git("diff", "--cached", "--name-only", "--", command.path) == ""


def check_fails(repo: Sandbox, command: BranchCommand, onto: str | None, code: str) -> ScalpelError:
    """Assert that the command fails with ``code`` and changes nothing."""
    before = (
        repo.git("for-each-ref", "refs/heads", "refs/tags"),
        repo.git("rev-parse", "HEAD"),
        user_state(repo),
    )
    with pytest.raises(ScalpelError) as caught:
        command.call(repo, onto)
    assert (caught.value.code, caught.value.hint != "") == (code, True), caught.value.message
    after = (
        repo.git("for-each-ref", "refs/heads", "refs/tags"),
        repo.git("rev-parse", "HEAD"),
        user_state(repo),
    )
    assert after == before
    return caught.value
