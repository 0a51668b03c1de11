"""A new Python file that hides a library module is reported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitscalpel.changesets.operations import MoveFile
from gitscalpel.refactor.python.module_names import list_hidden
from tests.command import scalpel
from tests.names.test_rename import apply_operations
from tests.sandbox import Sandbox

TREE = """
    # helpers.py
    def h(): pass
    # m.py
    import json
    from json import dumps
    import os, requests.adapters
    import helpers
    # pkg/__init__.py
    # pkg/a.py
    import json
    # tests/test_a.py
    import json
    # tools/run.py
    import json, tokens
    # tools/tokens.py
    """


def list_hidden_modules(*ops: dict[str, Any], tree: str = TREE) -> list[str]:
    outcome = apply_operations(tree, *ops)
    moved = {each.op.to: each.op.path for each in outcome.done if isinstance(each.op, MoveFile)}
    return list(list_hidden(outcome.overlay, outcome.read, moved))


def move_file(path: str, to: str) -> dict[str, Any]:
    return {"op": "move_file", "path": path, "to": to}


HIDDEN = {
    "in the current folder": (
        move_file("helpers.py", "json.py"),
        ["m.py:1, 2", "pkg/a.py:1", "tests/test_a.py:1", "tools/run.py:1"],
    ),
    "beside a program": (move_file("helpers.py", "tools/json.py"), ["tools/run.py:1"]),
    "a copy": ({"op": "copy_file", "path": "helpers.py", "to": "requests.py"}, ["m.py:3"]),
    "a new file": ({"op": "write", "path": "requests.py", "content": ""}, ["m.py:3"]),
    "a new package": ({"op": "write", "path": "requests/__init__.py", "content": ""}, ["m.py:3"]),
    "a definition that moves": (
        {"op": "move", "path": "helpers.py", "symbol": "h", "to_path": "requests.py"},
        ["m.py:3"],
    ),
    "what others of the library import": (
        {"op": "write", "path": "tools/enum.py", "content": ""},
        ["tools/enum.py"],
    ),
    "a program that comes to it": (move_file("m.py", "tools/m.py"), []),
}


@pytest.mark.parametrize(("op", "places"), HIDDEN.values(), ids=HIDDEN)
def test_import_that_changes_its_module_is_reported(op: dict[str, Any], places: list[str]) -> None:
    assert [each.partition(": ")[0] for each in list_hidden_modules(op)] == places


def test_program_moved_beside_a_hiding_file_is_reported() -> None:
    tree = "# a.py\nimport token, os\n# tools/token.py\n# tools/os.py\n"
    words = "tools/a.py:1: import token now means tools/token.py instead of the library"
    assert list_hidden_modules(move_file("a.py", "tools/a.py"), tree=tree) == [words]


HARMLESS = {
    "in a package": move_file("helpers.py", "pkg/json.py"),
    "what is loaded before any program": move_file("helpers.py", "os.py"),
    "a name of its own": move_file("helpers.py", "kit.py"),
    "a name that nobody imports": move_file("helpers.py", "httpx.py"),
    "another file of that name": move_file("tools/tokens.py", "tools/words.py"),
    "in a folder of its own": {"op": "write", "path": "data/json.py", "content": ""},
    "no Python": {"op": "write", "path": "json.txt", "content": ""},
}


@pytest.mark.parametrize("op", HARMLESS.values(), ids=HARMLESS)
def test_file_that_hides_nothing_is_not_reported(op: dict[str, Any]) -> None:
    assert list_hidden_modules(op) == []


def test_command_lists_hidden_modules(tmp_path: Path) -> None:
    Sandbox.of(tmp_path / "r", {"helpers.py": b"x = 1\n", "m.py": b"import json\n"})
    words = "m.py:1: import json now means json.py instead of the library"
    for call in (("mv", "helpers.py", "json.py"), ("write", "json.py", "--code", "x = 1\n")):
        assert scalpel(tmp_path / "r", *call, "--dry-run", "--json").data["unchecked"] == [words]
