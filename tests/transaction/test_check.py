"""One table says which gates there are: another one is a row in it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from gitscalpel import GateRefused, Misconfigured, Repository
from gitscalpel.changesets.rules import GATES, Gate
from gitscalpel.gates.verdict import Verdict
from gitscalpel.transaction.change import Change
from gitscalpel.transaction.check import gate_runner
from gitscalpel.transaction.gate_result import PROGRAM_GATES, GateRequest, GateResult
from gitscalpel.workspace.workspace import Workspace
from tests.sandbox import Sandbox
from tests.whole import stage, text


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.py": b"def f():\n    return 1\n"})


Judge = Callable[[Workspace, Change, GateRequest], GateResult | None]


def _add(
    monkeypatch: pytest.MonkeyPatch, name: str, judge: Judge, digest: str = "", of_commits: bool = False
) -> None:
    """Add a gate that runs programs to the table."""
    module = ModuleType(f"gitscalpel.{name}_gate")
    module.judge = judge  # type: ignore[attr-defined]
    module.pending = lambda *_: [f"{name} has not judged yet"]  # type: ignore[attr-defined]
    if digest:
        module.judge_digest = lambda _: digest  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    gate = Gate(
        name=name, module=f"{name}_gate", stage="programs", asks=lambda _: True, is_of_commits=of_commits
    )
    monkeypatch.setattr(gate_runner, "PROGRAM_GATES", (*PROGRAM_GATES, gate))


def _says(*words: str) -> Judge:
    """A gate that wants ``words`` in the file."""

    def judge(ws: Workspace, change: Change, _: GateRequest) -> GateResult | None:
        (file,) = change.files
        after = change.files.after(file).decode()
        missing = [word for word in words if word not in after]
        error = GateRefused("gate_failed", f"{missing} is missing", "say it") if missing else None
        return GateResult((Verdict("words", "failed" if missing else "passed", error=error),))

    return judge


def test_another_gate_is_one_row(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    _add(monkeypatch, "words", _says("return 2"))
    staged = stage(repo, text("return 1", "return 2"))
    assert staged.facts.unchecked == ("words has not judged yet",)
    with Repository(repo.root) as opened:
        landed = opened.transaction(str(staged.tx)).land()
    assert [(row.name, row.status) for row in landed.facts.gates][-1] == ("words", "passed")
    assert landed.facts.unchecked == ()


def test_what_it_refuses_does_not_land(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    _add(monkeypatch, "words", _says("return 3"))
    before = repo.state()
    with Repository(repo.root) as opened, pytest.raises(GateRefused, match="return 3"):
        opened.edit(text("return 1", "return 2"))
    assert repo.state() == before


def _counts(seen: list[str]) -> Judge:
    """A gate that notes the trees that it is asked about, and need not be asked twice about one."""

    def judge(ws: Workspace, change: Change, _: GateRequest) -> GateResult | None:
        seen.append(change.tree(ws))
        return GateResult((Verdict("counts", "passed"),))

    return judge


def test_who_has_passed_a_change_is_asked_again_once_it_is_another_one(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    _add(monkeypatch, "counts", _counts(seen), "1")
    staged = stage(repo, text("return 1", "return 2"))
    with Repository(repo.root) as opened:
        tx = opened.transaction(str(staged.tx))
        tx.check()
        tx.check()
        assert [row.status for row in tx.result.facts.gates if row.name == "counts"] == ["cached"]
        repo.commit({"b.py": b"x = 1\n"})
        tx.land()
    assert seen == [repo.git("rev-parse", f"{staged.head}^{{tree}}"), repo.git("rev-parse", "HEAD^{tree}")]


@pytest.mark.parametrize("of_commits", [False, True])
def test_an_undo_that_makes_a_commit_asks_every_gate(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch, of_commits: bool
) -> None:
    seen: list[str] = []
    _add(monkeypatch, "counts", _counts(seen), "1", of_commits)
    with Repository(repo.root) as opened:
        first = opened.edit(text("return 1", "return 2"))
        opened.edit({"op": "write", "path": "b.py", "content": "x = 1\n"})
        opened.undo(first.tx)
    assert (len(seen), seen[-1]) == (3, repo.git("rev-parse", "HEAD^{tree}"))
    assert repo.files()["a.py"] == b"def f():\n    return 1\n"


@pytest.mark.parametrize("gate", [gate for gate in GATES if gate.has_own_name], ids=lambda gate: gate.name)
def test_no_command_takes_the_name_of_another_gate(repo: Sandbox, gate: Gate) -> None:
    """It would take the place of that one's verdict in every answer."""
    repo.commit({".gitscalpel.toml": f"[[gates.command]]\nname = '{gate.name}'\nrun = 'true'\n".encode()})
    with Repository(repo.root) as opened, pytest.raises(Misconfigured, match="name of another gate"):
        opened.edit(text("return 1", "return 2"))


@pytest.mark.parametrize("gate", GATES, ids=lambda gate: gate.name)
def test_a_row_of_the_table_names_a_module_that_judges(gate: Gate) -> None:
    parameters = {
        "static": {"judge": 3},
        "programs": {"pending": 3, "judge": 3},
        "people": {"pending": 3, "judge": 3},
    }[gate.stage]
    module = gate.load()
    found = {name: len(inspect.signature(getattr(module, name)).parameters) for name in parameters}
    assert found == parameters
