"""Call every tool over standard input and output with the official client (``mcp`` of PyPI, line 1 or 2).

``test_clients.py`` does so with the installed line. The other need not be installed beside
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

from tests.mcp.clients.repositories import make_repository

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
"""Expected error codes; authors cannot approve their own changes."""
CONFIRMED = ("approve", "land")
"""Tools that ask the user for confirmation."""


def get_first_attribute(owner: Any, *names: str) -> Any:
    """Return an attribute by its name in line 1 or line 2 of the client."""
    return next(getattr(owner, name) for name in names if hasattr(owner, name))


async def drive(open_session: Any) -> list[str]:
    """Call all tools, and return a message for each unexpected answer."""
    tools = {tool.name for tool in (await open_session.list_tools()).tools}
    failures, tx = [], ""
    for name, arguments in CALLS:
        sent = {key: tx if value == "TX" else value for key, value in arguments.items()}
        result = await open_session.call_tool(name, sent)
        answer = get_first_attribute(result, "structured_content", "structuredContent")
        code = answer["error"]["code"] if get_first_attribute(result, "is_error", "isError") else None
        if code != REFUSED.get(name):
            failures.append(f"{name}: {answer.get('error')}")
        tx = answer["data"]["tx"] if name == "transaction" else tx
    page = (await open_session.read_resource(PAGE)).contents[0]
    if get_first_attribute(page, "mime_type", "mimeType") != "text/html;profile=mcp-app":
        failures.append(f"the page: {page}")
    return failures + [f"not called: {name}" for name in sorted(tools - {name for name, _ in CALLS})]


@asynccontextmanager
async def open_session(mcp: Any, parameters: Any, era: str, agree: Any) -> AsyncIterator[Any]:
    """Connect a client that speaks the protocol of an era; only line 2 supports the stateless one."""
    if era == "stateless":
        async with mcp.Client(parameters, mode="2026-07-28", elicitation_callback=agree) as session:
            yield session
        return
    stdio: Any = importlib.import_module("mcp.client.stdio")
    async with (
        stdio.stdio_client(parameters) as (read, write),
        mcp.ClientSession(read, write, elicitation_callback=agree) as session,
    ):
        await session.initialize()
        yield session


async def drive_all(mcp: Any, era: str) -> list[str]:
    """Call all tools in a new repository, and check the number of confirmations."""
    questions: list[str] = []

    async def agree(_: Any, question: Any) -> Any:
        questions.append(question.message)
        return mcp.types.ElicitResult(action="accept", content={})

    with tempfile.TemporaryDirectory() as folder:
        words = [
            "scalpel",
            "mcp",
            "--allow-edit",
            "--tools",
            "all",
            "--root",
            str(make_repository(Path(folder))),
        ]
        words += ["--output-schemas", "--confirm", *CONFIRMED]
        parameters = mcp.StdioServerParameters(command="git", args=words, env=dict(os.environ))
        async with open_session(mcp, parameters, era, agree) as found:
            wrong = await drive(found)
    about = [each.split(":")[0].split()[-1] for each in questions]
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
