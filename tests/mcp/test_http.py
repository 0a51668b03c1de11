"""HTTP transport: authentication, and answers in both eras."""

from __future__ import annotations

import http.client
import json
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.command import talking
from tests.mcp.client import STATELESS
from tests.mcp.test_client_behavior import add_slow_gate, wait_for_file
from tests.sandbox import Sandbox

pytest.importorskip("uvicorn", reason="the extra mcp is not installed")
CODE = b"def f():\n    return 1\n"
AGENT = "the-agents-own-token"
GRANTED = f'[one]\ntoken = "{AGENT}"\npaths = ["src/**"]\n'
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
JSON = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


class Response(NamedTuple):
    status: int
    headers: Any
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Endpoint(NamedTuple):
    address: str
    token: str

    def send(self, body: Any, method: str = "POST", **headers: str) -> Response:
        sent = {**JSON, "Authorization": f"Bearer {self.token}"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        data = content if method == "POST" else None
        request = urllib.request.Request(self.address, data, sent, method=method)  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
                return Response(answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return Response(error.code, error.headers, error.read())

    def stateless(self, method: str, params: Any = None, **headers: str) -> Response:
        all_params = {**(params or {}), "_meta": {**STATELESS, **(params or {}).get("_meta", {})}}
        name = {"Mcp_Name": all_params["name"]} if "name" in all_params else {}
        all_headers = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": method, **name, **headers}
        return self.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": all_params}, **all_headers)


@contextmanager
def serve(root: Path, *options: str) -> Iterator[Endpoint]:
    with talking(root, "mcp", "--http", "0", *options) as process:
        assert process.stderr is not None
        printed = [process.stderr.readline().decode().split()[-1] for _ in range(2)]
        yield Endpoint(printed[0], printed[1])
        process.terminate()
        process.wait(20)


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"src/a.py": CODE, "b.py": CODE})


