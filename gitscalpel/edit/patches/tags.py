"""Reads the calls that models write as XML where their interface has no other: tags, or named parameters.

What stands between two tags is text as it is: nothing in it is decoded but a CDATA section around all. A
text that begins below its tag is a block, and the line endings at its tags are no part of it, but where the
other text of the pair, old or new, is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gitscalpel.edit.patches.refusals import failed
from gitscalpel.regex import lazy

_NAMED = r"(?:antml:)?invoke\b[^<>]*?\sname=[\"'](?:\w+)[\"'][^<>]*"
SIGN = lazy(
    r"^[ \t]*(?:<(?:antml:)?function_calls>[ \t]*)?"
    r"<(?:" + _NAMED + r"|function=\w+|\w+>\s*<(?:args|path|file_path|absolutePath|filePath))>",
    re.MULTILINE,
)
_OPENING = (
    r"<(?:(?:antml:)?invoke\b[^<>]*?\sname=[\"'](?P<invoked>\w+)[\"'][^<>]*"
    r"|function=(?P<function>\w+)|(?P<tag>\w+))>"
)
_PARAMETERS = r"(?:\s*<(?:antml:)?parameter\b(?:(?!</(?:antml:)?parameter>).)*</(?:antml:)?parameter>)*\s*"
_CLOSING = r"</(?:(?:antml:)?invoke|function|(?P=tag))>"
_CALL = lazy(
    # A call ends behind its last parameter, or where a line begins with its closing tag.
    r"[ \t]*(?:<(?:antml:)?function_calls>[ \t]*)?"
    + _OPENING
    + r"(?P<body>"
    + _PARAMETERS
    + r"|.*?^[ \t]*)"
    + _CLOSING,
    re.MULTILINE | re.DOTALL,
)
_PARAMETER = lazy(
    r"<(?:antml:)?parameter\b(?:[^<>]*?\sname=[\"'](?P<name>\w+)[\"'][^<>]*|=(?P<other>\w+))>"
    r"(?P<value>.*?)</(?:antml:)?parameter>",
    re.DOTALL,
)
_FIELD = lazy(r"^[ \t]*<(?P<name>\w+)>(?P<value>.*?)</(?P=name)>[ \t]*$", re.MULTILINE | re.DOTALL)
_CDATA = lazy(r"\s*<!\[CDATA\[(.*)\]\]>\s*\Z", re.DOTALL)
_NUMBERS = ("insert_line", "expected_replacements")
_FLAGS = ("replace_all", "allow_multiple")
_WORDS = ("path", "file_path", "absolutePath", "filePath", "command")
_OLD_OR_NEW = lazy(r"(?i)(?:old|new)_?(?:str|string|text)|search|replace|needle|repl")
_WHOLE = ("content", "file_text")
"""The content of a whole file, which ends as its last line does."""


def calls(text: str) -> Iterator[dict[str, Any]]:
    """Every call, as an object with the name of what is called and its arguments.

    Raises:
        DoesNotFit: ``patch_failed``, for one that does not end.
    """
    end = 0
    for begins in SIGN.finditer(text):
        if begins.start() < end:
            continue
        call = _CALL.match(text, begins.start())
        if call is None:
            raise failed(f"the call {begins[0].split()[0]} does not end", "send all of it")
        end = call.end()
        name = call["tag"] or call["invoked"] or call["function"]
        if call["tag"] is None:
            found = (
                (each["name"] or each["other"], each["value"]) for each in _PARAMETER.finditer(call["body"])
            )
            yield {"name": name, "input": _values(dict(found))}
        else:
            yield from ({"name": name, "input": fields} for fields in _fields(call["body"]))


def _fields(body: str) -> Iterator[dict[str, Any]]:
    """The fields between tags; ``args`` and each ``file`` in it hold those of one call."""
    fields = {each["name"]: each["value"] for each in _FIELD.finditer(body)}
    if "args" in fields:
        yield from _fields(fields["args"])
    elif "file" in fields and "path" not in fields:
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
        text = text.removeprefix("\r").removeprefix("\n")
        if name not in _WHOLE:
            text = text.removesuffix("\n").removesuffix("\r")
    return text
