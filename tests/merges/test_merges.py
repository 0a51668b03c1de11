"""The replay of merges, on a repository whose merges are known."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.merges.history import Case, History
from tests.merges.refuted import refutation
from tests.merges.replay import replay
from tests.sandbox import Sandbox

BASE = "import os\n\n\ndef f():\n    return 1\n"
ONE = BASE + "\n\ndef g():\n    return 2\n"
OTHER = BASE + "\n\ndef h():\n    return 3\n"


def merge(repo: Sandbox, path: str, base: str, ours: str, theirs: str, committed: str) -> str:
    """Two branches that change one file, and the merge that somebody made of them."""
    repo.commit({path: base.encode()})
    repo.git("switch", "-q", "-c", "side")
    repo.commit({path: theirs.encode()})
    repo.git("switch", "-q", "main")
    repo.commit({path: ours.encode()})
    repo.git("merge", "-q", "--no-commit", "side", check=False)
    merged = repo.commit({path: committed.encode()})
    repo.git("branch", "-q", "-D", "side")
    return merged


@pytest.fixture
def history(repo: Sandbox) -> Path:
    merge(repo, "equal.py", BASE, ONE, OTHER, ONE + "\n\ndef h():\n    return 3\n")
    merge(repo, "differing.py", BASE, ONE, OTHER, OTHER + "\n\ndef g():\n    return 2\n")
    merge(repo, "refused.py", BASE, BASE.replace("1", "2"), BASE.replace("1", "3"), BASE)
    merge(repo, "clean.py", BASE, "#\n" + BASE, BASE + "x = 1\n", "#\n" + BASE + "x = 1\n")
    return repo.root


def test_what_became_of_each_conflicting_file_is_told(history: Path, tmp_path: Path) -> None:
    found = {one.case.path: one for one in replay(History(history, tmp_path / "scratch").conflicts(60))}
    assert {path: one.outcome for path, one in found.items()} == {
        "equal.py": "equal",
        "differing.py": "differing",
        "refused.py": "refused",
    }
    assert not any(one.is_slow for one in found.values())


def test_nothing_is_written_to_the_repository(history: Path, tmp_path: Path) -> None:
    before = sorted(path for path in (history / ".git").rglob("*"))
    assert len(list(History(history, tmp_path / "scratch").conflicts(60))) == 3
    assert sorted(path for path in (history / ".git").rglob("*")) == before


def test_the_command_prints_a_table(history: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.merges", "--keep", str(tmp_path / "kept"), str(history.parent)]
    project = Path(__file__).parents[2]
    done = subprocess.run(
        command,
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    assert rows[0][:5] == ["repository", "files", "resolved", "equal", "differing"]
    assert rows[-1] == ["all", "3", "2", "1", "1", "1", "0", "0", "0"]
    kept = [path.read_text("utf-8").split()[2] for path in (tmp_path / "kept").glob("*/what")]
    assert kept == ["differing.py"]


REFUTED = {
    "right": (ONE + "\n\ndef h():\n    return 3\n", None),
    "one is not there": (OTHER.replace("import os\n", "") + "\n\ndef g():\n    return 2\n", "not there"),
    "out of order": (ONE.replace("import os\n", "") + "import os\n", "not there, or not in order"),
    "invented": (ONE.replace("return 2", "return 2;;x"), "nobody wrote"),
    "too often": (ONE + ONE, "too often"),
    "twice in a row": (ONE.replace("    return 2\n", "    return 2\n    return 2\n"), "too often"),
}


@pytest.mark.parametrize(("merged", "why"), REFUTED.values(), ids=REFUTED)
def test_git_has_a_say(merged: str, why: str | None) -> None:
    case = Case("", "a.py", BASE.encode(), ONE.encode(), OTHER.encode(), None)
    found = refutation(case, merged.encode())
    assert found is None if why is None else found and found.startswith(why)
