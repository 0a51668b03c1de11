"""An agent, as far as its hooks see it: its own tools, and the events that it sends before and after them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.command import Answer, scalpel


class Agent:
    """One that works in a repository, with the hooks of Claude Code.

    Args:
        root: where it stands.
        kind: which of several it is.
    """

    def __init__(self, root: Path, kind: str = "", of: str = "claude") -> None:
        self.root, self.kind, self.of = root, kind, of
        self._calls = 0

    def send(self, event: str, **fields: Any) -> Answer:
        said = {
            "hook_event_name": event,
            "cwd": str(self.root),
            "session_id": "s",
            "agent_type": self.kind,
            **fields,
        }
        answer = scalpel(self.root, "agent", self.of, "-", stdin=json.dumps(said))
        assert answer.status == 0, answer
        return answer

    def tool(self, name: str, **given: Any) -> str | None:
        """Use a tool; why it was refused, or None."""
        self._calls += 1
        call = {"tool_name": name, "tool_input": given, "tool_use_id": f"{self.kind}{self._calls}"}
        before = self.send("PreToolUse", **call).out.strip()
        if before:
            said = json.loads(before)["hookSpecificOutput"]
            assert (said["hookEventName"], said["permissionDecision"]) == ("PreToolUse", "deny")
            return str(said["permissionDecisionReason"])
        getattr(self, f"_{name.lower()}")(**given)
        self.send("PostToolUse", **call, tool_response={})
        return None

    def edit(self, path: str, old: str, new: str) -> str | None:
        return self.tool("Edit", file_path=str(self.root / path), old_string=old, new_string=new)

    def write(self, path: str, content: str) -> str | None:
        return self.tool("Write", file_path=str(self.root / path), content=content)

    def bash(self, command: str) -> str | None:
        return self.tool("Bash", command=command)

    def _edit(self, file_path: str, old_string: str, new_string: str) -> None:
        """As editors of agents do: line endings become those of the machine."""
        text = Path(file_path).read_text()
        Path(file_path).write_text(text.replace(old_string, new_string, 1))

    def _write(self, file_path: str, content: str) -> None:
        Path(file_path).parent.mkdir(parents=True, exist_ok=True)
        Path(file_path).write_text(content)

    def _bash(self, command: str) -> None:
        subprocess.run(["sh", "-c", command], cwd=self.root, check=False, capture_output=True)

    def _apply_patch(self, command: str) -> None:
        """The envelope is our own reader's to check; here it changes one line."""
        (self.root / "a.py").write_text((self.root / "a.py").read_text().replace("1", "2"))
