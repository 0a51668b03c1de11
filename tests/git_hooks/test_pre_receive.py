"""A server's ``pre-receive``, and ``reference-transaction``: the scripts of ``hooks/``, called by git."""

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
    """A clone of a bare repository that has the hook."""
    monkeypatch.setenv("PATH", SEARCH, prepend=os.pathsep)
    made = Sandbox.of(tmp_path / "repo", {"a.py": ONE})
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", tmp_path / "server"], check=True)
    made.git("remote", "add", "origin", str(tmp_path / "server"))
    made.git("push", "-q", "origin", "main")
    shutil.copy2(SCRIPTS / "pre-receive", tmp_path / "server/hooks/pre-receive")
    return made


def server(repo: Sandbox) -> Sandbox:
    return Sandbox(repo.root.parent / "server")


def said(repo: Sandbox, *words: str) -> str:
    """What git says of a push that is refused; nothing where it was taken."""
    told = ["git", "push", *(words or ("origin", "main"))]
    done = subprocess.run(told, cwd=repo.root, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def everything(repo: Sandbox) -> tuple[str, list[str]]:
    """Refs and objects of the server."""
    objects = server(repo).root / "objects"
    return server(repo).git("for-each-ref"), sorted(str(file) for file in objects.rglob("*"))


class TestReceived:
    def test_what_is_sound_is_taken(self, repo: Sandbox) -> None:
        repo.commit({"a.py": ONE.replace(b"1", b"2")})
        assert said(repo) == ""
        assert server(repo).tip("main") == repo.tip()

    def test_what_is_not_is_refused_and_nothing_of_it_stays(self, repo: Sandbox) -> None:
        before = everything(repo)
        repo.commit({"a.py": b"def f(:\n", "b.py": b"b = (\n"}, "Broken")
        refusal = said(repo)
        assert "a.py:1:7: invalid syntax" in refusal
        assert "b.py:1:5: " in refusal
        assert "Broken" in refusal
        assert everything(repo) == before

    def test_each_commit_counts_not_only_the_last(self, repo: Sandbox) -> None:
        repo.commit({"a.py": b"def f(:\n"}, "Broken")
        repo.commit({"a.py": ONE + b"\n\nx = 1\n"}, "Mended")
        assert "Broken" in said(repo)

    def test_by_the_rules_of_the_branch_and_not_those_that_are_pushed(self, repo: Sandbox) -> None:
        repo.commit({".gitscalpel.toml": b'[policy]\ndeny = ["secret/**"]\n'})
        assert said(repo) == ""
        repo.commit({".gitscalpel.toml": b"", "secret/a": b"1"})
        assert "secret/a:1:1: policy.deny names it [policy]" in said(repo)

    def test_a_new_branch_by_those_of_the_default_one(self, repo: Sandbox) -> None:
        repo.git("checkout", "-q", "-b", "topic")
        repo.commit({"a.py": b"def f(:\n"})
        assert "[syntax]" in said(repo, "origin", "topic")
        assert "[syntax]" in said(repo, "origin", "topic:main")
        assert said(repo, "origin", "topic:refs/tags/t") == ""  # a tag is no branch
        assert "[syntax]" in said(repo, "origin", "topic")  # and makes nothing known

    def test_a_merge_is_judged_by_what_it_brings_of_its_own(self, repo: Sandbox) -> None:
        repo.commit({".gitscalpel.toml": b"[policy]\nmax_files = 1\n"})
        assert said(repo) == ""
        repo.git("checkout", "-q", "-b", "topic")
        repo.commit({"c.py": b"c = 1\n"})
        repo.commit({"d.py": b"d = 1\n"})
        repo.git("checkout", "-q", "main")
        repo.commit({"e.py": b"e = 1\n"})
        repo.git("merge", "-q", "--no-edit", "topic")
        assert said(repo) == ""
        repo.git("checkout", "-q", "-b", "other", "HEAD~")
        repo.commit({"f.py": b"f = 1\n"})
        repo.git("checkout", "-q", "main")
        repo.git("merge", "-q", "--no-commit", "other")
        repo.commit({"evil.py": b"e = (\n"}, "Merged")
        assert "evil.py:1:5: " in said(repo)

    def test_the_first_push_and_what_goes(self, repo: Sandbox, tmp_path: Path) -> None:
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", tmp_path / "new"], check=True)
        shutil.copy2(SCRIPTS / "pre-receive", tmp_path / "new/hooks/pre-receive")
        assert said(repo, str(tmp_path / "new"), "main") == ""  # nobody's rules are there yet
        assert said(repo, "origin", "main:old") == ""
        assert said(repo, "origin", ":old") == ""

    def test_people_whose_signature_counts(self, repo: Sandbox, tmp_path: Path) -> None:
        key = tmp_path / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
        kind, public, *_ = key.with_suffix(".pub").read_text().split()
        rules = b'[approval]\npaths = ["a.py"]\nsigners = "signers"\n'
        repo.commit({".gitscalpel.toml": rules, "signers": f"bob@example.org {kind} {public}\n".encode()})
        assert said(repo) == ""
        staged = scalpel(repo.root, "text", "a.py", "--old", "1", "--new", "2", "--no-land", "--json").data[
            "tx"
        ]
        bob = {"GIT_COMMITTER_NAME": "Bob", "GIT_COMMITTER_EMAIL": "bob@example.org"}
        for setting in (("gpg.format", "ssh"), ("user.signingKey", str(key))):
            repo.git("config", *setting)
        assert scalpel(repo.root, "approve", staged, env=bob).status == 0
        assert scalpel(repo.root, "land", staged).status == 0
        assert "needs 1 more approval (approval)" in said(repo)  # the log that says so is not there
        assert said(repo, "origin", "refs/scalpel/ops") == ""
        assert said(repo) == ""
        repo.commit({"a.py": ONE.replace(b"1", b"3")}, "Unasked")
        assert "needs 1 more approval" in said(repo)


class TestMoved:
    @pytest.fixture
    def hooked(self, repo: Sandbox) -> Sandbox:
        shutil.copy2(SCRIPTS / "reference-transaction", repo.root / ".git/hooks/reference-transaction")
        return repo

    def test_refused(self, hooked: Sandbox) -> None:
        hooked.git("config", "scalpel.moves", "refuse")
        before = hooked.tip()
        hooked.write({"a.py": ONE.replace(b"1", b"2")})
        hooked.git("commit", "-q", "-a", "-m", "By hand", check=False)
        hooked.git("checkout", "-q", "--detach")
        hooked.git("commit", "-q", "-a", "-m", "Beside")
        hooked.git("branch", "other", check=False)
        hooked.git("checkout", "-qf", "main")
        assert hooked.git("for-each-ref", "refs/heads") == f"{before} commit\trefs/heads/main"
        hooked.git("checkout", "-q", "a.py")
        done = land(hooked, text("1", "7"))
        undo(hooked, done.tx)
        hooked.git("tag", "v1")
        assert hooked.tip() == before

    def test_a_new_branch_at_a_commit_that_one_holds_goes_around_nothing(self, hooked: Sandbox) -> None:
        hooked.git("config", "scalpel.moves", "refuse")
        land(hooked, text("1", "7"))
        hooked.git("branch", "other")
        hooked.git("branch", "older", "HEAD~")
        hooked.git("switch", "-q", "-c", "third")
        assert hooked.tip("other") == hooked.tip("third") == hooked.tip()
        older = hooked.tip("older")
        hooked.git("branch", "-f", "older", "HEAD", check=False)  # this one moves
        hooked.git("update-ref", "-d", "refs/heads/older", check=False)
        assert hooked.tip("older") == older

    def test_recorded(self, hooked: Sandbox) -> None:
        hooked.git("config", "scalpel.moves", "record")
        land(hooked, text("1", "7"))
        tip = hooked.tip()
        hooked.commit({"a.py": ONE}, "By hand")
        (row,) = scalpel(hooked.root, "log", "--refused", "--json").data
        assert (row["what"], row["message"]) == (
            "moved around",
            f"main {tip[:10]}..{hooked.tip()[:10]} moved without a transaction",
        )

    def test_without_the_setting_nothing_is_said(self, hooked: Sandbox) -> None:
        hooked.commit({"a.py": ONE}, "By hand")
        assert scalpel(hooked.root, "log", "--refused", "--json").data == []
