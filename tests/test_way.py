"""From the command line to the ref: through few modules, so that one can read what an edit does."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest

import gitscalpel
from gitscalpel.cli import command_line
from gitscalpel.git.ref_transaction import RefTransaction
from tests.sandbox import Sandbox

ROOT = Path(gitscalpel.__file__).parent
WAY = [
    "cli/command_line.py",
    "commands/transactions.py",
    "commands/reply.py",
    "api/edits.py",
    "landing/landing.py",
    "transaction/branch_update.py",
    "git/ref_transaction.py",
]
"""Those that an ``apply`` is in while its branch moves, as CONTRIBUTING tells it."""


def modules() -> list[str]:
    """Those of ours that somebody is in just now, each once, from the outside in."""
    files = [Path(frame.filename) for frame in traceback.extract_stack()]
    return list(dict.fromkeys(str(file.relative_to(ROOT)) for file in files if file.is_relative_to(ROOT)))


def test_an_apply_reaches_the_ref_through_seven_modules(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({"a.py": b"x = 1\n"})
    patch = repo.root.parent / "patch.json"
    patch.write_text('{"ops": [{"op": "text", "path": "a.py", "old": "1", "new": "2"}]}')
    ways: list[list[str]] = []
    commit = RefTransaction.commit

    def seen(self: RefTransaction) -> None:
        ways.append([*modules(), "git/ref_transaction.py"])
        commit(self)

    monkeypatch.setattr(RefTransaction, "commit", seen)
    monkeypatch.chdir(repo.root)
    assert command_line.run(["apply", str(patch)]) == 0
    assert ways == [WAY]
    assert repo.files()["a.py"] == b"x = 2\n"


def test_the_way_is_told() -> None:
    told = (ROOT.parent / "CONTRIBUTING.md").read_text()
    section = told.partition("## Path of an edit\n")[2].partition("\n## ")[0]
    named = [module for module in WAY if f"`{module}`" in section]
    assert named == WAY
    places = [section.index(f"`{module}`") for module in WAY]
    assert places == sorted(places)
