"""Each refusal of each dialect says what to do next with the tools and parameters of that dialect alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import gitscalpel
from gitscalpel.adapters import hints, registry
from gitscalpel.adapters.tool import CallError, Tool
from gitscalpel.errors import ScalpelError
from gitscalpel.errors.messages import arg, call, place
from tests.adapters.speaking import speaking

ROOT = Path(gitscalpel.__file__).parent
ROOMS = (
    "edit",
    "text",
    "gates",
    "syntax",
    "names",
    "refactor",
    "look.py",
    "search.py",
    "requests.py",
    "wellformed.py",
)
MORE = ("paths.py", "snapshot.py", "transaction", "mcp/command_call.py", "api", "verbs")
MARKS: dict[str, Callable[..., str]] = {"arg": arg, "call": call, "place": place}
QUOTED = re.compile(r"`([^`]+)`")
OURS = re.compile(
    r"rename true|look at|with find|outline|content_b64|occurrences|also_text|verbatim|relocate|changeset|"
    r"\boperations?\b|git scalpel|git show|node_id and blob|\bshow printed"
)
"""Words of our own commands and fields."""
SHELL = ("git", "iconv")
"""Programs of a shell."""


def _families(family: type[ScalpelError] = ScalpelError) -> Iterator[type[ScalpelError]]:
    yield family
    for each in family.__subclasses__():
        yield from _families(each)


CODES = {
    code: family
    for family in reversed([*_families()])
    for code in family.codes
    if family.__module__.endswith(".errors")
}


def _names(schema: Any) -> Iterator[str]:
    """Yield the names of parameters, those inside of lists and objects as well."""
    if isinstance(schema, dict):
        for name, inside in schema.get("properties", {}).items():
            yield name
            yield from _names(inside)
        yield from _names(schema.get("items"))
        yield from map(str, schema.get("enum", ()))


@cache
def offered(dialect: str) -> frozenset[str]:
    """The tools of a dialect, their parameters, and the values of these."""
    found: set[str] = set()
    for tool in registry.load(dialect).tools:
        for each in filter(None, (tool, tool.other)):
            found |= {each.name, *each.properties, *each.aliases}
            found |= {name for schema in each.properties.values() for name in _names(schema)}
    return frozenset(found)


def foreign(dialect: str, hint: str) -> list[str]:
    """The names in a hint that a dialect does not have."""
    named = [name.split()[0].strip("<>") for name in QUOTED.findall(hint)]
    words = re.findall(r"\b[a-z]+_[a-z_]+\b", QUOTED.sub("", hint))
    wrong = [name for name in (*named, *words) if name not in offered(dialect) and name not in SHELL]
    return wrong + OURS.findall(QUOTED.sub("", hint))


def tools() -> Iterator[tuple[str, Tool]]:
    for dialect in registry.names():
        for tool in registry.load(dialect).tools:
            yield from ((dialect, one) for one in (tool, tool.other) if one is not None)


@pytest.mark.parametrize(("dialect", "tool"), list(tools()), ids=lambda each: getattr(each, "name", each))
def test_every_code_has_a_next_step_in_the_words_of_the_dialect(dialect: str, tool: Tool) -> None:
    for code in CODES:
        hint = hints.build_hint(code, tool.vocabulary, tool.properties, "a.py")
        assert hint.strip(), code
        assert foreign(dialect, hint) == [], (code, hint)
        assert tool.format_error is not None
        told = tool.format_error({}, CallError(code, "it is refused", hint, {}))
        assert foreign(dialect, told.replace(code, "").replace(code.upper(), "")) in ([], ["error_code"]) or (
            told.startswith("{")
        ), told


def _written(node: ast.expr) -> str:
    """What an expression of a message or hint comes to, with a letter for each value that it holds."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_written, node.values))
    if isinstance(node, (ast.FormattedValue, ast.IfExp)):
        return _written(node.value if isinstance(node, ast.FormattedValue) else node.body)
    if isinstance(node, ast.BinOp):
        return _written(node.left) + _written(node.right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS and node.args:
        first = _written(node.args[0])
        return MARKS[node.func.id](first)
    return "X"


@cache
def raised() -> list[ScalpelError]:
    """Every error that the source of the package makes, with the text of its hint."""
    found = []
    files = [file for room in (*ROOMS, *MORE) for file in _files(ROOT / room)]
    for file in files:
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Call) and len(node.args) >= 3:
                code = node.args[0]
                if isinstance(code, ast.Constant) and code.value in CODES:
                    message, hint = map(_written, node.args[1:3])
                    found.append(CODES[str(code.value)](str(code.value), message, hint))
    return found


def _files(path: Path) -> Iterable[Path]:
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


@pytest.mark.parametrize(("dialect", "tool"), list(tools()), ids=lambda each: getattr(each, "name", each))
def test_every_hint_of_the_source_is_told_in_the_words_of_the_dialect(dialect: str, tool: Tool) -> None:
    assert len(raised()) > 150
    wrong = []
    for error in raised():
        _, hint = hints.format_error(error, tool.vocabulary, tool.properties, "a.py")
        wrong += [(error.code, hint, names)] if (names := foreign(dialect, hint)) else []
    assert wrong == []


@pytest.mark.parametrize("dialect", registry.names())
def test_a_call_that_is_refused_is_told_what_to_do_with_tools_of_the_dialect(
    tmp_path: Path, dialect: str
) -> None:
    with speaking(tmp_path / "r", dialect) as agent:
        assert registry.load(dialect).failing_calls
        for tool, arguments in registry.load(dialect).failing_calls:
            said = agent.refused(tool, **arguments)
            if said.startswith("{"):
                hint = said[said.index('"hint":"') :]
            else:
                assert "\n" in said, said
                hint = said.partition("\n")[2]
            named = foreign(dialect, hint)
            assert [name for name in named if name not in said.partition("\n")[0]] == [], (tool, said)
