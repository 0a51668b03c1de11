"""Two agents work in one process, each in its own session."""

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


def _edit_functions(repo: Sandbox, agent: str, numbers: range) -> list[str]:
    """Edit functions as an agent, and return the notifications."""
    notifications: list[str] = []
    with Repository(repo.root, notify=notifications.append, agent=agent) as opened:
        for n in numbers:
            code = f"def f{n}():\n    return {n + 1}"
            opened.edit({"op": "replace", "path": "a.py", "symbol": f"f{n}", "code": code}, wait=30)
    return notifications


def test_threads_land_under_their_own_agent(repo: Sandbox) -> None:
    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(_edit_functions, repo, "one", range(_EACH))
        two = pool.submit(_edit_functions, repo, "two", range(_EACH, 2 * _EACH))
        assert one.result() + two.result() == []
    assert (repo.root / "a.py").read_bytes() == _source([n + 1 for n in range(2 * _EACH)])
    with Repository(repo.root) as opened:
        agents = [entry.record.agent for entry in opened.log()]
    assert sorted(agents) == ["one"] * _EACH + ["two"] * _EACH


def test_session_undoes_its_own_landing(repo: Sandbox) -> None:
    _edit_functions(repo, "one", range(1))
    _edit_functions(repo, "two", range(1, 2))
    with Repository(repo.root, agent="one") as one, Repository(repo.root, agent="two") as two:
        assert two.undo().message == "Change f1 in a.py"
        assert one.undo().message == "Change f0 in a.py"
    assert (repo.root / "a.py").read_bytes() == _source([0] * 2 * _EACH)


def test_session_keeps_its_directory(repo: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository opened by a relative path stays the same when the process changes its directory."""
    monkeypatch.chdir(repo.root.parent)
    with Repository("repo") as opened:
        monkeypatch.chdir(tmp_path)
        assert opened.edit(
            {"op": "text", "path": "a.py", "old": "return 0", "new": "return 9", "occurrences": [0]}
        )
