"""Readers of JSON, JSON with comments, TOML, INI, XML and HTML: what their grammars let pass.

JSON is one value without control characters in strings, TOML defines no key or table twice, and in INI a
line that begins like a section header is one. XML is read by expat, for unclosed tags and repeated
attributes only: templates, fragments and entities of an external document type are XML to their authors.
Browsers accept nearly any HTML, but not a file that ends within a tag, comment or script, which would
lose the rest of the page (parse errors ``eof-in-tag``, ``eof-in-comment`` and
``eof-in-script-html-comment-like-text`` of the HTML standard).
"""

from __future__ import annotations

import re
import sys
from json import JSONDecodeError, JSONDecoder
from xml.parsers import expat

from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.validators import LARGE, Refusal, Unread


def read_jsonc(syntax: Syntax, raw: bytes) -> Refusal | Unread | None:
    """See :func:`gitscalpel.syntax.validators.validate`; an empty file waits for its content."""
    del raw
    values = [node for node in syntax.root.named_children if not node.is_extra]
    if len(values) < 2:
        return None
    row, column = values[1].start_point
    return Refusal(row + 1, column + 1, "a second value stands below the first")


# Numbers are not made, since they may be of any length.


def _refuse_constant(name: str) -> None:
    """Refuse the numbers that Python's reader takes and JSON does not have.

    Raises:
        ValueError: always.
    """
    raise ValueError(f"JSON has no {name}")


_DECODER = JSONDecoder(parse_int=len, parse_float=len, parse_constant=_refuse_constant)


def read_json(syntax: Syntax, raw: bytes) -> Refusal | Unread | None:
    """See :func:`gitscalpel.syntax.validators.validate`; an empty file waits for its content."""
    try:
        text = syntax.text.decode("utf-8")
        if text.strip():
            _DECODER.decode(text)
    except JSONDecodeError as error:
        if syntax.of_type("comment"):
            return read_jsonc(syntax, raw) or Unread("it has comments, as some readers of JSON allow")
        return Refusal(error.lineno, error.colno, error.msg)
    except UnicodeDecodeError:
        return Unread("it is not UTF-8")
    except RecursionError:
        return Unread("it nests too deeply")
    except ValueError as error:
        return Refusal(1, 1, str(error))
    return None


if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)\Z")


def read_toml(syntax: Syntax, raw: bytes) -> Refusal | Unread | None:
    """See :func:`gitscalpel.syntax.validators.validate`."""
    if len(raw) > LARGE:
        return Unread("it is too large for a reader")
    try:
        text = syntax.text.decode("utf-8")
        tomllib.loads(text, parse_float=len)
    except UnicodeDecodeError:
        return Unread("it is not UTF-8")
    except tomllib.TOMLDecodeError as error:
        words = str(error)
        place = _PLACE.search(words)
        last = text.count("\n") + (not text.endswith("\n"))  # what is found at the end has no place
        line, column = (int(place[1]), int(place[2])) if place else (last, 1)
        return Refusal(line, column, _PLACE.sub("", words))
    except RecursionError:
        return Unread("it nests too deeply")
    except ValueError:  # a number that is too long for Python
        return None
    return None


_UNCLOSED = re.compile(rb"(?<!\\\n)^\[[^\]\n]*$", re.MULTILINE)


def read_ini(syntax: Syntax, _: bytes) -> Refusal | Unread | None:
    """See :func:`gitscalpel.syntax.validators.validate`."""
    found = _UNCLOSED.search(syntax.text)
    if found is None:
        return None
    return Refusal(
        syntax.text.count(b"\n", 0, found.start()) + 1, 1, "the header of the section is not closed"
    )


_WRONG = frozenset(
    expat.errors.codes[words]
    for words in (expat.errors.XML_ERROR_DUPLICATE_ATTRIBUTE, expat.errors.XML_ERROR_TAG_MISMATCH)
)


def read_xml(syntax: Syntax, raw: bytes) -> Refusal | Unread | None:
    """See :func:`gitscalpel.syntax.validators.validate`."""
    if len(raw) > LARGE:
        return Unread("it is too large for a reader")
    try:
        return _refusal(raw, None)
    except (ValueError, LookupError):  # an encoding that expat does not know
        return _refusal(syntax.text, "utf-8")


def _refusal(text: bytes, encoding: str | None) -> Refusal | None:
    try:
        expat.ParserCreate(encoding).Parse(text, True)
    except expat.ExpatError as error:
        if error.code in _WRONG:
            return Refusal(error.lineno, error.offset + 1, expat.ErrorString(error.code))
    return None


_TOKENS = re.compile(
    rb"<!--(?:-?>|(?s:.*?)--!?>|(?P<comment>))"
    rb"|<%(?s:.*?)%>|<\?(?s:.*?)(?:\?>|\Z)|\{\{(?s:.*?)\}\}|\{%(?s:.*?)%\}"
    rb"|<(?P<raw>script|style|textarea|title|xmp|iframe|noembed|noframes)\b(?:\"[^\"]*\"|'[^']*'|[^>\"'])*>"
    rb"(?:(?s:.*?)</(?P=raw)\s*[^>]*>|(?P<raw_end>))"
    rb"|</?[a-zA-Z](?:\{\{(?s:.*?)\}\}|\{%(?s:.*?)%\}|<[%?](?s:.*?)[%?]>|=\s*\"[^\"]*\"|=\s*'[^']*'|[^>])*(?P<tag>>|\Z)"
)
_CLOSED = re.compile(rb"/>\s*\Z")
_UNCLOSED_HTML = {
    "comment": "the comment is not closed",
    "raw_end": "the element is not closed",
    "tag": "the tag is not closed",
}


def read_html(syntax: Syntax, raw: bytes) -> Refusal | Unread | None:
    """See :func:`gitscalpel.syntax.validators.validate`."""
    if len(raw) > LARGE:
        return Unread("it is too large for a reader")
    for found in _TOKENS.finditer(syntax.text.lower()):
        group = next((name for name in _UNCLOSED_HTML if found[name] == b""), None)
        if group is None or (group == "raw_end" and _CLOSED.search(found[0])):
            continue
        start = found.start()
        line_start = syntax.text.rfind(b"\n", 0, start) + 1
        return Refusal(syntax.text.count(b"\n", 0, start) + 1, start - line_start + 1, _UNCLOSED_HTML[group])
    return None
