"""Client over standard input and output that starts the server and speaks either era of the protocol."""

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
    """A started server and the connection to it."""

    def __init__(self, process: Child, meta: dict[str, Any] | None = None) -> None:
        self.process = process
        self.meta = meta or {}
        self.notifications: list[dict[str, Any]] = []
        """Received notifications in order."""
        self._number = 0

    @property
    def stdin(self) -> IO[bytes]:
        assert self.process.stdin is not None
        return self.process.stdin

    def write_line(self, text: bytes) -> None:
        """Write a line, valid or not."""
        self.stdin.write(text + b"\n")
        self.stdin.flush()

    def send(self, method: str, **params: Any) -> int:
        """Send a request, and return its ID."""
        self._number += 1
        meta = {**self.meta, **params.pop("_meta", {})}
        params = {**params, **({"_meta": meta} if meta else {})}
        self.write_line(
            json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}).encode()
        )
        return self._number

    def notify(self, method: str, **params: Any) -> None:
        """Send a notification."""
        self.write_line(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def read_message(self) -> dict[str, Any]:
        """Return the next message of any kind."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the server has gone"
        message: dict[str, Any] = json.loads(line)
        return message

    def answer(self, number: int) -> dict[str, Any]:
        """Return the answer to a request."""
        while True:
            message = self.read_message()
            if message.get("id") == number:
                return message
            self.notifications.append(message)

    def request(self, method: str, **params: Any) -> Any:
        """Send a request, and return its result."""
        answer = self.answer(self.send(method, **params))
        assert "result" in answer, answer
        return answer["result"]

    def request_error(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request, and return its error."""
        error: dict[str, Any] = self.answer(self.send(method, **params))["error"]
        return error

    def call_result(
        self, tool: str, /, _meta: dict[str, Any] | None = None, **arguments: Any
    ) -> dict[str, Any]:
        """Call a tool, and return the whole result."""
        more = {"_meta": _meta} if _meta else {}
        result: dict[str, Any] = self.request("tools/call", name=tool, arguments=arguments, **more)
        return result

    def call(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool, and return the data of its answer."""
        result = self.call_result(tool, **arguments)
        assert not result["isError"], result["content"]
        return result["structuredContent"]["data"]

    def call_error(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool that refuses, and return its error."""
        result = self.call_result(tool, **arguments)
        assert result["isError"], result
        error: dict[str, Any] = result["structuredContent"]["error"]
        return error

    def tools(self) -> dict[str, dict[str, Any]]:
        """Return the offered tools by name."""
        return {tool["name"]: tool for tool in self.request("tools/list")["tools"]}


@contextmanager
def start_server(root: Path, *options: str) -> Iterator[Client]:
    """Start a server without initializing it; require a clean exit at the end."""
    with talking(root, "mcp", *options) as process:
        client = Client(process)
        yield client
        client.stdin.close()
        assert process.wait(20) == 0


@contextmanager
def connect_client(root: Path, *options: str, version: str = "2025-11-25") -> Iterator[Client]:
    """Start a server and initialize it as in the protocol up to 2025."""
    with start_server(root, *options) as client:
        params = {
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "tests", "version": "1"},
        }
        assert client.request("initialize", **params)["protocolVersion"] == version
        client.notify("notifications/initialized")
        yield client


@contextmanager
def connect_stateless(root: Path, *options: str) -> Iterator[Client]:
    """Start a server for stateless requests, in which each states its protocol version."""
    with start_server(root, *options) as client:
        client.meta = STATELESS
        yield client
