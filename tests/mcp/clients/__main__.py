"""Calls every tool over standard input and output with the official client (``mcp`` of PyPI, line 1 or 2).

``test_clients.py`` does so with the line that is installed. The other need not be installed beside
gitscalpel: ``PYTHONPATH=. VENV/bin/python -m tests.mcp.clients``, with ``git scalpel`` on the ``PATH``.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.metadata
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.mcp.clients.repositories import repository

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
PAGE: Any = "ui://gitscalpel/review"
REFUSED = {"approve": "invalid_args"}
"""Nobody agrees to what is his own."""
CONFIRMED = ("approve", "land")
"""Of these the person at the client is asked before."""


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
    page = (await session.read_resource(PAGE)).contents[0]
    if either(page, "mime_type", "mimeType") != "text/html;profile=mcp-app":
        wrong.append(f"the page: {page}")
    return wrong + [f"not called: {name}" for name in sorted(tools - {name for name, _ in CALLS})]


@asynccontextmanager
async def session(mcp: Any, how: Any, era: str, agree: Any) -> AsyncIterator[Any]:
    """A client that speaks the protocol of an era; only line 2 speaks that without a greeting."""
    if era == "stateless":
        async with mcp.Client(how, mode="2026-07-28", elicitation_callback=agree) as found:
            yield found
        return
    stdio: Any = importlib.import_module("mcp.client.stdio")
    async with (
        stdio.stdio_client(how) as (read, write),
        mcp.ClientSession(read, write, elicitation_callback=agree) as found,
    ):
        await found.initialize()
        yield found


async def drive_all(mcp: Any, era: str) -> list[str]:
    """Call them all in a new repository, and count what a person is asked."""
    asked: list[str] = []

    async def agree(_: Any, question: Any) -> Any:
        asked.append(question.message)
        return mcp.types.ElicitResult(action="accept", content={})

    with tempfile.TemporaryDirectory() as folder:
        words = ["scalpel", "mcp", "--allow-edit", "--tools", "all", "--root", str(repository(Path(folder)))]
        words += ["--output-schemas", "--confirm", *CONFIRMED]
        how = mcp.StdioServerParameters(command="git", args=words, env=dict(os.environ))
        async with session(mcp, how, era, agree) as found:
            wrong = await drive(found)
    about = [each.split(":")[0].split()[-1] for each in asked]
    return wrong + ([] if about == list(CONFIRMED) else [f"asked about {about}"])


async def main() -> int:
    mcp: Any = importlib.import_module("mcp")
    failed = False
    for era in ("greeted", "stateless") if hasattr(mcp, "Client") else ("greeted",):
        wrong = await drive_all(mcp, era)
        failed = failed or bool(wrong)
        print(importlib.metadata.version("mcp"), era, f"{len(CALLS)} calls:", *(wrong or ["all as expected"]))
    return failed


sys.exit(asyncio.run(main()))
