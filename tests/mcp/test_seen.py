"""With --read-before-edit an agent edits only what it has read, as it has read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.mcp.client import Client, greeted
from tests.sandbox import Sandbox

A = b"def f():\n    return 1\n\n\ndef g():\n    return f()\n"
OPTIONS = ("--allow-edit", "--tools", "all", "--read-before-edit")


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.py": A, "b.py": b"from a import f\nf()\n"})


def text(old: str, new: str, path: str = "a.py") -> dict[str, Any]:
    return {"op": "text", "path": path, "old": old, "new": new}


def why(client: Client, *ops: dict[str, Any]) -> str:
    error = client.refused("edit", ops=list(ops))
    assert error["code"] == "stale"
    return str(error["message"])


def test_what_was_read_may_be_edited_again_and_again(repo: Sandbox) -> None:
    with greeted(repo.root, *OPTIONS) as client:
        assert why(client, text("1", "2")) == "a.py was never read here"
        assert (repo.root / "a.py").read_bytes() == A
        client.call("look", path="a.py", symbol="f")
        client.call("edit", ops=[text("1", "2")])
        client.call("edit", ops=[text("2", "3")])  # what it wrote itself it knows
        client.call("edit", ops=[{"op": "write", "path": "new.py", "content": "x = 1\n"}])
        client.call("edit", ops=[text("1", "2", "new.py")])


def test_what_somebody_has_changed_since_has_to_be_read_anew(repo: Sandbox) -> None:
    with greeted(repo.root, *OPTIONS) as client:
        client.call("look", path="a.py")
        (repo.root / "a.py").write_bytes(A.replace(b"1", b"7"))
        assert why(client, text("7", "8")) == "a.py has changed since it was read here"
        client.call("look", path="a.py")
        client.call("edit", ops=[text("7", "8")])


def test_a_patch_names_its_files_and_a_rename_none(repo: Sandbox) -> None:
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 2\n"
    with greeted(repo.root, *OPTIONS) as client:
        assert client.refused("edit", patch=diff)["code"] == "stale"
        client.call("rename", path="a.py", symbol="f", to="h")
        assert (repo.root / "b.py").read_bytes() == b"from a import h\nh()\n"


def test_a_dialect_reads_as_well(repo: Sandbox) -> None:
    edit: dict[str, Any] = {
        "file_path": str(repo.root / "a.py"),
        "old_string": "return 1",
        "new_string": "return 2",
    }
    with greeted(repo.root, *OPTIONS, "--dialect", "claude-code") as client:
        assert client.result("Edit", **edit)["isError"]
        assert not client.result("Read", file_path=str(repo.root / "a.py"))["isError"]
        assert not client.result("Edit", **edit)["isError"]
    assert (repo.root / "a.py").read_bytes() == A.replace(b"1", b"2")
