"""Calls every tool over standard input and output with the official client (``mcp`` of PyPI, line 1 or 2).

That need not be installed beside gitscalpel: ``PYTHONPATH=. VENV/bin/python -m tests.mcp.clients``, with
``git scalpel`` on the ``PATH``.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.metadata
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

EDIT = {"ops": [{"op": "text", "path": "a.py", "old": "1", "new": "2"}]}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("look", {"path": "a.py"}),
    ("refs", {"path": "a.py", "symbol": "f"}),
    ("log", {}),
    ("status", {}),
    ("edit", EDIT),
    ("rename", {"path": "a.py", "symbol": "f", "to": "g"}),
    ("edit", {"ops": [{"op": "write", "path": "b.py", "content": ""}]}),
    ("move", {"path": "a.py", "symbol": "g", "to_path": "b.py"}),
    ("imports", {"path": "b.py", "add": ["import os"]}),
    ("undo", {}),
    ("undo", {"do": "redo"}),
    ("snapshot", {}),
    ("check", {}),
    ("transaction", {"do": "begin", "onto": "main"}),
    ("edit", {"ops": [{"op": "write", "path": "c.py", "content": "c = 1\n"}], "tx": "TX"}),
    ("diff", {"tx": "TX"}),
    ("approve", {"tx": "TX"}),
    ("land", {"tx": "TX"}),
]
REFUSED = {"approve": "invalid_args"}
"""Nobody agrees to what is his own."""


def repository(folder: Path) -> Path:
    (folder / "a.py").write_text("def f():\n    return 1\n")
    for words in (["init", "-qb", "main"], ["add", "."], ["commit", "-qm", "first"]):
        who = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *who, *words], cwd=folder, check=True)
    for name, value in (("user.name", "A"), ("user.email", "a@example.com")):
        subprocess.run(["git", "config", name, value], cwd=folder, check=True)
    return folder


def either(of: Any, *names: str) -> Any:
    """An attribute as one line of the client calls it, or the other."""
    return next(getattr(of, name) for name in names if hasattr(of, name))


async def drive(session: Any) -> list[str]:
    """Call them all: what went wrong, in words."""
    tools = {tool.name for tool in (await session.list_tools()).tools}
    wrong, tx = [], ""
    for name, given in CALLS:
        sent = {key: tx if value == "TX" else value for key, value in given.items()}
        result = await session.call_tool(name, sent)
        said = either(result, "structured_content", "structuredContent")
        code = said["error"]["code"] if either(result, "is_error", "isError") else None
        if code != REFUSED.get(name):
            wrong.append(f"{name}: {said.get('error')}")
        tx = said["data"]["tx"] if name == "transaction" else tx
    return wrong + [f"not called: {name}" for name in sorted(tools - {name for name, _ in CALLS})]


async def main() -> int:
    mcp: Any = importlib.import_module("mcp")
    stdio: Any = importlib.import_module("mcp.client.stdio")
    with tempfile.TemporaryDirectory() as folder:
        words = ["scalpel", "mcp", "--allow-edit", "--tools", "all", "--root", str(repository(Path(folder)))]
        how = mcp.StdioServerParameters(command="git", args=words, env=dict(os.environ))
        async with stdio.stdio_client(how) as (read, write), mcp.ClientSession(read, write) as session:
            await session.initialize()
            wrong = await drive(session)
    print(importlib.metadata.version("mcp"), f"{len(CALLS)} calls", *(wrong or ["all as expected"]), sep="\n")
    return bool(wrong)


sys.exit(asyncio.run(main()))
