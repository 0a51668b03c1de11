"""A tool of another program: its arguments, its calls for edits and reads, and hints in its words.

The core's hints name gitscalpel's fields and commands. An adapter has a vocabulary of short imperative
phrases, and one table maps each error code to the phrases that help. A core hint that names no field and no
command is kept.

Arguments are validated against the parameter schemas, including nested ones.

Convert a text edit that deletes whole definitions to delete operations.

Tools that only edit text have no other way to delete a definition. Any other text edit stays one, and the
structure gate checks it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from contextlib import suppress
from typing import Any, Literal

import msgspec

from gitscalpel.errors import BadCall, GateRefused, ScalpelError
from gitscalpel.errors.messages import MARKED, Action, Spelling, spell


class Vocabulary(msgspec.Struct, frozen=True, kw_only=True):
    """Phrases and parameter names of an adapter. An empty phrase means that the adapter has no such tool.

    Attributes:
        fields: the adapter's parameter names, by the name of gitscalpel's field.
        read: read the file that an error is about; ``{path}`` stands for its name.
        find: find the names of definitions.
        old: parameter with the text to replace.
        every: replace each occurrence of a text.
        text: edit text, in files of any type.
        symbol: edit a definition without its old text.
        replace, insert, delete, rename: edit a definition in this way.
        overwrite: replace a whole file.
        create: create a file.
        select: narrow a selector.
    """

    fields: Mapping[str, str] = {}
    read: str = "read {path} again"
    find: str = ""
    old: str = ""
    every: str = ""
    text: str = ""
    symbol: str = ""
    replace: str = ""
    insert: str = ""
    delete: str = ""
    rename: str = ""
    overwrite: str = ""
    create: str = ""
    select: str = ""


_RESEND = "{read}, then send the call again"
_NEEDS_PERSON = "a person has to decide"
_TABLE: dict[str, tuple[str, ...]] = {
    "ambiguous": ("add lines around the text until it is unique", "{every}"),
    "approval_required": (f"{_NEEDS_PERSON}: ask them to review, approve and land the transaction",),
    "binary_file": ("{overwrite}", "edit binary files with another program"),
    "body_only": ("send all of the definition: its header and its body", "{text}"),
    "busy": ("send the call again in a moment",),
    "conflicted": ("resolve the conflict in the file first", "{overwrite}"),
    "count_mismatch": ("{every}", "add lines around the intended text"),
    "diagnostics_failed": ("correct the code and send it again",),
    "dirty_overlap": (f"the file has uncommitted changes: {_RESEND}",),
    "duplicate_symbol": ("choose another name", "{replace}"),
    "elided": ("send the complete code, without comments in place of omitted lines", "{text}"),
    "empty_target": ("give text from the file as {old}", "{insert}", "{overwrite}"),
    "exists": ("{overwrite}", "{text}", "choose another path"),
    "extra_definitions": ("send that one definition alone", "{insert}"),
    "file_not_found": ("check the path, relative to the root of the repository", "{create}"),
    "import_cycle": ("break the import cycle first",),
    "index_out_of_range": ("use one of the existing ones", "{find}"),
    "invalid_args": (),
    "invalid_name": ("give a valid name in the language of the file",),
    "invalid_position": ("use before or after",),
    "invalid_range": ("give lines that the file has, counted from 1", "{read}"),
    "invalid_ref": ("copy the reference from an answer", "{read}"),
    "kind_mismatch": ("send a definition of the same kind", "{text}"),
    "name_mismatch": ("send the definition under its current name", "{rename}"),
    "nested_conflict": ("put both into one edit", "send them one after the other"),
    "no_change": ("the change may have been made before", "{read}"),
    "not_a_file": ("give the path of a file",),
    "not_found": ("{read}, and copy the text exactly", "{symbol}", "check the path"),
    "out_of_range": ("give lines that the file has", "{read}"),
    "over_scoped": ("send only the lines that change", "{delete}"),
    "patch_failed": ("{read}, and make a new patch from its content",),
    "query_ambiguous": ("{select}",),
    "query_no_match": ("widen the selector", "{find}"),
    "query_syntax": ("correct the selector, for example function[name=f]",),
    "referenced": ("change these uses first",),
    "rejected": (f"{_NEEDS_PERSON}: make the requested changes, or stop",),
    "stale": (_RESEND,),
    "structural_gate": ("{replace}", "{insert}", "{delete}", "{rename}", "edit one line at a time"),
    "symbol_ambiguous": ("write a longer path of the intended symbol", "{text}"),
    "symbol_not_found": ("{find}", "{text}", "use the name as the file declares it"),
    "syntax_error": ("correct the code: it must be complete, with its closing brackets and its body",),
    "target_moved": (_RESEND,),
    "unencodable": ("leave out characters that the file's encoding cannot represent",),
    "unsupported_language": ("{text}", "edit a file in a language with definitions"),
}
"""Phrases by error code, best first. Other codes keep the hint of the core or get a general one."""
_MAX_PHRASES = 3
"""Maximum number of phrases in a hint."""
_PREFERRED = frozenset(
    {
        *("invalid_args", "invalid_name", "query_syntax", "symbol_ambiguous", "syntax_error", "import_cycle"),
        *(
            "symbol_not_found",
            "file_not_found",
            "invalid_ref",
            "invalid_position",
            "path_denied",
            "policy_denied",
        ),
    }
)
"""Codes whose core hints are more specific than the table, such as the suggested name."""
_CORE_WORDS = re.compile(
    r"\b(?:changesets?|operations?|look at|find or|(?:with|of) find|with outline|show printed|show lists|"
    r"git show|use (?:replace|text|lines|insert|delete|signature|rename|write)|"
    r"(?:with|by) (?:a )?(?:write|lines|text|delete|move)|lines or text|made with write|scalpel|node_id|"
    r"send the patch)\b"
)
"""Words in the core's hints that name its commands and operations."""
_FIELD = re.compile(r"\b[a-z]+_[a-z_0-9]+\b")


