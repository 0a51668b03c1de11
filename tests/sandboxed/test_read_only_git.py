"""Edits in a sandbox of an agent with writable files and a read-only ``.git``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.sandbox import Sandbox

FILES = {"a.py": b"x = 1\n", "b.py": b"y = 1\n"}
EDIT = ("text", "a.py", "--old", "x = 1", "--new", "x = 2", "--checkout", "--no-record")


def test_no_record_writes_only_the_file(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "shop", FILES)
    folder = str(repo.root / ".git")
    box = ("bwrap", "--dev-bind", "/", "/", "--ro-bind", folder, folder)

    def run_in_box(*words: str) -> subprocess.CompletedProcess[str]:
        call = (*box, "env", "SCALPEL_SERVER=off", sys.executable, "-m", "gitscalpel", *words)
        return subprocess.run(call, cwd=repo.root, capture_output=True, text=True, check=False)

    refused = run_in_box(*EDIT[:-1])
    assert refused.returncode == 74
    assert "--no-record" in refused.stderr
    assert repo.files() == FILES
    done = run_in_box(*EDIT)
    assert (done.returncode, repo.files()["a.py"]) == (0, b"x = 2\n")
    assert "not recorded" in done.stderr
