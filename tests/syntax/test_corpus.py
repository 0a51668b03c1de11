"""Run ``tests.syntax.corpus`` on a sample of this project's files and on released syntax."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.syntax import corpus
from tests.syntax.test_released_syntax import RELEASED

ROOT = Path(__file__).parents[2]
OWN = (
    "gitscalpel/changesets/paths.py",
    "gitscalpel/docs/gates.md",
    "pyproject.toml",
    "tests/crash/preload.c",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    for path in OWN:
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes((ROOT / path).read_bytes())
    for number, (path, text) in enumerate(RELEASED.values()):
        (folder / f"{number}{path}").write_text(text, "utf-8")
    identity = ("-c", "user.name=T", "-c", "user.email=t@example.org")
    for argv in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-qm", "a"]):
        subprocess.run(["git", "-C", folder, *argv], check=True)
    return folder


def test_sample_files_are_not_refused(folder: Path) -> None:
    judged = corpus.judge_files(folder, corpus.files_of(folder))
    assert len(judged) == len(OWN) + len(RELEASED)
    assert [each for each in judged if each.refused] == []


def test_damaged_sample_files_are_refused(folder: Path) -> None:
    judged = corpus.judge_files(folder, corpus.files_of(folder))
    good = [each for each in judged if each.outcome == "ok" and (each.path in OWN or each.path[0] in "147")]
    damaged = [each for one in good for each in corpus.judge_damage(one)]
    caught = Counter(each.language for each in damaged if each.is_caught)
    lost = [each for each in damaged if each.is_caught and not each.is_kept]
    assert caught.total() > 300
    # This sample has the constructs that grammars know least; 98.7 % were caught when it was written.
    assert len(lost) * 70 <= caught.total(), lost
