"""Messages name fields and calls; every face spells them as its callers write them."""

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

FACES = ("gitscalpel.cli", "gitscalpel.demo", "gitscalpel.mcp.tools", "gitscalpel.agents.install")
"""Where calls are spelt; agents are told of those that no tool does as a shell has them."""


@pytest.mark.parametrize(
    ("marked", "by_name", "typed"),
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
def test_a_mark_is_spelt_by_each_face(marked: str, by_name: str, typed: str) -> None:
    text = f"this: {marked}; or not"
    assert spell(text) == spell(text, BY_NAME) == f"this: {by_name}; or not"
    assert spell(text, SHELL_SPELLING) == f"this: {typed}; or not"
    assert spell(text, MARKED) == text


def test_callers_of_apply_write_fields_and_type_calls() -> None:
    assert (
        spell(f"{arg('overwrite')}: {call('undo')}", spelling_for("apply")) == "overwrite: git scalpel undo"
    )


def test_an_error_says_what_comes_next() -> None:
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


def test_the_api_speaks_its_own_words(tmp_path: Path) -> None:
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
        done = repo.edit({"op": "text", "path": "a.py", "old": "1", "new": "2"})
        assert done.next == (action("undo"),)
        with repo.begin() as tx:
            assert tx.result.next == (action("land", tx=tx.id), action("drop", ids=tx.id))


def _below() -> dict[str, ast.Module]:
    """The modules that know no command line."""
    return {module: tree for module, tree in trees().items() if not module.startswith(FACES)}


def _texts(tree: ast.Module) -> Iterator[str]:
    """Every string of a module that is no documentation."""
    loose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):  # examples of a command, and differences of an adapter, are documentation
        if (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "examples") or (
            isinstance(node, ast.keyword) and node.arg == "differences"
        ):
            loose |= {id(each) for each in ast.walk(node.value)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in loose:
            yield node.value


def test_no_command_line_stands_in_a_message_below_the_command_line() -> None:
    words = "|".join(map(re.escape, COMMANDS))
    typed = re.compile(rf"git[ -]scalpel ({words}|-|…|$)|git -C .* scalpel")
    options = {
        name
        for verb in COMMANDS.values()
        for field in request_fields(verb.request)
        for name in option_strings(field)
    }

    def types(text: str) -> bool:
        """Whether it holds a call, or among other words an option; what git takes stands in backticks."""
        said = re.sub("`git [^`]*(`|$)", "", text)
        words = re.findall(r"(?<![\w-])--?[a-z][\w-]*", said) if " " in said.strip() else ()
        return bool(typed.search(text) or options.intersection(words))

    found = {(module, text) for module, tree in _below().items() for text in _texts(tree) if types(text)}
    assert found == set()


def _named() -> Iterator[tuple[str, str]]:
    """Every field that a call is named with in the package, after its verb."""
    for node in (node for tree in _below().values() for node in ast.walk(tree)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("call", "action") and node.args:
            verb = node.args[0]
            if isinstance(verb, ast.Constant) and verb.value != "open":
                yield str(verb.value), ""
                yield from ((str(verb.value), str(keyword.arg)) for keyword in node.keywords)


def _typed(verb: str, name: str) -> str:
    """How a field is typed behind its verb, as its request says."""
    field = next(field for field in request_fields(COMMANDS[verb].request) if field.name == name)
    if field.how.get("form") == "rest":
        return "-- x"
    if field.how.get("place") or field.how.get("form") in ("target", "subject"):
        return "x"
    return option_strings(field)[-1] + ("" if field.type is bool else " x")


def test_every_call_that_is_named_can_be_made() -> None:
    named = set(_named())
    assert {verb for verb, _ in named} <= COMMANDS.keys()
    for verb, name in sorted(named):
        typed = _typed(verb, name) if name else ""
        given = {name: "x" if typed.endswith("x") else True} if name else {}
        said = call(verb, **given)
        assert spell(said, SHELL_SPELLING) == f"git scalpel {verb} {typed}".rstrip()
