"""A new Python file that hides a module of a library is told, and no other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitscalpel.changesets.operations import MoveFile
from gitscalpel.refactor.python.module_names import list_hidden
from tests.command import scalpel
from tests.names.test_rename import done
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


def hidden(*ops: dict[str, Any], tree: str = TREE) -> list[str]:
    outcome = done(tree, *ops)
    moved = {each.op.to: each.op.path for each in outcome.done if isinstance(each.op, MoveFile)}
    return list(list_hidden(outcome.overlay, outcome.read, moved))


def mv(path: str, to: str) -> dict[str, Any]:
    return {"op": "move_file", "path": path, "to": to}


HIDDEN = {
    "in the current folder": (
        mv("helpers.py", "json.py"),
        ["m.py:1, 2", "pkg/a.py:1", "tests/test_a.py:1", "tools/run.py:1"],
    ),
    "beside a program": (mv("helpers.py", "tools/json.py"), ["tools/run.py:1"]),
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
    "a program that comes to it": (mv("m.py", "tools/m.py"), []),
}


@pytest.mark.parametrize(("op", "places"), HIDDEN.values(), ids=HIDDEN)
def test_who_gets_another_module_is_told(op: dict[str, Any], places: list[str]) -> None:
    assert [each.partition(": ")[0] for each in hidden(op)] == places


def test_a_program_that_comes_beside_a_file_of_that_name_is_told() -> None:
    tree = "# a.py\nimport token, os\n# tools/token.py\n# tools/os.py\n"
    words = "tools/a.py:1: import token now means tools/token.py instead of the library"
    assert hidden(mv("a.py", "tools/a.py"), tree=tree) == [words]


HARMLESS = {
    "in a package": mv("helpers.py", "pkg/json.py"),
    "what is loaded before any program": mv("helpers.py", "os.py"),
    "a name of its own": mv("helpers.py", "kit.py"),
    "a name that nobody imports": mv("helpers.py", "httpx.py"),
    "another file of that name": mv("tools/tokens.py", "tools/words.py"),
    "in a folder of its own": {"op": "write", "path": "data/json.py", "content": ""},
    "no Python": {"op": "write", "path": "json.txt", "content": ""},
}


@pytest.mark.parametrize("op", HARMLESS.values(), ids=HARMLESS)
def test_what_hides_nothing_is_not_told(op: dict[str, Any]) -> None:
    assert hidden(op) == []


def test_the_answer_lists_it(tmp_path: Path) -> None:
    Sandbox.of(tmp_path / "r", {"helpers.py": b"x = 1\n", "m.py": b"import json\n"})
    words = "m.py:1: import json now means json.py instead of the library"
    for call in (("mv", "helpers.py", "json.py"), ("write", "json.py", "--code", "x = 1\n")):
        assert scalpel(tmp_path / "r", *call, "--dry-run", "--json").data["unchecked"] == [words]
