"""The symbols of files and folders, each by the address that can be given, and the lines to fold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec
from msgspec import UNSET

from gitscalpel.changesets.answers import FileOutline, FoldingRow, SymbolTree, shown
from gitscalpel.verbs.asked import Count, Looking, said
from gitscalpel.verbs.reply import Caller, Reply, Words, plain

Answer = list[FileOutline]


class Request(Looking, frozen=True, kw_only=True):
    """What to outline."""

    paths: Annotated[tuple[str, ...], said("Files or folders.", "PATH", place=True, path=True)]
    depth: Annotated[Count | None, said("Only the first N levels.", "N")] = None
    folding: Annotated[
        bool,
        said("List the lines to fold: definitions, blocks, imports, comments, regions."),
    ] = False


def perform(caller: Caller, asked: Request) -> Reply:
    """List symbols."""
    found: Answer = caller.place(asked).outline(asked.paths, folding=asked.folding)
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
    if file.folding is not UNSET:
        yield from _folding_lines(file.folding)
        return
    pending = [(symbol, 1) for symbol in reversed(file.symbols)]
    while pending:
        symbol, depth = pending.pop()
        first, last = symbol.span
        yield f"{'  ' * depth}{symbol.address}  {symbol.kind}  {first}-{last}" + (
            f"  {symbol.hash}" if hashes else ""
        )
        pending += [(child, depth + 1) for child in reversed(symbol.children)]


def _folding_lines(rows: tuple[FoldingRow, ...]) -> Iterator[str]:
    """Yield a line for each range, indented by the ranges around it."""
    around: list[int] = []
    for row in rows:
        while around and around[-1] < row.last:
            around.pop()
        named = row.address or row.name or ""
        yield f"{'  ' * (len(around) + 1)}{row.first}-{row.last}  {row.kind}  {named}".rstrip()
        around.append(row.last)
