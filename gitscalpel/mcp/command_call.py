"""Run a command with a tool's arguments, and derive the tool's JSON schema from the command.

The schemas are short because every agent reads all of them first.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

import msgspec

from gitscalpel.adapters.arguments import object_schema, simplify_schema
from gitscalpel.api import BadCall, FileTracker, NotAllowed
from gitscalpel.changesets.answers import CHECKOUT
from gitscalpel.commands.reply import Caller, Reply
from gitscalpel.commands.table import COMMANDS
from gitscalpel.errors.messages import call, spell, suggest_field
from gitscalpel.system import serialization

HIDDEN = frozenset({"checkout", "wait", "expect", "base", "watch_command", "command", "list", "lead", "idle"})
"""Fields that tools offer only if they are required. The session knows them, or they start programs."""
_SHORT_DESCRIPTIONS = {
    "File.": "",
    "Last line.": "",
    "New name.": "",
    "Snapshot ID.": "",
    "Reason for the snapshot.": "",
    "Remove unused imports.": "",
    "ID of an open transaction.": "An open transaction.",
    "Name of a definition, such as Outer.inner.": "A definition: Outer.inner.",
    "Name in that line; name#2 is the second of that name.": "Name in that line.",
    "Import to remove, ignored if it is not present; may be repeated.": "",
    "Keep the edit in an open transaction until somebody else approves it.": "Leave it open until approved.",
    "Target branch (default: the current branch).": "A branch, or @checkout.",
    "Transaction ID (default in a transaction's worktree: that transaction).": "",
    "Transaction IDs (default in a transaction's worktree: that transaction).": "",
    "Commit message; repeat the option for further paragraphs.": "",
    "Print the diff and write nothing.": "Print the diff only.",
    f"Keep the edit in an open transaction; `{spell(call('land', tx='ID'))}` lands it.": "Leave it open.",
    "Source to follow if the resolver and a language server disagree; both: reject the edit.": (
        "Source to follow if a language server disagrees."
    ),
}
"""Shorter descriptions for fields that many tools have. "" if the name says enough."""
_STRINGS = {"type": "array", "items": {"type": "string"}}
_FAILURE = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("code", "message", "hint")},
    "required": ["code", "message", "hint"],
}


def request_properties(verb: str, names: Iterable[str] | None = None) -> tuple[dict[str, Any], list[str]]:
    """Return the schemas of a command's fields, and the names of the required ones."""
    schema = resolve_schema(msgspec.json.schema(COMMANDS[verb].request))
    properties: dict[str, Any] = schema.get("properties", {})
    required_names = schema.get("required", ())
    chosen = (
        [each for each in properties if each not in HIDDEN or each in required_names]
        if names is None
        else [*names]
    )
    required = [name for name in required_names if name in chosen]
    return {name: _shorten_description(simplify_schema(properties[name])) for name in chosen}, required


def _shorten_description(field: dict[str, Any]) -> dict[str, Any]:
    description = field.get("description", "")
    others = {key: value for key, value in field.items() if key != "description"}
    short = _SHORT_DESCRIPTIONS.get(description, description)
    return {**({"description": short} if short else {}), **others}


def answer_schema(verb: str | None) -> dict[str, Any]:
    """Return the schema of an answer: the envelope, with names and types of the fields of ``data``.

    ``command`` is None if several commands can answer. ``git scalpel schema`` prints the full schema.
    """
    data: dict[str, Any] = {}
    if verb is not None:
        with suppress(TypeError):  # a union of structs has no common schema
            schema = resolve_schema(msgspec.json.schema(COMMANDS[verb].answer))
            data = {"type": schema.get("type", "object")}
            if "properties" in schema:
                data["properties"] = {
                    name: _type_schema(field) for name, field in schema["properties"].items()
                }
    fields = {"command": {"type": "string"}, "data": data, "warnings": _STRINGS, "next": _STRINGS}
    return object_schema({"ok": {"type": "boolean"}, **fields, "error": _FAILURE}, ["ok", "command"])


def _type_schema(field: dict[str, Any]) -> dict[str, Any]:
    kinds = [kind.get("type") for kind in field.get("anyOf", [field])]
    types = [kind for kind in kinds if kind is not None]
    return {"type": types[0] if len(types) == 1 else types} if types and len(types) == len(kinds) else {}


