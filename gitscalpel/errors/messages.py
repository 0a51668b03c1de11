"""Marks for fields and calls in messages, and suggestions for misspelled names.

A hint that names ``--overwrite`` helps no caller from Python, and a path from the root no user in a
subdirectory. So messages contain marks, which each front end replaces by its own spelling.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import msgspec

# Surrogates as markers. Text from outside contains none of these: neither UTF-8, nor JSON, nor the bytes of a
# name (these become U+DC80 to U+DCFF). So a caller's text is never taken for a mark, and no encoder writes
# one.
_FIELD, _CALL, _NEXT, _PLACE, _END = "\ud800", "\ud802", "\ud803", "\ud804", "\ud801"
_MARK = re.compile(f"([{_FIELD}{_CALL}{_PLACE}])([^{_END}]*){_END}")


class Action(msgspec.Struct, frozen=True):
    """A call that makes sense next, with the fields of its request. The value of a flag is True."""

    verb: str
    arguments: tuple[tuple[str, str | bool], ...] = ()

    def __str__(self) -> str:
        words = (name if value is True else f"{name}={value}" for name, value in self.arguments)
        return f"{_CALL}{_NEXT.join((self.verb, *words))}{_END}"


class Spelling(msgspec.Struct, frozen=True):
    """Functions with which a front end writes a field (its value may be empty), a call, and a path."""

    field: Callable[[str, str], str]
    call: Callable[[Action], str]
    place: Callable[[str], str] = shlex.quote


def arg(name: str, value: object = "") -> str:
    """Return a mark for a field of a request, for a message or hint."""
    return f"{_FIELD}{name}{f'={value}' if value != '' else ''}{_END}"


def place(path: str) -> str:
    """Return a mark for a path in a hint, as a word for a shell. ``path`` is relative to the root."""
    return f"{_PLACE}{path}{_END}"


def action(verb: str, **arguments: str | bool | None) -> Action:
    """Return a call of a command; arguments that are None or False are left out."""
    return Action(verb, tuple((name, value) for name, value in arguments.items() if value))


def call(verb: str, **arguments: str | bool | None) -> str:
    """Return a mark for a call of a command, for a message or hint."""
    return str(action(verb, **arguments))


def field_by_name(name: str, value: str) -> str:
    return f"{name} {value}" if value else name


def call_by_name(action: Action) -> str:
    arguments = ", ".join(f"{name}={value!r}" for name, value in action.arguments)
    return f"{action.verb.replace('-', '_')}({arguments})"


BY_NAME = Spelling(field_by_name, call_by_name)
MARKED = Spelling(arg, str, place)  # spelling that keeps the marks, for callers that spell them later


def spell(text: str, spelling: Spelling = BY_NAME) -> str:
    """Return ``text`` with each mark in the spelling of a front end."""
    if _END not in text:
        return text

    def spell_mark(match: re.Match[str]) -> str:
        if match[1] == _CALL:
            return spelling.call(_parse_action(match[2]))
        if match[1] == _PLACE:
            return spelling.place(match[2])
        name, _, value = match[2].partition("=")
        return spelling.field(name, value)

    return _MARK.sub(spell_mark, text)


def spell_all(value: Any, spelling: Spelling = BY_NAME) -> Any:
    """Return ``value`` with the marks in all of its texts spelled, or ``value`` itself without any mark."""
    if isinstance(value, str):
        return spell(value, spelling)
    if isinstance(value, (list, tuple)):
        items = [spell_all(item, spelling) for item in value]
        return type(value)(items) if _is_any_changed(value, items) and type(value) in (list, tuple) else value
    if isinstance(value, Mapping):
        items = [spell_all(item, spelling) for item in value.values()]
        return dict(zip(value, items, strict=True)) if _is_any_changed(value.values(), items) else value
    if isinstance(value, msgspec.Struct):
        fields = value.__struct_fields__
        fields_changed = {name: spell_all(getattr(value, name), spelling) for name in fields}
        fields_changed = {
            name: new for name, new in fields_changed.items() if new is not getattr(value, name)
        }
        return msgspec.structs.replace(value, **fields_changed) if fields_changed else value
    return value


def _is_any_changed(before: Iterable[Any], after: Iterable[Any]) -> bool:
    return any(new is not old for old, new in zip(before, after, strict=True))


def find_actions(text: str) -> tuple[Action, ...]:
    return tuple(_parse_action(found[2]) for found in _MARK.finditer(text) if found[1] == _CALL)


def _parse_action(words: str) -> Action:
    verb, *arguments = words.split(_NEXT)
    pairs = (word.partition("=") for word in arguments)
    return Action(verb, tuple((name, value if equals else True) for name, equals, value in pairs))


# Names that other tools use for our fields.
_FIELD_SYNONYMS = {
    **dict.fromkeys(("file", "filename", "file_path", "filepath"), ("path",)),
    **dict.fromkeys(("content", "text", "body", "new_code", "new_content", "replacement"), ("code", "new")),
    **dict.fromkeys(("old_str", "old_string", "search", "find", "pattern", "query"), ("old", "find")),
    **dict.fromkeys(("new_str", "new_string", "replace"), ("new", "code")),
    **dict.fromkeys(("name", "target", "function", "qualname"), ("symbol",)),
    **dict.fromkeys(("line", "lines", "range", "start_line"), ("start",)),
    **dict.fromkeys(("replace_all", "global"), ("all",)),
    **dict.fromkeys(("destination", "new_path", "dest", "to"), ("to_path", "to")),
    **dict.fromkeys(("new_name", "newName"), ("to",)),
    **dict.fromkeys(("after", "before"), ("position",)),
    "new": ("to", "code"),
    "old": ("symbol",),
    **dict.fromkeys(("id", "transaction", "transaction_id"), ("tx",)),
    **dict.fromkeys(("limit", "count", "max"), ("n", "limit")),
    **dict.fromkeys(("operations", "edits", "changes"), ("ops",)),
    **dict.fromkeys(("msg", "commit_message", "description"), ("message",)),
    **dict.fromkeys(("branch", "target_branch"), ("onto",)),
    **dict.fromkeys(("if_unused", "unless_used"), ("safe",)),
}
# Names that other tools use for our operations.
_OPERATION_SYNONYMS = {
    **dict.fromkeys(("edit", "str_replace", "replace_text", "search_replace", "substitute"), "text"),
    **dict.fromkeys(("update", "modify", "change", "rewrite"), "replace"),
    **dict.fromkeys(("add", "append", "insert_after", "insert_before"), "insert"),
    **dict.fromkeys(("create", "create_file", "new_file", "write_file"), "write"),
    **dict.fromkeys(("delete_file", "rm"), "remove"),
    **dict.fromkeys(("rename_file", "mv"), "move_file"),
    **dict.fromkeys(("diff", "apply_patch"), "patch"),
}
# Fields that identify an operation, the most specific first.
_OPERATION_BY_FIELD = {
    "old": "text",
    "diff": "patch",
    "content": "write",
    "start": "lines",
    "position": "insert",
    "code": "replace",
}


def suggest_field(field: str, known: Collection[str]) -> str:
    """Return the field of ``known`` that was probably meant. Empty if there is none."""
    synonym = next((name for name in _FIELD_SYNONYMS.get(field, ()) if name in known), "")
    if synonym:
        return synonym
    import difflib

    return next(iter(difflib.get_close_matches(field, known, 1, 0.7)), "")


def suggest_operation(item: Mapping[str, Any], known: Collection[str]) -> str:
    """Return the operation of ``known`` that was probably meant. Empty if there is none."""
    if "op" not in item:
        return next((name for field, name in _OPERATION_BY_FIELD.items() if field in item), "")
    import difflib

    word = str(item["op"])
    return _OPERATION_SYNONYMS.get(word) or next(iter(difflib.get_close_matches(word, known, 1)), "")
