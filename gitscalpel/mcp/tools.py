"""Tools: derived from commands, or those of adapters.

The table of commands says which tools stand for them. Of an adapter's tool, commands do the work, and the
adapter words the reply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import msgspec

from gitscalpel.adapters import hints, registry, tool
from gitscalpel.api import BadCall, ScalpelError
from gitscalpel.commands.common_fields import Named
from gitscalpel.commands.reply import Reply, plain
from gitscalpel.commands.table import TOOLS as TEXTS
from gitscalpel.commands.table import VERBS, ToolText, Way
from gitscalpel.errors.messages import Action, Spelling, field_by_name
from gitscalpel.errors.suggestions import meant
from gitscalpel.mcp import command_call, own_tools
from gitscalpel.mcp.command_call import Answered, Here


class Tool(msgspec.Struct, frozen=True):
    """A tool.

    Attributes:
        name: as it is called.
        text: its description.
        ways: the commands that it stands for, by the value of ``do``.
        perform: does it; None: the way that ``do`` names.
        takes: its arguments, and those that must be given; None: those of its ways.
        refused: how it tells a refusal, instead of ours: an answer of it is text alone.
    """

    name: str
    text: ToolText
    ways: dict[str, tuple[str, Way]]
    perform: Callable[[Here, dict[str, Any]], Answered] | None = None
    takes: Callable[[], tuple[dict[str, Any], list[str]]] | None = None
    refused: Callable[[dict[str, Any], dict[str, Any], ScalpelError], str] | None = None

    @property
    def only_looks(self) -> bool:
        """Whether it changes nothing."""
        return all(VERBS[verb].access == "look" for verb, _ in self.ways.values())

    def calls(self, verb: str, given: Mapping[str, Any]) -> Iterator[str]:
        """The calls of it that ask for a verb with these fields."""
        for do, (called, way) in self.ways.items() if self.perform is None else ():
            fixed = dict(way.otherwise)
            said = {name: value for name, value in given.items() if fixed.get(name) != value}
            fits = way.fields is None or said.keys() <= {*way.fields}
            if called == verb and fits:
                how = {"do": do} if do != self.text.first else {}
                yield f"{self.name} {msgspec.json.encode({**how, **said}).decode()}"

    @property
    def schema(self) -> dict[str, Any]:
        """What it takes."""
        if self.takes is not None:
            return command_call.whole(*self.takes())
        alone = len(self.ways) == 1
        found: dict[str, Any] = {} if alone else {"do": {"enum": list(self.ways)}}
        required: list[str] = [] if alone or self.text.first else ["do"]
        for verb, way in self.ways.values():
            fields, needed = command_call.properties(verb, way.fields)
            found = {**fields, **found}
            required += needed if alone else []
        return command_call.whole(found, required)

    @property
    def answers(self) -> dict[str, Any] | None:
        """The schema of what it answers; None: that is text."""
        if self.refused is not None:
            return None
        return command_call.envelope(self.verb({}) if len(self.ways) == 1 else None)

    def call(self, here: Here, arguments: dict[str, Any]) -> Answered:
        """Do what is asked.

        Raises:
            ScalpelError: it is refused.
        """
        if self.perform is not None:
            return self.perform(here, arguments)
        verb, way, fields = self._chosen(arguments)
        return here.ask(verb, {**dict(way.otherwise), **fields})

    def verb(self, arguments: dict[str, Any]) -> str:
        """The verb that an answer names."""
        chosen = self.ways.get(str(arguments.get("do", self.text.first)))
        return (chosen or next(iter(self.ways.values())))[0]

    def is_of_transaction(self, arguments: dict[str, Any]) -> bool:
        """Whether a call decides about a transaction that is named in it."""
        return issubclass(VERBS[self.verb(arguments)].request, Named)

    def _chosen(self, arguments: dict[str, Any]) -> tuple[str, Way, dict[str, Any]]:
        fields = dict(arguments)
        do = next(iter(self.ways)) if len(self.ways) == 1 else fields.pop("do", self.text.first)
        if not isinstance(do, str) or do not in self.ways:
            words = f"{self.name} has to be told what to do" if not do else f"{self.name} does no {do!r}"
            raise BadCall("invalid_args", words, f"do is one of {', '.join(self.ways)}")
        verb, way = self.ways[do]
        allowed = way.fields if way.fields is not None else command_call.properties(verb)[0]
        for name in fields:
            if name not in allowed:
                near = meant(name, allowed)
                hint = f"did you mean {near}? " if near else ""
                hint += f"it takes {', '.join(allowed) or 'nothing'}"
                raise BadCall("invalid_args", f"{do or self.name} takes no {name}", hint)
        return verb, way, fields


def tool_of_command(name: str) -> Tool:
    """Return a tool that does one command, whether or not agents are offered it."""
    return Tool(name, ToolText(VERBS[name].help), {"": (name, Way(name))})


_OWN: dict[str, tuple[Any, Any]] = {
    "look": (own_tools.perform_read, own_tools.read_tool_schema),
    "edit": (own_tools.perform_edit, own_tools.edit_tool_schema),
}
"""Tools that choose among their commands by themselves: their function, and their arguments."""


def _tool(name: str) -> Tool:
    ways = {way.do: (verb.name, way) for verb in VERBS.values() for way in verb.ways if way.tool == name}
    return Tool(name, TEXTS[name], ways, *_OWN.get(name, ()))


TOOLS = {name: _tool(name) for name in TEXTS}
"""Every tool by its name, in the order in which they are listed."""


def spelt(action: Action) -> str:
    """A call as an agent makes it: with a tool where there is one, else in a shell."""
    given = dict(action.arguments)
    found = [call for tool in TOOLS.values() for call in tool.calls(action.verb, given)]
    if found:
        return found[0]
    verb = VERBS.get(action.verb)
    if verb is not None and any(way.tool == "look" for way in verb.ways):
        return f"look {msgspec.json.encode(given).decode()}" if given else "look"
    words = " ".join(str(value) for value in given.values() if value is not True)
    return f"`git scalpel {action.verb} {words}`".replace(" `", "`")


SPELLING = Spelling(field_by_name, spelt)


def load_adapter_tools(dialects: Iterable[str]) -> tuple[dict[str, Tool], list[str]]:
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
