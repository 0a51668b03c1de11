"""Show a file, a symbol or lines, with line hashes and a content hash to edit by."""

from __future__ import annotations

from typing import Annotated

import typer

from gitscalpel import look
from gitscalpel.cli import edit, output, target
from gitscalpel.text.anchors import parse_range
from gitscalpel.workspace import Workspace, is_dirty


def command(
    where: edit.Target,
    kind: edit.Kind = None,
    checkout: Annotated[
        bool, typer.Option("--checkout", help="The file on disk, not on the branch.")
    ] = False,
    onto: edit.Onto = None,
    json: edit.Json = False,
) -> None:
    with Workspace() as ws:
        address = target.read(where, ws.repo)
        goal = ws.target(onto)
        file = look.File(ws, goal, address["path"], checkout)
        lines = parse_range(address["start"]) if "start" in address else None
        data = look.show(file, address.get("symbol"), kind, lines)
        data["dirty"] = is_dirty(ws, goal, file.path)
    text = "\n".join(f"{row['n']}:{row['hash']}| {row['text']}" for row in data["lines"])
    note = (
        ["the file on disk has uncommitted changes; --checkout shows it"]
        if data["dirty"] and not checkout
        else []
    )
    output.answer("show", data, text, json, warnings=note)
