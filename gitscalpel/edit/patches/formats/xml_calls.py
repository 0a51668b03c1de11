"""Tool calls that models write as XML if their interface has no other form: tags or named parameters.

Text between two tags is taken as it is. Only a CDATA section around all of it is decoded. A text that
begins below its tag is a block: the line endings at its tags do not belong to it, unless the other text
of the pair, old or new, has none.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

from gitscalpel.edit.patches.formats.patch_errors import patch_error

_NAMED = r"(?:antml:)?invoke\b[^<>]*?\sname=[\"'](?:\w+)[\"'][^<>]*"
_ATTRIBUTES = r"(?:\s[^<>]*)?"
_FIRST = (
    r"args|path|file|file_path|absolutePath|filePath|relative_path|name_path|symbol|target|target_name|"
    r"target_type|old_str|old_string|new_string|start_line|startLine|position|command"
)
"""Fields with which a call may begin."""
_BEGINNING = (
    r"<(?:" + _NAMED + r"|function=\w+|\w+" + _ATTRIBUTES + r">\s*<(?:" + _FIRST + r")" + _ATTRIBUTES + r")>"
)
_WRAPPER = r"(?:<(?:antml:)?function_calls>[ \t]*)?"
SIGN = re.compile(r"^[ \t]*" + _WRAPPER + _BEGINNING, re.MULTILINE)
_NEXT = re.compile(r"(?:\s*</(?:antml:)?function_calls>)?\s*(?=" + _WRAPPER + _BEGINNING + ")")
"""A further call, which may stand in the line in which another one ends."""
_TAG = re.compile(
    r"[ \t]*(?:<(?:antml:)?function_calls>[ \t]*)?<(?P<tag>\w+)(?P<attributes>" + _ATTRIBUTES + ")>"
)
_ATTRIBUTE = re.compile(r"\s(?P<name>\w+)\s*=\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)')")
_OPEN = re.compile(r"\s*<(?P<name>\w+)(?:\s(?:[^<>/]|/(?!>))*)?(?P<empty>/)?>")
_OPENING = (
    r"<(?:(?:antml:)?invoke\b[^<>]*?\sname=[\"'](?P<invoked>\w+)[\"'][^<>]*"
    r"|function=(?P<function>\w+)|(?P<tag>\w+))>"
)
_PARAMETERS = r"(?:\s*<(?:antml:)?parameter\b(?:(?!</(?:antml:)?parameter>).)*</(?:antml:)?parameter>)*\s*"
_CLOSING = r"</(?:(?:antml:)?invoke|function|(?P=tag))>"
_CALL = re.compile(
    # A call ends behind its last parameter, or where a line begins with its closing tag.
    r"[ \t]*(?:<(?:antml:)?function_calls>[ \t]*)?"
    + _OPENING
    + r"(?P<body>"
    + _PARAMETERS
    + r"|.*?^[ \t]*)"
    + _CLOSING,
    re.MULTILINE | re.DOTALL,
)
_PARAMETER = re.compile(
    r"<(?:antml:)?parameter\b(?:[^<>]*?\sname=[\"'](?P<name>\w+)[\"'][^<>]*|=(?P<other>\w+))>"
    r"(?P<value>.*?)</(?:antml:)?parameter>",
    re.DOTALL,
)
_FIELD = re.compile(r"^[ \t]*<(?P<name>\w+)>(?P<value>.*?)</(?P=name)>[ \t]*$", re.MULTILINE | re.DOTALL)
_CDATA = re.compile(r"\s*<!\[CDATA\[(.*)\]\]>\s*\Z", re.DOTALL)
_CLOSING_INDENT = re.compile(r"(\n)[ \t]+\Z")
"""Blanks before the closing tag of a block."""
_NUMBERS = ("insert_line", "expected_replacements")
_FLAGS = ("replace_all", "allow_multiple")
_WORDS = (
    *("path", "file", "file_path", "absolutePath", "filePath", "relative_path", "command"),
    *("symbol", "target", "target_name", "target_type", "name_path", "position", "start_line", "end_line"),
)
_OLD_OR_NEW = re.compile(r"(?i)(?:old|new)_?(?:str|string|text)|search|replace|needle|repl")
_WHOLE = ("content", "file_text")
"""The content of a whole file, which ends as its last line does."""


def iter_calls(text: str) -> Iterator[dict[str, Any]]:
    """Every call, as an object with the name of what is called and its arguments.

    Raises:
        DoesNotFit: ``patch_failed``, for one that does not end.
    """
    end = 0
    for begins in SIGN.finditer(text):
        if begins.start() < end:
            continue
        at: int | None = begins.start()
        while at is not None:
            end, found = _read_call(text, at)
            yield from found
            further = _NEXT.match(text, end)
            at = further.end() if further else None


def _read_call(text: str, at: int) -> tuple[int, list[dict[str, Any]]]:
    """Return the end of a call, and what it asks for.

    Raises:
        DoesNotFit: ``patch_failed``, for one that does not end.
    """
    call = _CALL.match(text, at)
    loose = None if call is not None and _is_block(call) else _parse_loosely(text, at)
    if loose is not None:
        end, name, given = loose
        return end, [{"name": name, "input": each} for each in _given(given)]
    if call is None:
        raise patch_error(f"the call {text[at:].split(maxsplit=1)[0]} does not end", "send all of it")
    name = call["tag"] or call["invoked"] or call["function"]
    if call["tag"] is not None:
        return call.end(), [{"name": name, "input": fields} for fields in _fields(call["body"])]
    found = ((each["name"] or each["other"], each["value"]) for each in _PARAMETER.finditer(call["body"]))
    return call.end(), [{"name": name, "input": _values(dict(found))}]


def _is_block(call: re.Match[str]) -> bool:
    """Return True if each field has lines of its own, or all of them are named parameters."""
    return call["tag"] is None or (call["body"][:1] in "\r\n" and not _FIELD.sub("", call["body"]).strip())


def _parse_loosely(text: str, at: int) -> tuple[int, str, dict[str, str]] | None:
    """Return the end, the name and the fields of a call in any layout.

    Returns:
        None if anything else than fields stands in it.
    """
    opening = _TAG.match(text, at)
    if opening is None or opening["tag"] == "invoke":
        return None
    found = _read_fields(text, opening.end(), opening["tag"], set())
    if found is None:
        return None
    end, fields = found
    attributes = (
        (each["name"], each["double"] or each["single"] or "")
        for each in _ATTRIBUTE.finditer(opening["attributes"])
    )
    named = {name: html.unescape(value) for name, value in attributes if re.fullmatch(_FIRST, name)}
    return end, opening["tag"], {**named, **fields}


def _read_fields(text: str, at: int, tag: str, failed_at: set[int]) -> tuple[int, dict[str, str]] | None:
    """Return the end of a call and its fields from ``at`` on; None if anything else stands there.

    A value ends at its closing tag, where a field or the end of the call follows that.
    """
    closing = re.compile(rf"\s*</{tag}>").match(text, at)
    if closing is not None:
        return closing.end(), {}
    field = _OPEN.match(text, at)
    if field is None or at in failed_at:
        return None
    begin = field.end()
    if field["empty"]:
        rest = _read_fields(text, begin, tag, failed_at)
        return rest and (rest[0], {field["name"]: "", **rest[1]})
    cdata = re.compile(r"\s*<!\[CDATA\[.*?\]\]>", re.DOTALL).match(text, begin)
    ends = re.compile(rf"</{field['name']}>(?=\s*(?:<\w+{_ATTRIBUTES}/?>|</{tag}>))")
    for end in ends.finditer(text, cdata.end() if cdata else begin):
        rest = _read_fields(text, end.end(), tag, failed_at)
        if rest is not None:
            return rest[0], {field["name"]: text[begin : end.start()], **rest[1]}
    failed_at.add(at)
    return None


def _given(fields: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the arguments of each call in fields; ``args``, and each ``file`` in that, hold those of one."""
    holder = next((name for name in ("args", "file") if "<" in fields.get(name, "")), None)
    if holder is None or (holder == "file" and "path" in fields):
        yield _values({name: _inner(value) for name, value in fields.items()})
        return
    inside = _read_fields(f"{fields[holder]}</{holder}>", 0, holder, set())
    yield from _given(inside[1]) if inside else _fields(fields[holder])


