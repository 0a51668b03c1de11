"""List the symbols of files and folders."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import UNSET

from gitscalpel import FileOutline, SymbolTree
from gitscalpel.cli import options, output, target
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    parser.add_argument("paths", metavar="PATH", nargs="+", help="Files or folders.")
    parser.add_argument("--depth", metavar="N", type=options.number, help="Only the first N levels.")
    options.place(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        found = output.place(repo, given).outline(target.from_root(path, repo) for path in given.paths)
    if given.depth is not None:
        found = [msgspec.structs.replace(file, symbols=_cut(file.symbols, given.depth)) for file in found]
    text = "\n".join(line for file in found for line in _lines(file))
    output.answer("outline", msgspec.to_builtins(found), text, given.json, page=True)


def _cut(symbols: tuple[SymbolTree, ...], depth: int) -> tuple[SymbolTree, ...]:
    """The first levels of trees."""
    if not depth:
        return ()
    return tuple(msgspec.structs.replace(s, children=_cut(s.children, depth - 1)) for s in symbols)


def _lines(file: FileOutline) -> Iterator[str]:
    known = file.language or "no symbols are known in it"
    yield f"{file.path} ({known})" if file.unread is UNSET else f"{file.path}: not read: {file.unread}"
    pending = [(symbol, 1) for symbol in reversed(file.symbols)]
    while pending:
        symbol, depth = pending.pop()
        first, last = symbol.span
        yield f"{'  ' * depth}{symbol.address}  {symbol.kind}  {first}-{last}  {symbol.hash}"
        pending += [(child, depth + 1) for child in reversed(symbol.children)]
