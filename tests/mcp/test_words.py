"""What the model of a client reads: as much as it needs, and nothing twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.client import Client, greeted, server
from tests.sandbox import Sandbox

CODE = "def f():\n    return 1\n\n\ndef g():\n    return f()\n"


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.py": CODE.encode()})


def calling_itself(client: Client, name: str) -> dict[str, Any]:
    said = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": name, "version": "2"}}
    client.ask("initialize", **said)
    client.tell("notifications/initialized")
    return client.result("look", path="a.py")


@pytest.mark.parametrize("name", ["claude-code", "codex-mcp-client", "opencode"])
def test_who_would_read_the_data_in_the_place_of_the_text_gets_the_text(repo: Sandbox, name: str) -> None:
    with server(repo.root) as client:
        said = calling_itself(client, name)
        assert said["content"][0]["text"].startswith("1| def f():")
        assert "structuredContent" not in said
        assert client.result("look", path="gone.py")["isError"]
    with server(repo.root, "--output-schemas") as client:
        assert calling_itself(client, name)["structuredContent"]["data"]["path"] == "a.py"
    with server(repo.root) as client:
        assert "structuredContent" in calling_itself(client, "another")


def text(client: Client, tool: str, **arguments: Any) -> str:
    said: str = client.result(tool, **arguments)["content"][0]["text"]
    return said


def test_an_outline_has_hashes_for_who_asks(repo: Sandbox) -> None:
    with greeted(repo.root) as client:
        assert text(client, "look") == "a.py (python)\n  f  function  1-2\n  g  function  5-6"
        assert len(text(client, "look", hashes=True).splitlines()[1].split()) == 4


def test_a_refusal_shows_what_stands_there_and_what_to_send_instead_but_not_the_call_again(
    repo: Sandbox,
) -> None:
    op = {"op": "lines", "path": "a.py", "start": "2:0000", "code": "    return 'some long text'"}
    with greeted(repo.root, "--allow-edit", "--tools", "edit") as client:
        said = text(client, "edit", ops=[{**op, "start": 6}, op])
        assert "\n  1:" in said
        assert "|     return 1\n" in said
        retry = said.splitlines()[2]
        assert retry.startswith('retry: the same, ops[1] with {"start":"2:')
        assert "long text" not in said


OP = {"op": "text", "path": "a.py", "old": "return 1", "new": "return 2"}


@pytest.mark.parametrize("given", [OP, {"ops": OP}, {"ops": json.dumps([OP])}, {"ops": json.dumps(OP)}])
def test_one_operation_may_come_without_its_list_or_the_list_as_text(
    repo: Sandbox, given: dict[str, Any]
) -> None:
    with greeted(repo.root, "--allow-edit", "--tools", "edit") as client:
        client.call("edit", **given, message="Two")
        assert (repo.root / "a.py").read_text() == CODE.replace("1", "2")


def test_what_such_a_call_has_to_say_instead_can_be_sent(repo: Sandbox) -> None:
    with greeted(repo.root, "--allow-edit", "--tools", "edit") as client:
        error = client.refused("edit", path="a.py", old="return 1", new="return 2")
        client.call(error["retry"]["tool"], **error["retry"]["arguments"])
        assert (repo.root / "a.py").read_text() == CODE.replace("1", "2")


def test_a_long_diff_is_cut(tmp_path: Path) -> None:
    files = {f"{n}.py": b"from a import f\n\nf()\n" for n in range(60)}
    repo = Sandbox.of(tmp_path / "many", {"a.py": CODE.encode(), **files})
    with greeted(repo.root, "--allow-edit", "--tools", "rename") as client:
        said = text(client, "rename", path="a.py", symbol="f", to="h", dry_run=True).splitlines()
        assert len(said) < 420
        assert any(line.endswith("more lines; the diff is of 61 files") for line in said)


def test_calls_that_hints_name_are_calls_that_are_taken(repo: Sandbox) -> None:
    with greeted(repo.root, "--allow-edit", "--tools", "all") as client:
        tx = client.call("transaction", do="begin", message="W")["tx"]
        assert text(client, "diff", tx=tx) == "there is nothing"
        hint = client.refused("land", tx=tx)["hint"]
        assert f'transaction {{"do":"drop","ids":"{tx}"}}' in hint
        client.call("transaction", do="drop", ids=tx)
        hint = client.refused("snapshot", do="restore", id="abcd")["hint"]
        assert hint == 'snapshot {"do":"list"} lists them'
        assert client.call("snapshot", do="list") == []
        assert client.refused("refs", path="a.py", symbol="zzz")["hint"] == "look lists the symbols of a file"