def make_request(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def test_initialized_client_has_a_session(repo: Sandbox) -> None:
    with serve(repo.root) as door:
        initialized = door.send(make_request("initialize", **HELLO))
        session = initialized.headers["Mcp-Session-Id"]
        assert initialized.json["result"]["protocolVersion"] == "2025-11-25"
        notified = door.send(
            {"jsonrpc": "2.0", "method": "notifications/initialized"}, Mcp_Session_Id=session
        )
        assert (notified.status, notified.body) == (202, b"")
        call = make_request("tools/call", name="look", arguments={"path": "b.py"})
        found = door.send(call, Mcp_Session_Id=session).json["result"]["structuredContent"]["data"]
        assert found["content"] == CODE.decode()
        assert door.send(call, Mcp_Session_Id="another").status == 404
        assert door.send(b"", "GET", Mcp_Session_Id=session).status == 405
        assert door.send(b"", "DELETE", Mcp_Session_Id=session).status == 204
        assert door.send(call, Mcp_Session_Id=session).status == 404


def test_stateless_request_is_answered_without_session(repo: Sandbox) -> None:
    look = {"name": "look", "arguments": {"path": "b.py"}}
    with serve(repo.root) as door:
        assert door.stateless("tools/call", look).json["result"]["resultType"] == "complete"
        assert door.stateless("nothing").status == 404
        other = door.stateless("tools/call", look, Mcp_Name="edit")
        assert (other.status, other.json["error"]["code"], other.json["id"]) == (400, -32020, 1)
        bare = door.send(make_request("tools/list"), MCP_Protocol_Version="2026-07-28")
        assert (bare.status, bare.json["error"]["code"], bare.json["id"]) == (400, -32602, 1)


def test_wrong_token_host_or_origin_is_refused(repo: Sandbox) -> None:
    with serve(repo.root) as door:
        assert door.stateless("tools/list", Authorization="Bearer another").status == 401
        assert door.stateless("tools/list", Authorization="Basic x").status == 401
        assert door.stateless("tools/list", Host="evil.example").status == 421
        for origin in ("https://evil.example", "null", "http://127.0.0.1:1"):
            assert door.stateless("tools/list", Origin=origin).status == 403
        own = door.address.removesuffix("/mcp")
        assert door.stateless("tools/list", Origin=own).status == 200


def test_progress_is_streamed(repo: Sandbox) -> None:
    call = {"name": "look", "arguments": {"path": "b.py"}, "_meta": {"progressToken": "p"}}
    with serve(repo.root) as door:
        response = door.stateless("tools/call", call)
    assert response.headers["Content-Type"].startswith("text/event-stream")
    assert b'"resultType":"complete"' in response.body


def test_agent_token_grants_its_own_paths(repo: Sandbox, tmp_path: Path) -> None:
    file = tmp_path / "granted.toml"
    file.touch(mode=0o600)
    file.write_text(GRANTED)

    def change(path: str) -> dict[str, Any]:
        op = {"op": "text", "path": path, "old": "1", "new": "2"}
        return {"name": "edit", "arguments": {"ops": [op]}}

    with serve(repo.root, "--allow-edit", "--tools", "all", "--capability", str(file)) as door:
        agent = Endpoint(door.address, AGENT)
        session = door.send(make_request("initialize", **HELLO)).headers["Mcp-Session-Id"]
        assert agent.send(make_request("ping"), Mcp_Session_Id=session).status == 404
        assert door.stateless("tools/call", change("src/a.py")).json["error"]["code"] == -32602
        refused = agent.stateless("tools/call", change("b.py")).json["result"]["structuredContent"]
        assert refused["error"]["code"] == "policy_denied"
        assert not agent.stateless("tools/call", change("src/a.py")).json["result"]["isError"]


def stream_messages(door: Endpoint, session: str, call: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the notifications of a call, and its answer."""
    connection = http.client.HTTPConnection(door.address.split("/")[2], timeout=30)
    headers = {**JSON, "Authorization": f"Bearer {door.token}", "Mcp-Session-Id": session}
    connection.request("POST", "/mcp", json.dumps(call), headers)
    answer = connection.getresponse()
    assert answer.headers["Content-Type"].startswith("text/event-stream")
    while line := answer.readline():
        if line.startswith(b"data: "):
            yield json.loads(line.removeprefix(b"data: "))
    connection.close()


def test_agent_cannot_end_sessions_of_others(repo: Sandbox, tmp_path: Path) -> None:
    granted = tmp_path / "granted.toml"
    granted.touch(mode=0o600)
    granted.write_text(f'{GRANTED}[two]\ntoken = "the-second-agents-token"\n')

    def greet(door: Endpoint, token: str, shown: str | None = None) -> str:
        meta = {} if shown is None else {"_meta": {"gitscalpel/capability": shown}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {**HELLO, **meta}}
        return str(door.send(body, Authorization=f"Bearer {token}").headers["Mcp-Session-Id"])

    def status(door: Endpoint, token: str, session: str) -> int:
        body = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
        return door.send(body, Authorization=f"Bearer {token}", Mcp_Session_Id=session).status

    with serve(repo.root, "--capability", str(granted)) as door:
        owner, other = greet(door, door.token), greet(door, AGENT)
        silent = [greet(door, AGENT) for _ in range(2)]
        assert status(door, AGENT, other) == 200
        for _ in range(64):
            greet(door, AGENT)
            greet(door, door.token, "the-second-agents-token")
        assert status(door, door.token, owner) == 200
        # Of its own, those that it uses stay; the newest is there.
        assert status(door, AGENT, other) == 200
        assert status(door, AGENT, greet(door, AGENT)) == 200
        assert {status(door, AGENT, session) for session in silent} == {404}


def test_confirmation_is_streamed_and_answered_separately(repo: Sandbox) -> None:
    change = {"ops": [{"op": "text", "path": "b.py", "old": "1", "new": "2"}]}
    call = make_request("tools/call", name="edit", arguments=change)
    asks: dict[str, Any] = {"elicitation": {"form": {}}}
    with serve(repo.root, "--allow-edit", "--tools", "all", "--confirm", "edit") as door:
        hello = make_request("initialize", **{**HELLO, "capabilities": asks})
        session = door.send(hello).headers["Mcp-Session-Id"]
        messages = stream_messages(door, session, call)
        question = next(messages)
        assert question["method"] == "elicitation/create"
        answer = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {}}}
        assert door.send(answer, Mcp_Session_Id="another").status == 404
        assert door.send(answer, Mcp_Session_Id=session).status == 202
        assert not next(messages)["result"]["isError"]
        assert list(messages) == []
        can = {**STATELESS, "io.modelcontextprotocol/clientCapabilities": {}}
        refused = door.stateless("tools/call", {"name": "edit", "arguments": change, "_meta": can})
        assert (refused.status, refused.json["error"]["code"]) == (400, -32021)
    assert (repo.root / "b.py").read_bytes() == CODE.replace(b"1", b"2")


def test_disconnect_cancels_the_call(repo: Sandbox, tmp_path: Path) -> None:
    started = tmp_path / "started"
    add_slow_gate(repo, started)
    before = repo.git("rev-parse", "main")
    op = {"op": "text", "path": "b.py", "old": "1", "new": "2"}
    params = {"name": "edit", "arguments": {"ops": [op]}, "_meta": STATELESS}
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "edit", **JSON}
    with serve(repo.root, "--allow-edit", "--tools", "all", "--onto", "main") as door:
        own = http.client.HTTPConnection(door.address.split("/")[2], timeout=30)
        headers["Authorization"] = f"Bearer {door.token}"
        own.request("POST", "/mcp", json.dumps(make_request("tools/call", **params)), headers)
        wait_for_file(started)
        own.close()
        end = time.monotonic() + 30
        while door.stateless("tools/list").status != 200 or list_gate_processes(started):
            assert time.monotonic() < end
            time.sleep(0.1)
    assert repo.git("rev-parse", "main") == before


def list_gate_processes(started: Path) -> list[str]:
    """Return the command lines of the slow gate's processes."""
    found = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in found.splitlines() if str(started) in line]
