"""Handle hook events of coding agents: check what they edit, record what they did.

Claude Code's events are described at code.claude.com/docs/en/hooks. Codex sends the same fields, and patches
as a command.
"""

from __future__ import annotations

import base64
import os
import re
import shlex
from collections.abc import Generator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import msgspec

from gitscalpel.adapters import tool
from gitscalpel.adapters.tool import ReadStep
from gitscalpel.api import (
    BadCall,
    Changeset,
    DoesNotFit,
    GateRefused,
    NotAllowed,
    Repository,
    Result,
    ScalpelError,
    changeset,
)
from gitscalpel.changesets.answers import CHECKOUT
from gitscalpel.errors.messages import Spelling, call
from gitscalpel.system import serialization
from gitscalpel.workspace.workspace import AGENT_VARIABLE, environment

EventKind = Literal["before", "after", "other", "worktree", "no worktree"]
AGENTS = ("claude", "codex")
EDITS = frozenset({"Edit", "MultiEdit", "Write", "apply_patch"})
SHELLS = frozenset({"Bash", "shell", "local_shell", "exec_command", "unified_exec"})
_KINDS: dict[str, EventKind] = {
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
        tool_name, tool_input, tool_use_id: the tool, its arguments, and an ID that both events of a call
            share.
        agent_type: kind of the subagent, or "" without subagents.
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
    def kind(self) -> EventKind:
        return _KINDS.get(self.hook_event_name, "other")

    @property
    def arguments(self) -> dict[str, Any]:
        return self.tool_input if isinstance(self.tool_input, dict) else {}

    @property
    def call(self) -> str:
        """Return the ID that both events of a tool call share."""
        # Agents that do not number their calls run one at a time.
        key = [self.session_id, self.agent_id, self.tool_name, self.tool_input]
        return self.tool_use_id or msgspec.json.encode(key).decode()


def read_event(text: str) -> Event:
    """Return an event; fields of an unexpected type are ignored.

    Raises:
        BadCall: ``invalid_args`` if the text is not an event.
    """
    try:
        fields = serialization.decode(text.encode("utf-8", "surrogateescape"), dict[str, Any])
        texts = {name: value for name, value in fields.items() if isinstance(value, str)}
        return serialization.convert({**texts, "tool_input": fields.get("tool_input")}, Event)
    except msgspec.MsgspecError as error:
        hint = "let an agent's hook call this, with its JSON on standard input"
        raise BadCall("invalid_args", f"not a hook event: {error}", hint) from None


_HINTED_OPERATIONS = ("delete", "rename", "signature")


def check_deletions(
    repo: Repository, path: str | None, arguments: Mapping[str, Any], refused: ScalpelError
) -> ScalpelError | None:
    """Return the error of an edit that deletes definitions, or None if the edit shows all of them."""
    if not path:
        return refused
    old, new = (str(arguments.get(name, "")) for name in ("old_string", "new_string"))
    lookups = tool.find_deleted({"path": path, "old": old, "new": new}, refused)
    symbols = _run_lookups(repo, lookups) if old and not new.strip() else []
    if not symbols:
        return _with_command_hint(refused, path)
    deletes = [{"op": "delete", "path": path, "symbol": symbol} for symbol in symbols]
    try:
        repo.apply(changeset(*deletes), onto=CHECKOUT, dry_run=True)
    except ScalpelError as error:
        return error
    return None


def _run_lookups(repo: Repository, lookups: Generator[ReadStep, Any, list[str]]) -> list[str]:
    try:
        lookup = next(lookups)
        while True:
            shown = repo.view(CHECKOUT).show(lookup.fields["path"], symbol=lookup.fields["symbol"])
            lookup = lookups.send({"content": shown.content})
    except StopIteration as end:
        symbols: list[str] = end.value
        return symbols


def _with_command_hint(refused: ScalpelError, path: str) -> ScalpelError:
    data = refused.data
    if data.get("operation") not in _HINTED_OPERATIONS:
        return refused
    symbol = data.get("symbol") or data["intents"][0]["symbol"]
    command = call(data["operation"], what=f"{path}::{symbol}", subject=data.get("to"), checkout=True)
    return refused.but(hint=f"in a shell: {command}")


_DEFERRED_CODES = frozenset({"binary_file", "conflicted", "file_not_found", "not_a_file", "too_large"})
"""Error codes after which the agent's own tool decides."""
_EVENT_FILE = re.compile(r"^(\*\*\* (?:Add|Update|Delete) File: )(.*)$", re.MULTILINE)
_END_LINE = "*** End Patch"  # Lines of the patch envelope: a file, and its end


def check_edit(repo: Repository, event: Event) -> ScalpelError | None:
    """Check what a tool is about to do and note the result; return the error, or None."""
    edit = _read_changeset(repo, event)
    if edit is None:
        return None
    try:
        result = repo.apply(edit, onto=CHECKOUT, dry_run=True)
    except (DoesNotFit, GateRefused, NotAllowed) as error:
        if error.code == "structural_gate":
            path = _path_in_repository(repo.root, _named_file(event)) if repo.root else None
            return check_deletions(repo, path, event.arguments, error)
        return None if error.code in _DEFERRED_CODES else error
    except ScalpelError:  # the error is not about the edit
        return None
    files = {change.path: result.files.after(change) for change in result.files if change.new is not None}
    repo.foresee(event.call, files)
    return None


def restore_expected_bytes(repo: Repository, event: Event) -> list[str]:
    """Write the expected bytes to files where the tool left others, and return these files."""
    root = repo.root
    mended = []
    for path, content in repo.foreseen(event.call).items():
        if root is None or not _differs(root / path, content):
            continue
        op = {"op": "write", "path": path, "overwrite": True}
        content_field = {"content_b64": base64.b64encode(content).decode()}
        repo.apply(changeset({**op, **content_field}, message=f"{path} as the edit leaves it"), onto=CHECKOUT)
        mended.append(path)
    return mended


def _differs(file: Path, content: bytes) -> bool:
    try:
        actual = file.read_bytes()
    except OSError:
        return False  # the file was not written at all
    return actual != content


def _read_changeset(repo: Repository, event: Event) -> Changeset | None:
    """Return a tool's edit as a changeset, or None for other files or an unreadable call."""
    root, arguments = repo.root, event.arguments
    if root is None:
        return None
    if event.tool_name == "apply_patch":
        text = arguments.get("command", arguments.get("input", arguments.get("patch")))
        text = text[-1] if isinstance(text, list) and text else text
        folder = event.cwd or str(root)
        text = _omit_ignored_files(repo, root, folder, text) if isinstance(text, str) else None
        if not text:
            return None
        call: dict[str, Any] = {"input": text, "workdir": _path_in_repository(root, folder) or ""}
        return changeset({"op": "patch", "diff": msgspec.json.encode(call).decode()})
    path = _path_in_repository(root, _named_file(event))
    if not path or repo.is_apart(path):
        return None
    if event.tool_name == "Write":
        content = arguments.get("content")
        op = {"op": "write", "path": path, "content": content, "overwrite": True}
        return changeset(op) if isinstance(content, str) else None
    call = {**arguments, "file_path": path}
    return changeset({"op": "patch", "diff": msgspec.json.encode(call).decode()})


def _named_file(event: Event) -> str:
    return os.path.join(event.cwd, str(event.arguments.get("file_path", "")))  # noqa: PTH118 - a text


def _omit_ignored_files(repo: Repository, root: Path, folder: str, patch: str) -> str:
    """Return a patch in an envelope without the agent's own files, or an empty string if no file is left."""
    opening, *parts = _EVENT_FILE.split(patch)
    if not parts:
        return patch
    kept_parts = [
        head + name + hunks
        for head, name, hunks in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
        if not (path := _path_in_repository(root, os.path.join(folder, name.strip())))  # noqa: PTH118
        or not repo.is_apart(path)
    ]
    end = "" if not kept_parts or _END_LINE in kept_parts[-1] else _END_LINE
    return opening + "".join(kept_parts) + end if kept_parts else ""


def _path_in_repository(root: Path, path: str) -> str | None:
    """Return a path relative to the repository, or None for a path outside."""
    if "\0" in path:
        return None
    relative = os.path.relpath(os.path.realpath(path), os.path.realpath(root))
    return None if relative == ".." or relative.startswith("../") else "" if relative == "." else relative


_EXTERNAL_MESSAGE = "Changed outside of the agent's tools"
_MAX_MESSAGE_LENGTH = 100


class EventOutcome(msgspec.Struct, frozen=True):
    """Outcome of an event.

    Attributes:
        refused: error that stops the tool, or None.
        steps: IDs of recorded steps.
        mended: files whose bytes differed from the expected result of the edit.
        folder: path of the requested worktree.
        tx: transaction that recorded a worktree's work.
    """

    refused: ScalpelError | None = None
    steps: tuple[str, ...] = ()
    mended: tuple[str, ...] = ()
    folder: str = ""
    tx: str = ""


def handle_event(repo: Repository, event: Event) -> EventOutcome:
    if event.kind == "worktree":  # a new open transaction records the work in it
        transaction = repo.begin(f"Work in {event.name}" if event.name else None)
        return EventOutcome(folder=str(transaction.worktree()))
    if event.kind == "no worktree":
        if repo.inside is None:
            return EventOutcome()
        transaction = repo.transaction(repo.inside)
        transaction.stage()
        return EventOutcome(tx=transaction.id)
    if repo.root is None or repo.inside is not None:
        return EventOutcome()  # the work in a worktree is checked when it is staged
    if event.kind != "after":
        steps = _step_ids(repo.account(_EXTERNAL_MESSAGE))
        is_edit = event.kind == "before" and event.tool_name in EDITS
        return EventOutcome(check_edit(repo, event) if is_edit else None, steps)
    steps = _step_ids(repo.account(_describe_work(event)))
    mended = tuple(restore_expected_bytes(repo, event)) if event.tool_name in EDITS else ()
    return EventOutcome(steps=steps, mended=mended)


def _step_ids(done: Result | None) -> tuple[str, ...]:
    return () if done is None else (str(done.tx),)


def _describe_work(event: Event) -> str:
    arguments = event.arguments
    subject = arguments.get("command") if event.tool_name in SHELLS else arguments.get("file_path")
    if isinstance(subject, list):
        subject = " ".join(map(str, subject))
    first = str(subject or "").strip().partition("\n")[0]
    if event.tool_name in SHELLS:
        first = first if len(first) <= _MAX_MESSAGE_LENGTH else f"{first[:_MAX_MESSAGE_LENGTH]}…"
        return f"Run {first}".strip()
    return f"{event.tool_name or event.hook_event_name} {os.path.basename(first)}".strip()  # noqa: PTH119


def build_reply(outcome: EventOutcome, event: Event, spelling: Spelling) -> dict[str, Any] | None:
    """Return the reply to the agent, or None if none is needed.

    A tool that is not refused is left to the agent's own permissions: nothing is allowed here.
    """
    if outcome.refused is not None:
        message, hint = outcome.refused.told(spelling)
        reason = f"{outcome.refused.code}: {message}\n{hint}"
        decision = {"permissionDecision": "deny", "permissionDecisionReason": reason}
        return {"hookSpecificOutput": {"hookEventName": event.hook_event_name, **decision}}
    if event.kind == "after" and outcome.mended:
        context = f"{', '.join(outcome.mended)}: line endings and encoding were restored"
        output = {"hookEventName": event.hook_event_name, "additionalContext": context}
        return {"hookSpecificOutput": output}
    return None


_VARIABLES_FILE = "CLAUDE_ENV_FILE"


def pass_agent_name(agent: str) -> None:
    """Pass the agent's name to its shells, so that commands run there are recorded as its own.

    Claude Code names a file from which its shells read variables (``CLAUDE_ENV_FILE``).
    """
    file_name = environment().get(_VARIABLES_FILE)
    line = f"export {AGENT_VARIABLE}={shlex.quote(agent)}\n"
    if not file_name:
        return
    with suppress(OSError):
        file = Path(file_name)
        content = file.read_text("utf-8", "surrogateescape") if file.exists() else ""
        if line not in content:
            with file.open("a", encoding="utf-8") as end:
                end.write(line)
