"""Hints of refusals name only tools and parameters of the dialect."""

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
from tests.adapters.dialect_server import serve_dialects

ROOT = Path(gitscalpel.__file__).parent
PACKAGES = (
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
FILES = ("paths.py", "snapshot.py", "transaction", "mcp/command_call.py", "api", "verbs")
MARKS: dict[str, Callable[..., str]] = {"arg": arg, "call": call, "place": place}
QUOTED = re.compile(r"`([^`]+)`")
OURS = re.compile(
    r"rename true|look at|with find|outline|content_b64|occurrences|also_text|verbatim|relocate|changeset|"
    r"\boperations?\b|git scalpel|git show|node_id and blob|\bshow printed"
)
"""Names of gitscalpel's own commands and fields."""
SHELL = ("git", "iconv")
"""Programs that hints may name."""


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
    """Yield the names of parameters, also within lists and objects."""
    if isinstance(schema, dict):
        for name, inside in schema.get("properties", {}).items():
            yield name
            yield from _names(inside)
        yield from _names(schema.get("items"))
        yield from map(str, schema.get("enum", ()))


@cache
def list_names(dialect: str) -> frozenset[str]:
    """Return the tools of a dialect, their parameters, and the parameters' values."""
    found: set[str] = set()
    for tool in registry.load(dialect).tools:
        for each in filter(None, (tool, tool.other)):
            found |= {each.name, *each.properties, *each.aliases}
            found |= {name for schema in each.properties.values() for name in _names(schema)}
    return frozenset(found)


def find_foreign_names(dialect: str, hint: str) -> list[str]:
    """Return the names in a hint that the dialect does not have."""
    quoted = [name.split()[0].strip("<>") for name in QUOTED.findall(hint)]
    words = re.findall(r"\b[a-z]+_[a-z_]+\b", QUOTED.sub("", hint))
    wrong = [name for name in (*quoted, *words) if name not in list_names(dialect) and name not in SHELL]
    return wrong + OURS.findall(QUOTED.sub("", hint))


def iter_tools() -> Iterator[tuple[str, Tool]]:
    for dialect in registry.names():
        for tool in registry.load(dialect).tools:
            yield from ((dialect, one) for one in (tool, tool.other) if one is not None)


@pytest.mark.parametrize(
    ("dialect", "tool"), list(iter_tools()), ids=lambda each: getattr(each, "name", each)
)
def test_each_error_code_has_a_hint_in_the_dialect(dialect: str, tool: Tool) -> None:
    for code in CODES:
        hint = hints.build_hint(code, tool.vocabulary, tool.properties, "a.py")
        assert hint.strip(), code
        assert find_foreign_names(dialect, hint) == [], (code, hint)
        assert tool.format_error is not None
        formatted = tool.format_error({}, CallError(code, "it is refused", hint, {}))
        assert find_foreign_names(dialect, formatted.replace(code, "").replace(code.upper(), "")) in (
            [],
            ["error_code"],
        ) or (formatted.startswith("{")), formatted


def _format_expression(node: ast.expr) -> str:
    """Return the text of a message's expression, with a letter in place of each value."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_format_expression, node.values))
    if isinstance(node, (ast.FormattedValue, ast.IfExp)):
        return _format_expression(node.value if isinstance(node, ast.FormattedValue) else node.body)
    if isinstance(node, ast.BinOp):
        return _format_expression(node.left) + _format_expression(node.right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS and node.args:
        first = _format_expression(node.args[0])
        return MARKS[node.func.id](first)
    return "X"


@cache
def list_errors() -> list[ScalpelError]:
    """Return every error that the source code raises, with message and hint."""
    found = []
    files = [file for room in (*PACKAGES, *FILES) for file in _files(ROOT / room)]
    for file in files:
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Call) and len(node.args) >= 3:
                code = node.args[0]
                if isinstance(code, ast.Constant) and code.value in CODES:
                    message, hint = map(_format_expression, node.args[1:3])
                    found.append(CODES[str(code.value)](str(code.value), message, hint))
    return found


def _files(path: Path) -> Iterable[Path]:
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


@pytest.mark.parametrize(
    ("dialect", "tool"), list(iter_tools()), ids=lambda each: getattr(each, "name", each)
)
def test_each_raised_hint_is_translated_to_the_dialect(dialect: str, tool: Tool) -> None:
    assert len(list_errors()) > 150
    wrong = []
    for error in list_errors():
        _, hint = hints.format_error(error, tool.vocabulary, tool.properties, "a.py")
        wrong += [(error.code, hint, names)] if (names := find_foreign_names(dialect, hint)) else []
    assert wrong == []


@pytest.mark.parametrize("dialect", registry.names())
def test_refusal_names_only_tools_of_the_dialect(tmp_path: Path, dialect: str) -> None:
    with serve_dialects(tmp_path / "r", dialect) as agent:
        assert registry.load(dialect).failing_calls
        for tool, arguments in registry.load(dialect).failing_calls:
            error = agent.call_error(tool, **arguments)
            if error.startswith("{"):
                hint = error[error.index('"hint":"') :]
            else:
                assert "\n" in error, error
                hint = error.partition("\n")[2]
            foreign = find_foreign_names(dialect, hint)
            assert [name for name in foreign if name not in error.partition("\n")[0]] == [], (tool, error)
