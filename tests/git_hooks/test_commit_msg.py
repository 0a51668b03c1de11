"""A message that names a transaction is true, and a transaction's commit names it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.command import SEARCH, scalpel
from tests.sandbox import Sandbox
from tests.whole import land, stage, text

TRAILED = b'[record]\ntrailers = ["Scalpel-Tx"]\n'
LATER = {"GIT_AUTHOR_DATE": "1700009999 +0000"}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    monkeypatch.setenv("PATH", SEARCH, prepend=os.pathsep)
    made = Sandbox.of(tmp_path / "repo", {"a.py": b"a = 1\n", ".gitscalpel.toml": TRAILED})
    for name in ("pre-commit", "commit-msg"):
        hook = made.root / ".git/hooks" / name
        hook.write_text(f'#!/bin/sh\nexec git scalpel hook {name} "$@"\n')
        hook.chmod(0o755)
    return made


def named(repo: Sandbox, revision: str = "HEAD") -> str:
    return repo.git("log", "-1", "--format=%(trailers:key=Scalpel-Tx,valueonly)", revision).strip()


def refused(repo: Sandbox, *words: str) -> bool:
    before = repo.tip()
    repo.git("commit", "-q", *words, check=False)
    return repo.tip() == before


class TestWhatIsSaidIsTrue:
    def test_a_transaction_that_landed_is_known(self, repo: Sandbox) -> None:
        tx = land(repo, text("1", "2")).tx
        assert not refused(repo, "--allow-empty", "-m", f"Later\n\nScalpel-Tx: {tx}")

    def test_one_that_is_open_is_known(self, repo: Sandbox) -> None:
        tx = stage(repo, text("1", "2")).tx
        assert not refused(repo, "--allow-empty", "-m", f"Later\n\nscalpel-tx: {tx}")

    @pytest.mark.parametrize("tx", ["zzzzzzzz", "abc"])
    def test_one_that_nobody_knows_is_refused(self, repo: Sandbox, tx: str) -> None:
        land(repo, text("1", "2"))
        assert refused(repo, "--allow-empty", "-m", f"Later\n\nScalpel-Tx: {tx}")
        (repo.root / "m").write_text(f"Later\n\nScalpel-Tx: {tx}\n")
        error = scalpel(repo.root, "hook", "commit-msg", "m", "--json").error
        assert (error["code"], error["data"]["tx"]) == ("gate_failed", tx)

    def test_what_is_no_trailer_says_nothing(self, repo: Sandbox) -> None:
        assert not refused(repo, "--allow-empty", "-m", "Scalpel-Tx: nothing\n\nas the text said: x")
        assert not refused(repo, "--allow-empty", "-m", "About Scalpel-Tx: zzzzzzzz\n\nthe text")

    def test_what_a_commit_from_elsewhere_says_stays_said(self, repo: Sandbox) -> None:
        """In a clone whose log knows nothing of it."""
        repo.git("commit", "-q", "-n", "--allow-empty", "-m", "Theirs\n\nScalpel-Tx: zzzzzzzz")
        assert not refused(repo, "--amend", "--allow-empty", "-m", "Theirs, reworded\n\nScalpel-Tx: zzzzzzzz")


class TestATransactionsCommitSaysSo:
    def test_where_its_message_is_amended(self, repo: Sandbox) -> None:
        tx = land(repo, text("1", "2")).tx
        assert named(repo) == tx
        repo.git("commit", "-q", "--amend", "-m", "Said otherwise")
        assert (named(repo), repo.git("log", "-1", "--format=%s")) == (tx, "Said otherwise")

    def test_where_it_is_committed_anew(self, repo: Sandbox) -> None:
        tx = land(repo, text("1", "2")).tx
        repo.git("reset", "-q", "--soft", "HEAD~")
        repo.git("commit", "-q", "-m", "Anew")
        assert named(repo) == tx

    def test_not_where_something_else_is_committed(
        self, repo: Sandbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        land(repo, text("1", "2"))
        for name, value in LATER.items():
            monkeypatch.setenv(name, value)
        repo.git("commit", "-q", "--allow-empty", "-m", "Nothing")
        assert named(repo) == ""
        repo.git("reset", "-q", "--hard", "HEAD~")
        repo.write({"a.py": b"a = 3\n"})
        repo.git("commit", "-q", "-a", "--amend", "-m", "Another content")
        assert named(repo) == ""

    def test_not_where_the_rules_want_none(self, repo: Sandbox) -> None:
        repo.git("commit", "-q", "--amend", "-m", "x", check=False)
        repo.commit({".gitscalpel.toml": b""})
        land(repo, text("1", "2"))
        repo.git("commit", "-q", "--amend", "-m", "Said otherwise")
        assert named(repo) == ""

    def test_above_the_comments_of_an_editor(self, repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
        tx = land(repo, text("1", "2")).tx
        editor = repo.root.parent / "editor"
        editor.write_text('#!/bin/sh\necho Edited >"$1.new"; grep "^#" "$1" >>"$1.new"; mv "$1.new" "$1"\n')
        editor.chmod(0o755)
        monkeypatch.setenv("GIT_EDITOR", str(editor))
        repo.git("commit", "-q", "--amend", "--edit")
        assert named(repo) == tx


def test_a_landing_does_not_ask_it_again(repo: Sandbox) -> None:
    done = land(repo, text("1", "2"))
    assert [row.status for row in done.facts.gates if row.name == "hooks"] == ["passed"]
