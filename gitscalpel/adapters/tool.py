"""The tool of a dialect: its parameters, the steps that a call asks for, and its replies.

Arguments are validated against the parameter schemas, including nested ones.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from contextlib import suppress
from typing import Any, Literal

import msgspec

from gitscalpel.adapters.hints import Vocabulary
from gitscalpel.errors import BadCall

_KINDS: dict[str, type] = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
}


def fields(
    what: str,
    said: Mapping[str, Any],
    takes: Mapping[str, Any],
    needs: Collection[str],
    ignores: Collection[str] = (),
) -> dict[str, Any]:
    """The fields of an object, typed; those that are null count as left out.

    Raises:
        BadCall: ``invalid_args``.
    """
    given = {name: value for name, value in said.items() if value is not None}
    for name in given:
        if name not in takes and name not in ignores:
            near = difflib.get_close_matches(name, takes, 1)
            hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(takes)}"
            raise BadCall("invalid_args", f"{what} has no parameter {name}", hint)
    missing = [name for name in needs if name not in given]
    if missing:
        raise BadCall("invalid_args", f"{what} needs {' and '.join(missing)}", f"it takes {', '.join(takes)}")
    return {name: _typed(name, value, takes[name]) for name, value in given.items() if name in takes}


def _typed(name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    """A value; where an interface has nothing but text, numbers, flags and lists are read from it."""
    kinds: list[str] = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if isinstance(value, str) and "string" not in kinds:
        with suppress(msgspec.DecodeError):
            value = msgspec.json.decode(value.strip())
    kind = next((each for each in kinds if type(value) is _KINDS[each]), None)
    if kind is None:
        wanted = " or ".join(kinds)
        raise BadCall("invalid_args", f"{name} is no {wanted}", f"send a JSON {wanted}")
    if "enum" in schema and value not in schema["enum"]:
        raise BadCall("invalid_args", f"{name} is not {value!r}", f"it is one of {', '.join(schema['enum'])}")
    if kind == "array":
        items: list[Any] = value
        if len(items) < schema.get("minItems", 0):
            raise BadCall("invalid_args", f"{name} is empty", f"put at least {schema['minItems']} into it")
        return [_typed(f"{name}[{at}]", each, schema["items"]) for at, each in enumerate(items)]
    if kind == "object":
        return fields(name, dict(value), schema["properties"], schema.get("required", ()))
    return value


Given = dict[str, Any]
"""The arguments of a call."""
Schema = dict[str, Any]


class Edit(msgspec.Struct, frozen=True):
    """Operations that are to be done, all or none; it is answered with what an edit answers, as data.

    Attributes:
        ops: as JSON has them.
        structure: the level of the structure gate, where that is stricter than the rules; "": as they say.
        dry_run: True if nothing is written.
        approval: True if the change is staged, and a person has to approve it before it lands.
    """

    ops: tuple[Given, ...]
    structure: Literal["", "headers", "strict"] = ""
    dry_run: bool = False
    approval: bool = False


class Look(msgspec.Struct, frozen=True):
    """A verb that only looks, and its fields; it is answered with what that answers, as data."""

    verb: str
    fields: Given


class Files(msgspec.Struct, frozen=True):
    """Which files are below a folder, links aside; it is answered with their names in that, in order.

    A file is answered with one name that is empty.
    """

    path: str


class Root(msgspec.Struct, frozen=True):
    """The folder of the repository; it is answered with its absolute path."""


class Refusal(msgspec.Struct, frozen=True):
    """Why nothing was done: the error as every face answers it; ``op`` is the operation, counted from 0."""

    code: str
    message: str
    hint: str
    data: Mapping[str, Any]
    op: int | None = None

    @property
    def lines(self) -> list[int]:
        """The lines at which a text stands that should stand there once."""
        spans = [row["lines"] for row in self.data.get("candidates", ()) if "lines" in row]
        return [span[0] for span in spans or self.data.get("ranges", ())]


Talk = Generator[Edit | Look | Files | Root, Any, str]
"""Asks for edits and looks, one after the other, and returns what the agent is told in the end.

