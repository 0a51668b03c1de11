"""INI files as all of their readers see them: what begins like the header of a section is one."""

from __future__ import annotations

import re

from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.readers.said import Refusal, Unread

_UNCLOSED = re.compile(rb"(?<!\\\n)^\[[^\]\n]*$", re.MULTILINE)


def read(syntax: Syntax, _: bytes) -> Refusal | Unread | None:
    """See :func:`gitscalpel.syntax.readers.read`."""
    found = _UNCLOSED.search(syntax.text)
    if found is None:
        return None
    return Refusal(
        syntax.text.count(b"\n", 0, found.start()) + 1, 1, "the header of the section is not closed"
    )
