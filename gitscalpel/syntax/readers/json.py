"""JSON as Python's library reads it: one value, and no control characters within strings."""

from __future__ import annotations

from json import JSONDecodeError, JSONDecoder

from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.readers import jsonc
from gitscalpel.syntax.readers.said import Refusal, Unread

# Numbers are not made, since they may be of any length.


def _refuse_constant(name: str) -> None:
    """Refuse the numbers that Python's reader takes and JSON does not have.

    Raises:
        ValueError: always.
    """
    raise ValueError(f"JSON has no {name}")


_DECODER = JSONDecoder(parse_int=len, parse_float=len, parse_constant=_refuse_constant)


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
    except ValueError as error:
        return Refusal(1, 1, str(error))
    return None
