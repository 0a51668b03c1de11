"""What goes over the line, in both eras."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.command import scalpel
from tests.mcp.client import STATELESS, Client, greeted, server, stateless
from tests.sandbox import Sandbox


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Sandbox.of(tmp_path / "repo", {"a.py": b"def f():\n    return 1\n"}).root


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_a_client_that_greets_is_greeted_in_its_own_version(root: Path, version: str) -> None:
    with greeted(root, version=version) as client:
        assert client.ask("ping") == {}
        result = client.result("look", path="a.py")
    assert result["content"][0]["text"] == "1| def f():\n2|     return 1"
    assert ("structuredContent" in result) == (version >= "2025-06-18")
    assert "resultType" not in result


def test_a_version_that_nobody_knows_is_answered_with_the_latest(root: Path) -> None:
    with server(root) as client:
        said = client.ask("initialize", protocolVersion="1999-01-01", capabilities={}, clientInfo={})
    assert said["protocolVersion"] == "2025-11-25"
    assert said["serverInfo"]["name"] == "gitscalpel"


def test_without_a_greeting_every_request_says_what_it_speaks(root: Path) -> None:
    with stateless(root) as client:
        found = client.ask("server/discover")
        listed = client.ask("tools/list")
        result = client.result("look", path="a.py")
        assert client.fault("ping")["code"] == -32601
        assert client.fault("initialize")["code"] == -32601
    assert found["supportedVersions"] == ["2026-07-28"]
    for answer in (found, listed, result):
        assert answer["resultType"] == "complete"
        assert answer["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "gitscalpel"
    for answer in (found, listed):
        assert (answer["cacheScope"], answer["ttlMs"] > 0) == ("private", True)
    assert "ttlMs" not in result


def test_a_version_to_come_is_refused_with_those_that_are_spoken(root: Path) -> None:
    with server(root) as client:
        meta = {**STATELESS, "io.modelcontextprotocol/protocolVersion": "2031-01-01"}
        error = client.fault("tools/list", _meta=meta)
    assert error["code"] == -32022
    assert error["data"] == {"supported": ["2026-07-28"], "requested": "2031-01-01"}


def test_a_request_that_does_not_say_what_its_client_can_is_refused(root: Path) -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    with server(root) as client:
        assert client.fault("tools/list", _meta=meta)["code"] == -32602


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
def test_what_is_no_request_is_answered_and_the_next_one_as_well(root: Path, line: bytes, code: int) -> None:
    with greeted(root) as client:
        client.line(line)
        answer = client.next()
        assert answer["error"]["code"] == code
        assert answer["id"] == (7 if b'"id": 7' in line else None)
        assert client.ask("ping") == {}


def test_who_wants_the_log_hears_what_is_told_from_its_level_on(root: Path) -> None:
    (root / ".gitscalpel.toml").write_text('[[gates.command]]\nname = "says"\nrun = "echo hello"\n')
    Sandbox(root).git("add", ".")
    Sandbox(root).git("commit", "-qm", "gate")
    assert scalpel(root, "trust").status == 0

    def told(client: Client, value: int, **meta: Any) -> list[Any]:
        client.heard.clear()
        op = {"op": "write", "path": f"n{value}.py", "content": "", "overwrite": True}
        result = client.result("edit", meta or None, ops=[op])
        assert not result["isError"], result
        return [message["params"] for message in client.heard]

    with greeted(root, "--allow-edit", "--tools", "all", "--onto", "main") as client:
        assert told(client, 1) == []
        assert client.fault("logging/setLevel", level="loud")["code"] == -32602
        assert client.ask("logging/setLevel", level="debug") == {}
        heard = told(client, 2)
        assert heard
        assert {(entry["level"], entry["logger"]) for entry in heard} == {("info", "edit")}
        assert client.ask("logging/setLevel", level="error") == {}
        assert told(client, 3) == []
    with stateless(root, "--allow-edit", "--tools", "all", "--onto", "main") as client:
        assert client.fault("logging/setLevel", level="debug")["code"] == -32601
        level = "io.modelcontextprotocol/logLevel"
        assert told(client, 4) == []
        assert told(client, 5, **{level: "info"})
        wrong = {**STATELESS, level: "loud"}
        call = {"name": "edit", "arguments": {"ops": []}}
        assert client.fault("tools/call", _meta=wrong, **call)["code"] == -32602


def test_a_notification_is_not_answered(root: Path) -> None:
    with greeted(root) as client:
        client.tell("notifications/roots/list_changed")
        client.tell("notifications/nothing", any=1)
        client.line(b"")
        assert client.ask("ping") == {}
        assert client.heard == []


def test_what_is_under_way_when_the_client_goes_is_finished(root: Path) -> None:
    with greeted(root, "--allow-edit", "--tools", "edit") as client:
        client.send(
            "tools/call",
            name="edit",
            arguments={"ops": [{"op": "text", "path": "a.py", "old": "1", "new": "2"}]},
        )
    assert (root / "a.py").read_text() == "def f():\n    return 2\n"


def test_the_list_of_tools_is_in_one_order(root: Path) -> None:
    with greeted(root, "--allow-edit", "--tools", "all") as client:
        first, second = client.ask("tools/list"), client.ask("tools/list")
    assert first == second
    assert [tool["name"] for tool in first["tools"]][:3] == ["look", "refs", "diff"]
