"""An agent's sandbox that lets its commands write the files and keeps ``.git`` read-only."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.sandbox import Sandbox

FILES = {"a.py": b"x = 1\n", "b.py": b"y = 1\n"}
EDIT = ("text", "a.py", "--old", "x = 1", "--new", "x = 2", "--checkout", "--no-record")


def test_no_record_writes_the_file_alone(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "shop", FILES)
    folder = str(repo.root / ".git")
    box = ("bwrap", "--dev-bind", "/", "/", "--ro-bind", folder, folder)

    def boxed(*words: str) -> subprocess.CompletedProcess[str]:
        call = (*box, "env", "SCALPEL_SERVER=off", sys.executable, "-m", "gitscalpel", *words)
        return subprocess.run(call, cwd=repo.root, capture_output=True, text=True, check=False)

    refused = boxed(*EDIT[:-1])
    assert refused.returncode == 74
    assert "--no-record" in refused.stderr
    assert repo.files() == FILES
    done = boxed(*EDIT)
    assert (done.returncode, repo.files()["a.py"]) == (0, b"x = 2\n")
    assert "not recorded" in done.stderr
