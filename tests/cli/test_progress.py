"""Progress is shown and cleared in a terminal, and never printed elsewhere."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sandbox import Sandbox

TOML = b'[[gates.command]]\nname = "slow"\nrun = "sleep 1.2"\n'


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.py": b"x = 1\n", ".gitscalpel.toml": TOML})


def _run_in_terminal(repo: Sandbox, *words: str) -> str:
    """Return the standard error of a command in a terminal."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "SCALPEL_TRUST": "1", "TERM": "xterm"}
    command = [sys.executable, "-m", "gitscalpel", *words]
    with subprocess.Popen(command, cwd=repo.root, env=env, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        seen = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            seen += piece
        process.communicate()
        assert process.returncode == 0, seen
    os.close(ours)
    return seen.decode()


def test_progress_is_shown_and_cleared(repo: Sandbox) -> None:
    seen = _run_in_terminal(repo, "text", "a.py", "--old", "1", "--new", "2")
    assert "… running slow (1 s)" in seen
    assert seen.rpartition("\r\x1b[K")[2].strip() == ""


def test_progress_is_not_shown_for_json_or_fast_calls(repo: Sandbox) -> None:
    assert "…" not in _run_in_terminal(repo, "text", "a.py", "--old", "1", "--new", "2", "--json")
    assert "\x1b[K" not in _run_in_terminal(repo, "--version")