def _fields(body: str) -> Iterator[dict[str, Any]]:
    """The fields between tags; ``args`` and each ``file`` in it hold those of one call."""
    fields = {each["name"]: each["value"] for each in _FIELD.finditer(body)}
    if "args" in fields:
        yield from _fields(fields["args"])
    elif "<" in fields.get("file", "") and "path" not in fields:
        for each in _FIELD.finditer(body):
            if each["name"] == "file":
                yield from _fields(each["value"])
    else:
        yield _values({name: _inner(value) for name, value in fields.items()})


def _inner(value: str) -> str:
    """A diff may stand in a tag of its own inside."""
    inner = re.fullmatch(r"\s*<content>(.*)</content>\s*", value, re.DOTALL)
    return inner[1] if inner else value


def _values(fields: dict[str, str]) -> dict[str, Any]:
    """Return the fields of a call, which writes both its old and its new text as blocks, or none."""
    given = {name: _unwrap(written) for name, written in fields.items()}
    pair = [text for name, text in given.items() if text and _OLD_OR_NEW.fullmatch(name)]
    literal = any(text[0] not in "\r\n" for text in pair)
    return {
        name: _value(name, text, is_literal=literal and bool(_OLD_OR_NEW.fullmatch(name)))
        for name, text in given.items()
    }


def _unwrap(written: str) -> str:
    cdata = _CDATA.match(written)
    return cdata[1] if cdata else written


def _value(name: str, text: str, *, is_literal: bool) -> Any:
    if name in _NUMBERS and re.fullmatch(r"\s*\d{1,9}\s*", text):
        return int(text)
    if name in _FLAGS and text.strip().lower() in ("true", "false"):
        return text.strip().lower() == "true"
    if name in _WORDS:
        return text.strip()
    if text[:1] in ("\r", "\n") and not is_literal:
        text = _CLOSING_INDENT.sub(r"\1", text.removeprefix("\r").removeprefix("\n"))
        if name not in _WHOLE:
            text = text.removesuffix("\n").removesuffix("\r")
    return text
