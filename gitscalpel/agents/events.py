"""Hook events of coding agents, read from standard input.

Claude Code's events are described at code.claude.com/docs/en/hooks. Codex sends the same fields, and patches
as a command.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from gitscalpel.api import BadCall
from gitscalpel.system import serialization

Kind = Literal["before", "after", "other", "worktree", "no worktree"]
AGENTS = ("claude", "codex")
EDITS = frozenset({"Edit", "MultiEdit", "Write", "apply_patch"})
SHELLS = frozenset({"Bash", "shell", "local_shell", "exec_command", "unified_exec"})
_KINDS: dict[str, Kind] = {
    "PreToolUse": "before",
    "PostToolUse": "after",
    "PostToolUseFailure": "after",
    "WorktreeCreate": "worktree",
    "WorktreeRemove": "no worktree",
}


class Event(msgspec.Struct, frozen=True):
    """A hook event.

    Attributes:
        hook_event_name: the agent's name of the event.
        cwd: working directory of the agent.
        tool_name, tool_input, tool_use_id: the tool, its arguments, and an id that both events of a call
            share.
        agent_type: kind of the subagent, or empty without subagents.
        name: name of a requested worktree.
        worktree_path: path of a worktree to remove.
    """

    hook_event_name: str
    cwd: str = ""
    session_id: str = ""
    tool_name: str = ""
    tool_input: Any = None
    tool_use_id: str = ""
    agent_id: str = ""
    agent_type: str = ""
    name: str = ""
    worktree_path: str = ""

    @property
    def kind(self) -> Kind:
        """Kind of the event for gitscalpel."""
        return _KINDS.get(self.hook_event_name, "other")

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments of the tool."""
        return self.tool_input if isinstance(self.tool_input, dict) else {}

    @property
    def call(self) -> str:
        """Id that both events of a tool call share."""
        return self.tool_use_id or _call_key(self)


def _call_key(event: Event) -> str:
    """Return an id for agents that do not number calls, and so run one at a time."""
    return msgspec.json.encode([event.session_id, event.agent_id, event.tool_name, event.tool_input]).decode()


def read(text: str) -> Event:
    """Return an event; fields of an unexpected type are ignored.

    Raises:
        BadCall: ``invalid_args`` if the text is not an event.
    """
    try:
        said = serialization.decode(text.encode("utf-8", "surrogateescape"), dict[str, Any])
        known = {name: value for name, value in said.items() if isinstance(value, str)}
        return serialization.convert({**known, "tool_input": said.get("tool_input")}, Event)
    except msgspec.MsgspecError as error:
        hint = "let an agent's hook call this, with its JSON on standard input"
        raise BadCall("invalid_args", f"not a hook event: {error}", hint) from None
