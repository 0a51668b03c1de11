"""New code under another name: first the definition is renamed everywhere, then it is replaced."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from gitscalpel.edit import relocate
from gitscalpel.edit.source import Source
from gitscalpel.edit.symbols.locate import locate
from gitscalpel.operations import Rename, Replace
from gitscalpel.snapshot import Overlay
from gitscalpel.syntax.resolve import address_of


def renaming(
    op: Replace, source: Source, overlay: Overlay, name: str
) -> tuple[Rename, Callable[[Source], Replace]]:
    """The rename, and what remains to be replaced in the file that it leaves.

    Args:
        op: whose code has another name than what it addresses.
        source: the file.
        overlay: the files.
        name: the other name.
    """
    base = relocate.seen(op, source, overlay)
    target = locate(op, source) if base is None else relocate.place(op, base, source)
    at = next(n for n, each in enumerate(source.outline.walk()) if each is target)

    def then(after: Source) -> Replace:
        renamed = next(each for n, each in enumerate(after.outline.walk()) if n == at)
        gone = dict.fromkeys(("query", "node", "match", "kind", "expect", "base"))
        return msgspec.structs.replace(op, symbol=address_of(after.outline, renamed), **gone)

    return Rename(path=source.path, symbol=address_of(source.outline, target), to=name), then
