"""Messages of the protocol in both eras."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.command import scalpel
from tests.mcp.client import STATELESS, Client, connect_client, connect_stateless, start_server
from tests.sandbox import Sandbox


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Sandbox.of(tmp_path / "repo", {"a.py": b"def f():\n    return 1\n"}).root


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_initialize_answers_in_the_version_of_the_client(root: Path, version: str) -> None:
    with connect_client(root, version=version) as client:
        assert client.request("ping") == {}
        result = client.call_result("look", path="a.py")
    assert result["content"][0]["text"] == "1| def f():\n2|     return 1"
    assert ("structuredContent" in result) == (version >= "2025-06-18")
    assert "resultType" not in result


def test_unknown_version_gets_the_latest(root: Path) -> None:
    with start_server(root) as client:
        answer = client.request("initialize", protocolVersion="1999-01-01", capabilities={}, clientInfo={})
    assert answer["protocolVersion"] == "2025-11-25"
    assert answer["serverInfo"]["name"] == "gitscalpel"


def test_stateless_requests_state_their_version(root: Path) -> None:
    with connect_stateless(root) as client:
        found = client.request("server/discover")
        listed = client.request("tools/list")
        result = client.call_result("look", path="a.py")
        assert client.request_error("ping")["code"] == -32601
        assert client.request_error("initialize")["code"] == -32601
    assert found["supportedVersions"] == ["2026-07-28"]
    for answer in (found, listed, result):
        assert answer["resultType"] == "complete"
        assert answer["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "gitscalpel"
    for answer in (found, listed):
        assert (answer["cacheScope"], answer["ttlMs"] > 0) == ("private", True)
    assert "ttlMs" not in result


def test_future_version_is_refused_with_the_supported_ones(root: Path) -> None:
    with start_server(root) as client:
        meta = {**STATELESS, "io.modelcontextprotocol/protocolVersion": "2031-01-01"}
        error = client.request_error("tools/list", _meta=meta)
    assert error["code"] == -32022
    assert error["data"] == {"supported": ["2026-07-28"], "requested": "2031-01-01"}


def test_stateless_request_without_capabilities_is_refused(root: Path) -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    with start_server(root) as client:
        assert client.request_error("tools/list", _meta=meta)["code"] == -32602


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b"[]", -32600),
        (b"[1, 2]", -32600),
        (b'{"a": "\xff"}', -32700),
        (b"[" * 100_000, -32700),
        (b"1", -32600),
        (b'{"id": 7, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": []}', -32600),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "prompts/list"}', -32601),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"a": "\\ud83d"}}', -32600),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "nothing"}}', -32602),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": ["look"]}}', -32602),
        (
            b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name":"look","arguments":1}}',
            -32602,
        ),
    ],
)
def test_malformed_request_gets_an_error(root: Path, line: bytes, code: int) -> None:
    with connect_client(root) as client:
        client.write_line(line)
        answer = client.read_message()
        assert answer["error"]["code"] == code
        assert answer["id"] == (7 if b'"id": 7' in line else None)
        assert client.request("ping") == {}


def test_log_messages_are_sent_from_the_requested_level(root: Path) -> None:
    (root / ".gitscalpel.toml").write_text('[[gates.command]]\nname = "says"\nrun = "echo hello"\n')
    Sandbox(root).git("add", ".")
    Sandbox(root).git("commit", "-qm", "gate")
    assert scalpel(root, "trust").status == 0

    def read_log(client: Client, value: int, **meta: Any) -> list[Any]:
        client.notifications.clear()
        op = {"op": "write", "path": f"n{value}.py", "content": "", "overwrite": True}
        result = client.call_result("edit", meta or None, ops=[op])
        assert not result["isError"], result
        return [message["params"] for message in client.notifications]

    with connect_client(root, "--allow-edit", "--tools", "all", "--onto", "main") as client:
        assert read_log(client, 1) == []
        assert client.request_error("logging/setLevel", level="loud")["code"] == -32602
        assert client.request("logging/setLevel", level="debug") == {}
        messages = read_log(client, 2)
        assert messages
        assert {(entry["level"], entry["logger"]) for entry in messages} == {("info", "edit")}
        assert client.request("logging/setLevel", level="error") == {}
        assert read_log(client, 3) == []
    with connect_stateless(root, "--allow-edit", "--tools", "all", "--onto", "main") as client:
        assert client.request_error("logging/setLevel", level="debug")["code"] == -32601
        level = "io.modelcontextprotocol/logLevel"
        assert read_log(client, 4) == []
        assert read_log(client, 5, **{level: "info"})
        wrong = {**STATELESS, level: "loud"}
        call = {"name": "edit", "arguments": {"ops": []}}
        assert client.request_error("tools/call", _meta=wrong, **call)["code"] == -32602


def test_notification_is_not_answered(root: Path) -> None:
    with connect_client(root) as client:
        client.notify("notifications/roots/list_changed")
        client.notify("notifications/nothing", any=1)
        client.write_line(b"")
        assert client.request("ping") == {}
        assert client.notifications == []


def test_running_call_finishes_after_the_client_disconnects(root: Path) -> None:
    with connect_client(root, "--allow-edit", "--tools", "edit") as client:
        client.send(
            "tools/call",
            name="edit",
            arguments={"ops": [{"op": "text", "path": "a.py", "old": "1", "new": "2"}]},
        )
    assert (root / "a.py").read_text() == "def f():\n    return 2\n"


def test_tools_are_listed_in_a_fixed_order(root: Path) -> None:
    with connect_client(root, "--allow-edit", "--tools", "all") as client:
        first, second = client.request("tools/list"), client.request("tools/list")
    assert first == second
    assert [tool["name"] for tool in first["tools"]][:3] == ["look", "refs", "diff"]
