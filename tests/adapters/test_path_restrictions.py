"""Tools of dialects change only files within the agent's paths."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gitscalpel.adapters import registry
from tests.mcp.client import Client, connect_client
from tests.sandbox import Sandbox

CODE = "def f():\n    return 1\n"
NEW = "def f():\n    return 3\n"
MINE = "the-first-agents-token"
GRANTED = f'[mine]\ntoken = "{MINE}"\npaths = ["mine/**"]\n[theirs]\ntoken = "the-second-ones-token"\n'
OLD_NEW = {"old_string": "return 1", "new_string": "return 3"}
PATCH = "*** Begin Patch\n*** Update File: {}\n@@\n def f():\n-    return 1\n+    return 3\n*** End Patch\n"
CALLS: dict[str, list[tuple[str, str, dict[str, Any]]]] = {
    "anthropic": [
        ("str_replace_based_edit_tool", "path", {"command": "str_replace", "old_str": "1", "new_str": "3"}),
        (
            "str_replace_based_edit_tool",
            "path",
            {"command": "insert", "insert_line": 0, "insert_text": "#\n"},
        ),
    ],
    "claude-code": [
        ("Edit", "file_path", OLD_NEW),
        ("MultiEdit", "file_path", {"edits": [OLD_NEW]}),
        ("Write", "file_path", {"content": NEW}),
    ],
    "code-scalpel": [
        ("update_symbol", "file_path", {"target_type": "function", "target_name": "f", "new_code": NEW}),
    ],
    "codescout": [
        ("edit_file", "path", OLD_NEW),
        ("edit_code", "path", {"symbol": "f", "action": "replace", "body": NEW}),
        ("replace_symbol", "path", {"name_path": "f", "new_body": NEW}),
        ("insert_code", "path", {"name_path": "f", "code": "x = 1\n"}),
        ("remove_symbol", "path", {"name_path": "f"}),
        ("rename_symbol", "path", {"name_path": "f", "new_name": "g"}),
    ],
    "cstquery": [
        (
            "patch_cst_module",
            "file_path",
            {"ops": [{"selector": {"kind": "function", "name": "f"}, "new_code": NEW}], "apply": True},
        ),
    ],
    "file-edit": [
        ("file_edit", "path", {"old_text": "return 1", "new_text": "return 3"}),
        ("file_edit", "path", {"symbol": "f", "new_text": NEW}),
    ],
    "openai": [("apply_patch", "input", {})],
    "probe": [
        ("edit", "file_path", OLD_NEW),
        ("edit", "file_path", {"symbol": "f", "new_string": NEW}),
        ("create", "file_path", {"content": NEW, "overwrite": True}),
    ],
    "serena": [
        ("replace_symbol_body", "relative_path", {"name_path": "f", "body": NEW}),
        ("insert_after_symbol", "relative_path", {"name_path": "f", "body": "x = 1\n"}),
        ("insert_before_symbol", "relative_path", {"name_path": "f", "body": "x = 1\n"}),
        ("rename_symbol", "relative_path", {"name_path": "f", "new_name": "g"}),
        ("safe_delete_symbol", "relative_path", {"name_path_pattern": "f"}),
        ("replace_content", "relative_path", {"needle": "return 1", "repl": "return 3", "mode": "literal"}),
        ("create_text_file", "relative_path", {"content": NEW}),
    ],
}
"""Editing tools by dialect: tool, parameter with the path, other arguments."""


def call_tool(client: Client, tool: str, path_parameter: str, path: str, arguments: dict[str, Any]) -> Any:
    all_arguments = {
        path_parameter: PATCH.format(path) if path_parameter == "input" else path,
        **arguments,
    }
    return client.call_result(tool, {"gitscalpel/capability": MINE}, **json.loads(json.dumps(all_arguments)))


@pytest.mark.parametrize("dialect", CALLS)
def test_edit_outside_of_the_paths_is_refused(tmp_path: Path, dialect: str) -> None:
    assert {tool for tool, *_ in CALLS[dialect]} == {
        t.name for t in registry.load(dialect).tools if t.is_editing
    }
    files = {"mine/a.py": CODE.encode(), "theirs/a.py": CODE.encode()}
    repo = Sandbox.of(tmp_path / "repo", files)
    (repo.root / "mine/link.py").symlink_to("../theirs/a.py")
    granted = tmp_path / "granted.toml"
    granted.touch(mode=0o600)
    granted.write_text(GRANTED)
    outside = ["theirs/a.py", "mine/../theirs/a.py", str(repo.root / "theirs/a.py"), "mine/link.py"]
    options = ("--allow-edit", "--tools", "all", "--dialect", dialect, "--capability", str(granted))
    with connect_client(repo.root, *options) as client:
        for tool, path_parameter, arguments in CALLS[dialect]:
            for path in outside:
                result = call_tool(client, tool, path_parameter, path, arguments)
                assert (repo.root / "theirs/a.py").read_text() == CODE, (tool, path)
                assert result["isError"], (tool, path, result)
            result = call_tool(client, tool, path_parameter, "mine/a.py", arguments)
            assert (repo.root / "mine/a.py").read_text() != CODE, (tool, result)
            (repo.root / "mine/a.py").write_text(CODE)
