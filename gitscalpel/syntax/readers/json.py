"""JSON as Python's library reads it: one value, and no control characters within strings."""

from __future__ import annotations

from json import JSONDecodeError, JSONDecoder

from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.readers import jsonc
from gitscalpel.syntax.readers.said import Refusal, Unread

# Numbers are not made, since they may be of any length.
_DECODER = JSONDecoder(parse_int=len, parse_float=len)


def read(syntax: Syntax, raw: bytes) -> Refusal | Unread | None:
    """See :func:`gitscalpel.syntax.readers.read`; an empty file waits for its content."""
    try:
        text = syntax.text.decode("utf-8")
        if text.strip():
            _DECODER.decode(text)
    except JSONDecodeError as error:
        if syntax.of_type("comment"):
            return jsonc.read(syntax, raw) or Unread("it has comments, as some readers of JSON allow")
        return Refusal(error.lineno, error.colno, error.msg)
    except UnicodeDecodeError:
        return Unread("it is not UTF-8")
    except RecursionError:
        return Unread("it nests too deeply")
    return None
