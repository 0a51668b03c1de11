"""List the symbols of files and folders."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from gitscalpel import look
from gitscalpel.cli import edit, output, target
from gitscalpel.workspace import Workspace


def command(
    paths: Annotated[list[str], typer.Argument(metavar="PATH…", help="Files or folders.")],
    onto: edit.Onto = None,
    json: edit.Json = False,
) -> None:
    with Workspace() as ws:
        data = look.outline(ws, ws.target(onto), [target.from_root(path, ws.repo) for path in paths])
    output.answer("outline", data, "\n".join(line for file in data for line in _lines(file)), json)


def _lines(file: dict[str, Any]) -> list[str]:
    lines = [f"{file['path']} ({file['language']})"]
    pending = [(symbol, 1) for symbol in reversed(file["symbols"])]
    while pending:
        symbol, depth = pending.pop()
        first, last = symbol["span"]
        lines.append(f"{'  ' * depth}{symbol['name']}  {symbol['kind']}  {first}-{last}  {symbol['hash']}")
        pending += [(child, depth + 1) for child in reversed(symbol["children"])]
    return lines
