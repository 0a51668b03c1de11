"""Takes edits out of the messages in which agents send them: tool calls, bare or several in one message.

The wrappings are those of the common interfaces: ``tool_calls`` and ``function``, a message whose
``content`` is a list of blocks, the ``output`` of a response, ``params`` of a protocol's call,
``functionCall``, and commands that apply a patch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from gitscalpel.edit.patches import jsons, shell
from gitscalpel.edit.patches.refusals import failed

_LISTS = ("tool_calls", "content", "parts", "output", "choices")
_SINGLE = ("message", "function", "functionCall", "function_call", "params", "custom")
_ARGUMENTS = ("input", "arguments", "args")
_DEEPEST = 8
"""Wrappings around one another; no message has more."""
_TEXTS = ("input", "patch", "patchText", "diff")
_PATHS = ("path", "file_path", "filePath", "filepath", "absolutePath", "target_file")
_FOLDERS = ("workdir", "cwd")
_EDITS = ("old_str", "old_string", "oldString", "edits", "content", "body", "text", "op")
"""What makes a call something else than one that holds a patch."""
_OTHERS = ("system", "developer", "user", "tool")
"""Who says something in a conversation and asks for no edit."""
_STEPS = {"create_file": "Add", "update_file": "Update", "delete_file": "Delete"}


class Sent(msgspec.Struct, frozen=True):
    """What one call asks for.

    Attributes:
        value: its arguments, or the text of a patch in another format.
        path: the file that is meant where the text names none.
        folder: what names in the text are relative to.
        name: the tool that was called; "": nobody says.
    """

    value: Any
    path: str = ""
    folder: str = ""
    name: str = ""


def unwrapped(value: Any, depth: int = 0) -> Iterator[Sent]:
    """What the calls in ``value`` ask for; ``value`` may be one itself."""
    if not isinstance(value, dict) or depth > _DEEPEST:
        yield Sent(value)
        return
    if value.get("role") in _OTHERS and not any(name in value for name in _PATHS):
        return
    lists = [value[name] for name in _LISTS if isinstance(value.get(name), list)]
    if lists and not any(name in value for name in _PATHS):
        for block in (block for blocks in lists for block in blocks if not _is_prose(block)):
            yield from unwrapped(block, depth + 1)
        return
    single = next((value[name] for name in _SINGLE if isinstance(value.get(name), dict)), None)
    if single is not None:
        yield from unwrapped(single, depth + 1)
        return
    said = next((value[name] for name in _ARGUMENTS if name in value), None) if "name" in value else None
    if said is None:
        yield from _called(value)
        return
    for each in _arguments(said):
        yield msgspec.structs.replace(each, name=str(value["name"]))


def _arguments(said: Any, depth: int = 0) -> Iterator[Sent]:
    """The arguments of one call; some send them as text, and some of those are a patch."""
    raw = said.encode("utf-8", "surrogatepass") if isinstance(said, str) else b""
    if raw and depth < _DEEPEST and jsons.begins(raw) is not None:
        for each in jsons.values(raw):
            yield from _arguments(each, depth + 1)
    elif isinstance(said, dict):
        yield from _called(said)
    else:
        yield Sent(said)


def _called(said: dict[str, Any]) -> Iterator[Sent]:
    """The arguments of one call, or what they hold."""
    command = next((said[name] for name in ("command", "cmd") if name in said), None)
    folder = next((said[name] for name in _FOLDERS if isinstance(said.get(name), str)), "")
    text = [said[name] for name in _TEXTS if isinstance(said.get(name), str)]
    if isinstance(command, list) and all(isinstance(each, str) for each in command):
        yield Sent(shell.script(command), folder=folder)
    elif isinstance(command, str) and "<<" in command:
        yield Sent(command, folder=folder)
    elif isinstance(step := said.get("operation"), dict) and str(step.get("type")) in _STEPS:
        yield _stepped(step)
    elif len(text) == 1 and not any(name in said for name in _EDITS):
        yield Sent(text[0], _path(said), folder)
    else:
        yield Sent(said)


def _path(said: Mapping[str, Any]) -> str:
    return next((said[name] for name in _PATHS if isinstance(said.get(name), str)), "")


def _stepped(step: Mapping[str, Any]) -> Sent:
    """A file created, updated or deleted, whose hunks come without the lines around them."""
    path, diff = step.get("path"), step.get("diff") or ""
    if not isinstance(path, str) or not isinstance(diff, str) or "\n" in path:
        raise failed("the operation names no file", "give path, and diff unless the file is deleted")
    body = diff if not diff or diff.endswith("\n") else diff + "\n"
    return Sent(f"*** Begin Patch\n*** {_STEPS[step['type']]} File: {path}\n{body}*** End Patch\n")


def _is_prose(block: Any) -> bool:
    kinds = ("text", "thinking", "reasoning", "output_text", "redacted_thinking")
    if not isinstance(block, dict):
        return False
    return block.get("type") in ("reasoning", "thinking") or (
        "text" in block and block.get("type", "text") in kinds
    )
