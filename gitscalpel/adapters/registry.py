"""Adapters by name, and the tool that a call refers to. Each module of ``programs/`` is an adapter."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from gitscalpel.adapters.tool import Adapter, AdapterTool
from gitscalpel.edit.patches.formats import tool_call_edits
from gitscalpel.edit.patches.formats.tool_call_edits import PLACES
from gitscalpel.errors import BadCall

_PROGRAMS = Path(__file__).with_name("programs")


@cache
def names() -> tuple[str, ...]:
    """Return the names of all adapters, without importing them."""
    return tuple(sorted(found.name.replace("_", "-") for found in pkgutil.iter_modules([str(_PROGRAMS)])))


@cache
def load(name: str) -> Adapter:
    """Load an adapter.

    Raises:
        BadCall: ``invalid_args``: there is no adapter with this name.
    """
    if name not in names():
        raise BadCall("invalid_args", f"no such dialect: {name!r}", f"there are {', '.join(names())}")
    module = importlib.import_module(f"{__package__}.programs.{name.replace('-', '_')}")
    adapter: Adapter = module.ADAPTER
    return adapter


def _iter_tools() -> Iterator[AdapterTool]:
    return (tool for name in names() for tool in load(name).tools)


_EXCLUDING = (
    ("symbol", ("old_string", "start_line", "content")),
    ("start_line", ("old_string", "content", "symbol")),
    ("content", ("new_string",)),
)
"""Fields, and those that must not occur with them in a call that does not name its tool."""


_SPELLINGS = {
    **dict.fromkeys(("path", "file", "filePath", "filename"), "file_path"),
    **dict.fromkeys(("newString", "new_str", "new_text", "newText", "replacement"), "new_string"),
    **dict.fromkeys(("oldString", "old_str", "old_text", "oldText"), "old_string"),
    "startLine": "start_line",
    "endLine": "end_line",
    "symbol_name": "symbol",
}
"""Alternative field names in a call that does not name its tool."""


def find_tool_by_fields(arguments: Mapping[str, Any]) -> tuple[AdapterTool | None, dict[str, Any]]:
    """Return the only tool that takes all fields of a call that does not name its tool.

    Returns:
        The tool and its arguments. None if no field is a path, or if no tool takes the fields.

    Raises:
        BadCall: ``invalid_args``: the fields contradict each other, or several tools take them.
    """
    given = {name for name, value in arguments.items() if value is not None}
    if not given & PLACES:
        return None, {}
    for field, others in _EXCLUDING:
        if field in given and (beside := [name for name in others if name in given]):
            words = f"a call without the name of its tool gives {field} and {' and '.join(beside)}"
            raise BadCall("invalid_args", words, "give one of them, or the name of the tool")
    found: dict[str, AdapterTool] = {}
    for tool in (each for each in _iter_tools() if each.is_editing):
        if given <= tool.parameters.keys() | tool.aliases.keys() and _accepts(tool, arguments):
            found.setdefault(tool.name, tool)
    if len(found) > 1:
        words = f"a call without the name of its tool may be one of {', '.join(found)}"
        raise BadCall("invalid_args", words, 'send {"name": …, "arguments": {…}}')
    if found:
        return next(iter(found.values())), dict(arguments)
    spelt = {_SPELLINGS.get(name, name): value for name, value in arguments.items() if value is not None}
    if spelt.keys() == given or len(spelt) < len(given):
        return None, {}
    return find_tool_by_fields(spelt)


def _accepts(tool: AdapterTool, arguments: Mapping[str, Any]) -> bool:
    try:
        tool.validate(arguments)
    except BadCall:
        return False
    return True


def find_tool(name: str, arguments: Mapping[str, Any]) -> AdapterTool | None:
    """Return the tool with this name that accepts the arguments, or None if the call is for no adapter.

    None is also returned if the arguments are those of a patch.

    Raises:
        BadCall: ``invalid_args``: no tool with this name accepts the arguments.
    """
    bare = name.rpartition("__")[2].rpartition(".")[2]  # clients prefix the server's name
    known = [tool for tool in _iter_tools() if tool.name == bare]
    wrong: BadCall | None = None
    for tool in known:
        try:
            tool.validate(arguments)
        except BadCall as error:
            wrong = wrong or error
        else:
            return tool
    if wrong is not None and not tool_call_edits.claims(dict(arguments)):
        raise wrong
    return None
