"""Tool of an adapter: its parameters, the steps that a call requests, and its replies.

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


def validate_fields(
    what: str,
    said: Mapping[str, Any],
    takes: Mapping[str, Any],
    needs: Collection[str],
    ignores: Collection[str] = (),
) -> dict[str, Any]:
    """Validate and convert the fields of an object. A field that is null counts as left out.

    Raises:
        BadCall: ``invalid_args``.
    """
    arguments = {name: value for name, value in said.items() if value is not None}
    for name in arguments:
        if name not in takes and name not in ignores:
            near = difflib.get_close_matches(name, takes, 1)
            hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(takes)}"
            raise BadCall("invalid_args", f"{what} has no parameter {name}", hint)
    missing = [name for name in needs if name not in arguments]
    if missing:
        raise BadCall("invalid_args", f"{what} needs {' and '.join(missing)}", f"it takes {', '.join(takes)}")
    return {name: _validate(name, value, takes[name]) for name, value in arguments.items() if name in takes}


def _validate(name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    """Validate a value. Numbers, booleans and lists may be sent as JSON text."""
    kinds: list[str] = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if isinstance(value, str) and "string" not in kinds:
        with suppress(msgspec.DecodeError):
            value = msgspec.json.decode(value.strip())
    kind = next((each for each in kinds if type(value) is _KINDS[each]), None)
    if kind is None:
        wanted = " or ".join(kinds)
        raise BadCall("invalid_args", f"{name} is not of type {wanted}", f"send a JSON {wanted}")
    if "enum" in schema and value not in schema["enum"]:
        raise BadCall("invalid_args", f"{name} is not {value!r}", f"it is one of {', '.join(schema['enum'])}")
    if kind == "array":
        items: list[Any] = value
        if len(items) < schema.get("minItems", 0):
            raise BadCall("invalid_args", f"{name} is empty", f"put at least {schema['minItems']} into it")
        return [_validate(f"{name}[{at}]", each, schema["items"]) for at, each in enumerate(items)]
    if kind == "object":
        return validate_fields(name, dict(value), schema["properties"], schema.get("required", ()))
    return value


Arguments = dict[str, Any]
"""Arguments of a call."""
Schema = dict[str, Any]


class EditStep(msgspec.Struct, frozen=True):
    """Request for an atomic edit. The answer is that of ``apply``, as data.

    Attributes:
        ops: operations in their JSON form.
        structure: level of the structure gate if stricter than the policy, or "".
        dry_run: True if nothing is written.
        approval: True if the change is staged, and a person must approve it before it lands.
    """

    ops: tuple[Arguments, ...]
    structure: Literal["", "headers", "strict"] = ""
    dry_run: bool = False
    approval: bool = False


class ReadStep(msgspec.Struct, frozen=True):
    """Request for a command that only reads, with its fields. The answer is that of the command, as data."""

    command: str
    fields: Arguments


class ListFiles(msgspec.Struct, frozen=True):
    """Request for the files below a directory, without symbolic links.

    The answer is their sorted relative names, or [""] if the path is a file.
    """

    path: str


class FindRoot(msgspec.Struct, frozen=True):
    """Request for the absolute path of the repository's root."""


class CallError(msgspec.Struct, frozen=True):
    """Error of a call, as all front ends report it; ``op`` is the index of the failed operation."""

    code: str
    message: str
    hint: str
    data: Mapping[str, Any]
    op: int | None = None

    @property
    def lines(self) -> list[int]:
        """Return the first lines of the places where the text was found."""
        spans = [row["lines"] for row in self.data.get("candidates", ()) if "lines" in row]
        return [span[0] for span in spans or self.data.get("ranges", ())]


Steps = Generator[EditStep | ReadStep | ListFiles | FindRoot, Any, str]
"""Generator that yields requests, one after the other, and returns the reply for the agent.

An error of a request is raised at the yield.
"""


def plain_error(_: Arguments, why: CallError) -> str:
    """Format an error with gitscalpel's own message and hint."""
    return f"Error: {why.message}\n{why.hint}"


class AdapterTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool.

    Attributes:
        name: name of the tool.
        help: short description.
        parameters: JSON schemas of the parameters by name.
        required: required parameters.
        ignored: parameters that are accepted but not listed and have no effect.
        vocabulary: vocabulary for hints.
        aliases: unlisted alternative parameter names, with the name in ``parameters``.
        run: function that starts a call with validated arguments.
        format_error: function that formats an error.
        is_editing: True if the tool changes something.
        other: second tool with the same name, whose parameters are accepted too.
    """

    name: str
    help: str
    parameters: dict[str, Schema]
    required: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    aliases: Mapping[str, str] = {}
    vocabulary: Vocabulary = Vocabulary()
    run: Callable[[Arguments], Steps]
    format_error: Callable[[Arguments, CallError], str] = plain_error
    is_editing: bool = False
    other: AdapterTool | None = None

    def choose(self, said: Mapping[str, Any]) -> AdapterTool:
        """Return this tool, or ``other`` if the arguments belong to that one."""
        foreign = said.keys() - {*self.parameters, *self.ignored, *self.aliases}
        return self.other if self.other is not None and foreign & self.other.parameters.keys() else self

    def start(self, said: Mapping[str, Any]) -> Steps:
        """Start a call.

        Raises:
            BadCall: ``invalid_args``: the arguments do not match the parameters.
        """
        meant = self.choose(said)
        return meant.run(meant.validate(said))

    def validate(self, said: Mapping[str, Any]) -> Arguments:
        """Validate and convert the arguments.

        Raises:
            BadCall: ``invalid_args``.
        """
        named = {self._listed_name(name, said): value for name, value in said.items()}
        return validate_fields(self.name, named, self.parameters, self.required, self.ignored)

    @property
    def file_parameters(self) -> frozenset[str]:
        """Return the parameters that can name the file."""
        path = self.vocabulary.fields.get("path", "path")
        return frozenset({path, *(name for name, listed in self.aliases.items() if listed == path)})

    def _listed_name(self, name: str, said: Mapping[str, Any]) -> str:
        """Return the listed name of a parameter. An alternative name is unknown if both are sent."""
        listed = self.aliases.get(name, name)
        return name if listed in said else listed


class Adapter(msgspec.Struct, frozen=True, kw_only=True):
    """Adapter for another program. Its module in ``adapters/programs/`` has the name of the program.

    Attributes:
        tools: tools that the adapter offers.
        differences: intended differences from the original, for the documentation.
        failing_calls: calls that fail in the test repository, which check the hints.
    """

    tools: tuple[AdapterTool, ...]
    differences: str
    failing_calls: tuple[tuple[str, Arguments], ...]


def text(help: str = "") -> Schema:  # noqa: A002 - as the attribute is called
    """Return the schema of a text parameter."""
    return {"type": "string", **({"description": help} if help else {})}


def number(help: str = "") -> Schema:  # noqa: A002
    """Return the schema of an integer parameter."""
    return {"type": "integer", **({"description": help} if help else {})}


def flag(help: str = "") -> Schema:  # noqa: A002
    """Return the schema of a boolean parameter."""
    return {"type": "boolean", **({"description": help} if help else {})}


def choice(*values: str) -> Schema:
    """Return the schema of a parameter with fixed values."""
    return {"type": "string", "enum": list(values)}


def several(items: Schema, help: str = "", least: int = 0) -> Schema:  # noqa: A002
    """Return the schema of a list parameter with at least ``least`` items."""
    more = {"minItems": least} if least else {}
    return {"type": "array", "items": items, **more, **({"description": help} if help else {})}


def object_of(takes: Mapping[str, Schema], needs: Iterable[str] = ()) -> Schema:
    """Return the schema of an object parameter."""
    needed = list(needs)
    return {"type": "object", "properties": dict(takes), **({"required": needed} if needed else {})}


def operation(op: str, **fields: Any) -> Arguments:
    """Return an operation, without the fields that are None."""
    return {"op": op, **{name: value for name, value in fields.items() if value is not None}}
