"""What a server offers, and says of itself: the same to every client, but for what each is granted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gitscalpel.mcp import eras
from gitscalpel.mcp.calls import Desk
from gitscalpel.mcp.eras import Era
from gitscalpel.mcp.offered import Grant, shown
from gitscalpel.mcp.tools import Tool
from gitscalpel.mcp.wire import INVALID_PARAMS, NO_METHOD, Fault, Message

CAPABILITY = "gitscalpel/capability"
"""Where in ``_meta`` an agent that shares a server with others shows what it was given."""
INSTRUCTIONS = (
    "Edits are transactions in git: all of a call, or nothing. look before you edit; address code by symbol. "
    "A refusal has a code, a hint and often a retry to send. undo takes your last step back."
)


class Offer:
    """What a server offers: what everybody is granted, and what goes with a token."""

    def __init__(self, desk: Desk, everybody: Grant, tokens: Mapping[str, Grant], version: str) -> None:
        self.desk, self.everybody, self.tokens = desk, everybody, tokens
        self.server = {"name": "gitscalpel", "version": version}

    def granted(self, message: Message) -> Grant:
        """What who asks is granted; where there are tokens, who shows none only looks.

        Raises:
            Fault: the token is nobody's.
        """
        if not self.tokens:
            return self.everybody
        meta = message.params.get("_meta")
        token = meta.get(CAPABILITY) if isinstance(meta, dict) else None
        if token is None:
            return self.everybody.looking()
        found = shown(self.tokens, token) if isinstance(token, str) else None
        if found is None:
            raise Fault(INVALID_PARAMS, "this token is nobody's")
        return found

    def greeting(self, era: Era) -> dict[str, Any]:
        """The answer to ``initialize``."""
        capabilities: dict[str, Any] = {"tools": {"listChanged": False}}
        said = {"protocolVersion": era.version, "capabilities": capabilities, "instructions": INSTRUCTIONS}
        return {**said, "serverInfo": self.server}

    def said(self, message: Message, era: Era, granted: Grant) -> dict[str, Any]:
        """The answer to what calls no tool.

        Raises:
            Fault: there is no such method.
        """
        if message.method == "tools/list":
            tools = [self._row(tool) for tool in granted.tools.values()]
            return self.result(era, {"tools": tools}, lasts=True)
        if message.method == "server/discover" and era.stateless:
            said = {
                "supportedVersions": [each.version for each in eras.STATELESS],
                "capabilities": {"tools": {}},
                "instructions": INSTRUCTIONS,
            }
            return self.result(era, said, lasts=True)
        if message.method == "ping" and not era.stateless:
            return {}
        raise Fault(NO_METHOD, f"there is no method {message.method}")

    def result(self, era: Era, said: dict[str, Any], *, lasts: bool = False) -> dict[str, Any]:
        """A result as a revision writes it; ``lasts``: it may be kept for a while."""
        return eras.result(era, said, self.server, lasts=lasts)

    def _row(self, tool: Tool) -> dict[str, Any]:
        schema = tool.schema
        folders = self.desk.roots.folders
        if len(folders) > 1:
            schema = {**schema, "properties": {**schema["properties"], "root": {"enum": folders}}}
        hints = {
            "readOnlyHint": tool.only_looks,
            "destructiveHint": tool.destroys,
            "idempotentHint": tool.only_looks or tool.again,
            "openWorldHint": False,
        }
        row = {"name": tool.name, "description": tool.help, "inputSchema": schema}
        answers = {} if tool.answers is None else {"outputSchema": tool.answers}
        return {**row, **answers, "annotations": hints}
