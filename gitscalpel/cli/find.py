"""Find definitions by a selector, such as method[name=f]."""

from __future__ import annotations

from typing import Annotated

import typer

from gitscalpel import look
from gitscalpel.cli import edit, output, target
from gitscalpel.workspace import Workspace


def command(
    selector: Annotated[
        str,
        typer.Argument(metavar="SELECTOR", help="class, function or method with [name=…] or [qualname=…]."),
    ],
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH…", help="Files or folders; the current one if none."),
    ] = None,
    onto: edit.Onto = None,
    json: edit.Json = False,
) -> None:
    with Workspace() as ws:
        given = [target.from_root(path, ws.repo) for path in paths or ["."]]
        matches = look.find(ws, ws.target(onto), selector, given)
    lines = [f"{m['path']}:{m['start_line']}  {m['qualname']}  {m['kind']}" for m in matches]
    output.answer("find", {"matches": matches}, "\n".join(lines), json)
