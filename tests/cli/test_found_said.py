"""What somebody found who read what is said: nothing is offered that is not there, and nothing is None."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "shop", {"t.txt": b"one\n"})


def test_a_command_that_does_nothing_leaves_no_transaction_and_names_none(repo: Sandbox) -> None:
    said = scalpel(repo.root, "run", "--", "true")
    assert (said.status, "stays staged" in said.err) == (0, False)
    assert scalpel(repo.root, "run", "--json", "--", "true").data["tx"] is None
    assert scalpel(repo.root, "list", "--json").data["transactions"] == []


def test_a_command_whose_work_a_hook_refuses_leaves_no_transaction_either(repo: Sandbox) -> None:
    hook = repo.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    error = scalpel(repo.root, "run", "--json", "--", "touch", "new").error
    assert (error["code"], "tx" in error["data"]) == ("hook_failed", False)
    assert scalpel(repo.root, "list", "--json").data["transactions"] == []


def test_undo_of_the_first_commit_says_that_there_is_none(tmp_path: Path) -> None:
    empty = Sandbox.init(tmp_path / "empty")
    assert scalpel(empty.root, "write", "a.txt", "--content", "a\n").status == 0
    said = scalpel(empty.root, "undo")
    assert said.out.splitlines()[0].endswith("; main has no commit any more")


def test_what_is_kept_of_a_worktree_names_the_folder_as_it_is_spelt(repo: Sandbox) -> None:
    tx = scalpel(repo.root, "begin", "--json").data["tx"]
    place = Path(scalpel(repo.root, "worktree", tx).out.strip())
    (place / "hand.txt").write_text("mine\n")
    assert scalpel(repo.root, "drop", tx).status == 0
    assert scalpel(repo.root, "begin", "--worktree").status == 0
    assert repo.git("log", "--format=%s", "--glob=refs/scalpel/keep/worktree-*", "-1") == f"Left in {place}"


def test_characters_are_written_in_the_encoding_that_they_say_and_bytes_as_they_come(
    repo: Sandbox, tmp_path: Path
) -> None:
    text = "# -*- coding: latin-1 -*-\nx = 'é'\n"
    assert scalpel(repo.root, "write", "b.py", "--content", text).status == 0
    assert (repo.root / "b.py").read_bytes() == text.encode("latin-1")
    (tmp_path / "from").write_bytes(text.encode("latin-1"))
    assert scalpel(repo.root, "write", "c.py", "--content-file", str(tmp_path / "from")).status == 0
    assert (repo.root / "c.py").read_bytes() == text.encode("latin-1")
