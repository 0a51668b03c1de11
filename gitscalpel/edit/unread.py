"""``insert`` with a path alone into a file whose language is not known: lines at its beginning or end."""

from __future__ import annotations

from gitscalpel.changesets.operations import Insert
from gitscalpel.edit.source import Edit, Source
from gitscalpel.text import endings
from gitscalpel.text.splice import Splice


def insert(op: Insert, source: Source) -> Edit:
    """Lines as they came, below a ``#!`` line, or below the last line; nothing parts them from the rest.

    Raises:
        DoesNotFit: ``unencodable``.
    """
    text, code = source.text, endings.trim(op.code.encode("utf-8", "surrogateescape"))
    at = len(text)
    if op.position == "first":
        at = text.find(b"\n") + 1 or at if text.startswith(b"#!") else 0
    ends_here = text and not text.endswith(b"\n") and at == len(text)
    before, after = (b"\n", b"") if ends_here else (b"", b"\n")
    new = endings.fit(before + code + after, source.document, at, at)
    return Edit((Splice(at, at, new),), (at, at), margins=endings.margins(new, before, after))
