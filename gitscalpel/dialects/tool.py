"""What a tool of a dialect is: what it takes, what a call asks for, and how it says what came of that."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any

import msgspec

from gitscalpel.errors import BadCall

Given = dict[str, Any]
"""The arguments of a call."""
Schema = dict[str, Any]


class Edit(msgspec.Struct, frozen=True):
    """Operations that are to be done, all or none; it is answered with what an edit answers, as data.

    Attributes:
        ops: as JSON has them.
        strict: the structure gate is as strict as can be.
        dry_run: nothing is written.
    """

    ops: tuple[Given, ...]
    strict: bool = False
    dry_run: bool = False


class Look(msgspec.Struct, frozen=True):
    """A verb that only looks, and its fields; it is answered with what that answers, as data."""

    verb: str
    fields: Given


class Files(msgspec.Struct, frozen=True):
    """Which files are below a folder, links aside; it is answered with their names in that, in order.

    A file is answered with one name that is empty.
    """

    path: str


class Refusal(msgspec.Struct, frozen=True):
    """Why nothing was done: the error as every face answers it."""

    code: str
    message: str
    hint: str
    data: Mapping[str, Any]

    @property
    def lines(self) -> list[int]:
        """The lines at which a text stands that should stand there once."""
        spans = [row["lines"] for row in self.data.get("candidates", ()) if "lines" in row]
        return [span[0] for span in spans or self.data.get("ranges", ())]


Talk = Generator[Edit | Look | Files, Any, str]
"""Asks for edits and looks, one after the other, and returns what the agent is told in the end."""


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
        talk: what a call asks for; its arguments are checked.
        refused: how a refusal is told.
        edits: it changes something.
        as_patch: patches are read from such calls already, as ``apply`` does without any dialect.
    """

    name: str
    help: str
    takes: dict[str, Schema]
    needs: tuple[str, ...] = ()
    ignores: tuple[str, ...] = ()
    talk: Callable[[Given], Talk]
    refused: Callable[[Given, Refusal], str] = plainly
    edits: bool = False
    as_patch: bool = False

    def called(self, said: Mapping[str, Any]) -> Talk:
        """What a call asks for.

        Raises:
            BadCall: ``invalid_args``: its arguments are not those of the tool.
        """
        return self.talk(self.checked(said))

    def checked(self, said: Mapping[str, Any]) -> Given:
        """The arguments, typed; where an interface has nothing but text, numbers and flags are read from it.

        Raises:
            BadCall: ``invalid_args``.
        """
        given = {name: value for name, value in said.items() if value is not None}
        for name in given:
            if name not in self.takes and name not in self.ignores:
                near = difflib.get_close_matches(name, self.takes, 1)
                hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(self.takes)}"
                raise BadCall("invalid_args", f"{self.name} has no parameter {name}", hint)
        missing = [name for name in self.needs if name not in given]
        if missing:
            words = f"{self.name} needs {' and '.join(missing)}"
            raise BadCall("invalid_args", words, f"it takes {', '.join(self.takes)}")
        known = {name: value for name, value in given.items() if name in self.takes}
        return {name: self._typed(name, value) for name, value in known.items()}

    def _typed(self, name: str, value: Any) -> Any:
        schema = self.takes[name]
        kind = _KINDS.get(str(schema.get("type")), object)
        if isinstance(value, str) and kind is not str and kind is not object:
            try:
                value = msgspec.json.decode(value.strip())
            except msgspec.DecodeError:
                value = value.strip()
        is_flag = isinstance(value, bool) and kind is not bool and kind is not object
        if not isinstance(value, kind) or is_flag:
            raise BadCall(
                "invalid_args", f"{name} is no {schema['type']}", f"{self.name} takes a {schema['type']}"
            )
        if "enum" in schema and value not in schema["enum"]:
            raise BadCall(
                "invalid_args", f"{name} is not {value!r}", f"it is one of {', '.join(schema['enum'])}"
            )
        return value


_KINDS: dict[str, Any] = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
}


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


def several(items: Schema, help: str = "") -> Schema:  # noqa: A002
    """A parameter that is a list."""
    return {"type": "array", "items": items, **({"description": help} if help else {})}


def record(takes: Mapping[str, Schema], needs: Iterable[str] = ()) -> Schema:
    """A parameter that is an object."""
    needed = list(needs)
    return {"type": "object", "properties": dict(takes), **({"required": needed} if needed else {})}


def one(op: str, **fields: Any) -> Given:
    """An operation; fields that are None are left out."""
    return {"op": op, **{name: value for name, value in fields.items() if value is not None}}
