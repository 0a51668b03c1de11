"""The official client drives every tool, in each era that it speaks."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.command import SEARCH


def driven(module: str) -> str:
    path = f"{SEARCH}{os.pathsep}{os.environ['PATH']}"
    words = [sys.executable, "-m", module]
    done = subprocess.run(
        words, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_official_client_drives_every_tool() -> None:
    assert "greeted 18 calls: all as expected" in driven("tests.mcp.clients")


def test_the_official_client_drives_every_tool_of_every_dialect() -> None:
    assert "10 dialects: all as expected" in driven("tests.adapters.official")
