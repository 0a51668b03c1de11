"""apply_patch as OpenAI's models call it."""

from __future__ import annotations

from pathlib import Path

from tests.adapters.speaking import CODE, speaking


def test_files_are_added_updated_moved_and_deleted_in_one_patch(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "openai") as agent:
        patch = (
            "*** Begin Patch\n*** Add File: n.txt\n+new\n*** Delete File: user.py\n"
            "*** Update File: shop.py\n@@ def total\n-        return 1\n+        return 7\n*** End Patch\n"
        )
        told = agent.told("apply_patch", input=patch)
        assert told.splitlines()[0].startswith("Success.")
        assert sorted(told.splitlines()[1:4]) == ["A n.txt", "D user.py", "M shop.py"]
        assert (agent.read("n.txt"), agent.read()) == ("new\n", CODE.replace("return 1", "return 7"))


def test_a_patch_that_does_not_fit_changes_nothing(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "openai") as agent:
        begun = "*** Begin Patch\n*** Add File: n.txt\n+new\n*** Update File: shop.py\n@@\n"
        said = agent.refused("apply_patch", input=f"{begun}-nowhere\n+somewhere\n*** End Patch\n")
        assert said.startswith(
            "The patch was not applied, and no file has changed: hunk 1 does not fit shop.py"
        )
        assert not (agent.root / "n.txt").exists()
        assert "*** Add|Update|Delete File: PATH" in agent.refused(
            "apply_patch", input="*** Begin Patch\n*** End Patch"
        )
        assert "needs input" in agent.refused("apply_patch")
