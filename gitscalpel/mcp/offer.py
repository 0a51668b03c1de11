"""What a server offers, and says of itself: the same to every client, but for what each is granted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gitscalpel.mcp import calls, eras, page
from gitscalpel.mcp.calls import Desk
from gitscalpel.mcp.consent import Seals
from gitscalpel.mcp.eras import Era
from gitscalpel.mcp.offered import Grant, shown
from gitscalpel.mcp.tools import Tool
from gitscalpel.mcp.wire import INTERNAL, INVALID_PARAMS, NO_METHOD, NO_RESOURCE, Fault, Message

CAPABILITY = "gitscalpel/capability"
"""Where in ``_meta`` an agent that shares a server with others shows what it was given."""
INSTRUCTIONS = (
    "Edits are transactions in git: all of a call, or nothing. look before you edit; address code by symbol. "
    "A refusal has a code, a hint and often a retry to send. undo takes your last step back."
)


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
        said = {"protocolVersion": era.version, "capabilities": capabilities, "instructions": INSTRUCTIONS}
        return {**said, "serverInfo": self.server}

    def said(self, message: Message, era: Era, granted: Grant) -> dict[str, Any]:
        """The answer to what calls no tool.

        Raises:
            Fault: there is no such method.
        """
        if message.method == "tools/list":
            shows = page.is_offered(granted)
            tools = [self._row(tool, shows) for tool in granted.tools.values()]
            return self.result(era, {"tools": tools}, lasts=eras.LIST_LASTS)
        if message.method == "resources/list" and page.is_offered(granted):
            return self.result(era, {"resources": page.listed()}, lasts=eras.LIST_LASTS)
        if message.method == "resources/templates/list" and page.is_offered(granted):
            return self.result(era, {"resourceTemplates": page.templates()}, lasts=eras.LIST_LASTS)
        if message.method == "server/discover" and era.stateless:
            said = {
                "supportedVersions": [each.version for each in eras.STATELESS],
                "capabilities": {**self._capabilities, "tools": {}},
                "instructions": INSTRUCTIONS,
            }
            return self.result(era, said, lasts=eras.LIST_LASTS)
        if message.method == "ping" and not era.stateless:
            return {}
        raise Fault(NO_METHOD, f"there is no method {message.method}")

    def read(self, message: Message, era: Era, granted: Grant, agent: str) -> dict[str, Any]:
        """The answer to ``resources/read``.

        Raises:
            Fault: there is no such resource, or it cannot be made.
        """
        uri, found = message.params.get("uri"), None
        if isinstance(uri, str) and page.is_offered(granted):
            try:
                found = page.read(uri, self.desk.roots, granted, agent)
            except BaseException as error:
                why = calls.known(error, "review", {"uri": uri})
                raise Fault(INTERNAL, f"{why.code}: {why}", {"uri": uri}) from None
        if found is None:
            code = INVALID_PARAMS if era.stateless else NO_RESOURCE
            raise Fault(code, f"there is no resource {uri!r}", {"uri": uri})
        lasts = eras.LIST_LASTS if uri == page.URI else 0
        return self.result(era, page.contents(str(uri), found), lasts=lasts)

    @property
    def _capabilities(self) -> dict[str, Any]:
        granted = [self.everybody, *self.tokens.values()]
        return {"logging": {}, **({"resources": {}} if any(map(page.is_offered, granted)) else {})}

    def result(self, era: Era, said: dict[str, Any], *, lasts: int | None = None) -> dict[str, Any]:
        """A result as a revision writes it; ``lasts``: for how many milliseconds it may be kept."""
        return eras.result(era, said, self.server, lasts=lasts)

    def _row(self, tool: Tool, shows: bool) -> dict[str, Any]:
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
        answers = {"outputSchema": tool.answers} if self.answers and tool.answers is not None else {}
        shown = {"_meta": {"ui": {"resourceUri": page.URI}}} if tool.name == page.TOOL and shows else {}
        return {**row, **answers, "annotations": hints, **shown}
