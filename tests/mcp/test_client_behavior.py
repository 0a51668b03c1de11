"""Unusual behavior of clients: batches, repeated IDs, long lines, early exit, own root directories."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from gitscalpel.mcp import jsonrpc
from tests.command import scalpel
from tests.mcp.client import Client, connect_client, connect_stateless, start_server
from tests.sandbox import Sandbox

CODE = b"def f():\n    return 1\n"
CHANGE: dict[str, Any] = {"ops": [{"op": "text", "path": "a.py", "old": "1", "new": "2"}]}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.py": CODE})


def make_request(id_: Any, method: str = "ping", **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def add_slow_gate(repo: Sandbox, started: Path) -> None:
    """Add a gate that creates a file when it starts, and then takes a minute."""
    run = f"touch {started}; sleep 60; touch {started}.ended"
    repo.commit({".gitscalpel.toml": f'[[gates.command]]\nname = "slow"\nrun = "{run}"\n'.encode()})
    assert scalpel(repo.root, "trust").status == 0


def wait_for_file(file: Path) -> None:
    end = time.monotonic() + 30
    while not file.exists():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("era", [connect_client, connect_stateless])
def test_cancelled_call_stops_and_lands_nothing(repo: Sandbox, tmp_path: Path, era: Any) -> None:
    started = tmp_path / "started"
    add_slow_gate(repo, started)
    before = repo.git("rev-parse", "main")
    began = time.monotonic()
    with era(repo.root, "--allow-edit", "--tools", "all", "--onto", "main") as client:
        number = client.send("tools/call", name="edit", arguments=CHANGE)
        wait_for_file(started)
        client.notify("notifications/cancelled", requestId=number)
        client.notify("notifications/cancelled", requestId=number)
    assert client.process.stdout is not None
    assert time.monotonic() - began < 45
    assert repo.git("rev-parse", "main") == before
    assert not (tmp_path / "started.ended").exists()
    assert number not in [message.get("id") for message in client.notifications]


def test_cancelling_an_unknown_call_has_no_effect(repo: Sandbox) -> None:
    with connect_client(repo.root) as client:
        for id_ in (3, "x", None, [1], True):
            client.notify("notifications/cancelled", requestId=id_)
        assert client.request("ping") == {}
        assert client.call("status")  # its id is 3


@pytest.mark.parametrize(("version", "known"), [("2025-03-26", True), ("2025-11-25", False)])
def test_batch_is_answered_in_revisions_that_support_it(repo: Sandbox, version: str, known: bool) -> None:
    calls = [
        make_request("a", "tools/call", name="look", arguments={"path": "a.py"}),
        {"jsonrpc": "2.0", "method": "notifications/nothing"},
        make_request("b"),
        make_request("c", "nothing"),
        7,
    ]
    with connect_client(repo.root, version=version) as client:
        client.write_line(json.dumps(calls).encode())
        answers: Any = client.read_message()
        assert client.request("ping") == {}
    if not known:
        assert answers["error"]["code"] == -32600
        return
    found = {answer["id"]: answer for answer in answers}
    assert set(found) == {"a", "b", "c", None}
    assert found["b"]["result"] == {}
    assert "return 1" in found["a"]["result"]["content"][0]["text"]
    assert found["c"]["error"]["code"] == -32601


def test_id_of_a_running_call_is_refused(repo: Sandbox, tmp_path: Path) -> None:
    started = tmp_path / "started"
    add_slow_gate(repo, started)
    with connect_client(repo.root, "--allow-edit", "--tools", "all", "--onto", "main") as client:
        call = json.dumps(make_request("same", "tools/call", name="edit", arguments=CHANGE)).encode()
        client.write_line(call)
        wait_for_file(started)
        client.write_line(call)
        assert client.read_message()["error"]["message"] == "a call with id 'same' is already running"
        client.notify("notifications/cancelled", requestId="same")
        assert client.request("ping") == {}


def test_next_line_is_read_after_an_excessive_one(repo: Sandbox) -> None:
    with connect_client(repo.root) as client:
        client.write_line(b"x" * (jsonrpc.MAX_BYTES + 1000))
        assert client.read_message()["error"]["code"] == -32600
        assert client.request("ping") == {}


def test_long_line_is_read(repo: Sandbox) -> None:
    with connect_client(repo.root, "--allow-edit", "--tools", "edit") as client:
        client.call("edit", ops=[{"op": "write", "path": "b.txt", "content": "x" * 5_000_000}])
    assert (repo.root / "b.txt").stat().st_size == 5_000_000


def test_closed_pipe_ends_the_server_cleanly(repo: Sandbox) -> None:
    with connect_client(repo.root, "--allow-edit", "--tools", "edit") as client:
        assert client.process.stdout is not None
        client.process.stdout.close()
        client.send("tools/call", name="edit", arguments=CHANGE)
        client.send("ping")
        assert client.process.stderr is not None
        client.stdin.close()
        assert client.process.stderr.read() == b""
    assert (repo.root / "a.py").read_bytes() == b"def f():\n    return 2\n"


def initialize_with_roots(client: Client, folders: list[Path]) -> None:
    """Initialize as a client with root directories, and answer the request for them."""
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {"roots": {"listChanged": True}},
        "clientInfo": {},
    }
    client.request("initialize", **params)
    client.notify("notifications/initialized")
    request = client.read_message()
    assert request["method"] == "roots/list"
    rows = [{"uri": folder.as_uri()} for folder in folders]
    client.write_line(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": {"roots": rows}}).encode())


def test_root_of_the_client_is_used_by_default(repo: Sandbox, tmp_path: Path) -> None:
    with start_server(tmp_path) as client:
        initialize_with_roots(client, [tmp_path / "nothing", repo.root])
        assert client.call("look", path="a.py")["content"] == CODE.decode()


def test_root_option_overrides_roots_of_the_client(repo: Sandbox, tmp_path: Path) -> None:
    other = Sandbox.of(tmp_path / "other", {"b.py": b""})
    params = {"protocolVersion": "2025-11-25", "capabilities": {"roots": {}}, "clientInfo": {}}
    with start_server(tmp_path, "--root", str(other.root)) as client:
        client.request("initialize", **params)
        client.notify("notifications/initialized")
        assert client.request("ping") == {}
        assert client.notifications == []
