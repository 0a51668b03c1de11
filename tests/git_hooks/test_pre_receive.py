"""The scripts ``pre-receive`` and ``reference-transaction`` of ``hooks/``, called by git."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.command import SEARCH, scalpel
from tests.sandbox import Sandbox
from tests.whole import land, text, undo

SCRIPTS = Path(__file__).parents[2] / "hooks"
ONE = b"def f():\n    return 1\n"


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """Return a clone of a bare repository that has the hook."""
    monkeypatch.setenv("PATH", SEARCH, prepend=os.pathsep)
    sandbox = Sandbox.of(tmp_path / "repo", {"a.py": ONE})
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", tmp_path / "server"], check=True)
    sandbox.git("remote", "add", "origin", str(tmp_path / "server"))
    sandbox.git("push", "-q", "origin", "main")
    shutil.copy2(SCRIPTS / "pre-receive", tmp_path / "server/hooks/pre-receive")
    return sandbox


def server(repo: Sandbox) -> Sandbox:
    return Sandbox(repo.root.parent / "server")


def push(repo: Sandbox, *words: str) -> str:
    """Return the error output of git if the push is refused, or an empty string."""
    command = ["git", "push", *(words or ("origin", "main"))]
    result = subprocess.run(command, cwd=repo.root, capture_output=True, text=True, check=False)
    return result.stderr if result.returncode else ""


def server_state(repo: Sandbox) -> tuple[str, list[str]]:
    """Return the refs and objects of the server."""
    objects = server(repo).root / "objects"
    return server(repo).git("for-each-ref"), sorted(str(file) for file in objects.rglob("*"))


class TestPreReceive:
    def test_valid_commit_is_accepted(self, repo: Sandbox) -> None:
        repo.commit({"a.py": ONE.replace(b"1", b"2")})
        assert push(repo) == ""
        assert server(repo).tip("main") == repo.tip()

    def test_invalid_commit_is_refused_without_a_trace(self, repo: Sandbox) -> None:
        before = server_state(repo)
        repo.commit({"a.py": b"def f(:\n", "b.py": b"b = (\n"}, "Broken")
        output = push(repo)
        assert "a.py:1:7: invalid syntax" in output
        assert "b.py:1:5: " in output
        assert "Broken" in output
        assert server_state(repo) == before

    def test_every_commit_is_checked(self, repo: Sandbox) -> None:
        repo.commit({"a.py": b"def f(:\n"}, "Broken")
        repo.commit({"a.py": ONE + b"\n\nx = 1\n"}, "Mended")
        assert "Broken" in push(repo)

    def test_rules_come_from_the_branch_and_not_the_push(self, repo: Sandbox) -> None:
        repo.commit({".gitscalpel.toml": b'[policy]\ndeny = ["secret/**"]\n'})
        assert push(repo) == ""
        repo.commit({".gitscalpel.toml": b"", "secret/a": b"1"})
        assert "secret/a:1:1: policy.deny names it [policy]" in push(repo)

    def test_new_branch_uses_the_rules_of_the_default_branch(self, repo: Sandbox) -> None:
        repo.git("checkout", "-q", "-b", "topic")
        repo.commit({"a.py": b"def f(:\n"})
        assert "[syntax]" in push(repo, "origin", "topic")
        assert "[syntax]" in push(repo, "origin", "topic:main")
        assert push(repo, "origin", "topic:refs/tags/t") == ""  # a tag is not a branch
        assert "[syntax]" in push(repo, "origin", "topic")  # and its commits stay unchecked

    def test_merge_is_checked_by_its_own_changes(self, repo: Sandbox) -> None:
        repo.commit({".gitscalpel.toml": b"[policy]\nmax_files = 1\n"})
        assert push(repo) == ""
        repo.git("checkout", "-q", "-b", "topic")
        repo.commit({"c.py": b"c = 1\n"})
        repo.commit({"d.py": b"d = 1\n"})
        repo.git("checkout", "-q", "main")
        repo.commit({"e.py": b"e = 1\n"})
        repo.git("merge", "-q", "--no-edit", "topic")
        assert push(repo) == ""
        repo.git("checkout", "-q", "-b", "other", "HEAD~")
        repo.commit({"f.py": b"f = 1\n"})
        repo.git("checkout", "-q", "main")
        repo.git("merge", "-q", "--no-commit", "other")
        repo.commit({"evil.py": b"e = (\n"}, "Merged")
        assert "evil.py:1:5: " in push(repo)

    def test_first_push_and_deletion_are_accepted(self, repo: Sandbox, tmp_path: Path) -> None:
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", tmp_path / "new"], check=True)
        shutil.copy2(SCRIPTS / "pre-receive", tmp_path / "new/hooks/pre-receive")
        assert push(repo, str(tmp_path / "new"), "main") == ""  # the server has no rules yet
        assert push(repo, "origin", "main:old") == ""
        assert push(repo, "origin", ":old") == ""

    def test_required_signature_is_checked(self, repo: Sandbox, tmp_path: Path) -> None:
        key = tmp_path / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
        kind, public, *_ = key.with_suffix(".pub").read_text().split()
        rules = b'[approval]\npaths = ["a.py"]\nsigners = "signers"\n'
        repo.commit({".gitscalpel.toml": rules, "signers": f"bob@example.org {kind} {public}\n".encode()})
        assert push(repo) == ""
        staged = scalpel(repo.root, "text", "a.py", "--old", "1", "--new", "2", "--no-land", "--json").data[
            "tx"
        ]
        bob = {"GIT_COMMITTER_NAME": "Bob", "GIT_COMMITTER_EMAIL": "bob@example.org"}
        for setting in (("gpg.format", "ssh"), ("user.signingKey", str(key))):
            repo.git("config", *setting)
        assert scalpel(repo.root, "approve", staged, env=bob).status == 0
        assert scalpel(repo.root, "land", staged).status == 0
        assert "needs 1 more approval (approval)" in push(
            repo
        )  # the log with the approval is not on the server
        assert push(repo, "origin", "refs/scalpel/ops") == ""
        assert push(repo) == ""
        repo.commit({"a.py": ONE.replace(b"1", b"3")}, "Unasked")
        assert "needs 1 more approval" in push(repo)


class TestReferenceTransaction:
    @pytest.fixture
    def repo_with_hook(self, repo: Sandbox) -> Sandbox:
        shutil.copy2(SCRIPTS / "reference-transaction", repo.root / ".git/hooks/reference-transaction")
        return repo

    def test_branch_move_without_a_transaction_is_refused(self, repo_with_hook: Sandbox) -> None:
        repo_with_hook.git("config", "scalpel.moves", "refuse")
        before = repo_with_hook.tip()
        repo_with_hook.write({"a.py": ONE.replace(b"1", b"2")})
        repo_with_hook.git("commit", "-q", "-a", "-m", "By hand", check=False)
        repo_with_hook.git("checkout", "-q", "--detach")
        repo_with_hook.git("commit", "-q", "-a", "-m", "Beside")
        repo_with_hook.git("branch", "other", check=False)
        repo_with_hook.git("checkout", "-qf", "main")
        assert repo_with_hook.git("for-each-ref", "refs/heads") == f"{before} commit\trefs/heads/main"
        repo_with_hook.git("checkout", "-q", "a.py")
        result = land(repo_with_hook, text("1", "7"))
        undo(repo_with_hook, result.tx)
        repo_with_hook.git("tag", "v1")
        assert repo_with_hook.tip() == before

    def test_new_branch_at_an_existing_commit_is_accepted(self, repo_with_hook: Sandbox) -> None:
        repo_with_hook.git("config", "scalpel.moves", "refuse")
        land(repo_with_hook, text("1", "7"))
        repo_with_hook.git("branch", "other")
        repo_with_hook.git("branch", "older", "HEAD~")
        repo_with_hook.git("switch", "-q", "-c", "third")
        assert repo_with_hook.tip("other") == repo_with_hook.tip("third") == repo_with_hook.tip()
        older = repo_with_hook.tip("older")
        repo_with_hook.git("branch", "-f", "older", "HEAD", check=False)  # moves the branch
        repo_with_hook.git("update-ref", "-d", "refs/heads/older", check=False)
        assert repo_with_hook.tip("older") == older

    def test_branch_move_is_recorded(self, repo_with_hook: Sandbox) -> None:
        repo_with_hook.git("config", "scalpel.moves", "record")
        land(repo_with_hook, text("1", "7"))
        tip = repo_with_hook.tip()
        repo_with_hook.commit({"a.py": ONE}, "By hand")
        (row,) = scalpel(repo_with_hook.root, "log", "--refused", "--json").data
        assert (row["what"], row["message"]) == (
            "moved around",
            f"main {tip[:10]}..{repo_with_hook.tip()[:10]} moved without a transaction",
        )

    def test_branch_move_is_not_recorded_without_the_setting(self, repo_with_hook: Sandbox) -> None:
        repo_with_hook.commit({"a.py": ONE}, "By hand")
        assert scalpel(repo_with_hook.root, "log", "--refused", "--json").data == []