def resolve_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema that ``$ref`` refers to, or the schema itself."""
    name = schema.get("$ref", "").rpartition("/")[2]
    resolved: dict[str, Any] = schema["$defs"][name] if name else schema
    return resolved


_PATH_FIELDS = frozenset({"path", "paths", "to", "to_path"})  # Fields that contain paths


class CommandResult(NamedTuple):
    """A command that was run, and its reply."""

    command: str
    reply: Reply


class CallContext(msgspec.Struct, frozen=True):
    """Context of a tool call.

    Attributes:
        caller: caller of the commands, with the repository.
        root: root directory of the repository, as the client names it.
        onto: default target of reads and edits, a branch or ``@checkout``.
    """

    caller: Caller
    root: str
    onto: str

    def run_command(self, verb: str, fields: dict[str, Any]) -> CommandResult:
        """Run a command.

        Raises:
            BadCall: ``invalid_args``: the fields do not match the command.
            ScalpelError: the command fails.
        """
        kind = COMMANDS[verb].request
        field_names = [field.name for field in msgspec.structs.fields(kind)]
        require_known(fields, field_names)
        # Models send one item without a list.
        lists = [name for name, value in fields.items() if isinstance(value, str) and _is_list(verb, name)]
        fields = {**fields, **{name: [fields[name]] for name in lists}}
        values = resolve_fields(
            self.root, {name: value for name, value in fields.items() if value is not None}
        )
        _require_fields(values, [field.name for field in msgspec.structs.fields(kind) if field.required])
        try:
            request = serialization.convert({**self._default_target(values, field_names), **values}, kind)
        except msgspec.ValidationError as error:
            raise BadCall("invalid_args", str(error), "see the tool's schema") from None
        return CommandResult(verb, COMMANDS[verb].perform(self.caller, request))

    def list_files(self, path: str) -> list[str]:
        """Return the files below a directory, relative to it, without symbolic links; [""] for a file."""
        below = str(resolve_path(self.root, path)).strip("/").removeprefix("./")
        files = self.caller.views.view(self.onto).matching("*")
        if below in ("", "."):
            return files
        inside = (each for each in files if each == below or each.startswith(f"{below}/"))
        return [each.removeprefix(below).removeprefix("/") for each in inside]

    def _default_target(self, values: dict[str, Any], field_names: list[str]) -> dict[str, Any]:
        if "onto" not in field_names or "checkout" not in field_names:
            return {}
        if any(values.get(name) for name in ("tx", "onto", "no_land", "require_approval")):
            return {"checkout": values.pop("onto") == CHECKOUT} if values.get("onto") == CHECKOUT else {}
        return {"checkout": True} if self.onto == CHECKOUT else {"onto": self.onto}


def resolve_fields(root: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields with absolute paths made relative to the root of the repository."""
    return {
        name: resolve_path(root, value) if name in _PATH_FIELDS else value for name, value in fields.items()
    }


def resolve_path(root: str, path: Any) -> Any:
    """Return an absolute path, or a list with some, relative to the root. Other values stay as they are.

    Raises:
        NotAllowed: ``path_denied``: a path is outside of the root.
    """
    if isinstance(path, list | tuple):
        return [resolve_path(root, each) for each in path]
    if not isinstance(path, str) or not path.startswith("/"):
        return path
    if path != root and not path.startswith(f"{root}/"):
        raise NotAllowed.outside(path)
    return path.removeprefix(root).removeprefix("/")


@cache
def _is_list(verb: str, field: str) -> bool:
    return bool(request_properties(verb, [field])[0][field].get("type") == "array")


def _require_fields(fields: dict[str, Any], required: list[str]) -> None:
    missing = [name for name in required if name not in fields]
    if missing:
        message = f"missing argument: {' and '.join(missing)}"
        raise BadCall("invalid_args", message, f"give {', '.join(required)}")


def require_known(fields: Iterable[str], known: Collection[str], message: str = "unknown argument:") -> None:
    """Raise ``BadCall`` (``invalid_args``) if there are arguments with unknown names."""
    for name in fields:
        if name not in known:
            near = suggest_field(name, known)
            hint = (f"did you mean {near}? " if near else "") + f"it takes {', '.join(known) or 'nothing'}"
            raise BadCall("invalid_args", f"{message} {name}", hint)


class FileTrackers:
    """Trackers of the files that agents have read, one for each agent and repository."""

    def __init__(self) -> None:
        self._trackers: dict[tuple[str, str], FileTracker] = {}
        self._lock = threading.Lock()

    def tracker_of(self, root: str, agent: str) -> FileTracker:
        with self._lock:
            return self._trackers.setdefault((root, agent), FileTracker())
