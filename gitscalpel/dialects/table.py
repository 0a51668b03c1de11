"""Which dialects there are, and which tool a call that was sent means; adding a dialect is a line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gitscalpel.dialects import (
    anthropic,
    blueprint,
    claude_code,
    code_scalpel,
    codescout,
    cstquery,
    file_edit,
    openai,
    probe,
    serena,
)
from gitscalpel.dialects.tool import Tool
from gitscalpel.edit.patches import calls
from gitscalpel.errors import BadCall

DIALECTS: dict[str, tuple[Tool, ...]] = {
    "anthropic": anthropic.TOOLS,
    "blueprint": blueprint.TOOLS,
    "claude-code": claude_code.TOOLS,
    "code-scalpel": code_scalpel.TOOLS,
    "codescout": codescout.TOOLS,
    "cstquery": cstquery.TOOLS,
    "file-edit": file_edit.TOOLS,
    "openai": openai.TOOLS,
    "probe": probe.TOOLS,
    "serena": serena.TOOLS,
}
"""The tools of each dialect, by its name."""


def dialect(name: str) -> tuple[Tool, ...]:
    """The tools of a dialect.

    Raises:
        BadCall: ``invalid_args``: there is none of this name.
    """
    if name not in DIALECTS:
        raise BadCall("invalid_args", f"there is no dialect {name!r}", f"there are {', '.join(DIALECTS)}")
    return DIALECTS[name]


def meant(name: str, arguments: Mapping[str, Any]) -> Tool | None:
    """The tool that a call means: of those with its name the one that takes its arguments.

    None: it is that of no dialect, or a patch is read from the call.

    Raises:
        BadCall: ``invalid_args``: those that have its name take other arguments.
    """
    bare = name.rpartition("__")[2].rpartition(".")[2]  # clients put the server's name before a tool's
    known = [tool for tools in DIALECTS.values() for tool in tools if tool.name == bare]
    wrong: BadCall | None = None
    for tool in known:
        try:
            tool.checked(arguments)
        except BadCall as error:
            wrong = wrong or error
        else:
            return tool
    if wrong is not None and not calls.claims(dict(arguments)):
        raise wrong
    return None
