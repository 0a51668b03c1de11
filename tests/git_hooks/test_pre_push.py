"""The ``pre-push`` hook requires that pushed commits have landed through a transaction."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from gitscalpel import Repository
from tests.command import SEARCH, scalpel
from tests.sandbox import Sandbox
from tests.whole import land, text, undo


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """Return a repository with the hook, and a remote that has its first commit."""
    monkeypatch.setenv("PATH", SEARCH, prepend=os.pathsep)
    sandbox = Sandbox.of(tmp_path / "repo", {"a.py": b"a = 1\n"})
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "there"], check=True)
    sandbox.git("remote", "add", "origin", str(tmp_path / "there"))
    sandbox.git("push", "-q", "origin", "main")
    hook = sandbox.root / ".git/hooks/pre-push"
    hook.write_text('#!/bin/sh\nexec git scalpel hook pre-push "$@"\n')
    hook.chmod(0o755)
    return sandbox


def push(repo: Sandbox, *words: str) -> str:
    """Return the error output of git if the push is refused, or an empty string."""
    command = ["git", "push", *(words or ("origin", "main"))]
    result = subprocess.run(command, cwd=repo.root, capture_output=True, text=True, check=False)
    return result.stderr if result.returncode else ""


def test_landed_commits_are_pushed(repo: Sandbox) -> None:
    land(repo, text("1", "2"))
    land(repo, text("2", "3"))
    assert push(repo) == ""
    assert repo.tip("origin/main") == repo.tip()


def test_commit_by_git_is_refused_until_it_has_landed(repo: Sandbox) -> None:
    land(repo, text("1", "2"))
    repo.commit({"a.py": b"a = 7\n", "new.py": b"n = 1\n"}, "By hand")
    output = push(repo)
    assert "1 of 2 commits have not landed" in output
    assert "By hand" in output
    assert f"git reset --soft {repo.tip('HEAD~')[:10]}" in output
    found = re.search(r"`(git log .*?)`", output)
    assert found
    repo.git("reset", "-q", "--soft", "HEAD~")  # as the output says
    message = subprocess.run(
        found[1].split(), cwd=repo.root, capture_output=True, text=True, check=True
    ).stdout
    tx = scalpel(repo.root, "begin", "--adopt", ".", "-m", message, "--json").data["tx"]
    assert scalpel(repo.root, "land", tx).status == 0
    assert push(repo) == ""
    assert repo.git("show", "origin/main:new.py") == "n = 1"
    assert repo.git("log", "-1", "--format=%s") == "By hand"


def test_commit_with_an_amended_message_is_pushed(repo: Sandbox) -> None:
    land(repo, text("1", "2"))
    repo.git("commit", "-q", "--amend", "-m", "Said otherwise")
    assert push(repo) == ""


def test_undo_commit_is_pushed(repo: Sandbox) -> None:
    result = land(repo, text("1", "2"))
    land(repo, {"op": "write", "path": "b.py", "content": "b = 1\n"})
    undo(repo, result.tx)  # by a reverting commit
    assert push(repo) == ""


def test_other_branches_and_tags_are_checked(repo: Sandbox) -> None:
    repo.git("checkout", "-q", "-b", "topic")
    land(repo, text("1", "2"))
    assert push(repo, "origin", "topic") == ""
    repo.commit({"a.py": b"a = 3\n"}, "By hand")
    repo.git("tag", "-a", "-m", "t", "v1")
    assert "By hand" in push(repo, "origin", "v1")
    assert "By hand" in push(repo, "origin", "topic", "main")


def test_published_commits_and_deletions_are_not_checked(repo: Sandbox) -> None:
    repo.git("push", "-q", "--no-verify", "origin", "main:old")
    repo.commit({"a.py": b"a = 3\n"}, "By hand")
    repo.git("push", "-q", "--no-verify", "origin", "main:other")
    assert push(repo) == ""
    assert push(repo, "origin", ":other") == ""
    repo.git("push", "-q", "origin", "refs/scalpel/*:refs/scalpel/*")


def test_variables_of_the_pre_commit_framework_are_read(repo: Sandbox) -> None:
    first = repo.tip()
    repo.commit({"a.py": b"a = 3\n"}, "By hand")
    variables = {"PRE_COMMIT_FROM_REF": first, "PRE_COMMIT_TO_REF": "HEAD"}
    error = scalpel(repo.root, "hook", "pre-push", "--json", env=variables).error
    assert (error["code"], error["data"]["commits"]) == ("gate_failed", [repo.tip()])
    branch_variables = {"PRE_COMMIT_LOCAL_BRANCH": "refs/heads/main"}
    assert scalpel(repo.root, "hook", "pre-push", env=branch_variables).status == 1
    assert scalpel(repo.root, "hook", "pre-push").status == 0  # without variables


def test_hook_is_called_from_python(repo: Sandbox) -> None:
    result = land(repo, text("1", "2"))
    assert result.landed
    line = f"refs/heads/main {repo.tip()} refs/heads/main {repo.tip('HEAD~')}\n"
    with Repository(repo.root) as opened:
        assert opened.hook("pre-push", "origin", lines=line).commits == (result.landed.after,)
