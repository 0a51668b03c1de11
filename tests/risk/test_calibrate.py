"""Calibration learns weights from older commits and tests them on newer ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitscalpel.changesets import config
from tests.command import scalpel
from tests.sandbox import Sandbox
from tests.transaction.test_approvals import ANN, run_as

DAY = 86_400


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.txt": b"one\n"})


def make_commit(message: str, path: str, lines: int, day: int, mark: str = "", base: str = "") -> str:
    """Make a commit in the format of ``git fast-import``."""
    text = "".join(f"{day} {number}\n" for number in range(lines))
    committer = f"committer ann <ann@example.org> {1_600_000_000 + day * DAY} +0000\n"
    head = f"commit refs/heads/made\n{mark}{committer}data {len(message)}\n{message}\n{base}"
    return f"{head}M 644 inline {path}\ndata {len(text)}\n{text}\n"


def make_history(repo: Sandbox, count: int, reverted: set[int], large: set[int]) -> None:
    """Make a branch with a commit a day, of which some are large and some are reverted the next day."""
    marks = repo.root / ".git/marks"
    commits = (
        make_commit(
            f"Change {day}", f"f{day}.txt", 300 if day in large else 1 + day % 7, day, f"mark :{day + 1}\n"
        )
        for day in range(count)
    )
    repo.git("fast-import", "--quiet", f"--export-marks={marks}", stdin="".join(commits))
    ids = dict(line.split() for line in marks.read_text().splitlines())
    reverts = (
        make_commit(
            f"Revert\n\nThis reverts commit {ids[f':{day + 1}']}.", f"f{day}.txt", 0, day + 1, base=base
        )
        for day, base in zip(sorted(reverted), ["from refs/heads/made^0\n", *[""] * count], strict=False)
    )
    repo.git("fast-import", "--quiet", stdin="".join(reverts))


def test_weights_are_learnt_and_tested_on_newer_commits(repo: Sandbox) -> None:
    large = set(range(0, 600, 12))
    make_history(repo, 600, large, large)
    answer = scalpel(repo.root, "risk", "calibrate", "--onto", "made", "--json")
    data = answer.data
    assert data["learnt_from"] == {"commits": 420, "taken_back": 35}
    assert data["held_out"] == {"commits": 180, "taken_back": 15}
    assert (data["base_rate"], data["auc"]) == (0.08333, 1.0)
    assert data["weights"]["size"] > 3
    assert data["thresholds"][1]["taken_back"] == 15
    assert config.parse_rules(data["toml"].encode(), {}).risk.size == data["weights"]["size"]
    assert (
        config.parse_rules(data["toml"].encode(), {}).risk.untested == 1.5
    )  # the log does not contain this factor
    output = scalpel(repo.root, "risk", "calibrate", "--onto", "made").out
    assert "AUC 1.000, give or take 0.000" in output
    assert "\nsize = " in output


def test_weights_without_evidence_are_rejected(repo: Sandbox) -> None:
    make_history(repo, 600, set(range(0, 600, 12)), set())
    data = scalpel(repo.root, "risk", "calibrate", "--onto", "made", "--json").data
    assert data["auc"] - 2 * data["error"] <= 0.5
    assert "toml" not in data
    output = scalpel(repo.root, "risk", "calibrate", "--onto", "made").out
    assert output.endswith("cannot be told from chance: the weights stay as they are\n")


def test_few_reverts_are_too_little_evidence(repo: Sandbox) -> None:
    make_history(repo, 100, {3, 50, 90}, {3})
    data = scalpel(repo.root, "risk", "calibrate", "--onto", "made", "--json").data
    assert data["why_not"].startswith(
        "2 of 70 older commits and 1 of 30 newer ones were taken back; it takes"
    )
    assert "weights" not in data
    assert "too few" in scalpel(repo.root, "risk", "calibrate", "--onto", "made").out


def test_undone_commit_counts_as_reverted(repo: Sandbox) -> None:
    run_as(ANN, repo, "text", "a.txt", "--old", "one", "--new", "two")
    assert run_as(ANN, repo, "undo").status == 0
    data = scalpel(repo.root, "risk", "calibrate", "--json").data
    parts = data["learnt_from"], data["held_out"]
    assert sum(part["taken_back"] for part in parts) == 1
    assert sum(part["commits"] for part in parts) == 2


def test_empty_branch_is_too_little_evidence(tmp_path: Path) -> None:
    repo = Sandbox.init(tmp_path / "repo")
    assert "0 of 0" in scalpel(repo.root, "risk", "calibrate").out
