"""Apply a changeset (JSON) from a file or standard input: all of it, or none of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from gitscalpel import transaction
from gitscalpel.cli import edit
from gitscalpel.errors import DoesNotFit
from gitscalpel.operations import parse_changeset
from gitscalpel.workspace import Workspace


def command(
    file: Annotated[
        str, typer.Argument(metavar="[FILE|-]", help="The changeset; - is standard input.")
    ] = "-",
    message: edit.Message = None,
    onto: edit.Onto = None,
    dry_run: edit.DryRun = False,
    no_land: edit.NoLand = False,
    json: edit.Json = False,
) -> None:
    changeset, operations = parse_changeset(_read(file))
    with Workspace() as ws:
        before = transaction.earlier(ws, changeset.request_id) if changeset.request_id else None
        staged = before or transaction.stage(
            ws,
            operations,
            ws.target(onto),
            message=message or changeset.message,
            request_id=changeset.request_id,
            allow_broken=changeset.allow_broken,
            dry_run=dry_run,
        )
        if not dry_run and not no_land and not staged.landed:
            staged = transaction.land(ws, staged)
    edit.tell("apply", staged, json)


def _read(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except FileNotFoundError:
        raise DoesNotFit(
            "file_not_found", f"{file} does not exist", "name a changeset, or - for standard input"
        ) from None
