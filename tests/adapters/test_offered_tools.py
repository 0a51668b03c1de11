"""Tools that a server with dialects offers, and their permissions."""

from __future__ import annotations

from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from gitscalpel.adapters import registry
from gitscalpel.commands.agent_hooks import McpRequest
from tests.adapters.dialect_server import CODE, serve_dialects
from tests.command import scalpel

ALL = ("--allow-edit", "--tools", "all")


@pytest.mark.parametrize("dialect", registry.names())
def test_dialect_replaces_the_own_tools(tmp_path: Path, dialect: str) -> None:
    with serve_dialects(tmp_path / "r", dialect) as agent:
        tools = agent.client.tools()
    assert list(tools) == [tool.name for tool in registry.load(dialect).tools]
    for tool in registry.load(dialect).tools:
        row = tools[tool.name]
        assert row["annotations"]["readOnlyHint"] is not tool.is_editing
        assert row["annotations"]["destructiveHint"] is tool.is_editing
        assert "outputSchema" not in row
        assert set(row["inputSchema"].get("required", ())) <= row["inputSchema"]["properties"].keys()


@pytest.mark.parametrize("options", [(), ("--allow-edit",), ("--tools", "all")])
@pytest.mark.parametrize("dialect", registry.names())
def test_editing_tools_need_two_options(tmp_path: Path, dialect: str, options: tuple[str, ...]) -> None:
    with serve_dialects(tmp_path / "r", dialect, options=options) as agent:
        assert set(agent.client.tools()) == {
            tool.name for tool in registry.load(dialect).tools if not tool.is_editing
        }
        for tool in registry.load(dialect).tools:
            if tool.is_editing:
                assert (
                    agent.client.request_error("tools/call", name=tool.name, arguments={})["code"] == -32602
                )
        assert agent.read() == CODE


def test_own_tools_are_added_if_named(tmp_path: Path) -> None:
    options = ("--allow-edit", "--tools", "Edit,undo,look")
    with serve_dialects(tmp_path / "r", "claude-code", options=options) as agent:
        assert list(agent.client.tools()) == ["Edit", "undo", "look"]
        agent.call("Edit", file_path="shop.py", old_string="return 1", new_string="return 2")
        agent.client.call("undo")
        assert agent.read() == CODE


def test_several_dialects_are_offered_together(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "openai", "claude-code") as agent:
        assert list(agent.client.tools()) == ["apply_patch", "Read", "Edit", "MultiEdit", "Write"]


def test_shared_tool_name_belongs_to_the_first_dialect(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "codescout", "serena") as agent:
        assert "path" in agent.client.tools()["rename_symbol"]["inputSchema"]["properties"]
    with serve_dialects(tmp_path / "r", "serena", "codescout") as agent:
        assert "relative_path" in agent.client.tools()["rename_symbol"]["inputSchema"]["properties"]


def test_paths_option_restricts_a_dialect(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "claude-code", options=(*ALL, "--paths", "docs/**")) as agent:
        error = agent.call_error("Edit", file_path="shop.py", old_string="return 1", new_string="return 2")
        assert error.startswith("Error: ")
        assert agent.call("Write", file_path="docs/a.md", content="a\n")


def test_edit_lands_on_the_named_branch(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "claude-code", options=(*ALL, "--onto", "main")) as agent:
        agent.call("Edit", file_path="shop.py", old_string="return 1", new_string="return 2")
        assert agent.read() == CODE.replace("return 1", "return 2")
        assert scalpel(agent.root, "status", "--json").out.count('"dirty"') <= 1


@pytest.mark.parametrize(
    ("dialect", "tool", "arguments", "instead"),
    [
        (
            "anthropic",
            "str_replace_based_edit_tool",
            ("path", "old_str", "new_str"),
            "to delete a definition",
        ),
        ("claude-code", "Edit", ("file_path", "old_string", "new_string"), "an `Edit` whose `old_string`"),
        ("file-edit", "file_edit", ("path", "old_text", "new_text"), "give `symbol`"),
        ("probe", "edit", ("file_path", "old_string", "new_string"), "give `symbol`"),
        (
            "serena",
            "replace_content",
            ("relative_path", "needle", "repl"),
            "replace a definition with `replace_symbol_body`",
        ),
    ],
)
def test_refused_removal_suggests_a_tool_of_the_dialect(
    tmp_path: Path, dialect: str, tool: str, arguments: tuple[str, ...], instead: str
) -> None:
    more = {"serena": {"mode": "literal"}, "anthropic": {"command": "str_replace"}}.get(dialect, {})
    removing = ("shop.py", CODE[CODE.index("\n\ndef tax") :], "\n\n# gone\n")
    with serve_dialects(tmp_path / "r", dialect) as agent:
        error = agent.call_error(tool, **dict(zip(arguments, removing, strict=True)), **more)
    assert error.splitlines()[1].startswith(instead)


def test_unknown_dialect_is_refused(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "openai"):
        pass
    done = scalpel(tmp_path / "r", "mcp", "--dialect", "klingon", "--json")
    assert done.status == 2
    assert "no such dialect: 'klingon'" in done.out + done.err


def test_help_names_each_dialect() -> None:
    option = get_args(get_type_hints(McpRequest, include_extras=True)["dialect"])[1]
    assert all(f"{name}," in f"{option.description}".replace(".", ",") for name in registry.names())
