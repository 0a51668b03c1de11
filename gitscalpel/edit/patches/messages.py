"""Takes edits out of the messages in which agents send them: tool calls, bare or several in one message.

The wrappings are those of the common interfaces: ``tool_calls`` and ``function``, a message whose
``content`` is a list of blocks, ``params`` of a protocol's call, ``functionCall``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gitscalpel.edit.patches import jsons

_LISTS = ("tool_calls", "content", "parts")
_SINGLE = ("function", "functionCall", "function_call", "params", "custom")
_ARGUMENTS = ("input", "arguments", "args")
_DEEPEST = 8
"""Wrappings around one another; no message has more."""
_TEXTS = ("input", "patch", "patchText", "diff")


def unwrapped(value: Any, depth: int = 0) -> Iterator[Any]:
    """The arguments of the calls in ``value``, or itself; a text is a patch in another format."""
    if not isinstance(value, dict) or depth > _DEEPEST:
        yield value
        return
    lists = [value[name] for name in _LISTS if isinstance(value.get(name), list)]
    if lists and "path" not in value and "file_path" not in value:
        for block in (block for blocks in lists for block in blocks if not _is_prose(block)):
            yield from unwrapped(block, depth + 1)
        return
    single = next((value[name] for name in _SINGLE if isinstance(value.get(name), dict)), None)
    if single is not None:
        yield from unwrapped(single, depth + 1)
        return
    said = next((value[name] for name in _ARGUMENTS if name in value), None) if "name" in value else None
    yield from [value] if said is None else _arguments(said)


def _arguments(said: Any, depth: int = 0) -> Iterator[Any]:
    """The arguments of one call; some send them as text, and some of those are a patch."""
    raw = said.encode("utf-8", "surrogatepass") if isinstance(said, str) else b""
    if raw and depth < _DEEPEST and jsons.begins(raw) is not None:
        for each in jsons.values(raw):
            yield from _arguments(each, depth + 1)
        return
    only = next(iter(said.items())) if isinstance(said, dict) and len(said) == 1 else ("", None)
    yield only[1] if only[0] in _TEXTS and isinstance(only[1], str) else said


def _is_prose(block: Any) -> bool:
    return isinstance(block, dict) and "text" in block and block.get("type", "text") in ("text", "thinking")
