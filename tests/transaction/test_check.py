"""One table says which gates there are: another one is a row in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitscalpel import GateRefused, Repository
from gitscalpel.changesets.rules import RESERVED
from gitscalpel.gates.policy import policy_gate as policy
from gitscalpel.gates.policy import rules_gate
from gitscalpel.gates.verdict import Verdict
from gitscalpel.transaction import gate_result
from gitscalpel.transaction.candidate import Candidate
from gitscalpel.transaction.check import gate_runner
from gitscalpel.transaction.check.gate_runner import Gate
from gitscalpel.transaction.gate_result import Asked, Said
from gitscalpel.workspace import Workspace
from tests.sandbox import Sandbox
from tests.whole import stage, text


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.py": b"def f():\n    return 1\n"})


def _says(*words: str) -> Gate:
    """A gate that wants ``words`` in the file."""

    def judge(ws: Workspace, change: Candidate, _: Asked) -> Said | None:
        (file,) = change.files
        after = change.files.after(file).decode()
        missing = [word for word in words if word not in after]
        error = GateRefused("gate_failed", f"{missing} is missing", "say it") if missing else None
        return Said((Verdict("words", "failed" if missing else "passed", error=error),))

    return Gate("words", "worktree", lambda *_: ["words have not been looked for yet"], judge)


def test_another_gate_is_one_row(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate_runner, "GATES", (*gate_runner.GATES, _says("return 2")))
    staged = stage(repo, text("return 1", "return 2"))
    assert staged.facts.unchecked == ("words have not been looked for yet",)
    with Repository(repo.root) as opened:
        landed = opened.transaction(str(staged.tx)).land()
    assert [(row.name, row.status) for row in landed.facts.gates][-1] == ("words", "passed")
    assert landed.facts.unchecked == ()


def test_what_it_refuses_does_not_land(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate_runner, "GATES", (*gate_runner.GATES, _says("return 3")))
    before = repo.state()
    with Repository(repo.root) as opened, pytest.raises(GateRefused, match="return 3"):
        opened.edit(text("return 1", "return 2"))
    assert repo.state() == before


def _counts(seen: list[str], *, of_commits: bool = False) -> Gate:
    """A gate that notes the trees that it is asked about, and need not be asked twice about one."""

    def judge(ws: Workspace, change: Candidate, _: Asked) -> Said | None:
        seen.append(change.tree(ws))
        return Said((Verdict("counts", "passed"),))

    pending = "counts has not been asked yet"
    return Gate("counts", "worktree", lambda *_: [pending], judge, by=lambda _: "1", of_commits=of_commits)


def test_who_has_passed_a_change_is_asked_again_once_it_is_another_one(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    monkeypatch.setattr(gate_runner, "GATES", (*gate_runner.GATES, _counts(seen)))
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
    monkeypatch.setattr(gate_runner, "GATES", (*gate_runner.GATES, _counts(seen, of_commits=of_commits)))
    with Repository(repo.root) as opened:
        first = opened.edit(text("return 1", "return 2"))
        opened.edit({"op": "write", "path": "b.py", "content": "x = 1\n"})
        opened.undo(first.tx)
    assert (len(seen), seen[-1]) == (3, repo.git("rev-parse", "HEAD^{tree}"))
    assert repo.files()["a.py"] == b"def f():\n    return 1\n"


def test_no_command_takes_the_name_of_another_gate() -> None:
    """It would take the place of that one's verdict in every answer."""
    one_verdict_each = {gate.name for gate in gate_runner.GATES if gate.name != "commands"}
    reading = {rules_gate.NAME, policy.NAME, "syntax", "structure"}
    assert one_verdict_each | reading <= {*RESERVED}


def test_who_asks_no_gates_knows_which_start_programs() -> None:
    assert (
        tuple(gate.name for gate in gate_runner.GATES if gate.needs == "worktree")
        == gate_result.PROGRAM_GATES
    )
