"""Apply a changeset (JSON) from a file or standard input: all of it, or none of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from gitscalpel.cli import edit
from gitscalpel.errors import DoesNotFit
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
    request = parse_changeset(_read(file))
    if message:
        request = msgspec.structs.replace(request, message=message)
    edit.whole("apply", lambda _: request, onto=onto, dry_run=dry_run, no_land=no_land, json=json)


def _read(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except FileNotFoundError:
        raise DoesNotFit(
            "file_not_found", f"{file} does not exist", "name a changeset, or - for standard input"
        ) from None
