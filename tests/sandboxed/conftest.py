"""Tests with real sandboxes; they are skipped with a message if bubblewrap is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.sandbox import Sandbox


@pytest.fixture(autouse=True)
def require_sandbox(sealed_environment: None, without_sandbox: str, monkeypatch: pytest.MonkeyPatch) -> None:
    search = [part for part in os.environ["PATH"].split(os.pathsep) if part != without_sandbox]
    monkeypatch.setenv("PATH", os.pathsep.join(search))
    monkeypatch.setenv("SCALPEL_TRUST", "1")
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        pytest.skip("NO SANDBOX ON THIS MACHINE: bubblewrap is not installed, so nothing is contained here")
    words = [bwrap, "--unshare-user", "--unshare-net", "--ro-bind", "/", "/", "true"]
    done = subprocess.run(words, capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"NO SANDBOX ON THIS MACHINE: {done.stderr.decode().strip()}")


@pytest.fixture(params=["laid over", "copied"])
def repo(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """Return a repository, on a machine with overlay file systems and on one that must copy directories."""
    if request.param == "copied":
        folder = tmp_path / "restricted"
        folder.mkdir()
        (folder / "unshare").write_text("#!/bin/sh\nexit 1\n")
        (folder / "unshare").chmod(0o755)
        monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    return Sandbox.of(
        tmp_path / "shop", {"a.py": b"x = 1\n", "sub/b.py": b"b\n", ".gitignore": b"*.log\nbuild/\n.venv/\n"}
    )
