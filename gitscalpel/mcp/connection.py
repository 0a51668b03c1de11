"""One client on a line: what it asks, and what it is answered."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gitscalpel.mcp import eras, wire
from gitscalpel.mcp.calls import Call, Desk, Done
from gitscalpel.mcp.eras import Client, Era
from gitscalpel.mcp.offered import Grant, shown
from gitscalpel.mcp.tools import Tool
from gitscalpel.mcp.wire import INVALID_PARAMS, NO_METHOD, Fault, Id, Message

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

    def granted(self, token: object) -> Grant:
        """What somebody is granted; where there are tokens, who shows none only looks.

        Raises:
            Fault: the token is nobody's.
        """
        if not self.tokens:
            return self.everybody
        if token is None:
            return self.everybody.looking()
        found = shown(self.tokens, token) if isinstance(token, str) else None
        if found is None:
            raise Fault(INVALID_PARAMS, "this token is nobody's")
        return found


class Connection:
    """A client, and its calls that are under way.

    Args:
        offer: what it may be offered.
        write: takes a line; lines of several threads are not mixed up.
    """

    def __init__(self, offer: Offer, write: Callable[[bytes], None]) -> None:
        self._offer = offer
        self._writing = threading.Lock()
        self._write_line = write
        self._client: Client | None = None
        self._under_way: dict[Id, threading.Thread] = {}
        self._cancelled: set[Id] = set()

    def serve(self, lines: Iterable[bytes]) -> None:
        """Answer until the client has gone; what it has begun is finished."""
        for line in lines:
            if line.strip():
                self._receive(line)
        for thread in list(self._under_way.values()):
            thread.join()

    def _write(self, line: bytes) -> None:
        with self._writing:
            self._write_line(line)

    def _receive(self, line: bytes) -> None:
        id_: Id = None
        try:
            message = wire.read(line)
            id_ = message.id
            if message.method.startswith("notifications/") or id_ is None:
                self._hear(message)
            elif message.method:
                self._answer(message)
        except Fault as why:
            self._write(wire.fault(id_, why))

    def _hear(self, message: Message) -> None:
        if message.method == "notifications/cancelled":
            self._cancelled.add(message.params.get("requestId"))

    def _answer(self, message: Message) -> None:
        client = eras.told(message.params)
        if client is None and message.method == "initialize":
            client = self._client = eras.greeted(message.params)
            self._write(wire.answer(message.id, self._greeting(client.era)))
            return
        client = client or self._client or Client(eras.HANDSHAKE[-1])
        if message.method == "tools/call":
            self._begin(message, client)
            return
        self._write(wire.answer(message.id, self._said(message, client.era)))

    def _said(self, message: Message, era: Era) -> dict[str, Any]:
        if message.method == "tools/list":
            granted = self._granted(message)
            tools = [self._row(tool) for tool in granted.tools.values()]
            return self._result(era, {"tools": tools}, lasts=True)
        if message.method == "server/discover" and era.stateless:
            versions = [each.version for each in eras.STATELESS]
            said = {
                "supportedVersions": versions,
                "capabilities": {"tools": {}},
                "instructions": INSTRUCTIONS,
            }
            return self._result(era, said, lasts=True)
        if message.method == "ping" and not era.stateless:
            return {}
        raise Fault(NO_METHOD, f"there is no method {message.method}")

    def _greeting(self, era: Era) -> dict[str, Any]:
        capabilities: dict[str, Any] = {"tools": {"listChanged": False}}
        said = {"protocolVersion": era.version, "capabilities": capabilities, "instructions": INSTRUCTIONS}
        return {**said, "serverInfo": self._offer.server}

    def _result(self, era: Era, said: dict[str, Any], *, lasts: bool = False) -> dict[str, Any]:
        return eras.result(era, said, self._offer.server, lasts=lasts)

    def _row(self, tool: Tool) -> dict[str, Any]:
        schema = tool.schema
        folders = self._offer.desk.roots.folders
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

    def _granted(self, message: Message) -> Grant:
        meta = message.params.get("_meta")
        return self._offer.granted(meta.get(CAPABILITY) if isinstance(meta, dict) else None)

    def _begin(self, message: Message, client: Client) -> None:
        """Do a call beside others, so that a slow gate keeps nobody waiting who only looks."""
        granted = self._granted(message)
        name, arguments = message.params.get("name"), message.params.get("arguments", {})
        tool = granted.tools.get(name) if isinstance(name, str) else None
        if tool is None:
            raise Fault(
                INVALID_PARAMS, f"there is no tool {name!r} here: {', '.join(granted.tools) or 'none'}"
            )
        if not isinstance(arguments, dict):
            raise Fault(INVALID_PARAMS, "arguments is an object")
        thread = threading.Thread(target=self._call, args=(message, client, tool, granted), daemon=False)
        self._under_way[message.id] = thread
        thread.start()

    def _call(self, message: Message, client: Client, tool: Tool, granted: Grant) -> None:
        try:
            if message.id in self._cancelled:
                return
            asked = Call(tool, message.params.get("arguments", {}), self._progress(message))
            done = self._offer.desk.call(asked, granted, client.name)
            if message.id not in self._cancelled:
                self._write(wire.answer(message.id, self._result(client.era, _content(done, client.era))))
        finally:
            self._under_way.pop(message.id, None)
            self._cancelled.discard(message.id)

    def _progress(self, message: Message) -> Callable[[str], None] | None:
        """Who is told what takes a while; None: the client has not asked for it."""
        meta = message.params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        if token is None:
            return None
        steps = 0

        def tell(words: str) -> None:
            nonlocal steps
            steps += 1
            said = {"progressToken": token, "progress": steps, "message": words}
            self._write(wire.notification("notifications/progress", said))

        return tell


def _content(done: Done, era: Era) -> dict[str, Any]:
    data = {"structuredContent": done.envelope} if era.structured and not done.bare else {}
    return {"content": [{"type": "text", "text": done.text}], **data, "isError": done.is_error}
