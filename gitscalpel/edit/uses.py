"""Who still uses a name: by the word, in the files of the same language family.

This knows no scopes, so it may name a use that means something else; a safe
delete refuses rather than guess.
"""

from __future__ import annotations

import re
from typing import Any

from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.phrases import arg
from gitscalpel.snapshot import Overlay
from gitscalpel.syntax.symbols import Span, Symbol

_LISTED = 50
_NAMES = ("identifier", "constant", "name")
"""What grammars call a name."""


def refuse_used(target: Symbol, source: Source, snapshot: Overlay) -> None:
    """Refuse the deletion of a definition whose name still stands in code elsewhere.

    Raises:
        DoesNotFit: ``referenced``, with the uses in ``data``.
    """
    uses = _uses(target.name, source, Span(target.outer, target.end))
    for path in snapshot.mentions(target.name):
        if path != source.path:
            other = Source.read(path, snapshot.content(path) or b"")
            uses += _uses(target.name, other, Span(0, 0))
    if uses:
        places = ", ".join(f"{use['path']}:{use['line']}" for use in uses[:5])
        more = f" and {len(uses) - 5} more" if len(uses) > 5 else ""
        raise DoesNotFit(
            "referenced",
            f"{target.qualname} is still used: {places}{more}",
            f"change these first, or delete without {arg('safe')}; uses are found by name",
            references=uses[:_LISTED],
            total=len(uses),
        )


def _uses(name: str, source: Source, apart: Span) -> list[dict[str, Any]]:
    """The identifiers of this name outside ``apart``."""
    word = name.encode("utf-8", "surrogateescape")
    text = source.text
    if word not in text or source.syntax is None:
        return []
    lines = text.split(b"\n")
    rows = []
    for found in re.finditer(re.escape(word), text):
        node = source.syntax.root.descendant_for_byte_range(*found.span())
        outside = not apart.start <= found.start() < apart.end
        if outside and node is not None and node.type.endswith(_NAMES) and node.text == word:
            row = node.start_point.row
            said = lines[row].decode("utf-8", "replace").strip()
            rows.append({"path": source.path, "line": row + 1, "text": said})
    return rows
