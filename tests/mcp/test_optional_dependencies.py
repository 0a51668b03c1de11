"""The stdio server needs no optional dependency, and the HTTP server reports a missing one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sandbox import Sandbox

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


@pytest.fixture
def environment_without_extras(tmp_path: Path) -> dict[str, str]:
    """Return environment variables in which the extras cannot be imported."""
    for name in ("starlette", "uvicorn", "jinja2", "unidiff"):
        (tmp_path / "lib" / name).mkdir(parents=True)
        missing = f"raise ModuleNotFoundError('No module named {name}', name='{name}')\n"
        (tmp_path / "lib" / name / "__init__.py").write_text(missing)
    return {**os.environ, "PYTHONPATH": str(tmp_path / "lib"), "SCALPEL_SERVER": "off"}


def run(
    root: Path, environment_without_extras: dict[str, str], *options: str
) -> subprocess.CompletedProcess[str]:
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}) + "\n"
    words = [sys.executable, "-m", "gitscalpel", "mcp", *options]
    return subprocess.run(
        words,
        cwd=root,
        env=environment_without_extras,
        input=hello,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_only_http_needs_the_extras(tmp_path: Path, environment_without_extras: dict[str, str]) -> None:
    root = Sandbox.of(tmp_path / "r", {"a.py": b"def f():\n    return 1\n"}).root
    done = run(root, environment_without_extras)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "gitscalpel"
    done = run(root, environment_without_extras, "--http", "0")
    assert done.returncode != 0
    assert "MCP over HTTP needs starlette" in done.stderr
