"""Regression tests of printed output and of what commands leave behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "shop", {"t.txt": b"one\n"})


def test_run_without_changes_leaves_no_transaction(repo: Sandbox) -> None:
    answer = scalpel(repo.root, "run", "--", "true")
    assert (answer.status, "stays staged" in answer.err) == (0, False)
    assert scalpel(repo.root, "run", "--json", "--", "true").data["tx"] is None
    assert scalpel(repo.root, "list", "--json").data["transactions"] == []


def test_run_refused_by_a_hook_leaves_no_transaction(repo: Sandbox) -> None:
    hook = repo.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    error = scalpel(repo.root, "run", "--json", "--", "touch", "new").error
    assert (error["code"], "tx" in error["data"]) == ("hook_failed", False)
    assert scalpel(repo.root, "list", "--json").data["transactions"] == []


def test_undo_of_the_first_commit_reports_an_empty_branch(tmp_path: Path) -> None:
    empty = Sandbox.init(tmp_path / "empty")
    assert scalpel(empty.root, "write", "a.txt", "--content", "a\n").status == 0
    answer = scalpel(empty.root, "undo")
    assert answer.out.splitlines()[0].endswith("; main has no commit any more")


def test_kept_worktree_commit_names_the_directory(repo: Sandbox) -> None:
    tx = scalpel(repo.root, "begin", "--json").data["tx"]
    place = Path(scalpel(repo.root, "worktree", tx).out.strip())
    (place / "hand.txt").write_text("mine\n")
    assert scalpel(repo.root, "drop", tx).status == 0
    assert scalpel(repo.root, "begin", "--worktree").status == 0
    assert repo.git("log", "--format=%s", "--glob=refs/scalpel/keep/worktree-*", "-1") == f"Left in {place}"


def test_write_encodes_text_as_declared_and_keeps_bytes(repo: Sandbox, tmp_path: Path) -> None:
    text = "# -*- coding: latin-1 -*-\nx = 'é'\n"
    assert scalpel(repo.root, "write", "b.py", "--content", text).status == 0
    assert (repo.root / "b.py").read_bytes() == text.encode("latin-1")
    (tmp_path / "from").write_bytes(text.encode("latin-1"))
    assert scalpel(repo.root, "write", "c.py", "--content-file", str(tmp_path / "from")).status == 0
    assert (repo.root / "c.py").read_bytes() == text.encode("latin-1")
