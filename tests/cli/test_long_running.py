"""Long-running commands run until their client closes the connection or a signal ends them."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from tests.command import SEARCH
from tests.sandbox import Sandbox


@pytest.mark.parametrize(
    ("words", "first_output", "status"),
    [
        (("mcp", "--http", "0"), b"http://127.0.0.1:", -signal.SIGTERM),
        (("review",), b"http://127.0.0.1:", -signal.SIGTERM),
        (("mcp",), b"", 0),
    ],
    ids=["mcp over http", "review", "mcp"],
)
def test_server_runs_until_signalled_or_closed(
    repo: Sandbox, words: tuple[str, ...], first_output: bytes, status: int
) -> None:
    env = {**os.environ, "PATH": SEARCH + os.pathsep + os.environ["PATH"]}
    with subprocess.Popen(
        ["git", "scalpel", *words],
        cwd=repo.root,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        if first_output:
            assert first_output in process.stdout.readline()
            process.terminate()
        process.stdin.close()
        process.stdout.read()
        assert process.wait(20) == status
