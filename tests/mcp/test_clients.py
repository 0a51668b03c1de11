"""The official client can call every tool, in each era that it supports."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.command import SEARCH


def run_module(module: str) -> str:
    path = f"{SEARCH}{os.pathsep}{os.environ['PATH']}"
    words = [sys.executable, "-m", module]
    done = subprocess.run(
        words, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_official_client_calls_every_tool() -> None:
    assert "greeted 18 calls: all as expected" in run_module("tests.mcp.clients")


def test_official_client_calls_every_tool_of_each_dialect() -> None:
    assert "10 dialects: all as expected" in run_module("tests.adapters.official")
