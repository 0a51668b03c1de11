"""Two agents at work in one process, each in a session of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gitscalpel import Repository
from tests.sandbox import Sandbox

_EACH = 5


def _source(values: list[int]) -> bytes:
    return "\n\n".join(f"def f{n}():\n    return {value}\n" for n, value in enumerate(values)).encode()


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.py": _source([0] * 2 * _EACH)})


def _edits(repo: Sandbox, agent: str, numbers: range) -> list[str]:
    """What it was told meanwhile."""
    told: list[str] = []
    with Repository(repo.root, notify=told.append, agent=agent) as opened:
        for n in numbers:
            code = f"def f{n}():\n    return {n + 1}"
            opened.edit({"op": "replace", "path": "a.py", "symbol": f"f{n}", "code": code}, wait=30)
    return told


def test_in_two_threads_each_lands_in_its_own_name(repo: Sandbox) -> None:
    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(_edits, repo, "one", range(_EACH))
        two = pool.submit(_edits, repo, "two", range(_EACH, 2 * _EACH))
        assert one.result() + two.result() == []
    assert (repo.root / "a.py").read_bytes() == _source([n + 1 for n in range(2 * _EACH)])
    with Repository(repo.root) as opened:
        agents = [entry.record.agent for entry in opened.log()]
    assert sorted(agents) == ["one"] * _EACH + ["two"] * _EACH


def test_each_undoes_its_own(repo: Sandbox) -> None:
    _edits(repo, "one", range(1))
    _edits(repo, "two", range(1, 2))
    with Repository(repo.root, agent="one") as one, Repository(repo.root, agent="two") as two:
        assert two.undo().message == "Change f1 in a.py"
        assert one.undo().message == "Change f0 in a.py"
    assert (repo.root / "a.py").read_bytes() == _source([0] * 2 * _EACH)


def test_a_folder_is_the_one_of_its_session(
    repo: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who opened it by a relative name is not led elsewhere when the process goes elsewhere."""
    monkeypatch.chdir(repo.root.parent)
    with Repository("repo") as opened:
        monkeypatch.chdir(tmp_path)
        assert opened.edit(
            {"op": "text", "path": "a.py", "old": "return 0", "new": "return 9", "occurrences": [0]}
        )
