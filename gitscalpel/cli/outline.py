"""List the symbols of files and folders."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from gitscalpel import FileOutline
from gitscalpel.cli import options, output, target
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    parser.add_argument("paths", metavar="PATH", nargs="+", help="Files or folders.")
    options.place(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        found = output.place(repo, given).outline(target.from_root(path, repo) for path in given.paths)
    text = "\n".join(line for file in found for line in _lines(file))
    output.answer("outline", msgspec.to_builtins(found), text, given.json)


def _lines(file: FileOutline) -> Iterator[str]:
    yield f"{file.path} ({file.language})"
    pending = [(symbol, 1) for symbol in reversed(file.symbols)]
    while pending:
        symbol, depth = pending.pop()
        first, last = symbol.span
        yield f"{'  ' * depth}{symbol.name}  {symbol.kind}  {first}-{last}  {symbol.hash}"
        pending += [(child, depth + 1) for child in reversed(symbol.children)]
