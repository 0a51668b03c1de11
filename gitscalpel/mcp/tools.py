"""The table of tools, each derived from one or more commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from gitscalpel.api import BadCall, ScalpelError
from gitscalpel.changesets.answers import CHECKOUT
from gitscalpel.commands.common_fields import Named
from gitscalpel.commands.table import VERBS
from gitscalpel.errors.messages import Action, Spelling, field_by_name
from gitscalpel.errors.suggestions import meant
from gitscalpel.mcp import command_call, own_tools
from gitscalpel.mcp.command_call import Answered, Here


class Way(NamedTuple):
    """A verb, the fields that it is asked with (None: all), and what some are where nobody says otherwise."""

    verb: str
    fields: tuple[str, ...] | None = None
    otherwise: tuple[tuple[str, Any], ...] = ()


class Tool(msgspec.Struct, frozen=True):
    """A tool.

    Attributes:
        name: as it is called.
        help: what it does, in few words.
        ways: the verbs that it stands for, by the value of ``do``; "": there is no other.
        first: what is done where nobody says what; "": that has to be said.
        perform: does it; None: the way that ``do`` names.
        takes: its arguments, and those that must be given; None: those of its ways.
        refused: how it tells a refusal, instead of ours: an answer of it is text alone.
        destroys: what it changes may be lost to who looks at the files alone.
        again: the same once more changes nothing.
    """

    name: str
    help: str
    ways: dict[str, Way]
    first: str = ""
    perform: Callable[[Here, dict[str, Any]], Answered] | None = None
    takes: Callable[[], tuple[dict[str, Any], list[str]]] | None = None
    refused: Callable[[dict[str, Any], dict[str, Any], ScalpelError], str] | None = None
    destroys: bool = False
    again: bool = False

    @property
    def only_looks(self) -> bool:
        """Whether it changes nothing."""
        return all(VERBS[way.verb].access == "look" for way in self.ways.values())

    def calls(self, verb: str, given: Mapping[str, Any]) -> Iterator[str]:
        """The calls of it that ask for a verb with these fields."""
        for do, way in self.ways.items() if self.perform is None else ():
            fixed = dict(way.otherwise)
            said = {name: value for name, value in given.items() if fixed.get(name) != value}
            fits = way.fields is None or said.keys() <= {*way.fields}
            if way.verb == verb and fits:
                how = {"do": do} if do != self.first else {}
                yield f"{self.name} {msgspec.json.encode({**how, **said}).decode()}"

    @property
    def schema(self) -> dict[str, Any]:
        """What it takes."""
        if self.takes is not None:
            return command_call.whole(*self.takes())
        alone = len(self.ways) == 1
        found: dict[str, Any] = {} if alone else {"do": {"enum": list(self.ways)}}
        required: list[str] = [] if alone or self.first else ["do"]
        for way in self.ways.values():
            fields, needed = command_call.properties(way.verb, way.fields)
            found = {**fields, **found}
            required += needed if alone else []
        return command_call.whole(found, required)

    @property
    def answers(self) -> dict[str, Any] | None:
        """The schema of what it answers; None: that is text."""
        if self.refused is not None:
            return None
        return command_call.envelope(next(iter(self.ways.values())).verb if len(self.ways) == 1 else None)

    def call(self, here: Here, arguments: dict[str, Any]) -> Answered:
        """Do what is asked.

        Raises:
            ScalpelError: it is refused.
        """
        if self.perform is not None:
            return self.perform(here, arguments)
        way, fields = self._chosen(arguments)
        return here.ask(way.verb, {**dict(way.otherwise), **fields})

    def verb(self, arguments: dict[str, Any]) -> str:
        """The verb that an answer names."""
        chosen = self.ways.get(str(arguments.get("do", self.first)))
        return (chosen or next(iter(self.ways.values()))).verb

    def is_of_transaction(self, arguments: dict[str, Any]) -> bool:
        """Whether a call decides about a transaction that is named in it."""
        return issubclass(VERBS[self.verb(arguments)].request, Named)

    def _chosen(self, arguments: dict[str, Any]) -> tuple[Way, dict[str, Any]]:
        fields = dict(arguments)
        do = "" if len(self.ways) == 1 else fields.pop("do", self.first)
        if not isinstance(do, str) or do not in self.ways:
            words = f"{self.name} has to be told what to do" if not do else f"{self.name} does no {do!r}"
            raise BadCall("invalid_args", words, f"do is one of {', '.join(self.ways)}")
        way = self.ways[do]
        allowed = way.fields if way.fields is not None else command_call.properties(way.verb)[0]
        for name in fields:
            if name not in allowed:
                near = meant(name, allowed)
                hint = f"did you mean {near}? " if near else ""
                hint += f"it takes {', '.join(allowed) or 'nothing'}"
                raise BadCall("invalid_args", f"{do or self.name} takes no {name}", hint)
        return way, fields


def of_verb(
    name: str,
    help: str = "",  # noqa: A002 - as the attribute is called
    fields: tuple[str, ...] | None = None,
    otherwise: tuple[tuple[str, Any], ...] = (),
    *,
    destroys: bool = False,
    again: bool = False,
) -> Tool:
    """A verb as a tool of its own."""
    ways = {"": Way(name, fields, otherwise)}
    return Tool(name, help or VERBS[name].help, ways, destroys=destroys, again=again)


_WHOLE = ("message", "onto", "tx", "dry_run", "no_land")
# fmt: off
_ROWS = (
    Tool("look", "Read a file, its symbols, a symbol's code, or find nodes by a selector.",
         {"show": Way("show"), "outline": Way("outline"), "find": Way("find")}, "",
         own_tools.perform_read, own_tools.read_tool_schema),
    of_verb("refs", "List definitions and uses of a name over all files.",
            fields=("path", "symbol", "start", "name", "onto", "tx", "trust")),
    of_verb("diff", "Show what an open transaction changes."),
    of_verb("log", "List what landed, was edited, undone."),
    of_verb("status", "Branch, open transactions, recovery."),
    Tool("edit", "Change files, all operations or none: by symbol, text, line, or as a patch.",
         {"": Way("apply")}, "", own_tools.perform_edit, own_tools.edit_tool_schema, destroys=True),
    of_verb("rename", "Rename a symbol and every use of it.", destroys=True,
            fields=("path", "symbol", "start", "name", "to", "also_text", "trust", *_WHOLE)),
    of_verb("move", "Move a definition to another file; imports follow.", destroys=True,
            fields=("path", "symbol", "to_path", "companions", *_WHOLE)),
    of_verb("imports", "Add, remove, order imports of a file.", again=True,
            fields=("path", "add", "remove", "remove_unused", "organize", *_WHOLE)),
    Tool("undo", "Take back your last step, or the one named; or redo it.",
         {"undo": Way("undo", ("tx", "dry_run", "onto")), "redo": Way("redo", ("onto",))},
         "undo", destroys=True),
    Tool("snapshot", "Record what the checkout holds; list, restore.",
         {"take": Way("snapshot", ("message",)), "list": Way("snapshot", (), (("list", True),)),
          "restore": Way("restore")}, "take", destroys=True),
    of_verb("check", "Let every gate judge an open transaction, or (default) the checkout.",
            ("tx", "fresh"), (("tx", CHECKOUT),), again=True),
    Tool("transaction", "Open transactions, which take edits until they land or are dropped.",
         {"begin": Way("begin"), "list": Way("list"), "show": Way("show-tx"), "worktree": Way("worktree"),
          "stage": Way("stage"), "suggest": Way("suggest"), "drop": Way("drop")}, destroys=True),
    of_verb("land", "Land an open transaction on its branch.", destroys=True,
            fields=("tx", "message", "expect")),
    Tool("approve", "Agree to an open transaction, or reject it.",
         {"approve": Way("approve", ("tx", "message", "expect", "stage")),
          "reject": Way("reject", ("tx", "message", "expect"))}, "approve", again=True),
)
# fmt: on
_LOOKED = ("outline", "show", "find")
"""Verbs that are one tool."""
TOOLS = {tool.name: tool for tool in _ROWS}
"""Every tool by its name, in the order in which they are listed."""


def spelt(action: Action) -> str:
    """A call as an agent makes it: with a tool where there is one, else in a shell."""
    given = dict(action.arguments)
    found = [call for tool in TOOLS.values() for call in tool.calls(action.verb, given)]
    if found:
        return found[0]
    if action.verb in _LOOKED:
        return f"look {msgspec.json.encode(given).decode()}" if given else "look"
    words = " ".join(str(value) for value in given.values() if value is not True)
    return f"`git scalpel {action.verb} {words}`".replace(" `", "`")


SPELLING = Spelling(field_by_name, spelt)
