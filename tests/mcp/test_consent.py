"""The user confirms calls of the tools that the server's starter has named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import scalpel
from tests.mcp.client import STATELESS, Client, start_server
from tests.review.conftest import BOB, CODE
from tests.sandbox import Sandbox

ASKS: dict[str, Any] = {"elicitation": {"form": {}}}
CAN = "io.modelcontextprotocol/clientCapabilities"


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    files = {"a.py": CODE, ".gitscalpel.toml": b'[approval]\npaths = ["a.py"]\n'}
    return Sandbox.of(tmp_path / "repo", files)


@pytest.fixture
def bobs_transaction(repo: Sandbox) -> str:
    """Stage a change by Bob that Ada has to approve."""
    words = ("replace", "a.py::f", "--no-land", "-m", "Two", "--json")
    return str(scalpel(repo.root, *words, stdin="def f():\n    return 2\n", env=BOB).data["tx"])


def start_confirming_server(repo: Sandbox, *names: str) -> Any:
    return start_server(repo.root, "--allow-edit", "--tools", "all", "--confirm", *names)


def initialize(client: Client, capabilities: Any) -> None:
    params = {"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "tests"}}
    client.request("initialize", **params)
    client.notify("notifications/initialized")


def read_question(client: Client) -> dict[str, Any]:
    message = client.read_message()
    assert message["method"] == "elicitation/create", message
    return message


def answer_question(client: Client, question: dict[str, Any], **result: Any) -> None:
    client.write_line(json.dumps({"jsonrpc": "2.0", "id": question["id"], "result": result}).encode())


def list_decisions(repo: Sandbox, bobs_transaction: str) -> list[str]:
    decided = scalpel(repo.root, "show-tx", bobs_transaction, "--json").data["approval"]["decisions"]
    return [row["kind"] for row in decided]


@pytest.mark.parametrize(
    ("action", "decided"), [("accept", ["approve"]), ("decline", []), ("cancel", []), (None, [])]
)
def test_call_waits_for_the_answer(
    repo: Sandbox, bobs_transaction: str, action: str | None, decided: list[str]
) -> None:
    with start_confirming_server(repo, "approve") as client:
        initialize(client, ASKS)
        number = client.send("tools/call", name="approve", arguments={"tx": bobs_transaction})
        question = read_question(client)
        assert question["params"]["requestedSchema"] == {"type": "object", "properties": {}}
        for words in ("tests wants to approve", bobs_transaction, "body_change f", "needs 1 more for a.py"):
            assert words in question["params"]["message"]
        assert list_decisions(repo, bobs_transaction) == []
        answer_question(client, question, **({"action": action} if action else {}))
        result = client.answer(number)["result"]
    assert result["isError"] == (not decided)
    assert decided or result["structuredContent"]["error"]["code"] == "rejected"
    assert list_decisions(repo, bobs_transaction) == decided


def test_log_records_client_and_confirmed_user(repo: Sandbox, bobs_transaction: str) -> None:
    with start_confirming_server(repo, "approve") as client:
        initialize(client, ASKS)
        number = client.send("tools/call", name="approve", arguments={"tx": bobs_transaction})
        answer_question(client, read_question(client), action="accept")
        client.answer(number)
        (decision,) = client.call("transaction", do="show", tx=bobs_transaction)["approval"]["decisions"]
        client.call("land", tx=bobs_transaction)
    assert (decision["agent"], decision["confirmed"]) == ("tests", "tests")
    land, approve = scalpel(repo.root, "log", "--json").data[:2]
    assert (approve["kind"], approve["agent"], approve["confirmed"]) == ("approve", "tests", "tests")
    assert (land["kind"], land["agent"]) == ("land", "tests")
    assert "confirmed" not in land


def test_other_tools_need_no_confirmation(repo: Sandbox, bobs_transaction: str) -> None:
    with start_confirming_server(repo, "land") as client:
        initialize(client, ASKS)
        assert client.call("diff", tx=bobs_transaction)["tx"] == bobs_transaction
        assert client.call("approve", tx=bobs_transaction)["missing"] == 0


def test_confirm_all_asks_for_each_change(repo: Sandbox) -> None:
    change = {"ops": [{"op": "write", "path": "n.py", "content": "n = 1\n"}]}
    with start_confirming_server(repo, "all") as client:
        initialize(client, ASKS)
        client.call("look", path="a.py")
        number = client.send("tools/call", name="edit", arguments=change)
        question = read_question(client)
        assert '"path":"n.py"' in question["params"]["message"]
        assert not (repo.root / "n.py").exists()
        answer_question(client, question, action="accept")
        assert not client.answer(number)["result"]["isError"]
    assert (repo.root / "n.py").exists()


def test_changed_transaction_is_asked_again(repo: Sandbox, bobs_transaction: str) -> None:
    with start_confirming_server(repo, "approve") as client:
        initialize(client, ASKS)
        number = client.send("tools/call", name="approve", arguments={"tx": bobs_transaction})
        first = read_question(client)
        scalpel(repo.root, "text", "a.py", "--old", "2", "--new", "3", "--tx", bobs_transaction, env=BOB)
        answer_question(client, first, action="accept")
        second = read_question(client)
        assert second["params"]["message"] != first["params"]["message"]
        assert list_decisions(repo, bobs_transaction) == []
        answer_question(client, second, action="accept")
        assert not client.answer(number)["result"]["isError"]


def test_client_without_elicitation_is_refused(repo: Sandbox, bobs_transaction: str) -> None:
    with start_confirming_server(repo, "approve") as client:
        initialize(client, {})
        assert (
            client.request_error("tools/call", name="approve", arguments={"tx": bobs_transaction})["code"]
            == -32021
        )
        client.meta = STATELESS
        error = client.request_error("tools/call", name="approve", arguments={"tx": bobs_transaction})
    assert (error["code"], error["data"]) == (-32021, {"requiredCapabilities": ASKS})
    assert list_decisions(repo, bobs_transaction) == []


def test_closed_connection_does_not_confirm(repo: Sandbox, bobs_transaction: str) -> None:
    with start_confirming_server(repo, "approve") as client:
        initialize(client, ASKS)
        client.send("tools/call", name="approve", arguments={"tx": bobs_transaction})
        read_question(client)
    assert list_decisions(repo, bobs_transaction) == []


def test_answer_after_cancellation_is_ignored(repo: Sandbox, bobs_transaction: str) -> None:
    with start_confirming_server(repo, "approve") as client:
        initialize(client, ASKS)
        number = client.send("tools/call", name="approve", arguments={"tx": bobs_transaction})
        question = read_question(client)
        client.notify("notifications/cancelled", requestId=number)
        assert client.request("ping") == {}
        answer_question(client, question, action="accept")
        assert client.request("ping") == {}
    assert list_decisions(repo, bobs_transaction) == []


def set_stateless(client: Client) -> None:
    client.meta = {**STATELESS, CAN: ASKS}


def test_stateless_call_is_repeated_with_the_answer(repo: Sandbox, bobs_transaction: str) -> None:
    call: dict[str, Any] = {"name": "approve", "arguments": {"tx": bobs_transaction}}
    with start_confirming_server(repo, "approve") as client:
        set_stateless(client)
        first = client.request("tools/call", **call)
        assert (first["resultType"], "content" in first) == ("input_required", False)
        (key, question), *others = first["inputRequests"].items()
        assert (question["method"], others) == ("elicitation/create", [])
        assert bobs_transaction in question["params"]["message"]
        state = first["requestState"]
        # Without an answer to this question, the call asks again.
        for more in ({}, {"requestState": state}, {"inputResponses": {key: {"action": "accept"}}}):
            assert client.request("tools/call", **call, **more)["resultType"] == "input_required"
        assert list_decisions(repo, bobs_transaction) == []
        fields = {"requestState": state, "inputResponses": {key: {"action": "decline"}, "other": 1}}
        assert (
            client.request("tools/call", **call, **fields)["structuredContent"]["error"]["code"] == "rejected"
        )
        fields["inputResponses"] = {key: {"action": "accept", "content": {}}}
        done = client.request("tools/call", **call, **fields)
    assert (done["resultType"], done["isError"]) == ("complete", False)
    assert list_decisions(repo, bobs_transaction) == ["approve"]


@pytest.mark.parametrize("change", ["x", "", None, 7, ["a"], "a.b"])
def test_foreign_request_state_is_refused(repo: Sandbox, bobs_transaction: str, change: Any) -> None:
    call: dict[str, Any] = {"name": "approve", "arguments": {"tx": bobs_transaction}}
    with start_confirming_server(repo, "approve") as client:
        set_stateless(client)
        state = client.request("tools/call", **call)["requestState"]
        wrong = state + change if change == "x" else change
        fields = {"requestState": wrong, "inputResponses": {"consent": {"action": "accept"}}}
        answer = client.answer(client.send("tools/call", **call, **fields))
    assert answer.get("error", {}).get("code") == -32602 or change is None
    assert list_decisions(repo, bobs_transaction) == []


def test_answer_is_valid_for_its_call_only(repo: Sandbox, bobs_transaction: str) -> None:
    with start_confirming_server(repo, "approve", "land") as client:
        set_stateless(client)
        first = client.request("tools/call", name="approve", arguments={"tx": bobs_transaction})
        fields = {"requestState": first["requestState"], "inputResponses": {"consent": {"action": "accept"}}}
        for name, arguments in (
            ("land", {"tx": bobs_transaction}),
            ("approve", {"tx": bobs_transaction, "message": "fine"}),
        ):
            again = client.request("tools/call", name=name, arguments=arguments, **fields)
            assert again["resultType"] == "input_required"
        scalpel(repo.root, "text", "a.py", "--old", "2", "--new", "3", "--tx", bobs_transaction, env=BOB)
        again = client.request("tools/call", name="approve", arguments={"tx": bobs_transaction}, **fields)
        assert again["resultType"] == "input_required"
    assert list_decisions(repo, bobs_transaction) == []


def test_unknown_transaction_is_refused_without_a_question(repo: Sandbox) -> None:
    with start_confirming_server(repo, "land") as client:
        initialize(client, ASKS)
        assert client.call_error("land", tx="zzzzzzzz")["code"] == "tx_not_found"


def test_confirm_refuses_a_tool_that_is_not_offered(repo: Sandbox) -> None:
    answer = scalpel(repo.root, "mcp", "--confirm", "land")
    assert (answer.status, "is not offered here" in answer.err) == (2, True)
