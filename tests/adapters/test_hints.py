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
from gitscalpel.adapters import hints
from gitscalpel.adapters.registry import DIALECTS
from gitscalpel.adapters.tool import Refusal, Tool
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
    for tool in DIALECTS[dialect]:
        for each in filter(None, (tool, tool.other)):
            found |= {each.name, *each.takes, *each.also}
            found |= {name for schema in each.takes.values() for name in _names(schema)}
    return frozenset(found)


def foreign(dialect: str, hint: str) -> list[str]:
    """The names in a hint that a dialect does not have."""
    named = [name.split()[0].strip("<>") for name in QUOTED.findall(hint)]
    words = re.findall(r"\b[a-z]+_[a-z_]+\b", QUOTED.sub("", hint))
    wrong = [name for name in (*named, *words) if name not in offered(dialect) and name not in SHELL]
    return wrong + OURS.findall(QUOTED.sub("", hint))


def tools() -> Iterator[tuple[str, Tool]]:
    for dialect, each in DIALECTS.items():
        for tool in each:
            yield from ((dialect, one) for one in (tool, tool.other) if one is not None)


@pytest.mark.parametrize(("dialect", "tool"), list(tools()), ids=lambda each: getattr(each, "name", each))
def test_every_code_has_a_next_step_in_the_words_of_the_dialect(dialect: str, tool: Tool) -> None:
    for code in CODES:
        hint = hints.advice(code, tool.words, tool.takes, "a.py")
        assert hint.strip(), code
        assert foreign(dialect, hint) == [], (code, hint)
        told = tool.refused({}, Refusal(code, "it is refused", hint, {}))
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
        _, hint = hints.told(error, tool.words, tool.takes, "a.py")
        wrong += [(error.code, hint, names)] if (names := foreign(dialect, hint)) else []
    assert wrong == []


CALLS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "anthropic": [
        ("str_replace_based_edit_tool", {"command": "str_replace", "path": "shop.py", "old_str": "none"}),
        ("str_replace_based_edit_tool", {"command": "create", "path": "shop.py", "file_text": "x"}),
        ("str_replace_based_edit_tool", {"command": "view", "path": "gone.py"}),
    ],
    "blueprint": [
        ("file_read", {"file": "shop.py", "target": "gone"}),
        ("file_read", {"file": "shop.py", "startLine": 50}),
        ("file_edit", {"file": "shop.py", "target": "gone", "code": "def gone(): pass"}),
        ("file_edit", {"file": "shop.py", "target": "tax", "code": "def tax(:"}),
        ("file_edit", {"file": "shop.py", "target": "tax", "code": "class tax: pass"}),
        ("file_edit", {"file": "shop.py", "path": "x", "code": "1"}),
    ],
    "claude-code": [
        ("Edit", {"file_path": "shop.py", "old_string": "none", "new_string": "x"}),
        ("Edit", {"file_path": "shop.py", "old_string": "total", "new_string": "x"}),
        ("Read", {"file_path": "gone.py"}),
    ],
    "code-scalpel": [
        (
            "update_symbol",
            {"file_path": "shop.py", "target_type": "class", "target_name": "tax", "new_code": "x"},
        ),
        (
            "update_symbol",
            {
                "file_path": "shop.py",
                "target_type": "function",
                "target_name": "tax",
                "new_code": "def vat(): pass",
            },
        ),
        ("update_symbol", {"file_path": "shop.py", "target_type": "function", "target_name": "tax"}),
    ],
    "codescout": [
        ("edit_file", {"path": "shop.py", "old_string": "none", "new_string": "x"}),
        ("replace_symbol", {"path": "shop.py", "symbol": "tax", "new_body": "def vat(): pass"}),
        ("insert_code", {"path": "shop.py", "symbol": "tax", "code": "def tax(): pass"}),
        ("remove_symbol", {"path": "shop.py", "symbol": "gone"}),
    ],
    "cstquery": [
        ("query_cst", {"file_path": "shop.py", "selector": "Return["}),
        (
            "patch_cst_module",
            {
                "file_path": "shop.py",
                "ops": [{"selector": {"kind": "cst_query", "query": "Return"}, "new_code": "x"}],
            },
        ),
        (
            "patch_cst_module",
            {
                "file_path": "shop.py",
                "ops": [{"selector": {"kind": "cst_query", "query": "Yield"}, "new_code": "x"}],
            },
        ),
    ],
    "file-edit": [
        ("file_edit", {"path": "shop.py", "symbol": "tax", "new_text": "def vat(): pass"}),
        ("file_edit", {"path": "shop.py", "old_text": "none", "new_text": "x"}),
        ("file_read", {"path": "shop.py", "symbol": "gone"}),
        ("file_edit", {"file": "shop.py", "target": "gone", "code": "x"}),
    ],
    "openai": [
        ("apply_patch", {"input": "no patch"}),
        (
            "apply_patch",
            {"input": "*** Begin Patch\n*** Update File: shop.py\n@@\n-none\n+x\n*** End Patch\n"},
        ),
    ],
    "probe": [
        ("edit", {"file_path": "shop.py", "symbol": "gone", "new_string": "x"}),
        ("edit", {"file_path": "shop.py", "symbol": "tax", "new_string": "def vat(): pass"}),
        ("edit", {"file_path": "shop.py", "old_string": "none", "new_string": "x"}),
        ("edit", {"file_path": "shop.py", "old_string": "total", "new_string": "x"}),
        ("edit", {"file_path": "shop.py", "start_line": "3:beef", "new_string": "x"}),
        ("edit", {"file_path": "shop.py", "start_line": 90, "new_string": "x"}),
        ("edit", {"file_path": "shop.py", "new_string": "x"}),
        ("edit", {"file_path": "../a", "old_string": "x", "new_string": "y"}),
        ("edit", {"file_path": "gone.py", "old_string": "x", "new_string": "y"}),
        ("edit", {"file_path": "shop.py", "symbol": "tax", "position": "near", "new_string": "y"}),
        ("create", {"file_path": "shop.py", "content": "x"}),
        ("extract", {"targets": "shop.py#gone"}),
        ("search", {"query": "NOT"}),
    ],
    "serena": [
        ("replace_content", {"relative_path": "shop.py", "needle": "none", "repl": "x", "mode": "literal"}),
        ("replace_symbol_body", {"relative_path": "shop.py", "name_path": "tax", "body": "def vat(): pass"}),
        ("safe_delete_symbol", {"relative_path": "shop.py", "name_path_pattern": "tax"}),
        ("find_symbol", {"name_path_pattern": "x", "relative_path": "gone.py"}),
    ],
}


def test_every_dialect_has_calls_that_are_refused() -> None:
    assert CALLS.keys() == DIALECTS.keys()


@pytest.mark.parametrize("dialect", list(CALLS))
def test_a_call_that_is_refused_is_told_what_to_do_with_tools_of_the_dialect(
    tmp_path: Path, dialect: str
) -> None:
    with speaking(tmp_path / "r", dialect) as agent:
        for tool, arguments in CALLS[dialect]:
            said = agent.refused(tool, **arguments)
            if said.startswith("{"):
                hint = said[said.index('"hint":"') :]
            else:
                assert "\n" in said, said
                hint = said.partition("\n")[2]
            named = foreign(dialect, hint)
            assert [name for name in named if name not in said.partition("\n")[0]] == [], (tool, said)
