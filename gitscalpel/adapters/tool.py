"""A tool that agents call: its arguments, and the edits and reads that a call consists of."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from functools import cached_property
from typing import Any, Literal

import msgspec

from gitscalpel.adapters.arguments import Arguments, Schema, Types, object_of, schema_of, validate
from gitscalpel.adapters.hints import Vocabulary
from gitscalpel.errors import GateRefused, ScalpelError


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
    """Request for the sorted relative names of the files below a directory, without symbolic links.

    The answer is [""] if the path is a file.
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


class CommandStep(msgspec.Struct, frozen=True):
    """Request for a command with its fields. The answer is the command's reply, for tools of gitscalpel."""

    command: str
    fields: Arguments


Step = EditStep | ReadStep | ListFiles | FindRoot | CommandStep
Steps = Generator[Step, Any, str]
"""Generator that yields requests, one after the other, and returns the reply for the agent.

An error of a request is raised at the yield.
"""


def plain_error(_: Arguments, error: CallError) -> str:
    """Format an error with gitscalpel's own message and hint."""
    return f"Error: {error.message}\n{error.hint}"


class Tool(msgspec.Struct, frozen=True, dict=True):
    """A tool that agents call, of another program or of gitscalpel.

    Attributes:
        name: name of the tool.
        help: one short sentence for agents.
        run: function that starts a call with validated arguments.
        parameters: types of the arguments.
        is_editing: True if a call may change something.
        ignored: arguments that are accepted but not listed and have no effect.
        aliases: unlisted alternative names of arguments, with the listed name.
        vocabulary: vocabulary for hints.
        format_error: function that formats an error. None for a tool of gitscalpel, which replies with data.
        other: second tool with the same name, whose arguments are accepted too.
        make_schema: function that returns the JSON schema of the arguments if commands validate them, and
            ``parameters`` is empty.
        commands: commands that a tool of gitscalpel runs, by the value of ``do``.
        default_action: default value of ``do``, or "" if the caller must give one.
        keeps_content: True if a call removes no content from the files.
        is_repeatable: True if a second call with the same arguments changes nothing.
    """

    name: str
    help: str
    run: Callable[[Arguments], Generator[Step, Any, Any]]
    parameters: Types = {}
    is_editing: bool = False
    ignored: tuple[str, ...] = ()
    aliases: Mapping[str, str] = {}
    vocabulary: Vocabulary = Vocabulary()
    format_error: Callable[[Arguments, CallError], str] | None = plain_error
    other: Tool | None = None
    make_schema: Callable[[], Schema] | None = None
    commands: Mapping[str, str] = {}
    default_action: str = ""
    keeps_content: bool = False
    is_repeatable: bool = False

    @cached_property
    def input_schema(self) -> Schema:
        return schema_of(self._arguments_type) if self.make_schema is None else self.make_schema()

    @property
    def properties(self) -> Mapping[str, Schema]:
        properties: Mapping[str, Schema] = self.input_schema["properties"]
        return properties

    @cached_property
    def _arguments_type(self) -> type[msgspec.Struct]:
        return object_of(self.name, self.parameters)

    def choose(self, sent: Mapping[str, Any]) -> Tool:
        """Return this tool, or ``other`` if the arguments belong to that one."""
        foreign = sent.keys() - {*self.parameters, *self.ignored, *self.aliases}
        return self.other if self.other is not None and foreign & self.other.parameters.keys() else self

    def start(self, sent: Mapping[str, Any]) -> Generator[Step, Any, Any]:
        """Start a call.

        Raises:
            BadCall: ``invalid_args``: the arguments do not match the parameters.
        """
        tool = self.choose(sent)
        return tool.run(tool.validate(sent) if tool.make_schema is None else dict(sent))

    def find_only_edit(self, sent: Mapping[str, Any]) -> EditStep | None:
        """Return the edit that a call makes. None if the call looks at files first, or is a trial.

        Raises:
            BadCall: ``invalid_args``.
        """
        step = next(self.start(sent))
        return step if isinstance(step, EditStep) and not step.dry_run else None

    def validate(self, sent: Mapping[str, Any]) -> Arguments:
        """Validate and convert the arguments.

        Raises:
            BadCall: ``invalid_args``.
        """
        listed = {
            self._listed_name(name, sent): value for name, value in sent.items() if name not in self.ignored
        }
        return validate(self.name, listed, self._arguments_type)

    def find_command(self, arguments: Mapping[str, Any]) -> str:
        """Return the name of the command that a call with these arguments runs."""
        if not self.commands:
            return "apply" if self.is_editing else "show"
        action = str(arguments.get("do", self.default_action))
        return self.commands.get(action) or next(iter(self.commands.values()))

    @property
    def file_parameters(self) -> frozenset[str]:
        """Return the parameters that can name the file."""
        path = self.vocabulary.fields.get("path", "path")
        return frozenset({path, *(name for name, listed in self.aliases.items() if listed == path)})

    def _listed_name(self, name: str, sent: Mapping[str, Any]) -> str:
        """Return the listed name of a parameter. An alternative name is unknown if both are sent."""
        listed = self.aliases.get(name, name)
        return name if listed in sent else listed


class Adapter(msgspec.Struct, frozen=True, kw_only=True):
    """Adapter for another program, whose name its module has.

    Attributes:
        tools: tools that the adapter offers.
        differences: intended differences from the original, for the documentation.
        failing_calls: calls that fail in the test repository, which check the hints.
    """

    tools: tuple[Tool, ...]
    differences: str
    failing_calls: tuple[tuple[str, Arguments], ...]


def operation(op: str, **fields: Any) -> Arguments:
    """Return an operation, without the fields that are None."""
    return {"op": op, **{name: value for name, value in fields.items() if value is not None}}


def text_operation(path: str, old: str, new: str, every: bool | None = None) -> Arguments:
    """Return an operation that replaces a text once, or wherever it occurs."""
    return operation("text", path=path, old=old, new=new, all=every)


def code_operation(code: str, position: str | None, **target: Any) -> Arguments:
    """Return an operation that inserts code, or replaces the target by code. Empty code deletes it."""
    if position is not None:
        return operation("insert", **target, position=position, code=code)
    return operation("replace", **target, code=code) if code else operation("delete", **target)


def edit_or_delete(op: Arguments) -> Generator[EditStep | ReadStep, Any, Any]:
    """Make a text edit, or delete the definitions that it removes, and return the answer.

    Tools that only edit text have no other way to delete a definition.

    Raises:
        ScalpelError: the edit fails.
    """
    try:
        return (yield EditStep((op,)))
    except GateRefused as error:
        refused = error
    symbols = () if op["new"].strip() else (yield from find_deleted(op, refused))
    if not symbols:
        raise refused
    return (yield EditStep(tuple(operation("delete", path=op["path"], symbol=symbol) for symbol in symbols)))


def find_deleted(op: Arguments, refused: ScalpelError) -> Generator[ReadStep, Any, list[str]]:
    """Return the definitions that make up the text. Empty if it contains anything else but blank lines."""
    intents = refused.data.get("intents", ())
    deleted = [intent["symbol"] for intent in intents if intent["kind"] == "delete"]
    if len(deleted) != len(intents):
        return []
    outer = [symbol for symbol in deleted if not any(symbol.startswith(f"{other}.") for other in deleted)]
    remaining = _unix(op["old"])
    for symbol in outer:
        shown = yield ReadStep("show", {"path": op["path"], "symbol": symbol})
        head, found, tail = remaining.partition(_unix(shown["content"]).strip())
        if not found:
            return []
        remaining = head + tail
    return [] if remaining.strip() else outer


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n")
