"""Who still uses a name: by what it means where names are followed, else by the word.

The word knows no scopes, so it may name a use that means something else; a safe
delete refuses rather than guess.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.changesets.operations import Delete, Unused
from gitscalpel.edit import relocate
from gitscalpel.edit.source import Source
from gitscalpel.edit.symbols.locate import locate
from gitscalpel.errors import DoesNotFit
from gitscalpel.errors.messages import arg
from gitscalpel.syntax.addresses import address_of
from gitscalpel.syntax.symbols import Span, Symbol

if TYPE_CHECKING:
    from gitscalpel.edit.lowered import Lower, Read

_LISTED = 50
_NAMES = ("identifier", "constant", "name")
"""What grammars call a name."""


def resolved(
    op: Delete, source: Source, overlay: Overlay, read: Read, lower: Lower
) -> tuple[Delete, tuple[str, ...]]:
    """A safe delete of what nobody certainly uses, as a plain one, with what nobody can tell.

    Where names are not followed it stays as it is.

    Raises:
        DoesNotFit: ``referenced``, with the uses in ``data``.
    """
    base = relocate.seen(op, source, overlay)
    target = locate(op, source) if base is None else relocate.place(op, base, source)
    try:
        symbol = address_of(source.outline, target)
        found = lower(Unused(path=source.path, symbol=symbol), overlay, read)
    except DoesNotFit as error:
        if error.code not in ("unsupported_language", "symbol_not_found", "symbol_ambiguous"):
            raise
        return op, ()
    return msgspec.structs.replace(op, safe=False), found.unchecked


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
        raise referenced(target.qualname, uses, "; uses are found by name")


def referenced(name: str, uses: list[dict[str, Any]], how: str = "") -> DoesNotFit:
    """The refusal of a delete, with the uses that remain: path, line, text."""
    lines = [*dict.fromkeys(f"{use['path']}:{use['line']}" for use in uses)]
    places = ", ".join(lines[:5]) + (f" and {len(lines) - 5} more" if len(lines) > 5 else "")
    return DoesNotFit(
        "referenced",
        f"{name} is still used: {places}",
        f"change these first, or delete without {arg('safe')}{how}",
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
