"""Hints for names, fields and notations of other tools: they give the form of gitscalpel."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import scalpel
from tests.mcp.client import connect_client
from tests.sandbox import Sandbox

CODE = b"def first():\n    return 1\n\n\ndef second():\n    return first()\n"


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(
        tmp_path / "repo", {"src/app.py": CODE, "src/base.py": b"", "pyproject.toml": b"x = 1\n"}
    )


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("show src/app.py#L5", "did you mean src/app.py:5?"),
        ("show src/app.py#L5-L6", "did you mean src/app.py:5-6?"),
        ("show src/app", "did you mean src/app.py?"),
        ("show src/app.py:5,6", "for several lines, 42-55"),
        ("show src/app.py first", "write a place as one word, PATH::SYMBOL or PATH:LINES"),
        ("lines src/app.py 5 --code x", "write a place as one word, PATH::SYMBOL or PATH:LINES"),
        ("find first", 'by its name, [name=first], or search text: text("first")'),
        ("find def~first", 'text("def first")'),
        (
            "move src/app.py::first src/base.py::one",
            "name the file alone, src/base.py; the new name is --to one",
        ),
    ],
)
def test_command_line_hint(repo: Sandbox, words: str, hint: str) -> None:
    answer = scalpel(repo.root, *(word.replace("~", " ") for word in words.split()), "--json")
    assert hint in answer.error["hint"]


@pytest.mark.parametrize(
    ("tool", "arguments", "hint"),
    [
        ("rename", {"path": "src/app.py", "symbol": "first", "new_name": "one"}, "did you mean to?"),
        ("move", {"path": "src/app.py", "symbol": "first", "to": "src/base.py"}, "did you mean to_path?"),
        ("undo", {"id": "abcd"}, "did you mean tx?"),
        ("diff", {}, "`git diff` what is uncommitted"),
        ("log", {"limit": 3}, "did you mean n?"),
        ("look", {"query": "function"}, "did you mean find?"),
        ("look", {"file": "src/app.py"}, "did you mean path?"),
        ("look", {"symbol": "first"}, "find [name=f]"),
        ("look", {"path": "src/app.py::first"}, 'look {"path":"src/app.py","symbol":"first"}'),
        ("look", {"path": "src/app.py:5-6"}, 'look {"path":"src/app.py","start":"5-6"}'),
        (
            "edit",
            {"ops": [{"op": "text", "path": "app.py", "old": "a", "new": "b"}]},
            "did you mean src/app.py?",
        ),
    ],
)
def test_tool_hint(repo: Sandbox, tool: str, arguments: dict[str, Any], hint: str) -> None:
    with connect_client(repo.root, "--allow-edit", "--tools", "all") as client:
        assert hint in client.call_error(tool, **arguments)["hint"]


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        ("rm src/app.py::first", "git scalpel delete src/app.py::first"),
        ("rm src/app.py:5-6", "git scalpel delete src/app.py:5-6"),
        ("outline src/app.py::first", "git scalpel show src/app.py::first"),
        ("mv src/app.py::first x.py", "git scalpel move moves a symbol"),
        ("cp src/app.py::first x.py", "not a symbol"),
        ("text src/app.py::first --old a --new b", "did you mean src/app.py?"),
        ("rm app.py", "did you mean src/app.py?"),
        ("rm nowhere.txt", "check the path"),
        ("show nowhere.txt", "check the path"),
        ("mv nowhere.txt x", "check the path"),
    ],
)
def test_hint_for_part_of_a_file_never_removes_or_writes_the_file(
    repo: Sandbox, call: str, hint: str
) -> None:
    before = repo.tip()
    error = scalpel(repo.root, *call.split(), "--json").error
    assert error["code"] == "file_not_found"
    assert hint in error["hint"]
    assert "write" not in error["hint"]
    if call.startswith(("rm", "cp", "mv")) and ":" in call:
        assert "did you mean" not in error["hint"]
    assert (repo.tip(), repo.status()) == (before, "")


def test_edit_of_a_missing_file_names_write(repo: Sandbox) -> None:
    op = {"op": "lines", "path": "nowhere.txt", "start": 1, "code": "x"}
    error = scalpel(repo.root, "apply", "-", "--json", stdin=json.dumps({"ops": [op]})).error
    assert "use write to create a file" in error["hint"]


def test_message_of_begin_is_an_option(repo: Sandbox) -> None:
    error = scalpel(repo.root, "begin", "My tx", "--json").error
    assert error["hint"].startswith("for a message: --message 'My tx'; ")
    assert scalpel(repo.root, "begin", "--message", "My tx").status == 0


def test_operation_hint(repo: Sandbox) -> None:
    op = {"op": "replace", "path": "src/app.py", "symbol": "first", "new_code": "def first(): ..."}
    answer = scalpel(repo.root, "apply", "-", "--json", stdin=json.dumps({"ops": [op]}))
    assert "did you mean 'code'?" in answer.error["hint"]


OPERATIONS = [
    ({"path": "src/app.py", "old": "return 1", "new": "return 2"}, "text"),
    ({"path": "src/app.py", "symbol": "first", "code": "def first(): ..."}, "replace"),
    ({"path": "a.py", "content": "x = 1\n"}, "write"),
    ({"path": "src/app.py", "start": 2, "code": "    return 2"}, "lines"),
    ({"op": "str_replace", "path": "src/app.py", "old": "return 1", "new": "return 2"}, "text"),
    ({"op": "repalce", "path": "src/app.py", "symbol": "first", "code": "def first(): ..."}, "replace"),
]


@pytest.mark.parametrize(("item", "op"), OPERATIONS)
def test_hint_names_the_missing_operation(repo: Sandbox, item: dict[str, Any], op: str) -> None:
    error = scalpel(repo.root, "apply", "-", "--json", stdin=json.dumps({"ops": [item]})).error
    assert error["hint"] == f'did you mean "op": "{op}"?'
    assert error["data"]["retry"] == {"op": op}
    again = {"ops": [{**item, "op": op}]}
    assert scalpel(repo.root, "apply", "-", "--json", stdin=json.dumps(again)).status == 0


@pytest.mark.parametrize(("end", "inserts"), [(3, False), (4, True)])
def test_reversed_line_range_gets_a_retry(repo: Sandbox, end: int, inserts: bool) -> None:
    op = {"op": "lines", "path": "src/app.py", "start": 5, "end": end, "code": "def second():"}
    error = scalpel(repo.root, "apply", "-", "--json", stdin=json.dumps({"ops": [op]})).error
    assert ("to insert between" in error["hint"]) is inserts
    assert error["data"]["retry"] == {"start": end, "end": 5}


def test_only_a_similar_name_in_a_deep_directory_is_suggested(tmp_path: Path) -> None:
    deep = "some/rather/deep/folder/of/the/project"
    repo = Sandbox.of(tmp_path / "deep", {f"{deep}/reader.py": CODE, f"{deep}/writers.py": CODE})
    assert "check the path" in scalpel(repo.root, "show", f"{deep}/cli.py", "--json").error["hint"]
    assert (
        f"did you mean {deep}/writers.py?"
        in scalpel(repo.root, "show", f"{deep}/writer.py", "--json").error["hint"]
    )


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        ("text a --old a --new b --branch m", "did you mean --onto?"),
        ("text a --old a --new b --transaction m", "did you mean --tx?"),
        ("text a --old a --new b --mesage m", "did you mean --message?"),
        ("text a --old a --new b --msg m", "did you mean --message?"),
        ("delete a::b --if-unused", "did you mean --safe?"),
        ("log -5", "did you mean -n 5?"),
        ("log --limit 5", "did you mean -n?"),
        ("approve x --user u", "git's user"),
        ("approve x --as u", "git's user"),
        ("land x --force", "no gate or approval can be skipped"),
        ("rename a::b --to c", "NEW is an argument, without --to"),
        ("rename a::b --new-name c", "NEW is an argument, without --new-name"),
    ],
)
def test_option_of_another_tool_is_translated(repo: Sandbox, call: str, hint: str) -> None:
    assert hint in scalpel(repo.root, *call.split(), "--json").error["hint"]


@pytest.mark.parametrize("call", ["show a --since x", "log --since x", "land x --quick", "undo --to x"])
def test_dissimilar_option_is_not_suggested(repo: Sandbox, call: str) -> None:
    assert "did you mean" not in scalpel(repo.root, *call.split(), "--json").error["hint"]


def test_fields_of_other_tools_are_translated(repo: Sandbox) -> None:
    op = {"op": "text", "path": "src/app.py", "old": "1", "new": "2"}
    for sent, name in (({"operations": [op]}, "ops"), ({"ops": [op], "msg": "m"}, "message")):
        error = scalpel(repo.root, "apply", "-", "--json", stdin=json.dumps(sent)).error
        assert error["hint"].startswith(f"did you mean '{name}'? send ")
        with connect_client(repo.root, "--allow-edit", "--tools", "all") as client:
            assert client.call_error("edit", **sent)["hint"].startswith(f"did you mean {name}? ")
    assert repo.status() == ""
