"""Call every tool of every dialect with the official client (``mcp`` of PyPI).

Each parameter is passed in some call. Run with ``python -m tests.adapters.official``.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from gitscalpel.adapters import registry
from tests.mcp.clients import repositories

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n def f():\n-    return 1\n+    return 2\n*** End Patch\n"
EDITOR = "str_replace_based_edit_tool"
F, G = "def f():\n    return 2", "def g():\n    return 3"
SELECT = {"kind": "cst_query", "query": "function[name=f] Return", "match_index": 0}
Calls = list[tuple[str, dict[str, Any]]]
CALLS: dict[str, Calls] = {
    "anthropic": [
        (EDITOR, {"command": "view", "path": "a.py", "view_range": [1, -1]}),
        (EDITOR, {"command": "create", "path": "b.py", "file_text": "b = 1\n"}),
        (EDITOR, {"command": "str_replace", "path": "b.py", "old_str": "1", "new_str": "2"}),
        (EDITOR, {"command": "insert", "path": "b.py", "insert_line": 1, "insert_text": "c = 1\n"}),
    ],
    "blueprint": [
        ("file_read", {"file": "a.py", "target": "f", "includeMetadata": True, "maxDepth": 1}),
        ("file_read", {"file": "a.py", "startLine": 1, "endLine": 2}),
        ("file_edit", {"file": "a.py", "target": "f", "code": F}),
        ("file_edit", {"file": "a.py", "startLine": 2, "endLine": 2, "code": "    return 4"}),
    ],
    "claude-code": [
        ("Read", {"file_path": "a.py", "offset": 1, "limit": 5}),
        ("Edit", {"file_path": "a.py", "old_string": "1", "new_string": "2", "replace_all": True}),
        ("MultiEdit", {"file_path": "a.py", "edits": [{"old_string": "2", "new_string": "3"}]}),
        ("Write", {"file_path": "b.py", "content": "b = 1\n"}),
    ],
    "code-scalpel": [
        (
            "update_symbol",
            {
                "file_path": "a.py",
                "target_type": "function",
                "target_name": "f",
                "new_code": F,
                "operation": "replace",
                "path_mode": "absolute",
                "include_integrity": True,
                "require_approval": False,
                "create_backup": True,
            },
        ),
        (
            "update_symbol",
            {
                "file_path": "a.py",
                "target_type": "function",
                "target_name": "f",
                "operation": "rename",
                "new_name": "h",
            },
        ),
    ],
    "codescout": [
        ("edit_file", {"path": "a.py", "old_string": "1", "new_string": "2", "replace_all": True}),
        ("edit_file", {"path": "a.py", "insert": "append", "new_string": "END = 1\n"}),
        ("edit_file", {"path": "a.py", "edits": [{"old_string": "END = 1", "new_string": "END = 2"}]}),
        ("replace_symbol", {"symbol": "f", "path": "a.py", "new_body": F.replace("2", "5")}),
        ("insert_code", {"symbol": "f", "path": "a.py", "code": G, "position": "after"}),
        ("rename_symbol", {"symbol": "g", "path": "a.py", "new_name": "h"}),
        ("remove_symbol", {"symbol": "h", "path": "a.py"}),
        ("edit_code", {"symbol": "f", "path": "a.py", "action": "insert", "body": G, "position": "before"}),
        ("edit_code", {"symbol": "g", "path": "a.py", "action": "rename", "new_name": "h"}),
    ],
    "cstquery": [
        (
            "query_cst",
            {
                "file_path": "a.py",
                "selector": "function[name=f]",
                "include_code": True,
                "max_results": 5,
                "project_id": "p",
                "root_dir": ".",
            },
        ),
        (
            "patch_cst_module",
            {
                "file_path": "a.py",
                "ops": [{"selector": SELECT, "new_code": "return 2"}],
                "apply": True,
                "return_diff": True,
            },
        ),
        (
            "patch_cst_module",
            {
                "file_path": "a.py",
                "ops": [
                    {
                        "selector": {"kind": "function", "name": "f"},
                        "code_lines": ["def g():", "    return 3"],
                        "position": "after",
                    }
                ],
            },
        ),
        (
            "patch_cst_module",
            {
                "file_path": "a.py",
                "ops": [
                    {
                        "selector": {"kind": "range", "start_line": 2, "end_line": 2},
                        "new_code": "    return 5",
                    }
                ],
            },
        ),
    ],
    "file-edit": [
        ("file_read", {"path": "a.py", "symbol": "f", "start_line": 1, "end_line": 2}),
        ("file_edit", {"path": "a.py", "old_text": "1", "new_text": "2", "replace_all": True}),
        ("file_edit", {"path": "a.py", "symbol": "f", "new_text": G, "position": "after"}),
    ],
    "openai": [("apply_patch", {"input": PATCH})],
    "probe": [
        (
            "search",
            {
                "query": "return",
                "path": ".",
                "allow_tests": True,
                "exact": False,
                "maxResults": 3,
                "maxTokens": 1000,
                "session": "new",
            },
        ),
        ("extract", {"targets": "a.py#f", "context_lines": 3}),
        ("extract", {"file_path": "a.py", "line": 1, "end_line": 2}),
        ("edit", {"file_path": "a.py", "old_string": "1", "new_string": "2", "replace_all": True}),
        ("edit", {"file_path": "a.py", "symbol": "f", "new_string": G, "position": "after"}),
        ("edit", {"file_path": "a.py", "start_line": "2", "end_line": "2", "new_string": "    return 9"}),
        ("create", {"file_path": "b.py", "content": "b = 1\n", "overwrite": False}),
    ],
    "serena": [
        ("get_symbols_overview", {"relative_path": "a.py", "depth": 1, "max_answer_chars": 1000}),
        (
            "find_symbol",
            {
                "name_path_pattern": "f",
                "relative_path": "a.py",
                "depth": 1,
                "include_body": True,
                "include_kinds": [12],
                "exclude_kinds": [5],
                "substring_matching": True,
                "max_matches": 5,
                "max_answer_chars": 1000,
            },
        ),
        (
            "find_referencing_symbols",
            {
                "name_path": "f",
                "relative_path": "a.py",
                "include_kinds": [12],
                "exclude_kinds": [5],
                "max_answer_chars": 1000,
            },
        ),
        (
            "search_for_pattern",
            {
                "substring_pattern": "return",
                "context_lines_before": 1,
                "context_lines_after": 1,
                "paths_include_glob": "*.py",
                "paths_exclude_glob": "x*",
                "relative_path": "",
                "multiline": True,
                "max_answer_chars": 1000,
            },
        ),
        ("read_file", {"relative_path": "a.py", "start_line": 0, "end_line": 1, "max_answer_chars": 1000}),
        ("replace_symbol_body", {"name_path": "f", "relative_path": "a.py", "body": F}),
        ("insert_after_symbol", {"name_path": "f", "relative_path": "a.py", "body": G}),
        ("insert_before_symbol", {"name_path": "f", "relative_path": "a.py", "body": "A = 1"}),
        ("rename_symbol", {"name_path": "g", "relative_path": "a.py", "new_name": "h"}),
        ("safe_delete_symbol", {"name_path_pattern": "h", "relative_path": "a.py"}),
        (
            "replace_content",
            {
                "relative_path": "a.py",
                "needle": "return 2",
                "repl": "return 3",
                "mode": "literal",
                "allow_multiple_occurrences": True,
            },
        ),
        ("create_text_file", {"relative_path": "b.py", "content": "b = 1\n"}),
    ],
}


async def drive(mcp: Any, stdio: Any, dialect: str) -> list[str]:
    """Make the calls of a dialect in a new repository, and return a message for each failure."""
    failures: list[str] = []
    parameters_by_tool: dict[str, set[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        words = ["scalpel", "mcp", "--allow-edit", "--tools", "all", "--dialect", dialect]
        words += ["--root", str(repositories.make_repository(Path(folder)))]
        parameters = mcp.StdioServerParameters(command="git", args=words, env=dict(os.environ))
        async with stdio.stdio_client(parameters) as (read, write), mcp.ClientSession(read, write) as session:
            await session.initialize()
            listed = {tool.name for tool in (await session.list_tools()).tools}
            for name, arguments in CALLS[dialect]:
                parameters_by_tool.setdefault(name, set()).update(arguments)
                result = await session.call_tool(name, arguments)
                if getattr(result, "is_error", None) or getattr(result, "isError", None):
                    failures.append(f"{dialect}: {name}: {result.content[0].text}")
    tools = {tool.name: tool for tool in registry.load(dialect).tools}
    failures += [f"{dialect}: {name} was not called" for name in sorted(listed ^ parameters_by_tool.keys())]
    return failures + [
        f"{dialect}: {name} was called without {field}"
        for name, fields in parameters_by_tool.items()
        for field in sorted(tools[name].parameters.keys() - fields)
    ]


async def main() -> int:
    mcp: Any = importlib.import_module("mcp")
    stdio: Any = importlib.import_module("mcp.client.stdio")
    failures = [each for dialect in CALLS for each in await drive(mcp, stdio, dialect)]
    sys.stdout.write("\n".join(failures or [f"{len(CALLS)} dialects: all as expected"]) + "\n")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
