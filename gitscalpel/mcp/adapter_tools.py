"""Tools of the adapters as MCP tools: commands do the work, and the adapter words the reply."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import msgspec

from gitscalpel.adapters import hints, registry, tool
from gitscalpel.api import ScalpelError
from gitscalpel.commands.reply import Reply, plain
from gitscalpel.commands.table import ToolText, Way
from gitscalpel.mcp import own_tools
from gitscalpel.mcp.command_call import Answered, Here
from gitscalpel.mcp.tools import Tool


def tools(dialects: Iterable[str]) -> tuple[dict[str, Tool], list[str]]:
    """The tools of dialects by name, and the names that more than one has: they are the first one's.

    Raises:
        BadCall: ``invalid_args``: there is no such dialect.
    """
    found: dict[str, Tool] = {}
    twice: list[str] = []
    for each in (each for name in dict.fromkeys(dialects) for each in registry.load(name).tools):
        twice += [each.name] if each.name in found else []
        found.setdefault(each.name, _offered(each))
    return found, twice


def _offered(of: tool.Tool) -> Tool:
    return Tool(
        of.name,
        ToolText(of.help, destroys=of.edits),
        {"": ("apply" if of.edits else "show", Way(of.name))},
        perform=partial(_perform, of),
        takes=lambda: (of.takes, list(of.needs)),
        refused=partial(_refused, of),
    )


def _perform(of: tool.Tool, here: Here, given: dict[str, Any]) -> Answered:
    """Do what a call asks for, step by step.

    Raises:
        ScalpelError: one of them is refused; none after it is done.
    """
    asked = of.called(given)
    verb, answer = "apply" if of.edits else "show", None
    try:
        step = next(asked)
        while True:
            if isinstance(step, (tool.Files, tool.Root)):
                step = asked.send(here.files(step.path) if isinstance(step, tool.Files) else here.root)
                continue
            try:
                done = _done(here, step)
            except ScalpelError as refused:
                step = asked.throw(refused)  # it comes back from a talk that does not know what else to do
                continue
            verb, answer = done.verb, done.reply.answer
            step = asked.send(msgspec.to_builtins(answer))
    except StopIteration as end:
        return Answered(verb, Reply(answer, plain(end.value, verbatim=True)))


def _done(here: Here, step: tool.Edit | tool.Look) -> Answered:
    if isinstance(step, tool.Look):
        return here.ask(step.verb, {name: here.relative(name, value) for name, value in step.fields.items()})
    sent: dict[str, Any] = {"ops": [own_tools.located(here, op) for op in step.ops]}
    sent |= {"structure": step.structure} if step.structure else {}
    fields: dict[str, Any] = {"dry_run": step.dry_run}
    if step.approval:  # it is staged for the branch, wherever edits go otherwise
        fields["require_approval"] = True
    return here.ask("apply", {"changeset": msgspec.json.encode(sent).decode(), **fields})


def _refused(of: tool.Tool, given: dict[str, Any], said: dict[str, Any], error: ScalpelError) -> str:
    """A refusal in the dialect's words; what they ask for may not be what it takes."""
    meant = of.chosen(given)
    named = next((str(value) for name, value in given.items() if name in meant.files), "")
    message, hint = hints.told(error, meant.words, meant.takes, named)
    why = tool.Refusal(error.code, message, hint, msgspec.to_builtins(error.data), error.op)
    said |= {"message": message, "hint": hint}
    return meant.refused(given, why)
