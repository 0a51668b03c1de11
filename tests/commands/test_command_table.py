"""The table of commands: each entry has what the front ends need, and answers have the declared type."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from types import UnionType
from typing import Any, get_args

import msgspec
import pytest

from gitscalpel.commands.reply import Caller, CommandRequest, Reply
from gitscalpel.commands.table import COMMANDS, CommandEntry
from tests.command import scalpel
from tests.sandbox import Sandbox

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")


CHANGESET = b'{"ops": [{"op": "text", "path": "t.txt", "old": "one", "new": "two"}]}'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    sandbox = Sandbox.of(
        tmp_path / "repo",
        {
            "a.py": b"def f():\n    return 1\n\n\ndef g(): return f()\n",
            "t.txt": b"one\n",
            "c.json": CHANGESET,
        },
    )
    return sandbox.root


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_command_has_request_and_perform_types(command: CommandEntry) -> None:
    assert issubclass(command.request, CommandRequest)
    assert command.request.__struct_config__.frozen
    signature = inspect.signature(command.perform, eval_str=True)
    kinds = [parameter.annotation for parameter in signature.parameters.values()]
    assert (kinds, signature.return_annotation) == ([Caller, command.request], Reply)


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_schema_matches_the_types_of_the_command(root: Path, command: CommandEntry) -> None:
    (row,) = scalpel(root, "schema", command.name, "--json").data["verbs"]
    assert (row["verb"], row["access"], row["help"]) == (command.name, command.access, command.help)
    request = row["request"]["$defs"][command.request.__name__]
    assert list(request["properties"]) == list(command.request.__struct_fields__)
    assert request["additionalProperties"] is False
    assert [name for name, field in request["properties"].items() if not field.get("description")] == []
    assert row["answer"].keys() & {"$ref", "anyOf", "type"}


def test_schema_lists_all_commands(root: Path) -> None:
    rows = scalpel(root, "schema", "--json").data["verbs"]
    assert [row["verb"] for row in rows] == list(COMMANDS)
    assert msgspec.json.decode(scalpel(root, "schema").out) == {"verbs": rows}
    error = scalpel(root, "schema", "lnad", "--json").error
    assert (error["code"], "land" in error["hint"]) == ("invalid_args", True)


CALLS: list[tuple[str, ...]] = [
    ("outline", "a.py"),
    ("outline", "."),
    ("show", "a.py::f"),
    ("show", "t.txt"),
    ("find", "function"),
    ("find", "function", "--limit", "1", "--no-code"),
    ("refs", "a.py::f"),
    ("rename", "a.py:5:f", "h", "--no-land"),
    ("move", "a.py::f", "b.py", "--no-land"),
    ("imports", "a.py", "--add", "import os", "--no-land"),
    ("replace", "a.py::f", "--code", "def f():\n    return 2"),
    ("replace", "a.py::f", "--code", "def f():\n    return 2", "--dry-run"),
    ("text", "*.txt", "--old", "one", "--new", "two"),
    ("insert", "a.py", "--last", "--code", "x = 1"),
    ("delete", "a.py::f"),
    ("signature", "a.py::f", "--code", "def f(a):"),
    ("lines", "t.txt:1", "--code", "two"),
    ("write", "b.py", "--content", "x = 1\n", "--no-land"),
    ("mv", "t.txt", "u.txt"),
    ("cp", "t.txt", "u.txt"),
    ("rm", "t.txt"),
    ("apply", "c.json"),
    ("begin", "-m", "Open"),
    ("begin", "--worktree"),
    ("list",),
    ("status",),
    ("log",),
    ("log", "--refused"),
    ("doctor",),
    ("gc", "--dry-run"),
    ("fsck",),
    ("recover",),
    ("trust", "--list"),
    ("policy", "explain", "a.py"),
    ("audit", "verify"),
    ("run", "--", "true"),
    ("run", "--", "touch", "c.py"),
    ("schema", "undo"),
    ("help",),
    ("help", "languages"),
    ("help", "undo"),
    ("snapshot",),
    ("snapshot", "--list"),
    ("snapshot", "--watch-command", "--", "touch", "c.py"),
    ("run", "--checkout", "--", "touch", "c.py"),
    ("text", "t.txt", "--old", "one", "--new", "two", "--checkout"),
]
TRANSACTION_CALLS: list[tuple[str, ...]] = [
    ("show-tx", "@"),
    ("diff", "@"),
    ("check", "@"),
    ("check", "--staged"),
    ("init",),
    ("init", "--hooks"),
    ("deinit", "--hooks"),
    ("hook", "pre-commit"),
    ("hook", "pre-push", "origin", "there"),
    ("policy", "check", "@"),
    ("risk", "@"),
    ("risk", "calibrate"),
    ("worktree", "@"),
    ("land", "@"),
    ("undo", "--dry-run"),
    ("undo",),
    ("redo",),
    ("undo", "--all-since", "@"),
    ("log",),
    ("log", "--refused"),
    ("queue",),
]


def _check_answer_type(data: Any, command: CommandEntry) -> None:
    """Assert that ``data`` has an answer type of the command, without loss."""
    kinds = get_args(command.answer) if isinstance(command.answer, UnionType) else (command.answer,)
    round_trips = []
    for kind in kinds:
        try:
            round_trips.append(msgspec.json.decode(msgspec.json.encode(msgspec.convert(data, kind))))
        except msgspec.ValidationError as error:
            round_trips.append(str(error))
    assert data in round_trips


@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_answer_has_its_type(root: Path, call: tuple[str, ...]) -> None:
    separator = call.index("--") if "--" in call else len(call)
    _check_answer_type(scalpel(root, *call[:separator], "--json", *call[separator:]).data, COMMANDS[call[0]])


def test_answers_about_a_transaction_have_their_types(root: Path) -> None:
    staged = scalpel(root, "text", "t.txt", "--old", "one", "--new", "two", "--no-land", "--json").data
    for call in TRANSACTION_CALLS:
        words = [staged["tx"] if word == "@" else word for word in call]
        _check_answer_type(scalpel(root, *words, "--json").data, COMMANDS[call[0]])


def test_drop_answer_has_its_type(root: Path) -> None:
    staged = scalpel(root, "text", "t.txt", "--old", "one", "--new", "two", "--no-land", "--json").data
    _check_answer_type(scalpel(root, "drop", staged["tx"], "--json").data, COMMANDS["drop"])


def test_restore_answer_has_its_type(root: Path) -> None:
    snapshot = scalpel(root, "snapshot", "--json").data["id"]
    _check_answer_type(scalpel(root, "restore", snapshot, "--json").data, COMMANDS["restore"])
    (root / "t.txt").write_text("two\n")
    _check_answer_type(scalpel(root, "restore", snapshot, "t.txt", "--json").data, COMMANDS["restore"])


def test_stage_answer_has_its_type(root: Path) -> None:
    transaction = scalpel(root, "begin", "--worktree", "--json").data
    Path(transaction["worktree"], "new.txt").write_text("new\n")
    _check_answer_type(scalpel(root, "stage", transaction["tx"], "--json").data, COMMANDS["stage"])


def test_push_answer_has_its_type(root: Path, tmp_path: Path) -> None:
    repo = Sandbox(root)
    repo.git("clone", "-q", "--bare", str(root), str(tmp_path / "there.git"))
    repo.git("remote", "add", "there", str(tmp_path / "there.git"))
    staged = scalpel(root, "text", "t.txt", "--old", "one", "--new", "two", "--no-land", "--json").data
    _check_answer_type(scalpel(root, "push", staged["tx"], "--json").data, COMMANDS["push"])


@pytest.mark.parametrize("command", ["approve", "reject"])
def test_review_answer_has_its_type(root: Path, command: str) -> None:
    staged = scalpel(root, "text", "t.txt", "--old", "one", "--new", "two", "--no-land", "--json").data
    bob = {"GIT_COMMITTER_NAME": "Bob", "GIT_COMMITTER_EMAIL": "bob@example.org"}
    _check_answer_type(
        scalpel(root, command, staged["tx"], "-m", "as it is", "--json", env=bob).data, COMMANDS[command]
    )


TESTED_ELSEWHERE = {
    "drop",
    "stage",
    "approve",
    "reject",
    "restore",
    "push",
    "suggest",
    "completion",
    "demo",
    "agent",
}
"""Commands that the other tests of this module call, or that have tests of their own."""
SAMPLES = {"path": "a.py", "paths": "a.py", "what": "x", "id": "@"}
"""Values for required fields."""
CALLED = {call[0] for call in (*CALLS, *TRANSACTION_CALLS)} | TESTED_ELSEWHERE
OTHERS = [command for command in COMMANDS.values() if command.name not in CALLED and not command.in_shell]


@pytest.mark.parametrize("command", OTHERS, ids=lambda command: command.name)
def test_other_answers_have_their_types(root: Path, command: CommandEntry) -> None:
    required = [field.name for field in msgspec.structs.fields(command.request) if field.required]
    words = [SAMPLES.get(name, "a.py") for name in required]
    _check_answer_type(scalpel(root, command.name, *words, "--json").data, command)


def test_only_the_called_command_is_loaded(root: Path) -> None:
    def loaded_modules(*words: str) -> set[str]:
        script = (
            "import sys; from gitscalpel.cli import command_line; command_line.run(sys.argv[1:])\n"
            "print(*(name for name in sys.modules if name.startswith('gitscalpel.')), file=sys.stderr)"
        )
        completed = subprocess.run(
            [sys.executable, "-c", script, *words], cwd=root, capture_output=True, text=True, check=True
        )
        modules = {name.rpartition(".")[2] for name in completed.stderr.split() if ".commands." in name}
        return modules & {command.module for command in COMMANDS.values()}

    assert loaded_modules("--help") == set()
    assert loaded_modules("show", "a.py::f") == {"reads"}
    assert loaded_modules("land", "-h") == {"landing", "approvals"}
    assert loaded_modules("replace", "a.py::f", "--code", "def f(): return 3") == {"symbol_edits"}


def test_readme_lists_every_command() -> None:
    section = README.partition("\n## Commands\n")[2].partition("\n\nAn ID ")[0]
    listed = {words.split()[0] for words in re.findall(r"`([^`]+)`", section)}
    assert set(COMMANDS) <= listed
