"""MCP tools: those derived from commands, and those of adapters.

The table of commands says which tool calls which command. A tool of an adapter runs commands too, and the
adapter writes the reply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import msgspec

from gitscalpel.adapters import registry, tool
from gitscalpel.api import BadCall, ScalpelError
from gitscalpel.commands.reply import Reply, TransactionRequest, plain_text
from gitscalpel.commands.table import COMMANDS, ToolBinding, ToolDescription
from gitscalpel.commands.table import TOOLS as TEXTS
from gitscalpel.errors.messages import Action, Spelling, field_by_name, suggest_field
from gitscalpel.mcp import command_call, own_tools
from gitscalpel.mcp.command_call import CallContext, CommandResult


class Tool(msgspec.Struct, frozen=True):
    """An MCP tool.

    Attributes:
        name: name of the tool.
        text: description and hints for the client.
        ways: names of the commands that the tool can call, by the value of ``do``.
        perform: function that performs a call. None if the command that ``do`` names performs the call.
        takes: function that returns the argument schemas and the required arguments. None if the schemas
            come from the commands.
        format_error: function that formats an error. None if an error is formatted like any other reply. An
            adapter's tool has one, and replies in text only.
    """

    name: str
    text: ToolDescription
    ways: dict[str, tuple[str, ToolBinding]]
    perform: Callable[[CallContext, dict[str, Any]], CommandResult] | None = None
    takes: Callable[[], tuple[dict[str, Any], list[str]]] | None = None
    format_error: Callable[[dict[str, Any], dict[str, Any], ScalpelError], str] | None = None

    @property
    def is_read_only(self) -> bool:
        """Return True if the tool changes nothing."""
        return all(COMMANDS[verb].access == "look" for verb, _ in self.ways.values())

    def matching_calls(self, verb: str, given: Mapping[str, Any]) -> Iterator[str]:
        """Yield the calls of the tool that run a command with these fields."""
        for do, (called, way) in self.ways.items() if self.perform is None else ():
            fixed = dict(way.otherwise)
            said = {name: value for name, value in given.items() if fixed.get(name) != value}
            fits = way.fields is None or said.keys() <= {*way.fields}
            if called == verb and fits:
                how = {"do": do} if do != self.text.first else {}
                yield f"{self.name} {msgspec.json.encode({**how, **said}).decode()}"

    @property
    def input_schema(self) -> dict[str, Any]:
        """Return the JSON schema of the arguments."""
        if self.takes is not None:
            return tool.object_of(*self.takes())
        alone = len(self.ways) == 1
        found: dict[str, Any] = {} if alone else {"do": {"enum": list(self.ways)}}
        required: list[str] = [] if alone or self.text.first else ["do"]
        for verb, way in self.ways.values():
            fields, needed = command_call.request_properties(verb, way.fields)
            found = {**fields, **found}
            required += needed if alone else []
        return tool.object_of(found, required)

    @property
    def answer_schema(self) -> dict[str, Any] | None:
        """Return the JSON schema of the answer, or None if the answer is text."""
        if self.format_error is not None:
            return None
        return command_call.answer_schema(self.find_command({}) if len(self.ways) == 1 else None)

    def call(self, context: CallContext, arguments: dict[str, Any]) -> CommandResult:
        """Run a call.

        Raises:
            ScalpelError: the call fails.
        """
        if self.perform is not None:
            return self.perform(context, arguments)
        verb, way, fields = self._choose_command(arguments)
        return context.run_command(verb, {**dict(way.otherwise), **fields})

    def find_command(self, arguments: dict[str, Any]) -> str:
        """Return the name of the command that a call with these arguments runs."""
        chosen = self.ways.get(str(arguments.get("do", self.text.first)))
        return (chosen or next(iter(self.ways.values())))[0]

    def names_transaction(self, arguments: dict[str, Any]) -> bool:
        """Return True if the call names a transaction and decides about it."""
        return issubclass(COMMANDS[self.find_command(arguments)].request, TransactionRequest)

    def _choose_command(self, arguments: dict[str, Any]) -> tuple[str, ToolBinding, dict[str, Any]]:
        fields = dict(arguments)
        do = next(iter(self.ways)) if len(self.ways) == 1 else fields.pop("do", self.text.first)
        if not isinstance(do, str) or do not in self.ways:
            words = f"{self.name} needs an action in do" if not do else f"{self.name} has no action {do!r}"
            raise BadCall("invalid_args", words, f"do is one of {', '.join(self.ways)}")
        verb, way = self.ways[do]
        allowed = way.fields if way.fields is not None else command_call.request_properties(verb)[0]
        for name in fields:
            if name not in allowed:
                near = suggest_field(name, allowed)
                hint = f"did you mean {near}? " if near else ""
                hint += f"it takes {', '.join(allowed) or 'nothing'}"
                raise BadCall("invalid_args", f"{do or self.name} has no argument {name}", hint)
        return verb, way, fields


def tool_of_command(name: str) -> Tool:
    """Return a tool that runs one command, whether or not agents are offered the command by default."""
    return Tool(name, ToolDescription(COMMANDS[name].help), {"": (name, ToolBinding(name))})


_OWN: dict[str, tuple[Any, Any]] = {
    "look": (own_tools.perform_read, own_tools.read_tool_schema),
    "edit": (own_tools.perform_edit, own_tools.edit_tool_schema),
}
"""Tools that choose their command themselves: the function that runs a call, and the one for the schemas."""


def _command_tool(name: str) -> Tool:
    ways = {way.do: (verb.name, way) for verb in COMMANDS.values() for way in verb.ways if way.tool == name}
    return Tool(name, TEXTS[name], ways, *_OWN.get(name, ()))


TOOLS = {name: _command_tool(name) for name in TEXTS}
"""All tools by name, in the order of ``tools/list``."""


def format_action(action: Action) -> str:
    """Write a call as an agent makes it: as a tool call if there is a tool, otherwise as a shell command."""
    given = dict(action.arguments)
    found = [call for tool in TOOLS.values() for call in tool.matching_calls(action.verb, given)]
    if found:
        return found[0]
    verb = COMMANDS.get(action.verb)
    if verb is not None and any(way.tool == "look" for way in verb.ways):
        return f"look {msgspec.json.encode(given).decode()}" if given else "look"
    words = " ".join(str(value) for value in given.values() if value is not True)
    return f"`git scalpel {action.verb} {words}`".replace(" `", "`")


SPELLING = Spelling(field_by_name, format_action)


def load_adapter_tools(dialects: Iterable[str]) -> tuple[dict[str, Tool], list[str]]:
    """Return the tools of adapters by name, and the names that several adapters use (the first adapter wins).

    Raises:
        BadCall: ``invalid_args``: there is no such adapter.
    """
    found: dict[str, Tool] = {}
    twice: list[str] = []
    for each in (each for name in dict.fromkeys(dialects) for each in registry.load(name).tools):
        twice += [each.name] if each.name in found else []
        found.setdefault(each.name, _adapter_tool(each))
    return found, twice


def _adapter_tool(adapter_tool: tool.AdapterTool) -> Tool:
    return Tool(
        adapter_tool.name,
        ToolDescription(adapter_tool.help, destroys=adapter_tool.is_editing),
        {"": ("apply" if adapter_tool.is_editing else "show", ToolBinding(adapter_tool.name))},
        perform=partial(_perform, adapter_tool),
        takes=lambda: (adapter_tool.parameters, list(adapter_tool.required)),
        format_error=partial(_format_error, adapter_tool),
    )


def _perform(adapter_tool: tool.AdapterTool, context: CallContext, given: dict[str, Any]) -> CommandResult:
    """Run a call step by step, and stop at the first step that fails.

    Raises:
        ScalpelError: a step fails.
    """
    asked = adapter_tool.start(given)
    verb, answer = "apply" if adapter_tool.is_editing else "show", None
    try:
        step = next(asked)
        while True:
            if isinstance(step, (tool.ListFiles, tool.FindRoot)):
                step = asked.send(
                    context.list_files(step.path) if isinstance(step, tool.ListFiles) else context.root
                )
                continue
            try:
                done = _run_step(context, step)
            except ScalpelError as refused:
                step = asked.throw(refused)  # raised again if the tool does not handle it
                continue
            verb, answer = done.command, done.reply.answer
            step = asked.send(msgspec.to_builtins(answer))
    except StopIteration as end:
        return CommandResult(verb, Reply(answer, plain_text(end.value, verbatim=True)))


def _run_step(context: CallContext, step: tool.EditStep | tool.ReadStep) -> CommandResult:
    if isinstance(step, tool.ReadStep):
        return context.run_command(
            step.command, {name: context.resolve_value(name, value) for name, value in step.fields.items()}
        )
    sent: dict[str, Any] = {"ops": [own_tools.resolve_paths(context, op) for op in step.ops]}
    sent |= {"structure": step.structure} if step.structure else {}
    fields: dict[str, Any] = {"dry_run": step.dry_run}
    if step.approval:  # staged for the branch, whatever the default target is
        fields["require_approval"] = True
    return context.run_command("apply", {"changeset": msgspec.json.encode(sent).decode(), **fields})


def _format_error(
    adapter_tool: tool.AdapterTool, given: dict[str, Any], said: dict[str, Any], error: ScalpelError
) -> str:
    """Format an error in the adapter's words, and put the message and the hint into the envelope."""
    meant = adapter_tool.choose(given)
    named = next((str(value) for name, value in given.items() if name in meant.file_parameters), "")
    message, hint = tool.format_error(error, meant.vocabulary, meant.parameters, named)
    why = tool.CallError(error.code, message, hint, msgspec.to_builtins(error.data), error.op)
    said |= {"message": message, "hint": hint}
    return meant.format_error(given, why)
