"""The demo checks each of its steps, reports failed ones and removes its repository."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.command import started


@pytest.fixture
def temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the directory where the demo makes its repository."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture
def no_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the user's name and e-mail address from the environment."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("EMAIL", "")


def test_demo_shows_every_step_and_leaves_no_files(
    temporary_folder: Path, no_identity: None, tmp_path: Path
) -> None:
    answer = started(tmp_path, "demo")
    assert answer.status == 0, answer
    assert answer.out.count("$ git scalpel ") == 6
    assert answer.out.count("  ok     ") >= 18
    assert "FAILED" not in answer.out
    assert "All 6 steps did what they say" in answer.out
    assert list(temporary_folder.iterdir()) == []


def test_demo_as_json_keeps_its_repository(temporary_folder: Path, tmp_path: Path) -> None:
    data = started(tmp_path, "demo", "--json", "--keep").data
    assert [step["status"] for step in data["steps"]] == [0, 0, 1, 0, 0, 0]
    assert all(check["ok"] for step in data["steps"] for check in step["checks"])
    kept = Path(data["folder"])
    assert kept.parent == temporary_folder
    assert "VAT = 20" in (kept / "prices.py").read_text()
    assert started(kept, "redo").status == 0


def test_demo_ignores_git_variables_of_the_caller(temporary_folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    env = {"GIT_DIR": str(elsewhere), "GIT_WORK_TREE": str(tmp_path), "GIT_INDEX_FILE": str(elsewhere)}
    env |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.autocrlf", "GIT_CONFIG_VALUE_0": "true"}
    answer = started(tmp_path, "demo", env=env)
    assert answer.status == 0, answer
    assert not elsewhere.exists()


def test_demo_names_a_failed_step(temporary_folder: Path, tmp_path: Path) -> None:
    """Run the demo with an installation whose undo succeeds but does nothing."""
    broken = tmp_path / "bin"
    broken.mkdir()
    program = broken / "git-scalpel"
    program.write_text(
        f"#!{sys.executable}\n"
        "import sys\n"
        "if sys.argv[1] == 'undo':\n    sys.exit(0)\n"
        "from gitscalpel.cli import main\n"
        "main()\n"
    )
    program.chmod(0o755)
    env = {"PATH": f"{broken}{os.pathsep}{os.environ['PATH']}"}
    answer = started(tmp_path, "demo", "--json", env=env)
    assert answer.status == 70
    assert answer.error["data"]["step"] == 6
    assert "step 6 of the demo (Take the last landing back)" in answer.error["message"]
    assert "git rev-parse HEAD: the branch is where it was" in answer.error["message"]
    assert list(temporary_folder.iterdir()) == []
