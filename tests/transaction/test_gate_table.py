"""The table of gates: each row is a gate, and a new gate is one row."""

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


def _add_gate(
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


def _make_word_gate(*words: str) -> Judge:
    """Return a gate that requires ``words`` in the file."""

    def judge(ws: Workspace, change: Change, _: GateRequest) -> GateResult | None:
        (file,) = change.files
        after = change.files.after(file).decode()
        missing = [word for word in words if word not in after]
        error = GateRefused("gate_failed", f"{missing} is missing", "say it") if missing else None
        return GateResult((Verdict("words", "failed" if missing else "passed", error=error),))

    return judge


def test_added_gate_runs(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    _add_gate(monkeypatch, "words", _make_word_gate("return 2"))
    staged = stage(repo, text("return 1", "return 2"))
    assert staged.facts.unchecked == ("words has not judged yet",)
    with Repository(repo.root) as opened:
        landed = opened.transaction(str(staged.tx)).land()
    assert [(row.name, row.status) for row in landed.facts.gates][-1] == ("words", "passed")
    assert landed.facts.unchecked == ()


def test_added_gate_blocks_the_landing(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    _add_gate(monkeypatch, "words", _make_word_gate("return 3"))
    before = repo.state()
    with Repository(repo.root) as opened, pytest.raises(GateRefused, match="return 3"):
        opened.edit(text("return 1", "return 2"))
    assert repo.state() == before


def _make_counting_gate(trees: list[str]) -> Judge:
    """Return a gate that records the trees that it judges and has a digest for the cache."""

    def judge(ws: Workspace, change: Change, _: GateRequest) -> GateResult | None:
        trees.append(change.tree(ws))
        return GateResult((Verdict("counts", "passed"),))

    return judge


def test_cached_gate_runs_again_after_a_merge(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    trees: list[str] = []
    _add_gate(monkeypatch, "counts", _make_counting_gate(trees), "1")
    staged = stage(repo, text("return 1", "return 2"))
    with Repository(repo.root) as opened:
        tx = opened.transaction(str(staged.tx))
        tx.check()
        tx.check()
        assert [row.status for row in tx.result.facts.gates if row.name == "counts"] == ["cached"]
        repo.commit({"b.py": b"x = 1\n"})
        tx.land()
    assert trees == [repo.git("rev-parse", f"{staged.head}^{{tree}}"), repo.git("rev-parse", "HEAD^{tree}")]


@pytest.mark.parametrize("of_commits", [False, True])
def test_revert_runs_every_gate(repo: Sandbox, monkeypatch: pytest.MonkeyPatch, of_commits: bool) -> None:
    trees: list[str] = []
    _add_gate(monkeypatch, "counts", _make_counting_gate(trees), "1", of_commits)
    with Repository(repo.root) as opened:
        first = opened.edit(text("return 1", "return 2"))
        opened.edit({"op": "write", "path": "b.py", "content": "x = 1\n"})
        opened.undo(first.tx)
    assert (len(trees), trees[-1]) == (3, repo.git("rev-parse", "HEAD^{tree}"))
    assert repo.files()["a.py"] == b"def f():\n    return 1\n"


@pytest.mark.parametrize("gate", [gate for gate in GATES if gate.has_own_name], ids=lambda gate: gate.name)
def test_command_gate_cannot_use_a_built_in_name(repo: Sandbox, gate: Gate) -> None:
    """The command would replace the other gate's verdict in each answer."""
    repo.commit({".gitscalpel.toml": f"[[gates.command]]\nname = '{gate.name}'\nrun = 'true'\n".encode()})
    with Repository(repo.root) as opened, pytest.raises(Misconfigured, match="name of another gate"):
        opened.edit(text("return 1", "return 2"))


@pytest.mark.parametrize("gate", GATES, ids=lambda gate: gate.name)
def test_gate_module_has_the_functions_of_its_stage(gate: Gate) -> None:
    parameters = {
        "static": {"judge": 3},
        "programs": {"pending": 3, "judge": 3},
        "people": {"pending": 3, "judge": 3},
    }[gate.stage]
    module = gate.load()
    counts = {name: len(inspect.signature(getattr(module, name)).parameters) for name in parameters}
    assert counts == parameters
