"""The symbols of files and folders, each by the address that can be given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec
from msgspec import UNSET

from gitscalpel.report import shown
from gitscalpel.verbs.asked import Count, Looking, said
from gitscalpel.verbs.reply import Caller, Reply, Words, plain
from gitscalpel.views import FileOutline, SymbolTree

Answer = list[FileOutline]


class Request(Looking, frozen=True, kw_only=True):
    """What to outline."""

    paths: Annotated[tuple[str, ...], said("Files or folders.", "PATH", place=True, path=True)]
    depth: Annotated[Count | None, said("Only the first N levels.", "N")] = None


def perform(caller: Caller, asked: Request) -> Reply:
    """List symbols."""
    found: Answer = caller.place(asked).outline(asked.paths)
    return worded(found if asked.depth is None else levels(found, asked.depth))


def worded(found: Answer, hashes: bool = True) -> Reply:
    """The answer that lists these symbols."""
    if not found:
        return Reply(found, lambda _: Words("no file there is in a language with symbols", aside=True))
    lines = (line for file in found for line in _lines(file, hashes))
    return Reply(found, plain("\n".join(lines), page=True))


def levels(found: Answer, depth: int) -> Answer:
    """The first levels of the symbols of files."""
    return [msgspec.structs.replace(file, symbols=_cut(file.symbols, depth)) for file in found]


def _cut(symbols: tuple[SymbolTree, ...], depth: int) -> tuple[SymbolTree, ...]:
    """The first levels of trees."""
    if not depth:
        return ()
    return tuple(msgspec.structs.replace(s, children=_cut(s.children, depth - 1)) for s in symbols)


def _lines(file: FileOutline, hashes: bool) -> Iterator[str]:
    known = file.language or "no symbols are known in it"
    path = shown(file.path)
    yield f"{path} ({known})" if file.unread is UNSET else f"{path}: not read: {file.unread}"
    pending = [(symbol, 1) for symbol in reversed(file.symbols)]
    while pending:
        symbol, depth = pending.pop()
        first, last = symbol.span
        yield f"{'  ' * depth}{symbol.address}  {symbol.kind}  {first}-{last}" + (
            f"  {symbol.hash}" if hashes else ""
        )
        pending += [(child, depth + 1) for child in reversed(symbol.children)]
