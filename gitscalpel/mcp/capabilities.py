"""Capabilities and instructions that a server announces, and the review page as a resource.

The page is for clients that can display apps (``ui://``, MCP Apps).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import Any

from gitscalpel.adapters.tool import Tool
from gitscalpel.api import ScalpelError
from gitscalpel.mcp import command_call, jsonrpc, tool_calls
from gitscalpel.mcp.jsonrpc import (
    INTERNAL,
    INVALID_PARAMS,
    NO_METHOD,
    NO_RESOURCE,
    Message,
    RequestError,
    Revision,
)
from gitscalpel.mcp.permissions import ConsentRequests, Grant, find_grant
from gitscalpel.mcp.roots import RepositoryKey, Roots
from gitscalpel.mcp.tool_calls import ToolRunner
from gitscalpel.mcp.tools import SPELLING
from gitscalpel.system.version import __version__

URI = "ui://gitscalpel/review"
TOOL = "diff"  # Tool whose answers the page displays
_MIME = "text/html;profile=mcp-app"
_SHOWN = {"mimeType": _MIME, "_meta": {"ui": {"prefersBorder": True}}}
_BUTTONS = {"approve": ("approve", "reject"), "check": ("check",), "land": ("land",)}
"""Buttons of the page by the tool that a client must be allowed to call."""


def is_page_offered(granted: Grant) -> bool:
    """Return True if the client may see transactions and the libraries for the page are installed."""
    return TOOL in granted.tools and all(importlib.util.find_spec(name) for name in ("jinja2", "unidiff"))


def list_resources() -> list[dict[str, Any]]:
    """Return the rows of ``resources/list``: the review page."""
    words = "What an open transaction changes, for people."
    return [{"uri": URI, "name": "review", "title": "Review", "description": words, **_SHOWN}]


def list_templates() -> list[dict[str, Any]]:
    words = "The page of one open transaction."
    row = {"uriTemplate": f"{URI}/{{tx}}", "name": "review-transaction", "title": "Review of a transaction"}
    return [{**row, "description": words, "mimeType": _MIME}]


def read_page(uri: str, roots: Roots, granted: Grant, agent: str) -> str | None:
    """Return the page at a URI, or None if there is no such page.

    Raises:
        ScalpelError: the page cannot be rendered.
    """
    from gitscalpel.review import app, pending_transactions  # jinja2 and unidiff are optional

    if uri == URI:
        return app.render_frame_page(None, SPELLING)
    tx = uri.removeprefix(f"{URI}/")
    if tx == uri or not tx.isalnum():
        return None
    buttons = [button for name in granted.tools for button in _BUTTONS.get(name, ())]
    for root in roots.folders:
        with roots.borrow(RepositoryKey(root, granted.agent or agent, granted.within)) as repo:
            try:
                return app.render_frame_page(
                    pending_transactions.read_transaction_page(repo, tx), SPELLING, buttons
                )
            except ScalpelError as error:
                if error.code not in ("tx_not_found", "tx_closed", "not_a_repository"):
                    raise
    return None


def resource_result(uri: str, text: str) -> dict[str, Any]:
    return {"contents": [{"uri": uri, "text": text, **_SHOWN}]}


CAPABILITY = "gitscalpel/capability"
"""Key in ``_meta`` for the token of an agent that shares the server with others."""
INSTRUCTIONS = (
    "Each edit call is atomic. Read before you edit, and address code by symbol where possible. "
    "An error has a code, a hint and often a retry to send."
)
_UNDO = " undo undoes your last operation."


def build_instructions(granted: Grant) -> str:
    """Return the instructions for a client. They name no tool that the client is not offered."""
    return INSTRUCTIONS + _UNDO * ("undo" in granted.tools)


class Offer:
    """Everything that a server offers to its clients, each within its permissions.

    Args:
        runner: runs tool calls.
        default_grant: permissions of a request without a token.
        tokens: permissions by token.
        has_output_schemas: True if ``tools/list`` includes output schemas.
        confirmed_tools: tools that a person must confirm before each call.
    """

    def __init__(
        self,
        runner: ToolRunner,
        default_grant: Grant,
        tokens: Mapping[str, Grant],
        *,
        has_output_schemas: bool = False,
        confirmed_tools: frozenset[str] = frozenset(),
    ) -> None:
        self.runner, self.default_grant, self.tokens = runner, default_grant, tokens
        self.confirmed_tools, self.has_output_schemas = confirmed_tools, has_output_schemas
        self.consent = ConsentRequests()
        self.server = {"name": "gitscalpel", "version": __version__}

    def grant_for(self, message: Message) -> Grant:
        """Return the permissions of a request. If there are tokens, a request without one may only read.

        Raises:
            RequestError: the token is unknown.
        """
        if not self.tokens:
            return self.default_grant
        token = message.meta.get(CAPABILITY)
        if token is None:
            return self.default_grant.read_only()
        grant = find_grant(self.tokens, token) if isinstance(token, str) else None
        if grant is None:
            raise RequestError(INVALID_PARAMS, "unknown token")
        return grant

    def initialize_result(self, revision: Revision) -> dict[str, Any]:
        capabilities = {**self._capabilities, "tools": {"listChanged": False}}
        result = {"protocolVersion": revision.version, "capabilities": capabilities}
        return {**result, "instructions": build_instructions(self.default_grant), "serverInfo": self.server}

    def answer(self, message: Message, revision: Revision, granted: Grant) -> dict[str, Any]:
        """Return the result of a request other than a tool call or ``resources/read``.

        Raises:
            RequestError: there is no such method.
        """
        if message.method == "tools/list":
            has_page = is_page_offered(granted)
            tools = [self._row(tool, has_page) for tool in granted.tools.values()]
            return self.result(revision, {"tools": tools}, ttl_ms=jsonrpc.LIST_TTL_MS)
        if message.method == "resources/list" and is_page_offered(granted):
            return self.result(revision, {"resources": list_resources()}, ttl_ms=jsonrpc.LIST_TTL_MS)
        if message.method == "resources/templates/list" and is_page_offered(granted):
            return self.result(revision, {"resourceTemplates": list_templates()}, ttl_ms=jsonrpc.LIST_TTL_MS)
        if message.method == "server/discover" and revision.is_stateless:
            discovery = {
                "supportedVersions": [each.version for each in jsonrpc.STATELESS],
                "capabilities": {**self._capabilities, "tools": {}},
                "instructions": build_instructions(granted),
            }
            return self.result(revision, discovery, ttl_ms=jsonrpc.LIST_TTL_MS)
        if message.method == "ping" and not revision.is_stateless:
            return {}
        raise RequestError(NO_METHOD, f"method not found: {message.method}")

    def read_resource(
        self, message: Message, revision: Revision, granted: Grant, agent: str
    ) -> dict[str, Any]:
        """Return the result of ``resources/read``.

        Raises:
            RequestError: there is no such resource, or the page cannot be rendered.
        """
        uri, page = message.params.get("uri"), None
        if isinstance(uri, str) and is_page_offered(granted):
            try:
                page = read_page(uri, self.runner.roots, granted, agent)
            except BaseException as error:
                why = tool_calls.to_scalpel_error(error, "review", {"uri": uri})
                raise RequestError(INTERNAL, f"{why.code}: {why}", {"uri": uri}) from None
        if page is None:
            code = INVALID_PARAMS if revision.is_stateless else NO_RESOURCE
            raise RequestError(code, f"resource not found: {uri!r}", {"uri": uri})
        ttl_ms = jsonrpc.LIST_TTL_MS if uri == URI else 0
        return self.result(revision, resource_result(str(uri), page), ttl_ms=ttl_ms)

    @property
    def _capabilities(self) -> dict[str, Any]:
        granted = [self.default_grant, *self.tokens.values()]
        return {"logging": {}, **({"resources": {}} if any(map(is_page_offered, granted)) else {})}

    def result(
        self, revision: Revision, said: dict[str, Any], *, ttl_ms: int | None = None
    ) -> dict[str, Any]:
        return jsonrpc.build_result(revision, said, self.server, ttl_ms=ttl_ms)

    def _row(self, tool: Tool, has_page: bool) -> dict[str, Any]:
        row = tool_row(tool, answers=self.has_output_schemas)
        folders = self.runner.roots.folders
        if len(folders) > 1:
            schema = row["inputSchema"]
            row["inputSchema"] = {**schema, "properties": {**schema["properties"], "root": {"enum": folders}}}
        if tool.name == TOOL and has_page:
            row["_meta"] = {"ui": {"resourceUri": URI}}
        return row


def tool_row(tool: Tool, *, answers: bool = False) -> dict[str, Any]:
    """Return a tool as a row of ``tools/list``; ``answers`` adds the output schema."""
    row = {"name": tool.name, "description": tool.help, "inputSchema": tool.input_schema}
    if answers and tool.format_error is None:
        row["outputSchema"] = command_call.answer_schema(
            tool.find_command({}) if len(tool.commands) == 1 else None
        )
    row["annotations"] = {
        "readOnlyHint": not tool.is_editing,
        "destructiveHint": tool.is_editing and not tool.keeps_content,
        "idempotentHint": not tool.is_editing or tool.is_repeatable,
        "openWorldHint": False,
    }
    return row
