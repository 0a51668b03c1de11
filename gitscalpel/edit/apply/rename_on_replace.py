"""Rename a definition and its members everywhere when its new code gives them other names."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.changesets.operations import Rename, Replace
from gitscalpel.edit.source import Edit, Source
from gitscalpel.edit.symbols import address_resolution
from gitscalpel.edit.symbols.address_resolution import locate
from gitscalpel.syntax.addresses import address_of
from gitscalpel.syntax.symbol_changes import Evidence, changes


def plan_rename(
    op: Replace, source: Source, overlay: Overlay, name: str
) -> tuple[Rename, Callable[[Source], Replace]]:
    """The rename, and what remains to be replaced in the file that it leaves.

    Args:
        op: whose code has another name than what it addresses.
        source: the file.
        overlay: the files.
        name: the other name.
    """
    base = address_resolution.base_source(op, source, overlay)
    target = locate(op, source) if base is None else address_resolution.relocate_symbol(op, base, source)
    at = next(n for n, each in enumerate(source.outline.walk()) if each is target)

    def then(after: Source) -> Replace:
        renamed = next(each for n, each in enumerate(after.outline.walk()) if n == at)
        gone = dict.fromkeys(("query", "node", "match", "kind", "expect", "base"))
        return msgspec.structs.replace(op, symbol=address_of(after.outline, renamed), **gone)

    return Rename(path=source.path, symbol=address_of(source.outline, target), to=name), then


def iter_member_renames(source: Source, edit: Edit) -> Iterator[Rename]:
    """Yield the renames of members that new code for a definition shows, each parent before its members.

    Uses do not follow a member whose body says something else: that may be another one.

    Args:
        source: the file, in which the definition has its new name already.
        edit: the new code in its place.
    """
    intents = changes(source.judged, source.edited(edit).judged, Evidence(by_place=True, is_strict=True))
    given: tuple[tuple[str, str], ...] = ()
    for each in intents:
        if each.kind == "rename" and each.to is not None and each.defines:
            symbol = Evidence(given).path_after(each.symbol)
            given = (*given, (symbol, each.to))
            yield Rename(path=source.path, symbol=symbol, to=each.to.rpartition(".")[2])
