"""MCP tools: those derived from commands, and those of adapters.

The table of commands says which tool calls which command. A call is a series of steps, which are run here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import msgspec

from gitscalpel.adapters import hints, registry
from gitscalpel.adapters.arguments import Arguments, Schema, object_schema
from gitscalpel.adapters.tool import CallError, CommandStep, EditStep, FindRoot, ListFiles, Step, Tool
from gitscalpel.api import BadCall, ScalpelError
from gitscalpel.commands.reply import Reply, plain_text
from gitscalpel.commands.table import COMMANDS, ToolBinding, ToolDescription
from gitscalpel.commands.table import TOOLS as TEXTS
from gitscalpel.errors.messages import Action, Spelling, field_by_name
from gitscalpel.mcp import command_call, own_tools
from gitscalpel.mcp.command_call import CallContext, CommandResult
from gitscalpel.mcp.own_tools import OwnSteps

Bindings = Mapping[str, tuple[str, ToolBinding]]
"""Commands of a tool with their bindings, by the value of ``do``."""


def _schema_of_commands(bindings: Bindings, default_action: str) -> Schema:
    alone = len(bindings) == 1
    properties: dict[str, Any] = {} if alone else {"do": {"enum": list(bindings)}}
    required: list[str] = [] if alone or default_action else ["do"]
    for command, binding in bindings.values():
        fields, needed = command_call.request_properties(command, binding.fields)
        properties = {**fields, **properties}
        required += needed if alone else []
    return object_schema(properties, required)


def _run_command(name: str, bindings: Bindings, default_action: str, arguments: Arguments) -> OwnSteps:
    fields = dict(arguments)
    action = next(iter(bindings)) if len(bindings) == 1 else fields.pop("do", default_action)
    if not isinstance(action, str) or action not in bindings:
        message = f"{name} has no action {action!r}" if action else f"{name} needs an action in `do`"
        raise BadCall("invalid_args", message, f"set `do` to one of {', '.join(bindings)}")
    command, binding = bindings[action]
    allowed = binding.fields if binding.fields is not None else command_call.request_properties(command)[0]
    command_call.require_known(fields, allowed, f"{action or name} has no argument")
    result: CommandResult = yield CommandStep(command, {**dict(binding.otherwise), **fields})
    return result


_OWN = {
    "look": (own_tools.run_look, own_tools.look_schema),
    "edit": (own_tools.run_edit, own_tools.edit_schema),
}
"""Tools that choose their command themselves: the function that runs a call, and the one for the schema."""
_BINDINGS: dict[str, Bindings] = {
    name: {
        binding.do: (command.name, binding)
        for command in COMMANDS.values()
        for binding in command.ways
        if binding.tool == name
    }
    for name in TEXTS
}


def _make_tool(name: str, text: ToolDescription, bindings: Bindings) -> Tool:
    run, make_schema = _OWN.get(name) or (
        partial(_run_command, name, bindings, text.first),
        partial(_schema_of_commands, bindings, text.first),
    )
    return Tool(
        name,
        text.help,
        run,
        make_schema=make_schema,
        commands={action: command for action, (command, _) in bindings.items()},
        default_action=text.first,
        is_editing=any(COMMANDS[command].access != "look" for command, _ in bindings.values()),
        keeps_content=not text.destroys,
        is_repeatable=text.again,
        format_error=None,
    )


TOOLS = {name: _make_tool(name, TEXTS[name], _BINDINGS[name]) for name in TEXTS}
"""All tools by name, in the order of ``tools/list``."""


def tool_of_command(name: str) -> Tool:
    """Return a tool that runs one command, whether or not agents are offered the command by default."""
    return _make_tool(name, ToolDescription(COMMANDS[name].help), {"": (name, ToolBinding(name))})


def load_adapter_tools(dialects: Iterable[str]) -> tuple[dict[str, Tool], list[str]]:
    """Return the tools of adapters by name, and the names that several adapters use (the first adapter wins).

    Raises:
        BadCall: ``invalid_args``: there is no such adapter.
    """
    found: dict[str, Tool] = {}
    repeated: list[str] = []
    for tool in (tool for name in dict.fromkeys(dialects) for tool in registry.load(name).tools):
        repeated += [tool.name] if tool.name in found else []
        found.setdefault(tool.name, tool)
    return found, repeated


def format_action(action: Action) -> str:
    """Write a call as an agent makes it: as a tool call if there is a tool, otherwise as a shell command."""
    arguments = dict(action.arguments)
    calls = [call for name in TOOLS for call in _matching_calls(name, action.verb, arguments)]
    if calls:
        return calls[0]
    command = COMMANDS.get(action.verb)
    if command is not None and any(binding.tool == "look" for binding in command.ways):
        return f"look {msgspec.json.encode(arguments).decode()}" if arguments else "look"
    words = " ".join(str(value) for value in arguments.values() if value is not True)
    return f"`git scalpel {action.verb} {words}`".replace(" `", "`")


def _matching_calls(name: str, command: str, arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield the calls of a tool that run a command with these arguments."""
    for action, (called, binding) in _BINDINGS[name].items() if name not in _OWN else ():
        fixed = dict(binding.otherwise)
        sent = {field: value for field, value in arguments.items() if fixed.get(field) != value}
        fits = binding.fields is None or sent.keys() <= {*binding.fields}
        if called == command and fits:
            do = {"do": action} if action != TEXTS[name].first else {}
            yield f"{name} {msgspec.json.encode({**do, **sent}).decode()}"


