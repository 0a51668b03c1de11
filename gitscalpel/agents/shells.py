"""What an agent's shells are told: who it is, so that what it does there with commands of ours is its own.

Claude Code names a file to hooks of a session's beginning, from which its shells take variables
(``CLAUDE_ENV_FILE``, code.claude.com/docs/en/hooks).
"""

from __future__ import annotations

import shlex
from contextlib import suppress
from pathlib import Path

from gitscalpel.session import AGENT_VARIABLE, environment

_FILE = "CLAUDE_ENV_FILE"


def tell(agent: str) -> None:
    """Tell them, where the agent takes variables; an agent goes to work without as well."""
    named = environment().get(_FILE)
    line = f"export {AGENT_VARIABLE}={shlex.quote(agent)}\n"
    if not named:
        return
    with suppress(OSError):
        file = Path(named)
        said = file.read_text("utf-8", "surrogateescape") if file.exists() else ""
        if line not in said:
            with file.open("a", encoding="utf-8") as end:
                end.write(line)
