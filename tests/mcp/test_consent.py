"""A person is asked before a call is done, where whoever started the server wants that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import scalpel
from tests.mcp.client import STATELESS, Client, server
from tests.review.conftest import BOB, CODE
from tests.sandbox import Sandbox

ASKS: dict[str, Any] = {"elicitation": {"form": {}}}
CAN = "io.modelcontextprotocol/clientCapabilities"


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    files = {"a.py": CODE, ".gitscalpel.toml": b'[approval]\npaths = ["a.py"]\n'}
    return Sandbox.of(tmp_path / "repo", files)


@pytest.fixture
def tx(repo: Sandbox) -> str:
    """What Bob has staged, and Ada has to agree to."""
    words = ("replace", "a.py::f", "--no-land", "-m", "Two", "--json")
    return str(scalpel(repo.root, *words, stdin="def f():\n    return 2\n", env=BOB).data["tx"])


def confirming(repo: Sandbox, *names: str) -> Any:
    return server(repo.root, "--allow-edit", "--tools", "all", "--confirm", *names)


def greet(client: Client, capabilities: Any) -> None:
    said = {"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "tests"}}
    client.ask("initialize", **said)
    client.tell("notifications/initialized")


def asked(client: Client) -> dict[str, Any]:
    message = client.next()
    assert message["method"] == "elicitation/create", message
    return message


def say(client: Client, question: dict[str, Any], **result: Any) -> None:
    client.line(json.dumps({"jsonrpc": "2.0", "id": question["id"], "result": result}).encode())


def states(repo: Sandbox, tx: str) -> list[str]:
    decided = scalpel(repo.root, "show-tx", tx, "--json").data["approval"]["decisions"]
    return [row["kind"] for row in decided]


@pytest.mark.parametrize(
    ("action", "decided"), [("accept", ["approve"]), ("decline", []), ("cancel", []), (None, [])]
)
def test_who_greets_is_asked_while_the_call_waits(
    repo: Sandbox, tx: str, action: str | None, decided: list[str]
) -> None:
    with confirming(repo, "approve") as client:
        greet(client, ASKS)
        number = client.send("tools/call", name="approve", arguments={"tx": tx})
        question = asked(client)
        assert question["params"]["requestedSchema"] == {"type": "object", "properties": {}}
        for words in ("tests wants to approve", tx, "body_change f", "needs 1 more for a.py"):
            assert words in question["params"]["message"]
        assert states(repo, tx) == []
        say(client, question, **({"action": action} if action else {}))
        result = client.answer(number)["result"]
    assert result["isError"] == (not decided)
    assert decided or result["structuredContent"]["error"]["code"] == "rejected"
    assert states(repo, tx) == decided


def test_the_record_says_that_the_client_said_so_and_for_whom(repo: Sandbox, tx: str) -> None:
    with confirming(repo, "approve") as client:
        greet(client, ASKS)
        number = client.send("tools/call", name="approve", arguments={"tx": tx})
        say(client, asked(client), action="accept")
        client.answer(number)
        (decision,) = client.call("transaction", do="show", tx=tx)["approval"]["decisions"]
        client.call("land", tx=tx)
    assert (decision["agent"], decision["confirmed"]) == ("tests", "tests")
    land, approve = scalpel(repo.root, "log", "--json").data[:2]
    assert (approve["kind"], approve["agent"], approve["confirmed"]) == ("approve", "tests", "tests")
    assert (land["kind"], land["agent"]) == ("land", "tests")
    assert "confirmed" not in land


def test_what_only_looks_and_what_is_not_named_is_done_without_a_word(repo: Sandbox, tx: str) -> None:
    with confirming(repo, "land") as client:
        greet(client, ASKS)
        assert client.call("diff", tx=tx)["tx"] == tx
        assert client.call("approve", tx=tx)["missing"] == 0


def test_of_all_that_changes_something_somebody_is_asked(repo: Sandbox) -> None:
    change = {"ops": [{"op": "write", "path": "n.py", "content": "n = 1\n"}]}
    with confirming(repo, "all") as client:
        greet(client, ASKS)
        client.call("look", path="a.py")
        number = client.send("tools/call", name="edit", arguments=change)
        question = asked(client)
        assert '"path":"n.py"' in question["params"]["message"]
        assert not (repo.root / "n.py").exists()
        say(client, question, action="accept")
        assert not client.answer(number)["result"]["isError"]
    assert (repo.root / "n.py").exists()


def test_what_has_changed_meanwhile_is_asked_anew(repo: Sandbox, tx: str) -> None:
    with confirming(repo, "approve") as client:
        greet(client, ASKS)
        number = client.send("tools/call", name="approve", arguments={"tx": tx})
        first = asked(client)
        scalpel(repo.root, "text", "a.py", "--old", "2", "--new", "3", "--tx", tx, env=BOB)
        say(client, first, action="accept")
        second = asked(client)
        assert second["params"]["message"] != first["params"]["message"]
        assert states(repo, tx) == []
        say(client, second, action="accept")
        assert not client.answer(number)["result"]["isError"]


def test_a_client_that_asks_nobody_agrees_to_nothing(repo: Sandbox, tx: str) -> None:
    with confirming(repo, "approve") as client:
        greet(client, {})
        assert client.fault("tools/call", name="approve", arguments={"tx": tx})["code"] == -32021
        client.meta = STATELESS
        error = client.fault("tools/call", name="approve", arguments={"tx": tx})
    assert (error["code"], error["data"]) == (-32021, {"requiredCapabilities": ASKS})
    assert states(repo, tx) == []


def test_a_question_that_is_open_when_the_client_goes_is_no_agreement(repo: Sandbox, tx: str) -> None:
    with confirming(repo, "approve") as client:
        greet(client, ASKS)
        client.send("tools/call", name="approve", arguments={"tx": tx})
        asked(client)
    assert states(repo, tx) == []


def test_a_question_of_a_cancelled_call_is_no_longer_open(repo: Sandbox, tx: str) -> None:
    with confirming(repo, "approve") as client:
        greet(client, ASKS)
        number = client.send("tools/call", name="approve", arguments={"tx": tx})
        question = asked(client)
        client.tell("notifications/cancelled", requestId=number)
        assert client.ask("ping") == {}
        say(client, question, action="accept")
        assert client.ask("ping") == {}
    assert states(repo, tx) == []


def stateless(client: Client) -> None:
    client.meta = {**STATELESS, CAN: ASKS}


def test_without_a_greeting_the_call_comes_again_with_the_word(repo: Sandbox, tx: str) -> None:
    call: dict[str, Any] = {"name": "approve", "arguments": {"tx": tx}}
    with confirming(repo, "approve") as client:
        stateless(client)
        first = client.ask("tools/call", **call)
        assert (first["resultType"], "content" in first) == ("input_required", False)
        (key, question), *others = first["inputRequests"].items()
        assert (question["method"], others) == ("elicitation/create", [])
        assert tx in question["params"]["message"]
        state = first["requestState"]
        # Nothing said, or said to nothing: it is asked again.
        for more in ({}, {"requestState": state}, {"inputResponses": {key: {"action": "accept"}}}):
            assert client.ask("tools/call", **call, **more)["resultType"] == "input_required"
        assert states(repo, tx) == []
        said = {"requestState": state, "inputResponses": {key: {"action": "decline"}, "other": 1}}
        assert client.ask("tools/call", **call, **said)["structuredContent"]["error"]["code"] == "rejected"
        said["inputResponses"] = {key: {"action": "accept", "content": {}}}
        done = client.ask("tools/call", **call, **said)
    assert (done["resultType"], done["isError"]) == ("complete", False)
    assert states(repo, tx) == ["approve"]


@pytest.mark.parametrize("change", ["x", "", None, 7, ["a"], "a.b"])
def test_a_state_that_is_not_ours_is_refused(repo: Sandbox, tx: str, change: Any) -> None:
    call: dict[str, Any] = {"name": "approve", "arguments": {"tx": tx}}
    with confirming(repo, "approve") as client:
        stateless(client)
        state = client.ask("tools/call", **call)["requestState"]
        wrong = state + change if change == "x" else change
        said = {"requestState": wrong, "inputResponses": {"consent": {"action": "accept"}}}
        answer = client.answer(client.send("tools/call", **call, **said))
    assert answer.get("error", {}).get("code") == -32602 or change is None
    assert states(repo, tx) == []


def test_a_word_counts_for_nothing_else(repo: Sandbox, tx: str) -> None:
    with confirming(repo, "approve", "land") as client:
        stateless(client)
        first = client.ask("tools/call", name="approve", arguments={"tx": tx})
        said = {"requestState": first["requestState"], "inputResponses": {"consent": {"action": "accept"}}}
        for name, given in (("land", {"tx": tx}), ("approve", {"tx": tx, "message": "fine"})):
            again = client.ask("tools/call", name=name, arguments=given, **said)
            assert again["resultType"] == "input_required"
        scalpel(repo.root, "text", "a.py", "--old", "2", "--new", "3", "--tx", tx, env=BOB)
        again = client.ask("tools/call", name="approve", arguments={"tx": tx}, **said)
        assert again["resultType"] == "input_required"
    assert states(repo, tx) == []


def test_what_nobody_knows_is_refused_and_not_asked(repo: Sandbox) -> None:
    with confirming(repo, "land") as client:
        greet(client, ASKS)
        assert client.refused("land", tx="zzzzzzzz")["code"] == "tx_not_found"


def test_a_tool_that_is_not_offered_cannot_be_confirmed(repo: Sandbox) -> None:
    answer = scalpel(repo.root, "mcp", "--confirm", "land")
    assert (answer.status, "is not offered here" in answer.err) == (2, True)