SPELLING = Spelling(field_by_name, format_action)


def run_call(tool: Tool, context: CallContext, arguments: Arguments) -> CommandResult:
    """Run a call step by step. It stops at the first step that fails, unless the tool handles the error.

    Raises:
        ScalpelError: a step fails.
    """
    command, answer = tool.find_command({}), None
    try:
        steps = tool.start(arguments)
        step = next(steps)
        while True:
            try:
                value = _run_step(context, step)
            except ScalpelError as error:
                step = steps.throw(error)
                continue
            if isinstance(value, CommandResult):
                command, answer = value.command, value.reply.answer
                value = value if isinstance(step, CommandStep) else msgspec.to_builtins(answer)
            step = steps.send(value)
    except StopIteration as end:
        if isinstance(end.value, CommandResult):
            return end.value
        return CommandResult(command, Reply(answer, plain_text(end.value, verbatim=True)))


def _run_step(context: CallContext, step: Step) -> CommandResult | list[str] | str:
    if isinstance(step, FindRoot):
        return context.root
    if isinstance(step, ListFiles):
        return context.list_files(step.path)
    if isinstance(step, EditStep):
        sent: dict[str, Any] = {"ops": [own_tools.resolve_paths(context.root, op) for op in step.ops]}
        sent |= {"structure": step.structure} if step.structure else {}
        fields: dict[str, Any] = {"changeset": msgspec.json.encode(sent).decode(), "dry_run": step.dry_run}
        if step.approval:  # staged for the branch, whatever the default target is
            fields["require_approval"] = True
        return context.run_command("apply", fields)
    return context.run_command(step.command, step.fields)


def format_adapter_error(
    tool: Tool, arguments: Arguments, envelope: dict[str, Any], error: ScalpelError
) -> str:
    """Format an error in the adapter's words, and put the message and the hint into the envelope's error."""
    called = tool.choose(arguments)
    file = next((str(value) for name, value in arguments.items() if name in called.file_parameters), "")
    message, hint = hints.format_error(error, called.vocabulary, called.properties, file)
    envelope |= {"message": message, "hint": hint}
    if called.format_error is None:
        raise AssertionError(called.name)
    why = CallError(error.code, message, hint, msgspec.to_builtins(error.data), error.op)
    return called.format_error(arguments, why)
