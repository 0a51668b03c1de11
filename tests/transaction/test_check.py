"""One table says which gates there are: another one is a row in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitscalpel import GateRefused, Repository
from gitscalpel.gates.verdict import Verdict
from gitscalpel.transaction.candidate import Candidate
from gitscalpel.transaction.check import judging
from gitscalpel.transaction.check.judging import Gate
from gitscalpel.transaction.check.said import Asked, Said
from gitscalpel.workspace import Workspace
from tests.sandbox import Sandbox
from tests.whole import stage, text


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox.init(tmp_path / "repo")
    sandbox.commit({"a.py": b"def f():\n    return 1\n"})
    return sandbox


def _says(*words: str) -> Gate:
    """A gate that wants ``words`` in the file."""

    def judge(ws: Workspace, change: Candidate, _: Asked) -> Said | None:
        (file,) = change.files
        after = change.files.after(file).decode()
        missing = [word for word in words if word not in after]
        error = GateRefused("gate_failed", f"{missing} is missing", "say it") if missing else None
        return Said((Verdict("words", "failed" if missing else "passed", error=error),), lambda meta: meta)

    return Gate("words", "worktree", lambda *_: ["words have not been looked for yet"], judge)


def test_another_gate_is_one_row(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "GATES", (*judging.GATES, _says("return 2")))
    staged = stage(repo, text("return 1", "return 2"))
    assert staged.facts.unchecked == ("words have not been looked for yet",)
    with Repository(repo.root) as opened:
        landed = opened.transaction(str(staged.tx)).land()
    assert [(row.name, row.status) for row in landed.facts.gates][-1] == ("words", "passed")
    assert landed.facts.unchecked == ()


def test_what_it_refuses_does_not_land(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "GATES", (*judging.GATES, _says("return 3")))
    before = repo.state()
    with Repository(repo.root) as opened, pytest.raises(GateRefused, match="return 3"):
        opened.edit(text("return 1", "return 2"))
    assert repo.state() == before
