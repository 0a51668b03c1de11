"""Replace, insert at or delete lines: PATH:42, PATH:42-55, with or without line hashes."""

from __future__ import annotations

from typing import Annotated

import typer

from gitscalpel.cli import edit, target
from gitscalpel.errors import BadCall


def command(
    where: Annotated[str, typer.Argument(metavar="PATH:LINES", help="For example app.py:42-55.")],
    code: edit.Code = None,
    code_file: edit.CodeFile = None,
    before: Annotated[bool, typer.Option("--before", help="Insert before the first of these lines.")] = False,
    after: Annotated[bool, typer.Option("--after", help="Insert after the last of these lines.")] = False,
    delete: Annotated[bool, typer.Option("--delete", help="Delete these lines.")] = False,
    verbatim: Annotated[bool, typer.Option("--verbatim", help="Write the code as it comes.")] = False,
    relocate: Annotated[
        bool, typer.Option("--relocate", help="Follow a line that moved, by its hash.")
    ] = False,
    expect: edit.Expect = None,
    base: edit.Base = None,
    message: edit.Message = None,
    onto: edit.Onto = None,
    dry_run: edit.DryRun = False,
    no_land: edit.NoLand = False,
    json: edit.Json = False,
) -> None:
    if before + after + delete > 1:
        raise BadCall(
            "invalid_position", "--before, --after and --delete exclude each other", "give one of them"
        )
    edit.one(
        "lines",
        lambda repo: {
            **target.read(where, repo),
            "code": "" if delete else edit.code_from(code, code_file),
            "position": "before" if before else "after" if after else None,
            "verbatim": verbatim,
            "relocate": relocate,
            "expect": expect,
            "base": base,
        },
        json=json, dry_run=dry_run, no_land=no_land, message=message, onto=onto,
    )  # fmt: skip
