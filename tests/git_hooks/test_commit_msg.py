"""A transaction named in a commit message must exist, and the commit of a transaction names it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.command import SEARCH, scalpel
from tests.sandbox import Sandbox
from tests.whole import land, stage, text

CONFIG_WITH_TRAILER = b'[record]\ntrailers = ["Scalpel-Tx"]\n'
LATER = {"GIT_AUTHOR_DATE": "1700009999 +0000"}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    monkeypatch.setenv("PATH", SEARCH, prepend=os.pathsep)
    sandbox = Sandbox.of(tmp_path / "repo", {"a.py": b"a = 1\n", ".gitscalpel.toml": CONFIG_WITH_TRAILER})
    for name in ("pre-commit", "commit-msg"):
        hook = sandbox.root / ".git/hooks" / name
        hook.write_text(f'#!/bin/sh\nexec git scalpel hook {name} "$@"\n')
        hook.chmod(0o755)
    return sandbox


def read_trailer(repo: Sandbox, revision: str = "HEAD") -> str:
    return repo.git("log", "-1", "--format=%(trailers:key=Scalpel-Tx,valueonly)", revision).strip()


def is_commit_refused(repo: Sandbox, *words: str) -> bool:
    before = repo.tip()
    repo.git("commit", "-q", *words, check=False)
    return repo.tip() == before


class TestTrailerCheck:
    def test_landed_transaction_is_accepted(self, repo: Sandbox) -> None:
        tx = land(repo, text("1", "2")).tx
        assert not is_commit_refused(repo, "--allow-empty", "-m", f"Later\n\nScalpel-Tx: {tx}")

    def test_open_transaction_is_accepted(self, repo: Sandbox) -> None:
        tx = stage(repo, text("1", "2")).tx
        assert not is_commit_refused(repo, "--allow-empty", "-m", f"Later\n\nscalpel-tx: {tx}")

    @pytest.mark.parametrize("tx", ["zzzzzzzz", "abc"])
    def test_unknown_transaction_is_refused(self, repo: Sandbox, tx: str) -> None:
        land(repo, text("1", "2"))
        assert is_commit_refused(repo, "--allow-empty", "-m", f"Later\n\nScalpel-Tx: {tx}")
        (repo.root / "m").write_text(f"Later\n\nScalpel-Tx: {tx}\n")
        error = scalpel(repo.root, "hook", "commit-msg", "m", "--json").error
        assert (error["code"], error["data"]["tx"]) == ("gate_failed", tx)

    def test_text_outside_of_a_trailer_is_ignored(self, repo: Sandbox) -> None:
        assert not is_commit_refused(
            repo, "--allow-empty", "-m", "Scalpel-Tx: nothing\n\nas the text said: x"
        )
        assert not is_commit_refused(repo, "--allow-empty", "-m", "About Scalpel-Tx: zzzzzzzz\n\nthe text")

    def test_trailer_of_a_foreign_commit_is_kept(self, repo: Sandbox) -> None:
        """The clone has no log entry for the transaction."""
        repo.git("commit", "-q", "-n", "--allow-empty", "-m", "Theirs\n\nScalpel-Tx: zzzzzzzz")
        assert not is_commit_refused(
            repo, "--amend", "--allow-empty", "-m", "Theirs, reworded\n\nScalpel-Tx: zzzzzzzz"
        )


class TestTrailerInsertion:
    def test_trailer_is_kept_in_an_amended_message(self, repo: Sandbox) -> None:
        tx = land(repo, text("1", "2")).tx
        assert read_trailer(repo) == tx
        repo.git("commit", "-q", "--amend", "-m", "Said otherwise")
        assert (read_trailer(repo), repo.git("log", "-1", "--format=%s")) == (tx, "Said otherwise")

    def test_trailer_is_added_when_committed_again(self, repo: Sandbox) -> None:
        tx = land(repo, text("1", "2")).tx
        repo.git("reset", "-q", "--soft", "HEAD~")
        repo.git("commit", "-q", "-m", "Anew")
        assert read_trailer(repo) == tx

    def test_trailer_is_not_added_to_other_content(
        self, repo: Sandbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        land(repo, text("1", "2"))
        for name, value in LATER.items():
            monkeypatch.setenv(name, value)
        repo.git("commit", "-q", "--allow-empty", "-m", "Nothing")
        assert read_trailer(repo) == ""
        repo.git("reset", "-q", "--hard", "HEAD~")
        repo.write({"a.py": b"a = 3\n"})
        repo.git("commit", "-q", "-a", "--amend", "-m", "Another content")
        assert read_trailer(repo) == ""

    def test_trailer_is_not_added_without_the_rule(self, repo: Sandbox) -> None:
        repo.git("commit", "-q", "--amend", "-m", "x", check=False)
        repo.commit({".gitscalpel.toml": b""})
        land(repo, text("1", "2"))
        repo.git("commit", "-q", "--amend", "-m", "Said otherwise")
        assert read_trailer(repo) == ""

    def test_trailer_is_added_above_editor_comments(
        self, repo: Sandbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tx = land(repo, text("1", "2")).tx
        editor = repo.root.parent / "editor"
        editor.write_text('#!/bin/sh\necho Edited >"$1.new"; grep "^#" "$1" >>"$1.new"; mv "$1.new" "$1"\n')
        editor.chmod(0o755)
        monkeypatch.setenv("GIT_EDITOR", str(editor))
        repo.git("commit", "-q", "--amend", "--edit")
        assert read_trailer(repo) == tx


def test_hook_passes_in_a_landing(repo: Sandbox) -> None:
    result = land(repo, text("1", "2"))
    assert [row.status for row in result.facts.gates if row.name == "hooks"] == ["passed"]
