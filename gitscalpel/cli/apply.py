"""Apply a changeset (JSON) from a file or standard input: all of it, or none of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from gitscalpel.cli import edit
from gitscalpel.requests import parse_changeset


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
    request = parse_changeset(sys.stdin.buffer.read() if file == "-" else edit.read(Path(file)))
    if message:
        request = msgspec.structs.replace(request, message=message)
    edit.whole("apply", lambda _: request, onto=onto, dry_run=dry_run, no_land=no_land, json=json)
