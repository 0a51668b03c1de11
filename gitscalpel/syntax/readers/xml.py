"""XML as expat reads it: every tag that is opened is closed, and no attribute stands there twice.

Of other things that expat dislikes nothing is said: templates, fragments and entities of a document type
that lies elsewhere are XML for those who write them.
"""

from __future__ import annotations

from xml.parsers import expat

from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.readers.said import LARGE, Refusal, Unread

_WRONG = frozenset(
    expat.errors.codes[words]
    for words in (expat.errors.XML_ERROR_DUPLICATE_ATTRIBUTE, expat.errors.XML_ERROR_TAG_MISMATCH)
)


def read(syntax: Syntax, raw: bytes) -> Refusal | Unread | None:
    """See :func:`gitscalpel.syntax.readers.read`."""
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
