"""Text of results for models: complete, short and without repetition."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.client import Client, connect_client, start_server
from tests.sandbox import Sandbox

CODE = "def f():\n    return 1\n\n\ndef g():\n    return f()\n"


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.py": CODE.encode()})


def look_as_client(client: Client, name: str) -> dict[str, Any]:
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": name, "version": "2"},
    }
    client.request("initialize", **params)
    client.notify("notifications/initialized")
    return client.call_result("look", path="a.py")


@pytest.mark.parametrize("name", ["claude-code", "codex-mcp-client", "opencode"])
def test_clients_that_prefer_data_get_text_only(repo: Sandbox, name: str) -> None:
    with start_server(repo.root) as client:
        result = look_as_client(client, name)
        assert result["content"][0]["text"].startswith("1| def f():")
        assert "structuredContent" not in result
        assert client.call_result("look", path="gone.py")["isError"]
    with start_server(repo.root, "--output-schemas") as client:
        assert look_as_client(client, name)["structuredContent"]["data"]["path"] == "a.py"
    with start_server(repo.root) as client:
        assert "structuredContent" in look_as_client(client, "another")


def call_for_text(client: Client, tool: str, **arguments: Any) -> str:
    answer: str = client.call_result(tool, **arguments)["content"][0]["text"]
    return answer


def test_outline_has_hashes_on_request(repo: Sandbox) -> None:
    with connect_client(repo.root) as client:
        assert call_for_text(client, "look") == "a.py (python)\n  f  function  1-2\n  g  function  5-6"
        assert len(call_for_text(client, "look", hashes=True).splitlines()[1].split()) == 4


def test_refusal_shows_current_lines_and_a_short_retry(
    repo: Sandbox,
) -> None:
    op = {"op": "lines", "path": "a.py", "start": "2:0000", "code": "    return 'some long text'"}
    with connect_client(repo.root, "--allow-edit", "--tools", "edit") as client:
        answer = call_for_text(client, "edit", ops=[{**op, "start": 6}, op])
        assert "\n  1:" in answer
        assert "|     return 1\n" in answer
        retry = answer.splitlines()[2]
        assert retry.startswith('retry: the same, ops[1] with {"start":"2:')
        assert "long text" not in answer


OP = {"op": "text", "path": "a.py", "old": "return 1", "new": "return 2"}


@pytest.mark.parametrize("arguments", [OP, {"ops": OP}, {"ops": json.dumps([OP])}, {"ops": json.dumps(OP)}])
def test_single_operation_or_json_text_is_accepted_as_ops(repo: Sandbox, arguments: dict[str, Any]) -> None:
    with connect_client(repo.root, "--allow-edit", "--tools", "edit") as client:
        client.call("edit", **arguments, message="Two")
        assert (repo.root / "a.py").read_text() == CODE.replace("1", "2")


def test_retry_of_an_incomplete_call_succeeds(repo: Sandbox) -> None:
    with connect_client(repo.root, "--allow-edit", "--tools", "edit") as client:
        error = client.call_error("edit", path="a.py", old="return 1", new="return 2")
        client.call(error["retry"]["tool"], **error["retry"]["arguments"])
        assert (repo.root / "a.py").read_text() == CODE.replace("1", "2")


def test_long_diff_is_truncated(tmp_path: Path) -> None:
    files = {f"{n}.py": b"from a import f\n\nf()\n" for n in range(60)}
    repo = Sandbox.of(tmp_path / "many", {"a.py": CODE.encode(), **files})
    with connect_client(repo.root, "--allow-edit", "--tools", "rename") as client:
        lines = call_for_text(client, "rename", path="a.py", symbol="f", to="h", dry_run=True).splitlines()
        assert len(lines) < 420
        assert any(line.endswith("more lines; the diff is of 61 files") for line in lines)


def test_calls_named_in_hints_are_valid(repo: Sandbox) -> None:
    with connect_client(repo.root, "--allow-edit", "--tools", "all") as client:
        tx = client.call("transaction", do="begin", message="W")["tx"]
        assert call_for_text(client, "diff", tx=tx) == "there is nothing"
        hint = client.call_error("land", tx=tx)["hint"]
        assert f'transaction {{"do":"drop","ids":"{tx}"}}' in hint
        client.call("transaction", do="drop", ids=tx)
        hint = client.call_error("snapshot", do="restore", id="abcd")["hint"]
        assert hint == 'snapshot {"do":"list"} lists them'
        assert client.call("snapshot", do="list") == []
        assert (
            client.call_error("refs", path="a.py", symbol="zzz")["hint"] == "look lists the symbols of a file"
        )