def format_error(
    error: ScalpelError, words: Vocabulary, takes: Mapping[str, Mapping[str, Any]], path: str
) -> tuple[str, str]:
    """Return the message of an error and a hint, in the words of an adapter.

    Args:
        error: the error.
        words: vocabulary of the called tool.
        takes: parameters of the called tool.
        path: file that the call names, or "".
    """
    foreign: list[str] = []

    def field(name: str, value: str) -> str:
        theirs = words.fields.get(name, name)
        if theirs not in takes:
            foreign.append(name)
        return f"`{theirs}` {value}".rstrip()

    def call(action: Action) -> str:
        foreign.append(action.verb)
        return action.verb

    message, hint = error.told(MARKED)
    spelling = Spelling(field, call)
    message = spell(message, spelling)
    foreign.clear()  # only a hint must not name unknown fields
    hint = spell(hint, spelling)
    values = {value for schema in takes.values() for value in schema.get("enum", ())}
    if (
        foreign
        or _CORE_WORDS.search(hint)
        or any(n not in takes and n not in values for n in _FIELD.findall(hint))
    ):
        hint = ""
    return message, build_hint(error.code, words, takes, str(error.data.get("path") or path), hint)


def build_hint(
    code: str, words: Vocabulary, takes: Mapping[str, Mapping[str, Any]], path: str, kept: str = ""
) -> str:
    """Return the hint for an error code; ``kept`` is a core hint that names no field and no command."""
    if kept and (code in _PREFERRED or code not in _TABLE):
        return kept
    known = {name: getattr(words, name) for name in words.__struct_fields__ if name != "fields"}
    steps = [step.format_map(known) for step in _TABLE.get(code, ()) if _has_phrases(step, known)]
    if code == "invalid_args":
        steps = [f"it takes {', '.join(f'`{name}`' for name in takes)}"]
    steps = steps or ([kept] if kept else ["nothing was changed; ask a person to check the repository"])
    return "; or ".join([*dict.fromkeys(steps)][:_MAX_PHRASES]).replace("{path}", path or "the file")


def _has_phrases(step: str, known: Mapping[str, str]) -> bool:
    """Return True if the adapter has all that a phrase needs."""
    return all(text or f"{{{name}}}" not in step for name, text in known.items())


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


def edit_or_delete(op: Arguments) -> Generator[EditStep | ReadStep, Any, Any]:
    """Make a text edit, or delete the definitions that it removes, and return the answer.

    Raises:
        ScalpelError: the edit fails.
    """
    try:
        return (yield EditStep((op,)))
    except GateRefused as error:
        refused = error
    whole = () if op["new"].strip() else (yield from find_deleted(op, refused))
    if not whole:
        raise refused
    return (yield EditStep(tuple(operation("delete", path=op["path"], symbol=symbol) for symbol in whole)))


def find_deleted(op: Arguments, refused: ScalpelError) -> Generator[ReadStep, Any, list[str]]:
    """Return the definitions that make up the text. Empty if it contains anything else but blank lines."""
    intents = refused.data.get("intents", ())
    gone = [intent["symbol"] for intent in intents if intent["kind"] == "delete"]
    if len(gone) != len(intents):
        return []
    outer = [symbol for symbol in gone if not any(symbol.startswith(f"{other}.") for other in gone)]
    left = _unix(op["old"])
    for symbol in outer:
        shown = yield ReadStep("show", {"path": op["path"], "symbol": symbol})
        before, found, after = left.partition(_unix(shown["content"]).strip())
        if not found:
            return []
        left = before + after
    return [] if left.strip() else outer


def _unix(text: str) -> str:
    """Normalise line endings, which do not count when texts are compared."""
    return text.replace("\r\n", "\n")
