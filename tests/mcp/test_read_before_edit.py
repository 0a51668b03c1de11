"""With ``--read-before-edit`` an agent edits only files that it has read in their current state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.mcp.client import Client, connect_client
from tests.sandbox import Sandbox

A = b"def f():\n    return 1\n\n\ndef g():\n    return f()\n"
OPTIONS = ("--allow-edit", "--tools", "all", "--read-before-edit")


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.py": A, "b.py": b"from a import f\nf()\n"})


def text(old: str, new: str, path: str = "a.py") -> dict[str, Any]:
    return {"op": "text", "path": path, "old": old, "new": new}


def read_stale_message(client: Client, *ops: dict[str, Any]) -> str:
    error = client.call_error("edit", ops=list(ops))
    assert error["code"] == "stale"
    return str(error["message"])


def test_read_file_may_be_edited_repeatedly(repo: Sandbox) -> None:
    with connect_client(repo.root, *OPTIONS) as client:
        assert read_stale_message(client, text("1", "2")) == "a.py was never read here"
        assert (repo.root / "a.py").read_bytes() == A
        client.call("look", path="a.py", symbol="f")
        client.call("edit", ops=[text("1", "2")])
        client.call("edit", ops=[text("2", "3")])  # own edits count as read
        client.call("edit", ops=[{"op": "write", "path": "new.py", "content": "x = 1\n"}])
        client.call("edit", ops=[text("1", "2", "new.py")])


def test_changed_file_must_be_read_again(repo: Sandbox) -> None:
    with connect_client(repo.root, *OPTIONS) as client:
        client.call("look", path="a.py")
        (repo.root / "a.py").write_bytes(A.replace(b"1", b"7"))
        assert read_stale_message(client, text("7", "8")) == "a.py has changed since it was read here"
        client.call("look", path="a.py")
        client.call("edit", ops=[text("7", "8")])


def test_patch_requires_a_read_but_rename_does_not(repo: Sandbox) -> None:
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 2\n"
    with connect_client(repo.root, *OPTIONS) as client:
        assert client.call_error("edit", patch=diff)["code"] == "stale"
        client.call("rename", path="a.py", symbol="f", to="h")
        assert (repo.root / "b.py").read_bytes() == b"from a import h\nh()\n"


def test_read_tool_of_a_dialect_counts(repo: Sandbox) -> None:
    edit: dict[str, Any] = {
        "file_path": str(repo.root / "a.py"),
        "old_string": "return 1",
        "new_string": "return 2",
    }
    with connect_client(repo.root, *OPTIONS, "--dialect", "claude-code") as client:
        assert client.call_result("Edit", **edit)["isError"]
        assert not client.call_result("Read", file_path=str(repo.root / "a.py"))["isError"]
        assert not client.call_result("Edit", **edit)["isError"]
    assert (repo.root / "a.py").read_bytes() == A.replace(b"1", b"2")