A refusal of what it asks for is raised where it asks.
"""


def plainly(_: Given, why: Refusal) -> str:
    """A refusal in our own words."""
    return f"Error: {why.message}\n{why.hint}"


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool.

    Attributes:
        name: as it is called.
        help: what it does, in few words.
        takes: its parameters, each with its JSON schema.
        needs: those that must be given.
        ignores: those that are taken, change nothing, and are not listed.
        words: in which it says what to do after a refusal.
        also: other names of parameters, which are not listed: what each is called in ``takes``.
        talk: what a call asks for; its arguments are checked.
        refused: how a refusal is told.
        edits: it changes something.
        other: a tool of the same name whose parameters are taken as well.
    """

    name: str
    help: str
    takes: dict[str, Schema]
    needs: tuple[str, ...] = ()
    ignores: tuple[str, ...] = ()
    also: Mapping[str, str] = {}
    words: Vocabulary = Vocabulary()
    talk: Callable[[Given], Talk]
    refused: Callable[[Given, Refusal], str] = plainly
    edits: bool = False
    other: Tool | None = None

    def chosen(self, said: Mapping[str, Any]) -> Tool:
        """Return the tool that a call means by its parameters: this one, or the other of the same name."""
        foreign = said.keys() - {*self.takes, *self.ignores, *self.also}
        return self.other if self.other is not None and foreign & self.other.takes.keys() else self

    def called(self, said: Mapping[str, Any]) -> Talk:
        """What a call asks for.

        Raises:
            BadCall: ``invalid_args``: its arguments are not those of the tool.
        """
        meant = self.chosen(said)
        return meant.talk(meant.checked(said))

    def checked(self, said: Mapping[str, Any]) -> Given:
        """The arguments, typed.

        Raises:
            BadCall: ``invalid_args``.
        """
        named = {self._named(name, said): value for name, value in said.items()}
        return fields(self.name, named, self.takes, self.needs, self.ignores)

    @property
    def files(self) -> frozenset[str]:
        """The parameters that may name the file."""
        path = self.words.fields.get("path", "path")
        return frozenset({path, *(name for name, listed in self.also.items() if listed == path)})

    def _named(self, name: str, said: Mapping[str, Any]) -> str:
        """What a parameter is called here; where it is given by that name, another one for it is none."""
        listed = self.also.get(name, name)
        return name if listed in said else listed


class Adapter(msgspec.Struct, frozen=True, kw_only=True):
    """Adapter for another program; its module in ``adapters/programs/`` is named for the program.

    Attributes:
        tools: the tools that it offers.
        differs: the differences from the original that are intended, for the documentation.
        refused: calls that are refused in the repository of the tests, which check the hints.
    """

    tools: tuple[Tool, ...]
    differs: str
    refused: tuple[tuple[str, Given], ...]


def text(help: str = "") -> Schema:  # noqa: A002 - as the attribute is called
    """A parameter that is text."""
    return {"type": "string", **({"description": help} if help else {})}


def number(help: str = "") -> Schema:  # noqa: A002
    """A parameter that is a whole number."""
    return {"type": "integer", **({"description": help} if help else {})}


def flag(help: str = "") -> Schema:  # noqa: A002
    """A parameter that is true or false."""
    return {"type": "boolean", **({"description": help} if help else {})}


def choice(*values: str) -> Schema:
    """A parameter that is one of some words."""
    return {"type": "string", "enum": list(values)}


def several(items: Schema, help: str = "", least: int = 0) -> Schema:  # noqa: A002
    """A parameter that is a list of ``least`` or more."""
    more = {"minItems": least} if least else {}
    return {"type": "array", "items": items, **more, **({"description": help} if help else {})}


def record(takes: Mapping[str, Schema], needs: Iterable[str] = ()) -> Schema:
    """A parameter that is an object."""
    needed = list(needs)
    return {"type": "object", "properties": dict(takes), **({"required": needed} if needed else {})}


def one(op: str, **fields: Any) -> Given:
    """An operation; fields that are None are left out."""
    return {"op": op, **{name: value for name, value in fields.items() if value is not None}}
