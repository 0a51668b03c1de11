"""Which tools a server offers that speaks dialects, and what they may do."""

from __future__ import annotations

from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from gitscalpel.adapters import registry
from gitscalpel.commands.agent_hooks import McpRequest
from tests.adapters.speaking import CODE, speaking
from tests.command import scalpel

ALL = ("--allow-edit", "--tools", "all")


@pytest.mark.parametrize("dialect", registry.names())
def test_a_dialect_is_offered_instead_of_our_tools(tmp_path: Path, dialect: str) -> None:
    with speaking(tmp_path / "r", dialect) as agent:
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
def test_nothing_that_edits_is_offered_unless_it_is_asked_for_twice(
    tmp_path: Path, dialect: str, options: tuple[str, ...]
) -> None:
    with speaking(tmp_path / "r", dialect, options=options) as agent:
        assert set(agent.client.tools()) == {
            tool.name for tool in registry.load(dialect).tools if not tool.is_editing
        }
        for tool in registry.load(dialect).tools:
            if tool.is_editing:
                assert agent.client.fault("tools/call", name=tool.name, arguments={})["code"] == -32602
        assert agent.read() == CODE


def test_our_tools_are_beside_them_where_they_are_named(tmp_path: Path) -> None:
    options = ("--allow-edit", "--tools", "Edit,undo,look")
    with speaking(tmp_path / "r", "claude-code", options=options) as agent:
        assert list(agent.client.tools()) == ["Edit", "undo", "look"]
        agent.told("Edit", file_path="shop.py", old_string="return 1", new_string="return 2")
        agent.client.call("undo")
        assert agent.read() == CODE


def test_several_dialects_stand_side_by_side(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "openai", "claude-code") as agent:
        assert list(agent.client.tools()) == ["apply_patch", "Read", "Edit", "MultiEdit", "Write"]


def test_a_name_that_two_dialects_have_is_the_first_ones(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "codescout", "serena") as agent:
        assert "path" in agent.client.tools()["rename_symbol"]["inputSchema"]["properties"]
    with speaking(tmp_path / "r", "serena", "codescout") as agent:
        assert "relative_path" in agent.client.tools()["rename_symbol"]["inputSchema"]["properties"]


def test_files_outside_of_the_allowed_ones_stay_as_they_are(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "claude-code", options=(*ALL, "--paths", "docs/**")) as agent:
        said = agent.refused("Edit", file_path="shop.py", old_string="return 1", new_string="return 2")
        assert said.startswith("Error: ")
        assert agent.told("Write", file_path="docs/a.md", content="a\n")


def test_edits_land_on_a_branch_that_is_named(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "claude-code", options=(*ALL, "--onto", "main")) as agent:
        agent.told("Edit", file_path="shop.py", old_string="return 1", new_string="return 2")
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
def test_what_may_not_be_done_to_a_definition_is_done_by_a_tool_of_the_dialect(
    tmp_path: Path, dialect: str, tool: str, arguments: tuple[str, ...], instead: str
) -> None:
    more = {"serena": {"mode": "literal"}, "anthropic": {"command": "str_replace"}}.get(dialect, {})
    removing = ("shop.py", CODE[CODE.index("\n\ndef tax") :], "\n\n# gone\n")
    with speaking(tmp_path / "r", dialect) as agent:
        said = agent.refused(tool, **dict(zip(arguments, removing, strict=True)), **more)
    assert said.splitlines()[1].startswith(instead)


def test_a_dialect_that_there_is_not_is_refused(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "openai"):
        pass
    done = scalpel(tmp_path / "r", "mcp", "--dialect", "klingon", "--json")
    assert done.status == 2
    assert "no such dialect: 'klingon'" in done.out + done.err


def test_the_command_line_names_every_dialect() -> None:
    said = get_args(get_type_hints(McpRequest, include_extras=True)["dialect"])[1]
    assert all(f"{name}," in f"{said.description}".replace(".", ",") for name in registry.names())
