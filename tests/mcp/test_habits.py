"""What clients do that nobody expects: batches, ids twice, long lines, going early, folders of their own."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from gitscalpel.mcp import jsonrpc
from tests.command import scalpel
from tests.mcp.client import Client, greeted, server, stateless
from tests.sandbox import Sandbox

CODE = b"def f():\n    return 1\n"
CHANGE: dict[str, Any] = {"ops": [{"op": "text", "path": "a.py", "old": "1", "new": "2"}]}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.py": CODE})


def asking(id_: Any, method: str = "ping", **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def slow_gate(repo: Sandbox, started: Path) -> None:
    """A gate that says when it has begun, and then takes a minute."""
    run = f"touch {started}; sleep 60; touch {started}.ended"
    repo.commit({".gitscalpel.toml": f'[[gates.command]]\nname = "slow"\nrun = "{run}"\n'.encode()})
    assert scalpel(repo.root, "trust").status == 0


def until(there: Path) -> None:
    end = time.monotonic() + 30
    while not there.exists():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("era", [greeted, stateless])
def test_a_cancelled_call_ends_its_commands_lands_nothing_and_has_no_answer(
    repo: Sandbox, tmp_path: Path, era: Any
) -> None:
    started = tmp_path / "started"
    slow_gate(repo, started)
    before = repo.git("rev-parse", "main")
    began = time.monotonic()
    with era(repo.root, "--allow-edit", "--tools", "all", "--onto", "main") as client:
        number = client.send("tools/call", name="edit", arguments=CHANGE)
        until(started)
        client.tell("notifications/cancelled", requestId=number)
        client.tell("notifications/cancelled", requestId=number)
    assert client.process.stdout is not None
    assert time.monotonic() - began < 45
    assert repo.git("rev-parse", "main") == before
    assert not (tmp_path / "started.ended").exists()
    assert number not in [message.get("id") for message in client.heard]


def test_what_nobody_knows_of_is_cancelled_in_vain(repo: Sandbox) -> None:
    with greeted(repo.root) as client:
        for id_ in (3, "x", None, [1], True):
            client.tell("notifications/cancelled", requestId=id_)
        assert client.ask("ping") == {}
        assert client.call("status")  # its id is 3


@pytest.mark.parametrize(("version", "known"), [("2025-03-26", True), ("2025-11-25", False)])
def test_a_batch_is_answered_as_one_where_the_revision_has_them(
    repo: Sandbox, version: str, known: bool
) -> None:
    calls = [
        asking("a", "tools/call", name="look", arguments={"path": "a.py"}),
        {"jsonrpc": "2.0", "method": "notifications/nothing"},
        asking("b"),
        asking("c", "nothing"),
        7,
    ]
    with greeted(repo.root, version=version) as client:
        client.line(json.dumps(calls).encode())
        answers: Any = client.next()
        assert client.ask("ping") == {}
    if not known:
        assert answers["error"]["code"] == -32600
        return
    found = {answer["id"]: answer for answer in answers}
    assert set(found) == {"a", "b", "c", None}
    assert found["b"]["result"] == {}
    assert "return 1" in found["a"]["result"]["content"][0]["text"]
    assert found["c"]["error"]["code"] == -32601


def test_of_two_calls_with_one_id_the_second_is_refused_while_the_first_is_under_way(
    repo: Sandbox, tmp_path: Path
) -> None:
    started = tmp_path / "started"
    slow_gate(repo, started)
    with greeted(repo.root, "--allow-edit", "--tools", "all", "--onto", "main") as client:
        call = json.dumps(asking("same", "tools/call", name="edit", arguments=CHANGE)).encode()
        client.line(call)
        until(started)
        client.line(call)
        assert client.next()["error"]["message"] == "a call with id 'same' is already running"
        client.tell("notifications/cancelled", requestId="same")
        assert client.ask("ping") == {}


def test_a_line_that_is_too_long_is_refused_and_the_next_one_is_read(repo: Sandbox) -> None:
    with greeted(repo.root) as client:
        client.line(b"x" * (jsonrpc.MAX_BYTES + 1000))
        assert client.next()["error"]["code"] == -32600
        assert client.ask("ping") == {}


def test_a_long_line_is_read(repo: Sandbox) -> None:
    with greeted(repo.root, "--allow-edit", "--tools", "edit") as client:
        client.call("edit", ops=[{"op": "write", "path": "b.txt", "content": "x" * 5_000_000}])
    assert (repo.root / "b.txt").stat().st_size == 5_000_000


def test_a_client_that_no_longer_reads_ends_the_server_in_order(repo: Sandbox) -> None:
    with greeted(repo.root, "--allow-edit", "--tools", "edit") as client:
        assert client.process.stdout is not None
        client.process.stdout.close()
        client.send("tools/call", name="edit", arguments=CHANGE)
        client.send("ping")
        assert client.process.stderr is not None
        client.stdin.close()
        assert client.process.stderr.read() == b""
    assert (repo.root / "a.py").read_bytes() == b"def f():\n    return 2\n"


def naming(client: Client, folders: list[Path]) -> None:
    """Greet as a client that has folders, and say which."""
    said = {
        "protocolVersion": "2025-11-25",
        "capabilities": {"roots": {"listChanged": True}},
        "clientInfo": {},
    }
    client.ask("initialize", **said)
    client.tell("notifications/initialized")
    asked = client.next()
    assert asked["method"] == "roots/list"
    rows = [{"uri": folder.as_uri()} for folder in folders]
    client.line(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": rows}}).encode())


def test_where_nobody_has_named_a_folder_the_clients_own_counts(repo: Sandbox, tmp_path: Path) -> None:
    with server(tmp_path) as client:
        naming(client, [tmp_path / "nothing", repo.root])
        assert client.call("look", path="a.py")["content"] == CODE.decode()


def test_a_folder_that_was_named_is_not_changed_by_the_client(repo: Sandbox, tmp_path: Path) -> None:
    other = Sandbox.of(tmp_path / "other", {"b.py": b""})
    said = {"protocolVersion": "2025-11-25", "capabilities": {"roots": {}}, "clientInfo": {}}
    with server(tmp_path, "--root", str(other.root)) as client:
        client.ask("initialize", **said)
        client.tell("notifications/initialized")
        assert client.ask("ping") == {}
        assert client.heard == []
