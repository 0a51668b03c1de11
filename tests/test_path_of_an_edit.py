"""Modules on the path of an edit from the command line to the ref: few enough to read."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest

import gitscalpel
from gitscalpel.cli import command_line
from gitscalpel.git.ref_transaction import RefTransaction
from tests.sandbox import Sandbox

ROOT = Path(gitscalpel.__file__).parent
PATH_OF_AN_EDIT = [
    "cli/command_line.py",
    "commands/transactions.py",
    "commands/reply.py",
    "api/edits.py",
    "landing/landing.py",
    "transaction/branch_update.py",
    "git/ref_transaction.py",
]
"""Modules on the stack of an ``apply`` while its branch moves, as CONTRIBUTING lists them."""


def list_modules_on_stack() -> list[str]:
    """Return gitscalpel's modules on the stack, each once, from the outside in."""
    files = [Path(frame.filename) for frame in traceback.extract_stack()]
    return list(dict.fromkeys(str(file.relative_to(ROOT)) for file in files if file.is_relative_to(ROOT)))


def test_apply_reaches_the_ref_through_seven_modules(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit({"a.py": b"x = 1\n"})
    patch = repo.root.parent / "patch.json"
    patch.write_text('{"ops": [{"op": "text", "path": "a.py", "old": "1", "new": "2"}]}')
    paths: list[list[str]] = []
    commit = RefTransaction.commit

    def seen(self: RefTransaction) -> None:
        paths.append([*list_modules_on_stack(), "git/ref_transaction.py"])
        commit(self)

    monkeypatch.setattr(RefTransaction, "commit", seen)
    monkeypatch.chdir(repo.root)
    assert command_line.run(["apply", str(patch)]) == 0
    assert paths == [PATH_OF_AN_EDIT]
    assert repo.files()["a.py"] == b"x = 2\n"


def test_contributing_lists_the_path_of_an_edit() -> None:
    text = (ROOT.parent / "CONTRIBUTING.md").read_text()
    section = text.partition("## Path of an edit\n")[2].partition("\n## ")[0]
    named = [module for module in PATH_OF_AN_EDIT if f"`{module}`" in section]
    assert named == PATH_OF_AN_EDIT
    places = [section.index(f"`{module}`") for module in PATH_OF_AN_EDIT]
    assert places == sorted(places)
