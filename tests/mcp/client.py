"""A client on a line: it starts the server as agents do, and speaks either era of the protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from tests.command import talking
from tests.forking import Child

STATELESS = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
}


class Client:
    """A server that was started, and what is said to it."""

    def __init__(self, process: Child, meta: dict[str, Any] | None = None) -> None:
        self.process = process
        self.meta = meta or {}
        self.heard: list[dict[str, Any]] = []
        """Notifications, as they came."""
        self._number = 0

    @property
    def stdin(self) -> IO[bytes]:
        assert self.process.stdin is not None
        return self.process.stdin

    def line(self, text: bytes) -> None:
        """Say something, whatever it is."""
        self.stdin.write(text + b"\n")
        self.stdin.flush()

    def send(self, method: str, **params: Any) -> int:
        """Ask something; the number by which its answer will be known."""
        self._number += 1
        meta = {**self.meta, **params.pop("_meta", {})}
        params = {**params, **({"_meta": meta} if meta else {})}
        self.line(
            json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}).encode()
        )
        return self._number

    def tell(self, method: str, **params: Any) -> None:
        """Tell something that has no answer."""
        self.line(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def next(self) -> dict[str, Any]:
        """The next message, whatever it is."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the server has gone"
        message: dict[str, Any] = json.loads(line)
        return message

    def answer(self, number: int) -> dict[str, Any]:
        """The answer to a request."""
        while True:
            message = self.next()
            if message.get("id") == number:
                return message
            self.heard.append(message)

    def ask(self, method: str, **params: Any) -> Any:
        """Ask, and the result."""
        answer = self.answer(self.send(method, **params))
        assert "result" in answer, answer
        return answer["result"]

    def fault(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask what has no answer: the error."""
        error: dict[str, Any] = self.answer(self.send(method, **params))["error"]
        return error

    def result(self, tool: str, /, _meta: dict[str, Any] | None = None, **arguments: Any) -> dict[str, Any]:
        """Call a tool: its result as it is."""
        more = {"_meta": _meta} if _meta else {}
        result: dict[str, Any] = self.ask("tools/call", name=tool, arguments=arguments, **more)
        return result

    def call(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool: the data of its answer."""
        result = self.result(tool, **arguments)
        assert not result["isError"], result["content"]
        return result["structuredContent"]["data"]

    def refused(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool that says no: its error."""
        result = self.result(tool, **arguments)
        assert result["isError"], result
        error: dict[str, Any] = result["structuredContent"]["error"]
        return error

    def tools(self) -> dict[str, dict[str, Any]]:
        """The tools that are offered."""
        return {tool["name"]: tool for tool in self.ask("tools/list")["tools"]}


@contextmanager
def server(root: Path, *options: str) -> Iterator[Client]:
    """A server, not yet spoken to; when the client goes, it ends by itself and in order."""
    with talking(root, "mcp", *options) as process:
        client = Client(process)
        yield client
        client.stdin.close()
        assert process.wait(20) == 0


@contextmanager
def greeted(root: Path, *options: str, version: str = "2025-11-25") -> Iterator[Client]:
    """A server that a client has greeted as it was done up to 2025."""
    with server(root, *options) as client:
        said = {
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "tests", "version": "1"},
        }
        assert client.ask("initialize", **said)["protocolVersion"] == version
        client.tell("notifications/initialized")
        yield client


@contextmanager
def stateless(root: Path, *options: str) -> Iterator[Client]:
    """A server to whom every request says what it speaks."""
    with server(root, *options) as client:
        client.meta = STATELESS
        yield client
