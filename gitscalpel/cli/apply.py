"""Apply a changeset (JSON) from a file or standard input: all of it, or none of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from gitscalpel.cli import edit
from gitscalpel.errors import DoesNotFit
from gitscalpel.requests import parse_changeset
from gitscalpel.transaction import Request


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
    request = Request(
        operations=operations,
        message=message or changeset.message,
        request_id=changeset.request_id,
        allow_broken=changeset.allow_broken,
    )
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
