"""Messages mark fields and calls, and each interface writes them in its own form."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import gitscalpel
from gitscalpel.cli.options import option_strings, request_fields
from gitscalpel.cli.targets import SHELL_SPELLING, spelling_for
from gitscalpel.commands.table import COMMANDS
from gitscalpel.errors import DoesNotFit
from gitscalpel.errors.messages import BY_NAME, MARKED, action, arg, call, find_actions, spell
from tests.sandbox import Sandbox
from tests.test_layers import trees

INTERFACES = ("gitscalpel.cli", "gitscalpel.demo", "gitscalpel.mcp.tools", "gitscalpel.agents.install")
"""Modules that write calls in their own form. Agents get calls without a tool as shell commands."""


@pytest.mark.parametrize(
    ("marked_text", "python_form", "shell_form"),
    [
        (arg("overwrite"), "overwrite", "--overwrite"),
        (arg("count", 2), "count 2", "--count 2"),
        (call("undo"), "undo()", "git scalpel undo"),
        (call("land", tx="ab"), "land(tx='ab')", "git scalpel land ab"),
        (call("show-tx", tx="ab"), "show_tx(tx='ab')", "git scalpel show-tx ab"),
        (call("gc", quarantine=True), "gc(quarantine=True)", "git scalpel gc --quarantine"),
        (call("trust", onto=None), "trust()", "git scalpel trust"),
        (call("trust", onto="a b"), "trust(onto='a b')", "git scalpel trust --onto 'a b'"),
        (call("recover", take_over="/x"), "recover(take_over='/x')", "git scalpel recover --take-over /x"),
        (call("run", command="COMMAND"), "run(command='COMMAND')", "git scalpel run -- COMMAND"),
        (call("open", path="/x"), "open(path='/x')", "git -C /x scalpel …"),
    ],
)
def test_mark_is_written_in_the_form_of_each_interface(
    marked_text: str, python_form: str, shell_form: str
) -> None:
    text = f"this: {marked_text}; or not"
    assert spell(text) == spell(text, BY_NAME) == f"this: {python_form}; or not"
    assert spell(text, SHELL_SPELLING) == f"this: {shell_form}; or not"
    assert spell(text, MARKED) == text


def test_apply_uses_field_names_and_shell_commands() -> None:
    assert (
        spell(f"{arg('overwrite')}: {call('undo')}", spelling_for("apply")) == "overwrite: git scalpel undo"
    )


def test_error_lists_its_next_actions() -> None:
    error = DoesNotFit(
        "no_change", "nothing", f"{call('show', path='a=b.py')} or {call('gc', quarantine=True)}"
    )
    assert error.next == (action("show", path="a=b.py"), action("gc", quarantine=True))
    assert error.hint == "show(path='a=b.py') or gc(quarantine=True)"
    assert (
        error.but(more=f"; {call('undo')}").told(SHELL_SPELLING)[1]
        == "git scalpel show a=b.py or git scalpel gc --quarantine; git scalpel undo"
    )
    assert find_actions("no mark") == ()


def test_api_hints_use_python_calls(tmp_path: Path) -> None:
    sandbox = Sandbox.init(tmp_path / "repo")
    sandbox.commit({"a.py": b"x = 1\n"})
    (sandbox.root / ".git" / "scalpel" / "quarantine" / "1").mkdir(parents=True)
    (sandbox.root / ".git" / "scalpel" / "quarantine" / "1" / "a.py").write_bytes(b"")
    with gitscalpel.open(sandbox.root) as repo:
        with pytest.raises(DoesNotFit) as caught:
            repo.transaction("abcd")
        assert caught.value.hint == "give at least 4 characters of one id; status() shows them"
        hints = [finding.hint for finding in repo.fsck()]
        assert hints == ["compare it with the file; gc(quarantine=True) removes it after 30 days"]
        result = repo.edit({"op": "text", "path": "a.py", "old": "1", "new": "2"})
        assert result.next == (action("undo"),)
        with repo.begin() as tx:
            assert tx.result.next == (action("land", tx=tx.id), action("drop", ids=tx.id))


def _modules_without_commands() -> dict[str, ast.Module]:
    """Return the modules that must not contain command lines."""
    return {module: tree for module, tree in trees().items() if not module.startswith(INTERFACES)}


def _iter_strings(tree: ast.Module) -> Iterator[str]:
    """Yield every string of a module that is not documentation."""
    loose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):  # examples of a command and differences of an adapter count as documentation
        if (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "examples") or (
            isinstance(node, ast.keyword) and node.arg == "differences"
        ):
            loose |= {id(each) for each in ast.walk(node.value)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in loose:
            yield node.value


def test_messages_outside_of_the_cli_contain_no_command_line() -> None:
    words = "|".join(map(re.escape, COMMANDS))
    typed = re.compile(rf"git[ -]scalpel ({words}|-|…|$)|git -C .* scalpel")
    options = {
        name
        for verb in COMMANDS.values()
        for field in request_fields(verb.request)
        for name in option_strings(field)
    }

    def contains_command(text: str) -> bool:
        """Return True if the text contains a call or, among other words, an option outside of `git …`."""
        unquoted = re.sub("`git [^`]*(`|$)", "", text)
        words = re.findall(r"(?<![\w-])--?[a-z][\w-]*", unquoted) if " " in unquoted.strip() else ()
        return bool(typed.search(text) or options.intersection(words))

    found = {
        (module, text)
        for module, tree in _modules_without_commands().items()
        for text in _iter_strings(tree)
        if contains_command(text)
    }
    assert found == set()


def _iter_named_fields() -> Iterator[tuple[str, str]]:
    """Yield every field of the calls that the package names, after its verb."""
    for node in (node for tree in _modules_without_commands().values() for node in ast.walk(tree)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("call", "action") and node.args:
            verb = node.args[0]
            if isinstance(verb, ast.Constant) and verb.value != "open":
                yield str(verb.value), ""
                yield from ((str(verb.value), str(keyword.arg)) for keyword in node.keywords)


def _typed_form(verb: str, name: str) -> str:
    """Return the form of a field on a command line, from its request."""
    field = next(field for field in request_fields(COMMANDS[verb].request) if field.name == name)
    if field.how.get("form") == "rest":
        return "-- x"
    if field.how.get("place") or field.how.get("form") in ("target", "subject", "name"):
        return "x"
    return option_strings(field)[-1] + ("" if field.type is bool else " x")


def test_named_calls_are_valid() -> None:
    calls = set(_iter_named_fields())
    assert {verb for verb, _ in calls} <= COMMANDS.keys()
    for verb, name in sorted(calls):
        if name in ("symbol", "start"):  # part of the target PATH::SYMBOL or PATH:LINES
            continue
        typed = _typed_form(verb, name) if name else ""
        arguments = {name: "x" if typed.endswith("x") else True} if name else {}
        marked_call = call(verb, **arguments)
        assert spell(marked_call, SHELL_SPELLING) == f"git scalpel {verb} {typed}".rstrip()
