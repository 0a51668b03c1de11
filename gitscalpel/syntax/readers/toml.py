"""TOML as Python's library reads it: no key and no table stands there twice."""

from __future__ import annotations

import re
import sys

from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.readers.said import LARGE, Refusal, Unread

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)\Z")


def read(syntax: Syntax, raw: bytes) -> Refusal | Unread | None:
    """See :func:`gitscalpel.syntax.readers.read`."""
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
