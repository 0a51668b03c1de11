"""Errors use the options and fields of the caller, and hints give the corrected address."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox

APP = "class Server:\n    def start(self):\n        return 1\n\n\ndef main():\n    return Server\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    sandbox = Sandbox.init(tmp_path / "repo")
    sandbox.commit({"src/app.py": APP.encode(), "t.txt": b"one\none\n"})
    return sandbox.root


@pytest.mark.parametrize(
    "typed",
    [
        *("src/app.py:Server.start", "src/app.py#Server.start", "src/app.py/Server/start"),
        *("src/app.py::Server/start", "src/app.py::Server#start()", "Server.start", "Server/start", "start"),
        *("Server::start", "app.py::Server.start", "src::Server.start"),
    ],
)
def test_foreign_address_gets_the_right_one(root: Path, typed: str) -> None:
    for call in (["show", typed], ["delete", typed]):
        error = scalpel(root, *call, "--json").error
        assert error["hint"] == (
            "a definition is named by PATH::SYMBOL; did you mean src/app.py::Server.start?"
        ), error
        assert error["data"]["retry"] == {"path": "src/app.py", "symbol": "Server.start"}


@pytest.mark.parametrize("typed", ["start", "app.py:Server.start", "app.py::Server/start"])
def test_suggested_address_is_relative_to_the_current_directory(root: Path, typed: str) -> None:
    assert scalpel(root / "src", "show", typed).err.endswith("did you mean app.py::Server.start?\n")


@pytest.mark.parametrize(
    ("typed", "suggestion"),
    [("t.txt", "../t.txt"), ("src/app.py", "app.py"), ("ap.py", "app.py"), ("../app.py", "app.py")],
)
def test_suggested_path_is_relative_to_the_current_directory(root: Path, typed: str, suggestion: str) -> None:
    calls = (["show", typed], ["rm", typed], ["text", typed, "--old", "a", "--new", "b"])
    for call in (
        *calls,
        ["outline", typed],
        ["find", "function", typed],
        ["text", typed, typed, *calls[2][2:]],
    ):
        assert f"hint: did you mean {suggestion}?" in scalpel(root / "src", *call).err, call
    assert scalpel(root / "src", "show", suggestion).status == 0


def test_missing_option_is_requested_and_nothing_is_deleted(root: Path) -> None:
    for call, words in {
        ("lines", "t.txt:1"): "no code given\nhint: give --code, or --delete if it is to go\n",
        ("lines", "t.txt:1", "--before"): "no code given\nhint: give --code, or --delete",
        ("insert", "src/app.py::main", "--after"): "hint: give --code\n",
        ("signature", "src/app.py::main"): "hint: give --code\n",
        (
            "rename",
            "main",
            "new",
        ): "hint: give PATH::SYMBOL, or both PATH:LINE:NAME and NAME as it is written in that line\n",
        ("restore",): "the following arguments are required: ID\n",
        ("apply", "-"): "hint: send a patch; git scalpel apply takes a changeset as well\n",
        ("log", "-n", "0"): "'0' is not a whole number from 1 on\n",
        ("move", "src/app.py::main"): "hint: give PATH, the other file; ",
        ("move", "src/app.py::main", "src"): "src is a folder\nhint: name a file in it, such as src/app.py\n",
    }.items():
        refused = scalpel(root, *call)
        assert (refused.status != 0, words in refused.err) == (True, True), refused.err
    assert (root / "t.txt").read_bytes() == b"one\none\n"
    assert scalpel(root, "lines", "t.txt:1", "--code", "").status == 0
    assert scalpel(root, "lines", "t.txt:1", "--delete").status == 0


def test_errors_without_a_wrong_address_keep_their_hint(root: Path) -> None:
    assert scalpel(root, "replace", "src/app.py::main").err.endswith("hint: use delete to remove it\n")
    assert "give PATH:LINES, such as src/app.py:42" in scalpel(root, "lines", "src/app.py", "--code", "x").err


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (["mv", "t.txt"], "git scalpel mv PATH TO;"),
        (["text", "t.txt", "one", "two"], "git scalpel text PATH… --old TEXT --new TEXT;"),
        (["insert", "src/app.py::main", "--befor"], "did you mean --before? git scalpel insert TARGET;"),
        (["policy", "src/app.py"], "git scalpel policy check|explain [ID | PATH];"),
    ],
)
def test_wrong_call_gets_the_right_usage(root: Path, call: list[str], hint: str) -> None:
    assert f"hint: {hint}" in scalpel(root, *call).err


@pytest.mark.parametrize(
    ("op", "hint"),
    [
        ({"op": "delete", "path": "a.py::f"}, '"path": "a.py", "symbol": "f"'),
        ({"op": "text", "file": "a.py", "old": "a", "new": "b"}, "did you mean 'path'?"),
        ({"op": "text", "path": "a.py", "old_string": "a", "new": "b"}, "did you mean 'old'?"),
        ({"type": "text", "path": "a.py"}, 'set "op" to one of replace, insert'),
    ],
)
def test_foreign_operation_gets_the_right_fields(root: Path, op: dict[str, str], hint: str) -> None:
    assert hint in scalpel(root, "apply", "--json", stdin=json.dumps({"ops": [op]})).error["hint"]


def test_file_in_another_directory_is_suggested(root: Path) -> None:
    assert "did you mean src/app.py?" in scalpel(root, "show", "app.py").err
    assert "did you mean src/app.py?" in scalpel(root, "text", "app.py", "--old", "a", "--new", "b").err


def test_unlike_name_gets_no_suggestion(root: Path) -> None:
    assert "did you mean" not in scalpel(root, "show", "nowhere.py").err
    assert "did you mean" not in scalpel(root, "delete", "src/app.py").err


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (["write", "t.txt", "--content", "x"], "give --overwrite to replace the whole file"),
        (["text", "t.txt", "--old", "one", "--new", "x"], "give --occurrence (from 0), --all or --count"),
        (["text", "t.txt", "--old", "one", "--new", "x", "--all", "--count", "3"], "give --count 2 if"),
        (["text", "t.txt", "--old", "(", "--new", "x", "--regex"], "leave --regex out"),
        (["lines", "t.txt:3", "--code", "x"], "give PATH:2 with --after"),
        (["delete", "src/app.py::Server", "--safe"], "delete without --safe"),
        (["delete", "src/app.py::Server.start"], "give --fill pass"),
        (["delete", "src/app.py", "--query", "function[name=main]", "--match", "4"], "--match counts from 0"),
        (["delete", "src/app.py"], "give PATH::SYMBOL, --query, --node or PATH:LINES"),
        (["show", "src/app.py::main", "--kind", "class"], "leave --kind out, or give --kind function"),
    ],
)
def test_hints_name_command_line_options(root: Path, call: list[str], words: str) -> None:
    assert words in scalpel(root, *call).err
    assert words in scalpel(root, *call, "--json").error["hint"]


def test_hints_of_a_changeset_name_fields_and_operation(root: Path) -> None:
    write = {"op": "write", "path": "t.txt", "content": "x"}
    ops = json.dumps(
        {"ops": [{"op": "text", "path": "src/app.py", "old": "return 1", "new": "return 2"}, write]}
    )
    answer = scalpel(root, "apply", stdin=ops)
    assert answer.err == (
        "error: exists: ops[1], write t.txt: t.txt already exists\n"
        "hint: give overwrite to replace the whole file, or edit it: `replace`, `text` or `lines`\n"
    )
    error = scalpel(root, "apply", "--json", stdin=ops).error
    assert (error["op"], error["message"]) == (1, "t.txt already exists")


def test_operation_refused_by_a_gate_is_named(root: Path) -> None:
    broken = {"op": "text", "path": "src/app.py", "old": "def main():", "new": "def main(:"}
    answer = scalpel(root, "apply", stdin=json.dumps({"ops": [broken]}))
    assert answer.err.startswith("error: syntax_error: ops[0], text src/app.py: ")


def test_malformed_operation_is_named(root: Path) -> None:
    wrong = {"op": "text", "path": "t.txt", "olds": "x"}
    answer = scalpel(root, "apply", stdin=json.dumps({"ops": [wrong]}))
    assert answer.err.startswith("error: invalid_args: ops[0], text t.txt: text has no field 'olds'\n")
