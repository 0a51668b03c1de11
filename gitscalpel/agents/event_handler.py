"""Handle a hook event from a coding agent, and build the hook's reply.

An agent that asks for a worktree gets that of a new open transaction, from the pool.

The agent's name is passed to its shells, so that commands run there are recorded as its own. Claude Code
names a file to its session-start hook, from which its shells read variables (``CLAUDE_ENV_FILE``,
code.claude.com/docs/en/hooks).
"""

from __future__ import annotations

import base64
import os
import re
import shlex
from collections.abc import Generator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from gitscalpel.adapters import text_deletion
from gitscalpel.adapters.tool import Look
from gitscalpel.agents.events import EDITS, SHELLS, Event
from gitscalpel.api import (
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
from gitscalpel.workspace.caller import AGENT_VARIABLE, environment

_COMMANDS = ("delete", "rename", "signature")


def judged(
    repo: Repository, path: str | None, given: Mapping[str, Any], refused: ScalpelError
) -> ScalpelError | None:
    """What speaks against an edit that the structure gate refuses; None: all that goes is shown whole."""
    if not path:
        return refused
    old, new = (str(given.get(name, "")) for name in ("old_string", "new_string"))
    whole = text_deletion.shown_whole({"path": path, "old": old, "new": new}, refused)
    gone = _answered(repo, whole) if old and not new.strip() else []
    if not gone:
        return _with_command(refused, path)
    deletes = [{"op": "delete", "path": path, "symbol": symbol} for symbol in gone]
    try:
        repo.apply(changeset(*deletes), onto=CHECKOUT, dry_run=True)
    except ScalpelError as error:
        return error
    return None


def _answered(repo: Repository, looking: Generator[Look, Any, list[str]]) -> list[str]:
    """What looks at files come to."""
    try:
        look = next(looking)
        while True:
            shown = repo.view(CHECKOUT).show(look.fields["path"], symbol=look.fields["symbol"])
            look = looking.send({"content": shown.content})
    except StopIteration as end:
        found: list[str] = end.value
        return found


def _with_command(refused: ScalpelError, path: str) -> ScalpelError:
    data = refused.data
    if data.get("operation") not in _COMMANDS:
        return refused
    symbol = data.get("symbol") or data["intents"][0]["symbol"]
    command = call(data["operation"], what=f"{path}::{symbol}", subject=data.get("to"), checkout=True)
    return refused.but(hint=f"in a shell: {command}")


_NOT_OURS = frozenset({"binary_file", "conflicted", "file_not_found", "not_a_file", "too_large"})
"""Refusals in which the agent's own tool has the last word."""
_EVENT_FILE = re.compile(r"^(\*\*\* (?:Add|Update|Delete) File: )(.*)$", re.MULTILINE)
_END = "*** End Patch"
"""How the envelope names a file, and ends."""


def foresee(repo: Repository, event: Event) -> ScalpelError | None:
    """Judge what a tool is about to do: what speaks against it, or None. What it is to leave is noted."""
    wanted = _changeset(repo, event)
    if wanted is None:
        return None
    try:
        result = repo.apply(wanted, onto=CHECKOUT, dry_run=True)
    except (DoesNotFit, GateRefused, NotAllowed) as error:
        if error.code == "structural_gate":
            path = _below(repo.root, _named(event)) if repo.root else None
            return judged(repo, path, event.arguments, error)
        return None if error.code in _NOT_OURS else error
    except ScalpelError:  # it says nothing of the edit
        return None
    files = {change.path: result.files.after(change) for change in result.files if change.new is not None}
    repo.foresee(event.call, files)
    return None


def settle(repo: Repository, event: Event) -> list[str]:
    """Give files the bytes that the edit leads to, where the tool has left others; which these are."""
    root = repo.root
    mended = []
    for path, content in repo.foreseen(event.call).items():
        if root is None or not _differs(root / path, content):
            continue
        op = {"op": "write", "path": path, "overwrite": True}
        whole = {"content_b64": base64.b64encode(content).decode()}
        repo.apply(changeset({**op, **whole}, message=f"{path} as the edit leaves it"), onto=CHECKOUT)
        mended.append(path)
    return mended


def _differs(file: Path, content: bytes) -> bool:
    try:
        found = file.read_bytes()
    except OSError:
        return False  # it was not written at all
    return found != content


def _changeset(repo: Repository, event: Event) -> Changeset | None:
    """What a tool asks for; None: it is about no file of this repository, or nobody can read it."""
    root, given = repo.root, event.arguments
    if root is None:
        return None
    if event.tool_name == "apply_patch":
        text = given.get("command", given.get("input", given.get("patch")))
        text = text[-1] if isinstance(text, list) and text else text
        text = _ours(repo, root, event.cwd or str(root), text) if isinstance(text, str) else None
        if not text:
            return None
        call: dict[str, Any] = {"input": text, "workdir": _below(root, event.cwd or str(root)) or ""}
        return changeset({"op": "patch", "diff": msgspec.json.encode(call).decode()})
    path = _below(root, _named(event))
    if not path or repo.is_apart(path):
        return None
    if event.tool_name == "Write":
        content = given.get("content")
        op = {"op": "write", "path": path, "content": content, "overwrite": True}
        return changeset(op) if isinstance(content, str) else None
    return changeset({"op": "patch", "diff": msgspec.json.encode(_relative(given, path)).decode()})


def _named(event: Event) -> str:
    """The file that a tool names."""
    return os.path.join(event.cwd, str(event.arguments.get("file_path", "")))  # noqa: PTH118 - a text


def _ours(repo: Repository, root: Path, folder: str, patch: str) -> str:
    """Of a patch in an envelope, the files that are none of the agent's own; "": there are no others."""
    opening, *parts = _EVENT_FILE.split(patch)
    if not parts:
        return patch
    kept = [
        head + name + rest
        for head, name, rest in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
        if not (path := _below(root, os.path.join(folder, name.strip()))) or not repo.is_apart(path)  # noqa: PTH118
    ]
    end = "" if not kept or _END in kept[-1] else _END
    return opening + "".join(kept) + end if kept else ""


def _relative(given: Mapping[str, Any], path: str) -> dict[str, Any]:
    """The arguments of an edit, with the file as the repository names it."""
    return {**given, "file_path": path}


def _below(root: Path, path: str) -> str | None:
    """A place as the repository names it; None: it lies elsewhere, or nowhere."""
    if "\0" in path:
        return None
    inside = os.path.relpath(os.path.realpath(path), os.path.realpath(root))
    return None if inside == ".." or inside.startswith("../") else "" if inside == "." else inside


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
        return Heeded(foresee(repo, event) if is_edit else None, steps)
    steps = _step(repo.account(_words(event)))
    mended = tuple(settle(repo, event)) if event.tool_name in EDITS else ()
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
