"""Tool ``apply_patch`` as OpenAI's models call it."""

from __future__ import annotations

from pathlib import Path

from tests.adapters.dialect_server import CODE, serve_dialects


def test_apply_patch_adds_updates_and_deletes_files(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "openai") as agent:
        patch = (
            "*** Begin Patch\n*** Add File: n.txt\n+new\n*** Delete File: user.py\n"
            "*** Update File: shop.py\n@@ def total\n-        return 1\n+        return 7\n*** End Patch\n"
        )
        output = agent.call("apply_patch", input=patch)
        assert output.splitlines()[0].startswith("Success.")
        assert sorted(output.splitlines()[1:4]) == ["A n.txt", "D user.py", "M shop.py"]
        assert (agent.read("n.txt"), agent.read()) == ("new\n", CODE.replace("return 1", "return 7"))


def test_unfitting_patch_changes_nothing(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "openai") as agent:
        patch_start = "*** Begin Patch\n*** Add File: n.txt\n+new\n*** Update File: shop.py\n@@\n"
        error = agent.call_error("apply_patch", input=f"{patch_start}-nowhere\n+somewhere\n*** End Patch\n")
        assert error.startswith(
            "The patch was not applied, and no file has changed: hunk 1 does not fit shop.py"
        )
        assert not (agent.root / "n.txt").exists()
        assert "*** Add|Update|Delete File: PATH" in agent.call_error(
            "apply_patch", input="*** Begin Patch\n*** End Patch"
        )
        assert "needs input" in agent.call_error("apply_patch")
