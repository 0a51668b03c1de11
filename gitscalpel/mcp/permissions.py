"""Permissions: the tools that a caller may call and the files that it may change.

Writing needs both ``--allow-edit`` and the names of the tools. If several agents share a server, each
sends a token, and a file outside the repository lists the permissions of each token.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from gitscalpel.api import BadCall, Misconfigured
from gitscalpel.commands.table import COMMANDS
from gitscalpel.errors.messages import arg
from gitscalpel.mcp.tools import TOOLS, Tool, tool_of_command
from gitscalpel.system import serialization

_MIN_TOKEN_LENGTH = 16
"""Minimum length of a token in characters. Shorter ones can be guessed."""
ALL = "all"


class Grant(msgspec.Struct, frozen=True):
    """Permissions of a caller.

    Attributes:
        tools: allowed tools by name, in the order of ``tools/list``.
        within: globs of the files that may be changed, or None for all files.
        agent: agent name for the operation log. "" if the client's own name is used.
    """

    tools: dict[str, Tool]
    within: tuple[str, ...] | None = None
    agent: str = ""

    def read_only(self) -> Grant:
        """Return the same permissions without tools that change anything."""
        return msgspec.structs.replace(self, tools={n: t for n, t in self.tools.items() if t.is_read_only})


class _AgentTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Table of one agent in the capability file."""

    token: str
    paths: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


def default_grant(
    allow_edit: bool,
    named: Iterable[str],
    within: tuple[str, ...] | None,
    spoken: Mapping[str, Tool] | None = None,
) -> Grant:
    """Return the permissions without a token. Without names, these are all tools that only read.

    Args:
        allow_edit: True if tools that change something may be offered.
        named: names of the offered tools.
        within: globs of the files that may be changed, see :class:`Grant`.
        spoken: tools of adapters. If there are any, they replace the default tools, except those in
            ``named``.

    Raises:
        BadCall: ``invalid_args``: there is no such tool.
    """
    names, there = tuple(named), spoken or TOOLS
    if not names:
        chosen = {name: tool for name, tool in there.items() if tool.is_read_only}
    else:
        every = there if ALL in names else {}
        chosen = {**every, **{name: there.get(name) or _find_tool(name) for name in names if name != ALL}}
    offered = Grant(chosen, within)
    return offered if allow_edit else offered.read_only()


def find_confirmed_tools(named: Iterable[str], everybody: Grant) -> frozenset[str]:
    """Return the tools that a person must confirm; ``all`` stands for each tool that changes something.

    Raises:
        BadCall: ``invalid_args``: a tool is not offered.
    """
    names = set(named)
    changing = {name for name, tool in everybody.tools.items() if not tool.is_read_only}
    unknown = sorted(names - everybody.tools.keys() - {ALL})
    if unknown:
        raise BadCall(
            "invalid_args", f"{', '.join(unknown)} is not offered here", f"name it in {arg('tools')} as well"
        )
    return frozenset(names - {ALL} | (changing if ALL in names else set()))


def _find_tool(name: str) -> Tool:
    if name in TOOLS:
        return TOOLS[name]
    if name in COMMANDS and COMMANDS[name].in_shell:
        raise BadCall("invalid_args", f"{name} is a command for a shell alone", "leave it out")
    if name in COMMANDS:
        return tool_of_command(name)
    import difflib

    near = difflib.get_close_matches(name, [*TOOLS, *COMMANDS], 1)
    hint = (
        f"did you mean {near[0]!r}? " if near else ""
    ) + f"there are {', '.join(TOOLS)}, and every command"
    raise BadCall("invalid_args", f"no such tool: {name!r}", hint)


def load_capabilities(file: Path, everybody: Grant) -> dict[str, Grant]:
    """Return the permissions by token. No token permits a tool that ``everybody`` does not have.

    Raises:
        Misconfigured: ``config_error``: the file is invalid, or other users can read it.
    """
    if file.stat().st_mode & 0o077:
        raise _config_error(file, "other users can read it", f"chmod 600 {file}")
    agents = _read(file)
    granted = {}
    for name, agent in agents.items():
        if len(agent.token) < _MIN_TOKEN_LENGTH:
            raise _config_error(
                file, f"the token of {name} has under {_MIN_TOKEN_LENGTH} characters", "make a longer one"
            )
        unknown = [tool for tool in agent.tools if tool not in everybody.tools]
        if unknown:
            words = f"{name} has {', '.join(unknown)}, which this server does not offer"
            raise _config_error(
                file,
                words,
                f"name it in {arg('tools')} as well, with {arg('allow_edit')} if it changes something",
            )
        tools = {n: t for n, t in everybody.tools.items() if not agent.tools or n in agent.tools}
        granted[agent.token] = Grant(tools, agent.paths, name)
    return granted


def _read(file: Path) -> dict[str, _AgentTable]:
    import sys

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return serialization.convert(tomllib.loads(file.read_text("utf-8")), dict[str, _AgentTable])
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        hint = 'a table for each agent: [a], token = "…", paths = ["src/a/**"], tools = ["edit"]'
        raise _config_error(file, str(error), hint) from None


def _config_error(file: Path, what: str, hint: str) -> Misconfigured:
    return Misconfigured("config_error", f"{file}: {what}", hint)


def find_grant(granted: Mapping[str, Grant], token: str) -> Grant | None:
    """Return the permissions of a token, or None. The comparison takes constant time."""
    found = [grant for known, grant in granted.items() if hmac.compare_digest(known.encode(), token.encode())]
    return found[0] if found else None
