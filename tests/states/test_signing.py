"""Commits are signed with GPG or SSH as configured, and a failing signer stops the landing."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gitscalpel import Repository, ScalpelError
from tests.sandbox import Sandbox
from tests.whole import text

Signer = Callable[[str, str], None]
_KEY = """
%no-protection
Key-Type: EDDSA
Key-Curve: ed25519
Name-Real: Ada
Name-Email: ada@example.org
Expire-Date: 0
"""


def _gpg(home: Path) -> dict[str, str]:
    if shutil.which("gpg") is None:
        pytest.skip("gpg is not on PATH")
    os.environ["GNUPGHOME"] = str(home)
    subprocess.run(
        ["gpg", "-q", "--batch", "--gen-key"], input=_KEY.encode(), check=True, capture_output=True
    )
    return {"user.signingKey": "ada@example.org"}


def _ssh(home: Path) -> dict[str, str]:
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not on PATH")
    key = home / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    (home / "allowed").write_text("ada@example.org " + (home / "key.pub").read_text())
    return {
        "gpg.format": "ssh",
        "user.signingKey": str(key),
        "gpg.ssh.allowedSignersFile": str(home / "allowed"),
    }


@pytest.fixture(params=[_gpg, _ssh], ids=["gpg", "ssh"])
def set_config(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Signer]:
    """Configure signing of commits, and yield a function that changes the user's configuration."""
    # The directory contains the socket of the gpg agent, whose path must be short.
    with tempfile.TemporaryDirectory(prefix="sign") as folder:
        home = Path(folder)
        home.chmod(0o700)
        monkeypatch.setenv("GNUPGHOME", str(home))
        file = home / "gitconfig"
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(file))

        def set_value(key: str, value: str) -> None:
            subprocess.run(["git", "config", "--file", str(file), key, value], check=True)

        for key, value in {"commit.gpgSign": "true", **request.param(home)}.items():
            set_value(key, value)
        yield set_value
        if shutil.which("gpgconf"):
            subprocess.run(["gpgconf", "--kill", "all"], check=False)


@pytest.mark.parametrize("long_lived", [False, True])
def test_landing_and_revert_are_signed(repo: Sandbox, set_config: Signer, long_lived: bool) -> None:
    with Repository(repo.root, long_lived=long_lived) as opened:
        first = opened.edit(text("one", "ONE")).tx
        repo.git("verify-commit", "main")
        opened.edit(text("three", "THREE"))
        repo.git("verify-commit", "main")
        opened.undo(first)  # a later commit exists, so undo makes a revert
        repo.git("verify-commit", "main")
        assert repo.git("log", "--format=%G?", "-3").split() == ["G"] * 3
        set_config("commit.gpgSign", "false")
    with Repository(repo.root, long_lived=long_lived) as opened:
        opened.edit(text("one", "1"))
    assert repo.git("log", "--format=%G?", "-1") == "N"


@pytest.mark.parametrize("failure", ["no key", "no program", "program fails"])
def test_failing_signer_changes_nothing(repo: Sandbox, set_config: Signer, failure: str) -> None:
    with Repository(repo.root) as opened:
        opened.edit(text("one", "ONE"))
        opened.edit(text("three", "THREE"))
    if failure == "no key":
        set_config("user.signingKey", "/nowhere/key")
    else:
        for key in ("gpg.program", "gpg.ssh.program"):
            set_config(key, "/nowhere/signer" if failure == "no program" else "/bin/false")
    before = repo.state()
    with Repository(repo.root) as opened:
        landed = opened.log()[-1].record.tx
        for call in (lambda: opened.edit(text("two", "TWO")), lambda: opened.undo(landed)):
            with pytest.raises(ScalpelError) as caught:
                call()
            assert caught.value.code == "config_error"
            assert "sign" in caught.value.hint
            assert repo.state() == before
