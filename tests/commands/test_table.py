"""The table of verbs: each has what faces are derived from, and they say no more and no less."""

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


@pytest.mark.parametrize("verb", COMMANDS.values(), ids=COMMANDS)
def test_a_verb_has_what_faces_are_derived_from(verb: CommandEntry) -> None:
    assert issubclass(verb.request, CommandRequest)
    assert verb.request.__struct_config__.frozen
    signature = inspect.signature(verb.perform, eval_str=True)
    kinds = [parameter.annotation for parameter in signature.parameters.values()]
    assert (kinds, signature.return_annotation) == ([Caller, verb.request], Reply)


@pytest.mark.parametrize("verb", COMMANDS.values(), ids=COMMANDS)
def test_the_schema_of_a_verb_is_that_of_its_types(root: Path, verb: CommandEntry) -> None:
    (row,) = scalpel(root, "schema", verb.name, "--json").data["verbs"]
    assert (row["verb"], row["access"], row["help"]) == (verb.name, verb.access, verb.help)
    request = row["request"]["$defs"][verb.request.__name__]
    assert list(request["properties"]) == list(verb.request.__struct_fields__)
    assert request["additionalProperties"] is False
    assert [name for name, field in request["properties"].items() if not field.get("description")] == []
    assert row["answer"].keys() & {"$ref", "anyOf", "type"}


def test_schemas_of_all_verbs_are_printed_at_once(root: Path) -> None:
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
AFTERWARDS: list[tuple[str, ...]] = [
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


def _holds(data: Any, verb: CommandEntry) -> None:
    """Whether ``data`` is of a verb's answer type, and nothing of it is lost."""
    kinds = get_args(verb.answer) if isinstance(verb.answer, UnionType) else (verb.answer,)
    kept = []
    for kind in kinds:
        try:
            kept.append(msgspec.json.decode(msgspec.json.encode(msgspec.convert(data, kind))))
        except msgspec.ValidationError as error:
            kept.append(str(error))
    assert data in kept


@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_answers_are_of_their_types(root: Path, call: tuple[str, ...]) -> None:
    at = call.index("--") if "--" in call else len(call)
    _holds(scalpel(root, *call[:at], "--json", *call[at:]).data, COMMANDS[call[0]])


def test_answers_of_a_transactions_life_are_of_their_types(root: Path) -> None:
    staged = scalpel(root, "text", "t.txt", "--old", "one", "--new", "two", "--no-land", "--json").data
    for call in AFTERWARDS:
        words = [staged["tx"] if word == "@" else word for word in call]
        _holds(scalpel(root, *words, "--json").data, COMMANDS[call[0]])


def test_a_transaction_that_is_given_up_is_of_its_type(root: Path) -> None:
    staged = scalpel(root, "text", "t.txt", "--old", "one", "--new", "two", "--no-land", "--json").data
    _holds(scalpel(root, "drop", staged["tx"], "--json").data, COMMANDS["drop"])


def test_what_goes_back_to_a_snapshot_is_of_its_type(root: Path) -> None:
    taken = scalpel(root, "snapshot", "--json").data["id"]
    _holds(scalpel(root, "restore", taken, "--json").data, COMMANDS["restore"])
    (root / "t.txt").write_text("two\n")
    _holds(scalpel(root, "restore", taken, "t.txt", "--json").data, COMMANDS["restore"])


def test_what_is_taken_in_from_a_worktree_is_of_its_type(root: Path) -> None:
    begun = scalpel(root, "begin", "--worktree", "--json").data
    Path(begun["worktree"], "new.txt").write_text("new\n")
    _holds(scalpel(root, "stage", begun["tx"], "--json").data, COMMANDS["stage"])


def test_what_is_pushed_is_of_its_type(root: Path, tmp_path: Path) -> None:
    repo = Sandbox(root)
    repo.git("clone", "-q", "--bare", str(root), str(tmp_path / "there.git"))
    repo.git("remote", "add", "there", str(tmp_path / "there.git"))
    staged = scalpel(root, "text", "t.txt", "--old", "one", "--new", "two", "--no-land", "--json").data
    _holds(scalpel(root, "push", staged["tx"], "--json").data, COMMANDS["push"])


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_what_somebody_else_says_of_one_is_of_its_type(root: Path, verb: str) -> None:
    staged = scalpel(root, "text", "t.txt", "--old", "one", "--new", "two", "--no-land", "--json").data
    bob = {"GIT_COMMITTER_NAME": "Bob", "GIT_COMMITTER_EMAIL": "bob@example.org"}
    _holds(scalpel(root, verb, staged["tx"], "-m", "as it is", "--json", env=bob).data, COMMANDS[verb])


ELSEWHERE = {
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
"""What a command is given for a field that it needs."""
CALLED = {call[0] for call in (*CALLS, *AFTERWARDS)} | ELSEWHERE
OTHERS = [verb for verb in COMMANDS.values() if verb.name not in CALLED and not verb.in_shell]


@pytest.mark.parametrize("verb", OTHERS, ids=lambda verb: verb.name)
def test_other_commands_answer_with_their_types(root: Path, verb: CommandEntry) -> None:
    needed = [field.name for field in msgspec.structs.fields(verb.request) if field.required]
    words = [SAMPLES.get(name, "a.py") for name in needed]
    _holds(scalpel(root, verb.name, *words, "--json").data, verb)


def test_only_what_is_called_is_loaded(root: Path) -> None:
    def loaded(*words: str) -> set[str]:
        script = (
            "import sys; from gitscalpel.cli import command_line; command_line.run(sys.argv[1:])\n"
            "print(*(name for name in sys.modules if name.startswith('gitscalpel.')), file=sys.stderr)"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, *words], cwd=root, capture_output=True, text=True, check=True
        )
        modules = {name.rpartition(".")[2] for name in done.stderr.split() if ".commands." in name}
        return modules & {verb.module for verb in COMMANDS.values()}

    assert loaded("--help") == set()
    assert loaded("show", "a.py::f") == {"reads"}
    assert loaded("land", "-h") == {"landing", "approvals"}
    assert loaded("replace", "a.py::f", "--code", "def f(): return 3") == {"symbol_edits"}


def test_the_readme_lists_every_verb() -> None:
    section = README.partition("\n## Commands\n")[2].partition("\n\nAn ID ")[0]
    listed = {words.split()[0] for words in re.findall(r"`([^`]+)`", section)}
    assert set(COMMANDS) <= listed
