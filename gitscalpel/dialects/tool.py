"""What a tool of a dialect is: what it takes, what a call asks for, and how it says what came of that."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any, Literal

import msgspec

from gitscalpel.dialects import arguments
from gitscalpel.dialects.advice import Vocabulary

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
        return arguments.fields(self.name, named, self.takes, self.needs, self.ignores)

    @property
    def files(self) -> frozenset[str]:
        """The parameters that may name the file."""
        path = self.words.fields.get("path", "path")
        return frozenset({path, *(name for name, listed in self.also.items() if listed == path)})

    def _named(self, name: str, said: Mapping[str, Any]) -> str:
        """What a parameter is called here; where it is given by that name, another one for it is none."""
        listed = self.also.get(name, name)
        return name if listed in said else listed


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
