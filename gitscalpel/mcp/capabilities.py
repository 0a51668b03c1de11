"""Capabilities and instructions that a server announces, and the review page as a resource.

All clients get the same, limited to their permissions. The page is for clients that can display apps
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
"""Tool whose answers the page displays."""
_MIME = "text/html;profile=mcp-app"
_SHOWN = {"mimeType": _MIME, "_meta": {"ui": {"prefersBorder": True}}}
_BUTTONS = {"approve": ("approve", "reject"), "check": ("check",), "land": ("land",)}
"""Buttons of the page by the tool that a client must be allowed to call."""


def is_offered(granted: Grant) -> bool:
    """Return True if the client may see transactions and the libraries for the page are installed."""
    return TOOL in granted.tools and all(importlib.util.find_spec(name) for name in ("jinja2", "unidiff"))


def listed() -> list[dict[str, Any]]:
    """Return the rows of ``resources/list``: the page that displays the tool's answer."""
    words = "What an open transaction changes, for people."
    return [{"uri": URI, "name": "review", "title": "Review", "description": words, **_SHOWN}]


def templates() -> list[dict[str, Any]]:
    """Return the rows of ``resources/templates/list``: the page of one transaction."""
    words = "The page of one open transaction."
    row = {"uriTemplate": f"{URI}/{{tx}}", "name": "review-transaction", "title": "Review of a transaction"}
    return [{**row, "description": words, "mimeType": _MIME}]


def read(uri: str, roots: Roots, granted: Grant, agent: str) -> str | None:
    """Return the page at a URI, or None if there is no such page.

    Raises:
        ScalpelError: the page cannot be rendered.
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
    """Return the result of ``resources/read`` for a text."""
    return {"contents": [{"uri": uri, "text": text, **_SHOWN}]}


CAPABILITY = "gitscalpel/capability"
"""Key in ``_meta`` for the token of an agent that shares the server with others."""
INSTRUCTIONS = (
    "Each edit call is atomic. Read before you edit, and address code by symbol where possible. "
    "An error has a code, a hint and often a retry to send."
)
_UNDO = " undo undoes your last operation."


def instructions(granted: Grant) -> str:
    """Return the instructions for a client. They name no tool that the client is not offered."""
    return INSTRUCTIONS + _UNDO * ("undo" in granted.tools)


class Offer:
    """Everything that a server offers to its clients.

    Args:
        desk: runs tool calls.
        everybody: permissions without a token.
        tokens: permissions by token.
        version: version of gitscalpel.
        answers: True if ``tools/list`` includes output schemas.
        confirmed: tools that a person must confirm before each call.
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
        """Return the permissions of a request. If there are tokens, a request without one may only read.

        Raises:
            Fault: the token is unknown.
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
        """Return the result of ``initialize``."""
        capabilities = {**self._capabilities, "tools": {"listChanged": False}}
        said = {"protocolVersion": era.version, "capabilities": capabilities}
        return {**said, "instructions": instructions(self.everybody), "serverInfo": self.server}

    def said(self, message: Message, era: Era, granted: Grant) -> dict[str, Any]:
        """Return the result of a request other than a tool call.

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
        """Return the result of ``resources/read``.

        Raises:
            Fault: there is no such resource, or the page cannot be rendered.
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
        """Return a result in the form of a protocol revision; ``lasts`` is its lifetime in milliseconds."""
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
    """Return a tool as a row of ``tools/list``; ``answers`` adds the output schema."""
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
