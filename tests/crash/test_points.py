"""A sample of the full run (``python -m tests.crash``): every day others, the same for the whole day."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.crash import runs, strike
from tests.crash.scenarios import GIT, OURS, Scenario
from tests.preload import building
from tests.today import DAY

REASON = building.why_not()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))

STRIDE = 37
"""From one day to the next; a prime, so that in time every call has its turn."""


def _today(every: Sequence[Scenario], count: int) -> list[str]:
    return [every[(DAY * count + n) % len(every)].name for n in range(count)]


@pytest.mark.parametrize("name", _today(OURS, 1))
def test_struck_anywhere_it_heals_or_refuses(name: str) -> None:
    failure = strike.FAILURES[DAY % len(strike.FAILURES)]
    found = runs.sample(name, [*strike.KILLS, failure], 2, DAY * STRIDE)
    assert [point for point in found if point.wrong] == []
    assert len(found) >= 3


def test_plain_git_is_struck_in_the_same_way() -> None:
    """What the table compares with; if this did not break, the strike would miss."""
    found = list(runs.every([GIT[0].name], ["group"], 9, 4, jobs=1))
    assert any(point.wrong for point in found)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return strike.built(tmp_path_factory.mktemp("preload"))


CHANGES = """
import os, subprocess, sys
with open("a", "wb") as file:    # 1: opened
    file.write(b"a")             # 2: written
os.rename("a", "b")              # 3
subprocess.run([sys.executable, "-c", "import os; os.mkdir('c')"])  # 4
os.unlink("b")                   # 5
print("done")
"""


@pytest.mark.parametrize(
    ("at", "left"), [(1, []), (2, ["a"]), (3, ["a"]), (4, ["b"]), (5, ["b", "c"]), (6, ["c"])]
)
def test_it_is_killed_before_the_call(tmp_path: Path, library: Path, at: int, left: list[str]) -> None:
    ended = _struck(library, tmp_path, "group", at)
    assert ended.status == (0 if at == 6 else -9)
    assert ended.at == (0 if at == 6 else at)
    assert _names(tmp_path) == left


def test_the_parent_alone_is_killed(tmp_path: Path, library: Path) -> None:
    strike_at_child = _struck(library, tmp_path, "parent", 4)
    assert strike_at_child.status == -9
    deadline = time.monotonic() + 10
    while not (tmp_path / "c").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert _names(tmp_path) == ["b", "c"]


@pytest.mark.parametrize(
    ("kind", "at", "words"),
    [
        ("enospc", 2, b"[Errno 28]"),
        ("eio", 3, b"[Errno 5]"),
        ("full", 1, b"[Errno 28]"),
        ("eio", 5, b"[Errno 5]"),
    ],
)
def test_the_call_fails(tmp_path: Path, library: Path, kind: str, at: int, words: bytes) -> None:
    ended = _struck(library, tmp_path, kind, at)
    assert ended.status == 1
    assert words in ended.err


def test_on_a_full_disk_files_can_still_be_moved_and_removed(tmp_path: Path, library: Path) -> None:
    ended = _struck(library, tmp_path, "full", 3)
    assert ended.status == 0
    assert b"[Errno 28]" in ended.err  # of the child, which cannot make its folder
    assert _names(tmp_path) == []


def _struck(library: Path, folder: Path, kind: str, at: int) -> strike.Struck:
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    return strike.run(library, [sys.executable, "-c", CHANGES], folder, env, kind, at)


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
