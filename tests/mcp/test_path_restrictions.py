"""An agent restricted to some files cannot change others through any tool."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.mcp.client import Client, connect_client
from tests.sandbox import Sandbox

CODE = "def f():\n    return 1\n"
MINE, THEIRS = "the-first-agents-token", "the-second-agents-token"
GRANTED = f"""
[mine]
token = "{MINE}"
paths = ["src/a/**"]

[theirs]
token = "{THEIRS}"
paths = ["**"]
"""
DIFF = "--- a/{0}\n+++ b/{0}\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 3\n"
RENAMED = "diff --git a/src/a/x.py b/d.py\nsimilarity index 100%\nrename from src/a/x.py\nrename to d.py\n"
SEARCH = "c.py\n<<<<<<< SEARCH\n    return 1\n=======\n    return 3\n>>>>>>> REPLACE\n"
BEGIN = "*** Begin Patch\n*** Update File: c.py\n@@\n def f():\n-    return 1\n+    return 3\n*** End Patch\n"


def op(kind: str, path: str, **more: Any) -> dict[str, Any]:
    return {"ops": [{"op": kind, "path": path, **more}]}


def text(path: str) -> dict[str, Any]:
    return op("text", path, old="return 1", new="return 3")


TOOLS = ("all", "init", "deinit", "agent", "hook", "run", "trust")
ATTEMPTS: dict[str, tuple[str, dict[str, Any]]] = {
    "text": ("edit", text("c.py")),
    "another's text": ("edit", text("src/b/x.py")),
    "overwriting": ("edit", op("write", "c.py", content="", overwrite=True)),
    "a new file": ("edit", op("write", "d.py", content="")),
    "a new folder": ("edit", op("write", "src/c/d.py", content="")),
    "a name that begins alike": ("edit", op("write", "src/ab.py", content="")),
    "a name in capitals": ("edit", op("write", "SRC/A/d.py", content="")),
    "a symbol": ("edit", op("replace", "c.py", symbol="f", code="def f():\n    return 3")),
    "beside a symbol": ("edit", op("insert", "c.py", symbol="f", position="after", code="x = 1")),
    "without a symbol": ("edit", op("delete", "c.py", symbol="f")),
    "lines": ("edit", op("lines", "c.py", start=2, end=2, code="    return 3")),
    "removal": ("edit", op("remove", "c.py")),
    "moving in": ("edit", op("move_file", "c.py", to="src/a/c.py")),
    "moving out": ("edit", op("move_file", "src/a/x.py", to="d.py")),
    "copying out": ("edit", op("copy_file", "src/a/x.py", to="d.py")),
    "up and out": ("edit", text("src/a/../../c.py")),
    "with a dot": ("edit", text("./c.py")),
    "from the root of the disk": ("edit", text("ROOT/c.py")),
    "from there, and up": ("edit", text("ROOT/src/a/../../c.py")),
    "outside the repository": ("edit", op("write", "../d.py", content="")),
    "through a link": ("edit", text("src/a/link.py")),
    "git's own folder": ("edit", op("write", ".git/hooks/pre-commit", content="")),
    "the rules": ("edit", op("write", ".gitscalpel.toml", content="")),
    "a second operation": ("edit", {"ops": [text("src/a/x.py")["ops"][0], text("c.py")["ops"][0]]}),
    "a diff": ("edit", {"patch": DIFF.format("c.py")}),
    "a diff that goes up": ("edit", {"patch": DIFF.format("src/a/../../c.py")}),
    "a diff that renames": ("edit", {"patch": RENAMED}),
    "blocks": ("edit", {"patch": SEARCH}),
    "an envelope": ("edit", {"patch": BEGIN}),
    "a patch as operation": ("edit", op("patch", "c.py", diff=DIFF.format("c.py"))),
    "on a branch": ("edit", {**text("c.py"), "onto": "other"}),
    "in another's transaction": ("edit", {**text("src/a/x.py"), "tx": "TX"}),
    "a rename": ("rename", {"path": "c.py", "symbol": "f", "to": "g"}),
    "a rename with uses elsewhere": (
        "rename",
        {"path": "src/a/shared.py", "symbol": "shared", "to": "other"},
    ),
    "a definition moved in": ("move", {"path": "c.py", "symbol": "f", "to_path": "src/a/new.py"}),
    "a definition moved out": ("move", {"path": "src/a/shared.py", "symbol": "shared", "to_path": "c.py"}),
    "imports": ("imports", {"path": "c.py", "add": ["import os"]}),
    "undo of the last step": ("undo", {}),
    "undo of another's": ("undo", {"tx": "LANDED"}),
    "redo": ("undo", {"do": "redo"}),
    "restoring": ("snapshot", {"do": "restore", "id": "SNAPSHOT"}),
    "landing another's": ("land", {"tx": "TX"}),
    "agreeing to another's": ("approve", {"tx": "TX"}),
    "dropping another's": ("transaction", {"do": "drop", "ids": ["TX"]}),
    "a tool that is not offered": ("write", {"path": "c.py", "content": ""}),
    "a configuration": ("init", {}),
    "settings for agents": ("init", {"agents": True}),
    "hooks": ("init", {"hooks": True}),
    "no hooks": ("deinit", {"hooks": True}),
    "an event of an agent": ("agent", {"of": "claude", "event": "{}"}),
    "a hook that writes a file": ("hook", {"what": "commit-msg", "words": ["ROOT/c.py"]}),
    "a command": ("run", {"command": ["sh", "-c", "echo x >ROOT/c.py"], "onto": "main"}),
    "a command in the checkout": ("run", {"command": ["sh", "-c", "echo x >c.py"]}),
    "a command in a transaction": ("run", {"command": ["sh", "-c", "echo x >ROOT/c.py"], "tx": "TX"}),
    "trust": ("trust", {}),
    "another repository": ("edit", {**text("src/a/x.py"), "root": "ELSEWHERE"}),
    "the other's token as argument": ("edit", {**text("c.py"), "gitscalpel/capability": THEIRS}),
}


class Place(NamedTuple):
    repo: Sandbox
    client: Client
    known: dict[str, str]


@pytest.fixture(scope="module")
def confined_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("confined")
    read_state_outside = Sandbox.of(folder / "elsewhere", {"src/a/x.py": CODE.encode()})
    files = {"src/a/x.py": CODE, "src/b/x.py": CODE, "c.py": CODE, "src/a/shared.py": "shared = 1\n"}
    files["use.py"] = "from src.a.shared import shared\n\nshared\n"
    repo = Sandbox.of(folder / "repo", {name: code.encode() for name, code in files.items()})
    (repo.root / "src/a/link.py").symlink_to("../../c.py")
    repo.git("add", "src/a/link.py")
    repo.git("commit", "-qm", "link")
    repo.git("branch", "other")
    granted = folder / "granted.toml"
    granted.touch(mode=0o600)
    granted.write_text(GRANTED)
    with connect_client(repo.root, "--allow-edit", "--tools", *TOOLS, "--capability", str(granted)) as client:

        def theirs(tool: str, **given: Any) -> Any:
            result = client.call_result(tool, {"gitscalpel/capability": THEIRS}, **given)
            assert not result["isError"], result["content"]
            return result["structuredContent"]["data"]

        known = {"ROOT": str(repo.root), "ELSEWHERE": str(read_state_outside.root)}
        known["SNAPSHOT"] = theirs("snapshot")["id"]
        theirs("edit", **op("write", "undone.py", content=""))
        theirs("undo")
        known["LANDED"] = theirs("edit", **op("write", "e.py", content="e = 1\n"))["tx"]
        known["TX"] = theirs("edit", **text("src/b/x.py"), no_land=True)["tx"]
        yield Place(repo, client, known)


def read_state_outside(confined_server: Place) -> tuple[Any, ...]:
    """Return all files, refs and hooks outside of the agent's paths."""
    root = confined_server.repo.root
    files = [path for path in root.parent.rglob("*") if path.is_file() and ".git" not in path.parts]
    own = root / "src/a"
    texts = {str(path): path.read_bytes() for path in files if not path.is_relative_to(own)}
    refs = confined_server.repo.git("for-each-ref", "refs/heads", "refs/scalpel/tx")
    return texts, refs, sorted(Path(root / ".git/hooks").glob("pre-commit"))


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_attempt_changes_no_file_outside(confined_server: Place, attempt: str) -> None:
    tool, arguments = ATTEMPTS[attempt]
    sent = json.dumps(arguments)
    for name, value in confined_server.known.items():
        sent = sent.replace(name, value)
    before = read_state_outside(confined_server)
    params = {"name": tool, "arguments": json.loads(sent), "_meta": {"gitscalpel/capability": MINE}}
    answer = confined_server.client.answer(confined_server.client.send("tools/call", **params))
    assert read_state_outside(confined_server) == before
    assert "error" in answer or answer["result"]["isError"], answer


def test_allowed_path_may_be_edited(confined_server: Place) -> None:
    result = confined_server.client.call_result("edit", {"gitscalpel/capability": MINE}, **text("src/a/x.py"))
    assert not result["isError"], result["content"]


def test_unrestricted_agent_may_run_commands(confined_server: Place) -> None:
    result = confined_server.client.call_result(
        "run", {"gitscalpel/capability": THEIRS}, command=["sh", "-c", "exit 1"]
    )
    assert "policy_denied" not in json.dumps(result)
