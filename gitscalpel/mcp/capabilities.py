"""Capabilities and instructions that a server announces, and the review page as a resource.

All clients get the same, limited to their permissions. The page is for clients that show apps of servers
(``ui://``, MCP Apps).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import Any

from gitscalpel.api import ScalpelError
from gitscalpel.mcp import jsonrpc, tool_calls
from gitscalpel.mcp.elicitation import Seals
from gitscalpel.mcp.jsonrpc import INTERNAL, INVALID_PARAMS, NO_METHOD, NO_RESOURCE, Era, Fault, Message
from gitscalpel.mcp.permissions import Grant, shown
from gitscalpel.mcp.roots import Roots, Who
from gitscalpel.mcp.tool_calls import Desk
from gitscalpel.mcp.tools import SPELLING, Tool

URI = "ui://gitscalpel/review"
TOOL = "diff"
"""The tool whose answers it shows."""
_MIME = "text/html;profile=mcp-app"
_SHOWN = {"mimeType": _MIME, "_meta": {"ui": {"prefersBorder": True}}}
_BUTTONS = {"approve": ("approve", "reject"), "check": ("check",), "land": ("land",)}
"""What may be pressed by who is granted a tool."""


def is_offered(granted: Grant) -> bool:
    """Whether there is one: for who may look at transactions, where what makes it is installed."""
    return TOOL in granted.tools and all(importlib.util.find_spec(name) for name in ("jinja2", "unidiff"))


def listed() -> list[dict[str, Any]]:
    """The page that shows what the tool has answered."""
    words = "What an open transaction changes, for people."
    return [{"uri": URI, "name": "review", "title": "Review", "description": words, **_SHOWN}]


def templates() -> list[dict[str, Any]]:
    """The page of one transaction."""
    words = "The page of one open transaction."
    row = {"uriTemplate": f"{URI}/{{tx}}", "name": "review-transaction", "title": "Review of a transaction"}
    return [{**row, "description": words, "mimeType": _MIME}]


def read(uri: str, roots: Roots, granted: Grant, agent: str) -> str | None:
    """The page; None: there is none of that name.

    Raises:
        ScalpelError: it cannot be made.
    """
    from gitscalpel.review import page_templates, pending_transactions

    if uri == URI:
        return page_templates.app(None, SPELLING)
    tx = uri.removeprefix(f"{URI}/")
    if tx == uri or not tx.isalnum():
        return None
    buttons = [button for name in granted.tools for button in _BUTTONS.get(name, ())]
    for root in roots.folders:
        with roots.opened(Who(root, granted.agent or agent, granted.within)) as repo:
            try:
                return page_templates.app(pending_transactions.seen(repo, tx), SPELLING, buttons)
            except ScalpelError as error:
                if error.code not in ("tx_not_found", "tx_closed", "not_a_repository"):
                    raise
    return None


def contents(uri: str, text: str) -> dict[str, Any]:
    """A result that holds it."""
    return {"contents": [{"uri": uri, "text": text, **_SHOWN}]}


CAPABILITY = "gitscalpel/capability"
"""Where in ``_meta`` an agent that shares a server with others shows what it was given."""
INSTRUCTIONS = (
    "Edits are transactions in git: all of a call, or nothing. Read before you edit; address code by symbol. "
    "A refusal has a code, a hint and often a retry to send."
)
_UNDO = " undo takes your last step back."


def instructions(granted: Grant) -> str:
    """Return what a client is told of the server; it names no tool that is not offered."""
    return INSTRUCTIONS + _UNDO * ("undo" in granted.tools)


class Offer:
    """What a server offers: what everybody is granted, and what goes with a token.

    Args:
        desk: where calls are done.
        everybody, tokens: these.
        version: ours.
        answers: schemas of what tools answer are listed as well.
        confirmed: the tools of which a person is asked before each call.
    """

    def __init__(
        self,
        desk: Desk,
        everybody: Grant,
        tokens: Mapping[str, Grant],
        version: str,
        *,
        answers: bool = False,
        confirmed: frozenset[str] = frozenset(),
    ) -> None:
        self.desk, self.everybody, self.tokens = desk, everybody, tokens
        self.confirmed, self.answers = confirmed, answers
        self.seals = Seals()
        self.server = {"name": "gitscalpel", "version": version}

    def granted(self, message: Message) -> Grant:
        """What who asks is granted; where there are tokens, who shows none only looks.

        Raises:
            Fault: the token is nobody's.
        """
        if not self.tokens:
            return self.everybody
        token = message.meta.get(CAPABILITY)
        if token is None:
            return self.everybody.looking()
        found = shown(self.tokens, token) if isinstance(token, str) else None
        if found is None:
            raise Fault(INVALID_PARAMS, "this token is nobody's")
        return found

    def greeting(self, era: Era) -> dict[str, Any]:
        """The answer to ``initialize``."""
        capabilities = {**self._capabilities, "tools": {"listChanged": False}}
        said = {"protocolVersion": era.version, "capabilities": capabilities}
        return {**said, "instructions": instructions(self.everybody), "serverInfo": self.server}

    def said(self, message: Message, era: Era, granted: Grant) -> dict[str, Any]:
        """The answer to what calls no tool.

        Raises:
            Fault: there is no such method.
        """
        if message.method == "tools/list":
            shows = is_offered(granted)
            tools = [self._row(tool, shows) for tool in granted.tools.values()]
            return self.result(era, {"tools": tools}, lasts=jsonrpc.LIST_LASTS)
        if message.method == "resources/list" and is_offered(granted):
            return self.result(era, {"resources": listed()}, lasts=jsonrpc.LIST_LASTS)
        if message.method == "resources/templates/list" and is_offered(granted):
            return self.result(era, {"resourceTemplates": templates()}, lasts=jsonrpc.LIST_LASTS)
        if message.method == "server/discover" and era.stateless:
            said = {
                "supportedVersions": [each.version for each in jsonrpc.STATELESS],
                "capabilities": {**self._capabilities, "tools": {}},
                "instructions": instructions(granted),
            }
            return self.result(era, said, lasts=jsonrpc.LIST_LASTS)
        if message.method == "ping" and not era.stateless:
            return {}
        raise Fault(NO_METHOD, f"there is no method {message.method}")

    def read(self, message: Message, era: Era, granted: Grant, agent: str) -> dict[str, Any]:
        """The answer to ``resources/read``.

        Raises:
            Fault: there is no such resource, or it cannot be made.
        """
        uri, found = message.params.get("uri"), None
        if isinstance(uri, str) and is_offered(granted):
            try:
                found = read(uri, self.desk.roots, granted, agent)
            except BaseException as error:
                why = tool_calls.known(error, "review", {"uri": uri})
                raise Fault(INTERNAL, f"{why.code}: {why}", {"uri": uri}) from None
        if found is None:
            code = INVALID_PARAMS if era.stateless else NO_RESOURCE
            raise Fault(code, f"there is no resource {uri!r}", {"uri": uri})
        lasts = jsonrpc.LIST_LASTS if uri == URI else 0
        return self.result(era, contents(str(uri), found), lasts=lasts)

    @property
    def _capabilities(self) -> dict[str, Any]:
        granted = [self.everybody, *self.tokens.values()]
        return {"logging": {}, **({"resources": {}} if any(map(is_offered, granted)) else {})}

    def result(self, era: Era, said: dict[str, Any], *, lasts: int | None = None) -> dict[str, Any]:
        """A result as a revision writes it; ``lasts``: for how many milliseconds it may be kept."""
        return jsonrpc.result(era, said, self.server, lasts=lasts)

    def _row(self, tool: Tool, shows: bool) -> dict[str, Any]:
        row = tool_row(tool, answers=self.answers)
        folders = self.desk.roots.folders
        if len(folders) > 1:
            schema = row["inputSchema"]
            row["inputSchema"] = {**schema, "properties": {**schema["properties"], "root": {"enum": folders}}}
        if tool.name == TOOL and shows:
            row["_meta"] = {"ui": {"resourceUri": URI}}
        return row


def tool_row(tool: Tool, *, answers: bool = False) -> dict[str, Any]:
    """Return a tool as ``tools/list`` has it; ``answers``: with the schema of what it answers."""
    row = {"name": tool.name, "description": tool.text.help, "inputSchema": tool.schema}
    if answers and tool.answers is not None:
        row["outputSchema"] = tool.answers
    row["annotations"] = {
        "readOnlyHint": tool.only_looks,
        "destructiveHint": tool.text.destroys,
        "idempotentHint": tool.only_looks or tool.text.again,
        "openWorldHint": False,
    }
    return row
