"""Several agents share a server: each has its own tools and paths and cannot exceed them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.command import scalpel
from tests.mcp.client import Client, connect_client
from tests.sandbox import Sandbox

CODE = b"def f():\n    return 1\n"
ONE, TWO = "the-first-agents-token", "the-second-agents-token"
GRANTED = f"""
[one]
token = "{ONE}"
paths = ["src/a/**"]

[two]
token = "{TWO}"
paths = ["src/b/**"]
tools = ["look", "edit"]
"""


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"src/a/x.py": CODE, "src/b/x.py": CODE, "c.py": CODE})


@pytest.fixture
def capability_file(tmp_path: Path) -> Path:
    file = tmp_path / "granted.toml"
    file.touch(mode=0o600)
    file.write_text(GRANTED)
    return file


def change(path: str, **more: Any) -> dict[str, Any]:
    return {"ops": [{"op": "text", "path": path, "old": "1", "new": "2"}], **more}


def outcome(client: Client, token: str | None, tool: str, **arguments: Any) -> str:
    """Return the error code of a call, or "" if the call succeeds."""
    meta = {"_meta": {"gitscalpel/capability": token}} if token else {}
    answer = client.answer(client.send("tools/call", name=tool, arguments=arguments, **meta))
    if "error" in answer:
        return "not offered"
    result = answer["result"]
    return str(result["structuredContent"]["error"]["code"]) if result["isError"] else ""


def test_agent_is_limited_to_its_paths_and_tools(repo: Sandbox, capability_file: Path) -> None:
    options = ("--allow-edit", "--tools", "all", "--capability", str(capability_file), "--onto", "main")
    with connect_client(repo.root, *options) as client:
        assert outcome(client, ONE, "edit", **change("src/b/x.py")) == "policy_denied"
        assert outcome(client, TWO, "edit", **change("src/a/x.py")) == "policy_denied"
        assert outcome(client, TWO, "edit", **change("src/b/x.py")) == ""
        assert outcome(client, ONE, "undo") == "nothing_to_undo"
        assert outcome(client, ONE, "edit", **change("src/a/x.py")) == ""
        assert outcome(client, TWO, "undo") == "not offered"
        assert outcome(client, ONE, "undo") == ""
        for token in (ONE, TWO):
            assert outcome(client, token, "edit", **change("c.py")) == "policy_denied"
            assert outcome(client, token, "look", path="c.py") == ""
    assert (repo.root / "src/a/x.py").read_bytes() == CODE


def test_agent_undoes_its_landing_below_that_of_another(repo: Sandbox, capability_file: Path) -> None:
    options = ("--allow-edit", "--tools", "all", "--capability", str(capability_file), "--onto", "main")
    capability_file.write_text(
        f'{GRANTED}\n[three]\ntoken = "a-third-token-of-enough-characters"\npaths = ["c.py"]\n'
    )
    third = "a-third-token-of-enough-characters"
    with connect_client(repo.root, *options) as client:
        assert outcome(client, ONE, "edit", **change("src/a/x.py")) == ""
        assert outcome(client, third, "edit", **change("c.py")) == ""
        assert outcome(client, ONE, "undo") == ""
        assert (repo.root / "src/a/x.py").read_bytes() == CODE
        assert (repo.root / "c.py").read_bytes() != CODE
        assert outcome(client, third, "undo") == ""
        assert (repo.root / "c.py").read_bytes() == CODE


def test_call_without_token_may_only_read(repo: Sandbox, capability_file: Path) -> None:
    with connect_client(
        repo.root, "--allow-edit", "--tools", "all", "--capability", str(capability_file)
    ) as client:
        assert outcome(client, None, "look", path="c.py") == ""
        assert outcome(client, None, "edit", **change("src/a/x.py")) == "not offered"
        assert outcome(client, "another-token-than-these", "look", path="c.py") == "not offered"
        assert "edit" not in client.tools()


def test_transaction_of_another_agent_is_denied(repo: Sandbox, capability_file: Path) -> None:
    with connect_client(
        repo.root, "--allow-edit", "--tools", "all", "--capability", str(capability_file)
    ) as client:
        theirs = client.call_result(
            "edit", {"gitscalpel/capability": TWO}, **change("src/b/x.py", no_land=True)
        )
        tx = theirs["structuredContent"]["data"]["tx"]
        for tool, arguments in {
            "land": {"tx": tx},
            "approve": {"tx": tx},
            "transaction": {"do": "drop", "ids": [tx]},
            "edit": change("src/a/x.py", tx=tx),
        }.items():
            assert outcome(client, ONE, tool, **arguments) == "policy_denied", tool
        assert outcome(client, ONE, "diff", tx=tx) == ""


def test_log_names_the_agent_of_the_token(repo: Sandbox, capability_file: Path) -> None:
    options = ("--allow-edit", "--tools", "all", "--capability", str(capability_file), "--onto", "main")
    with connect_client(repo.root, *options) as client:
        assert outcome(client, TWO, "edit", **change("src/b/x.py")) == ""
        assert client.call("log")[0]["agent"] == "two"


def test_paths_option_restricts_a_single_agent(repo: Sandbox) -> None:
    with connect_client(
        repo.root, "--allow-edit", "--tools", "edit", "--paths", "src/a/**", "*.md"
    ) as client:
        client.call("edit", **change("src/a/x.py"))
        client.call("edit", ops=[{"op": "write", "path": "N.md", "content": "# N\n"}])
        assert client.call_error("edit", **change("c.py"))["code"] == "policy_denied"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('[one]\ntoken = "short"\n', "under 16 characters"),
        (f'[one]\ntoken = "{ONE}"\ntools = ["edti"]\n', "does not offer"),
        (f'[one]\ntoken = "{ONE}"\npath = ["src"]\n', "path"),
        ("[one\n", "line 1"),
    ],
)
def test_invalid_capability_file_is_refused(
    repo: Sandbox, capability_file: Path, content: str, words: str
) -> None:
    capability_file.write_text(content)
    answer = scalpel(repo.root, "mcp", "--allow-edit", "--tools", "all", "--capability", str(capability_file))
    assert answer.status == 78
    assert words in answer.err


def test_capability_file_readable_by_others_is_refused(repo: Sandbox, capability_file: Path) -> None:
    capability_file.chmod(0o644)
    answer = scalpel(repo.root, "mcp", "--capability", str(capability_file))
    assert answer.status == 78
    assert "chmod 600" in answer.err


def test_unknown_tool_is_refused_with_a_suggestion(repo: Sandbox) -> None:
    answer = scalpel(repo.root, "mcp", "--tools", "edti")
    assert answer.status == 2
    assert "did you mean 'edit'?" in answer.err
