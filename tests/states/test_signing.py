"""Commits are signed as the user has it configured, with GPG and with SSH; a signer that fails stops all."""

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
def signing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Signer]:
    """Has commits signed; changes the user's configuration."""
    # A socket's name is short: the agent's lies in there.
    with tempfile.TemporaryDirectory(prefix="sign") as folder:
        home = Path(folder)
        home.chmod(0o700)
        monkeypatch.setenv("GNUPGHOME", str(home))
        file = home / "gitconfig"
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(file))

        def put(key: str, value: str) -> None:
            subprocess.run(["git", "config", "--file", str(file), key, value], check=True)

        for key, value in {"commit.gpgSign": "true", **request.param(home)}.items():
            put(key, value)
        yield put
        if shutil.which("gpgconf"):
            subprocess.run(["gpgconf", "--kill", "all"], check=False)


@pytest.mark.parametrize("long_lived", [False, True])
def test_what_lands_verifies_and_so_does_what_takes_it_back(
    repo: Sandbox, signing: Signer, long_lived: bool
) -> None:
    with Repository(repo.root, long_lived=long_lived) as opened:
        first = opened.edit(text("one", "ONE")).tx
        repo.git("verify-commit", "main")
        opened.edit(text("three", "THREE"))
        repo.git("verify-commit", "main")
        opened.undo(first)  # something stands on it: a commit that reverts
        repo.git("verify-commit", "main")
        assert repo.git("log", "--format=%G?", "-3").split() == ["G"] * 3
        signing("commit.gpgSign", "false")
    with Repository(repo.root, long_lived=long_lived) as opened:
        opened.edit(text("one", "1"))
    assert repo.git("log", "--format=%G?", "-1") == "N"


@pytest.mark.parametrize("how", ["no key", "no program", "program fails"])
def test_a_signer_that_fails_stops_it_before_anything_changes(
    repo: Sandbox, signing: Signer, how: str
) -> None:
    with Repository(repo.root) as opened:
        opened.edit(text("one", "ONE"))
        opened.edit(text("three", "THREE"))
    if how == "no key":
        signing("user.signingKey", "/nowhere/key")
    else:
        for key in ("gpg.program", "gpg.ssh.program"):
            signing(key, "/nowhere/signer" if how == "no program" else "/bin/false")
    before = repo.state()
    with Repository(repo.root) as opened:
        landed = opened.log()[-1].record.tx
        for call in (lambda: opened.edit(text("two", "TWO")), lambda: opened.undo(landed)):
            with pytest.raises(ScalpelError) as refused:
                call()
            assert refused.value.code == "config_error"
            assert "sign" in refused.value.hint
            assert repo.state() == before
