"""Remove a file."""

from __future__ import annotations

from typing import Annotated

import typer

from gitscalpel.cli import edit, target


def command(
    path: Annotated[str, typer.Argument(metavar="PATH", help="The file to remove.")],
    expect: edit.Expect = None,
    base: edit.Base = None,
    message: edit.Message = None,
    onto: edit.Onto = None,
    dry_run: edit.DryRun = False,
    no_land: edit.NoLand = False,
    json: edit.Json = False,
) -> None:
    edit.one(
        "remove",
        lambda repo: {"path": target.from_root(path, repo), "expect": expect, "base": base},
        json=json, dry_run=dry_run, no_land=no_land, message=message, onto=onto,
    )  # fmt: skip
