"""The hook ``pre-push``: what is published has landed through a transaction."""

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
    """A repository with a remote that has its first commit, and the hook."""
    monkeypatch.setenv("PATH", SEARCH, prepend=os.pathsep)
    made = Sandbox.of(tmp_path / "repo", {"a.py": b"a = 1\n"})
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "there"], check=True)
    made.git("remote", "add", "origin", str(tmp_path / "there"))
    made.git("push", "-q", "origin", "main")
    hook = made.root / ".git/hooks/pre-push"
    hook.write_text('#!/bin/sh\nexec git scalpel hook pre-push "$@"\n')
    hook.chmod(0o755)
    return made


def pushed(repo: Sandbox, *words: str) -> str:
    """What git says where it is refused; nothing where all of it was pushed."""
    told = ["git", "push", *(words or ("origin", "main"))]
    done = subprocess.run(told, cwd=repo.root, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def test_what_landed_is_pushed(repo: Sandbox) -> None:
    land(repo, text("1", "2"))
    land(repo, text("2", "3"))
    assert pushed(repo) == ""
    assert repo.tip("origin/main") == repo.tip()


def test_what_git_committed_is_refused_until_it_has_landed(repo: Sandbox) -> None:
    land(repo, text("1", "2"))
    repo.commit({"a.py": b"a = 7\n", "new.py": b"n = 1\n"}, "By hand")
    said = pushed(repo)
    assert "1 of 2 commits have not landed" in said
    assert "By hand" in said
    assert f"git reset --soft {repo.tip('HEAD~')[:10]}" in said
    found = re.search(r"`(git log .*?)`", said)
    assert found
    repo.git("reset", "-q", "--soft", "HEAD~")  # as it says
    message = subprocess.run(
        found[1].split(), cwd=repo.root, capture_output=True, text=True, check=True
    ).stdout
    begun = scalpel(repo.root, "begin", "--adopt", ".", "-m", message, "--json").data["tx"]
    assert scalpel(repo.root, "land", begun).status == 0
    assert pushed(repo) == ""
    assert repo.git("show", "origin/main:new.py") == "n = 1"
    assert repo.git("log", "-1", "--format=%s") == "By hand"


def test_a_message_that_was_amended_is_still_what_landed(repo: Sandbox) -> None:
    land(repo, text("1", "2"))
    repo.git("commit", "-q", "--amend", "-m", "Said otherwise")
    assert pushed(repo) == ""


def test_what_undo_left(repo: Sandbox) -> None:
    done = land(repo, text("1", "2"))
    land(repo, {"op": "write", "path": "b.py", "content": "b = 1\n"})
    undo(repo, done.tx)  # by a commit that takes it back
    assert pushed(repo) == ""


def test_a_branch_of_its_own_and_a_tag(repo: Sandbox) -> None:
    repo.git("checkout", "-q", "-b", "topic")
    land(repo, text("1", "2"))
    assert pushed(repo, "origin", "topic") == ""
    repo.commit({"a.py": b"a = 3\n"}, "By hand")
    repo.git("tag", "-a", "-m", "t", "v1")
    assert "By hand" in pushed(repo, "origin", "v1")
    assert "By hand" in pushed(repo, "origin", "topic", "main")


def test_what_is_public_or_taken_away_is_not_asked_about(repo: Sandbox) -> None:
    repo.git("push", "-q", "--no-verify", "origin", "main:old")
    repo.commit({"a.py": b"a = 3\n"}, "By hand")
    repo.git("push", "-q", "--no-verify", "origin", "main:other")
    assert pushed(repo) == ""
    assert pushed(repo, "origin", ":other") == ""
    repo.git("push", "-q", "origin", "refs/scalpel/*:refs/scalpel/*")


def test_as_the_framework_says_it(repo: Sandbox) -> None:
    first = repo.tip()
    repo.commit({"a.py": b"a = 3\n"}, "By hand")
    told = {"PRE_COMMIT_FROM_REF": first, "PRE_COMMIT_TO_REF": "HEAD"}
    error = scalpel(repo.root, "hook", "pre-push", "--json", env=told).error
    assert (error["code"], error["data"]["commits"]) == ("gate_failed", [repo.tip()])
    whole = {"PRE_COMMIT_LOCAL_BRANCH": "refs/heads/main"}
    assert scalpel(repo.root, "hook", "pre-push", env=whole).status == 1
    assert scalpel(repo.root, "hook", "pre-push").status == 0  # nothing is said


def test_from_python(repo: Sandbox) -> None:
    done = land(repo, text("1", "2"))
    assert done.landed
    line = f"refs/heads/main {repo.tip()} refs/heads/main {repo.tip('HEAD~')}\n"
    with Repository(repo.root) as opened:
        assert opened.hook("pre-push", "origin", lines=line).commits == (done.landed.after,)
