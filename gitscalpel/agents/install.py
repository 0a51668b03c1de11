"""Edits that set up a repository so that coding agents send their hook events to gitscalpel.

The edits are merged into existing files and made as one step of the checkout, which can be undone.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import msgspec

from gitscalpel.agents.event_handler import AGENTS
from gitscalpel.api import BadCall, DoesNotFit, View

_CHECKED_TOOLS = {"claude": "Edit|MultiEdit|Write|Bash", "codex": "^(apply_patch|Bash)$"}
"""Pattern of the tools whose calls are checked in advance."""
_GENERAL_EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "SubagentStop")
_SETTINGS_FILES = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json"}
_SKILL_FILE = ".claude/skills/gitscalpel/SKILL.md"
_NOTES_FILE = "AGENTS.md"
_TIMEOUT_S = 60
_SECTION = """\
## Editing

Edits in this repository are on record: `git scalpel log` shows them, `git scalpel undo ID` takes one back.
Edit by name where you can: `git scalpel replace PATH::Class.method --checkout`, `git scalpel rename
PATH::name NEW --checkout`. A refusal has a code and a hint, and then nothing has been written.
"""


def hook_settings(agent: str) -> dict[str, list[dict[str, Any]]]:
    """Return the hooks of an agent by event, in the format of its settings."""
    command = {"type": "command", "command": f"git scalpel agent {agent} -", "timeout": _TIMEOUT_S}
    settings: dict[str, list[dict[str, Any]]] = {name: [{"hooks": [command]}] for name in _GENERAL_EVENTS}
    settings["PreToolUse"] = [{"matcher": _CHECKED_TOOLS[agent], "hooks": [command]}]
    settings["PostToolUse"] = [{"matcher": "*", "hooks": [command]}]
    if agent == "claude":
        settings["PostToolUseFailure"] = [{"matcher": "Bash", "hooks": [command]}]
        settings["WorktreeCreate"] = settings["WorktreeRemove"] = [{"hooks": [command]}]
    return settings


def read_skill() -> str:
    return files("gitscalpel.agents").joinpath("SKILL.md").read_text("utf-8")


def install_operations(view: View) -> Iterator[dict[str, Any]]:
    """Yield the operations that add the setup to the files of ``view``.

    Raises:
        BadCall: ``invalid_args`` if a settings file is not valid JSON.
    """
    for agent in AGENTS:
        before = _read_text(view, _SETTINGS_FILES[agent])
        after = _add_hooks(_parse_settings(agent, before), hook_settings(agent))
        yield from _iter_changes(_SETTINGS_FILES[agent], before, after)
    yield from _iter_changes(_SKILL_FILE, _read_text(view, _SKILL_FILE), read_skill())
    notes = _read_text(view, _NOTES_FILE)
    section, ending = _notes_section(notes)
    if section not in (notes or ""):
        yield from _iter_changes(
            _NOTES_FILE, notes, f"{(notes or '').rstrip()}{ending}{ending}{section}".lstrip()
        )


def remove_operations(view: View) -> Iterator[dict[str, Any]]:
    """Yield the operations that remove the unchanged parts of the setup.

    Raises:
        BadCall: ``invalid_args`` if a settings file is not valid JSON.
    """
    for agent in AGENTS:
        before = _read_text(view, _SETTINGS_FILES[agent])
        if before is not None:
            yield from _iter_changes(_SETTINGS_FILES[agent], before, _remove_hooks(before, agent))
    if _read_text(view, _SKILL_FILE) == read_skill():
        yield {"op": "remove", "path": _SKILL_FILE}
    notes = _read_text(view, _NOTES_FILE)
    section, ending = _notes_section(notes)
    if notes is not None and section in notes:
        remaining = notes.replace(section, "").strip()
        yield from _iter_changes(_NOTES_FILE, notes, f"{remaining}{ending}" if remaining else None)


def _notes_section(notes: str | None) -> tuple[str, str]:
    """Return the section for the notes with their line endings, and the line ending."""
    ending = "\r\n" if "\r\n" in (notes or "") else "\n"
    return _SECTION.replace("\n", ending), ending


def _read_text(view: View, path: str) -> str | None:
    try:
        return view.read(path).decode("utf-8", "surrogateescape")
    except DoesNotFit:
        return None


def _parse_settings(agent: str, text: str | None) -> dict[str, Any]:
    try:
        settings = (
            msgspec.json.decode(text.encode("utf-8", "surrogateescape")) if text and text.strip() else {}
        )
    except msgspec.MsgspecError as error:
        raise _settings_error(agent, str(error)) from None
    hooks = settings.get("hooks", {}) if isinstance(settings, dict) else None
    if not isinstance(hooks, dict) or not all(isinstance(groups, list) for groups in hooks.values()):
        raise _settings_error(agent, "hooks must be an object of lists")
    return settings


def _settings_error(agent: str, problem: str) -> BadCall:
    path = _SETTINGS_FILES[agent]
    return BadCall(
        "invalid_args", f"{path} cannot be read: {problem}", "fix the file, or add the hooks by hand"
    )


def _add_hooks(settings: dict[str, Any], new_hooks: dict[str, list[dict[str, Any]]]) -> str:
    hooks = settings.setdefault("hooks", {})
    for event, groups in new_hooks.items():
        event_groups = hooks.setdefault(event, [])
        event_groups += [group for group in groups if group not in event_groups]
    return _format_settings(settings)


def _remove_hooks(text: str, agent: str) -> str | None:
    """Return the remaining settings, or None if nothing is left."""
    settings = _parse_settings(agent, text)
    hooks, own_hooks = settings.get("hooks", {}), hook_settings(agent)
    remaining = {
        event: [group for group in event_groups if group not in own_hooks.get(event, ())]
        for event, event_groups in hooks.items()
    }
    if remaining == hooks:
        return text
    settings["hooks"] = {event: groups for event, groups in remaining.items() if groups or not hooks[event]}
    if not settings["hooks"]:
        del settings["hooks"]
    return _format_settings(settings) if settings else None


def _format_settings(settings: dict[str, Any]) -> str:
    return msgspec.json.format(msgspec.json.encode(settings)).decode() + "\n"


def _iter_changes(path: str, before: str | None, after: str | None) -> Iterator[dict[str, Any]]:
    if after is None:
        yield {"op": "remove", "path": path}
    elif after != before:
        yield {"op": "write", "path": path, "content": after, "overwrite": before is not None}
