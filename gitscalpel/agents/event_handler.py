"""Handle a hook event from a coding agent, and build the hook's reply.

An agent that asks for a worktree gets that of a new open transaction, from the pool.

The agent's name is passed to its shells, so that commands run there are recorded as its own. Claude Code
names a file to its session-start hook, from which its shells read variables (``CLAUDE_ENV_FILE``,
code.claude.com/docs/en/hooks).
"""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from gitscalpel.agents import tool_edits
from gitscalpel.agents.events import EDITS, SHELLS, Event
from gitscalpel.api import Repository, Result, ScalpelError
from gitscalpel.errors.messages import Spelling
from gitscalpel.workspace.caller import AGENT_VARIABLE, environment


def make(repo: Repository, name: str) -> Path:
    """A folder for an agent of that name, and a transaction that takes in what it does there."""
    return repo.begin(f"Work in {name}" if name else None).worktree()


def leave(repo: Repository) -> str | None:
    """Take in what was done in the worktree that ``repo`` stands in; its transaction, which stays open."""
    if repo.inside is None:
        return None
    transaction = repo.transaction(repo.inside)
    transaction.stage()
    return transaction.id


_UNTOLD = "Changed outside of the agent's tools"
_LONGEST = 100


class Heeded(msgspec.Struct, frozen=True):
    """What came of an event.

    Attributes:
        refused: why the tool is not to go on.
        steps: those that were made, by id.
        mended: files that the tool had left with other bytes than its edit leads to.
        folder: the worktree that was asked for.
        tx: the transaction that took in a worktree's work.
    """

    refused: ScalpelError | None = None
    steps: tuple[str, ...] = ()
    mended: tuple[str, ...] = ()
    folder: str = ""
    tx: str = ""


def heed(repo: Repository, event: Event) -> Heeded:
    """Do what an event asks for."""
    if event.kind == "worktree":
        return Heeded(folder=str(make(repo, event.name)))
    if event.kind == "no worktree":
        return Heeded(tx=leave(repo) or "")
    if repo.root is None or repo.inside is not None:
        return Heeded()  # no checkout: what is done in a worktree is judged when it is taken in
    if event.kind != "after":
        steps = _step(repo.account(_UNTOLD))
        is_edit = event.kind == "before" and event.tool_name in EDITS
        return Heeded(tool_edits.foresee(repo, event) if is_edit else None, steps)
    steps = _step(repo.account(_words(event)))
    mended = tuple(tool_edits.settle(repo, event)) if event.tool_name in EDITS else ()
    return Heeded(steps=steps, mended=mended)


def _step(done: Result | None) -> tuple[str, ...]:
    return () if done is None else (str(done.tx),)


def _words(event: Event) -> str:
    """What a tool has done, as the log says it."""
    given = event.arguments
    what = given.get("command") if event.tool_name in SHELLS else given.get("file_path")
    if isinstance(what, list):
        what = " ".join(map(str, what))
    first = str(what or "").strip().partition("\n")[0]
    if event.tool_name in SHELLS:
        first = first if len(first) <= _LONGEST else f"{first[:_LONGEST]}…"
        return f"Run {first}".strip()
    return f"{event.tool_name or event.hook_event_name} {os.path.basename(first)}".strip()  # noqa: PTH119


def answer(heeded: Heeded, event: Event, spelling: Spelling) -> dict[str, Any] | None:
    """What the agent reads; None: nothing has to be said.

    A tool that is not refused is left to the agent's own permissions: nothing is allowed here.
    """
    if heeded.refused is not None:
        message, hint = heeded.refused.told(spelling)
        said = f"{heeded.refused.code}: {message}\n{hint}"
        decided = {"permissionDecision": "deny", "permissionDecisionReason": said}
        return {"hookSpecificOutput": {"hookEventName": event.hook_event_name, **decided}}
    if event.kind == "after" and heeded.mended:
        words = f"{', '.join(heeded.mended)}: line endings and encoding were given back"
        more = {"hookEventName": event.hook_event_name, "additionalContext": words}
        return {"hookSpecificOutput": more}
    return None


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
