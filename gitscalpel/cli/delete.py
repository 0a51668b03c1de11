"""Remove a definition, a selector's match or a line range."""

from __future__ import annotations

from typing import Annotated

import typer

from gitscalpel.cli import edit, target


def command(
    where: edit.Target,
    safe: Annotated[bool, typer.Option("--safe", help="Refuse while the name is still used.")] = False,
    fill: Annotated[
        str | None, typer.Option(help="What takes the place of a block's last statement: pass.")
    ] = None,
    query: edit.Query = None,
    match: edit.Match = None,
    kind: edit.Kind = None,
    expect: edit.Expect = None,
    base: edit.Base = None,
    message: edit.Message = None,
    onto: edit.Onto = None,
    dry_run: edit.DryRun = False,
    no_land: edit.NoLand = False,
    json: edit.Json = False,
) -> None:
    edit.one(
        "delete",
        lambda repo: {
            **target.read(where, repo, query, match),
            "safe": safe,
            "fill": fill,
            "kind": kind,
            "expect": expect,
            "base": base,
        },
        json=json, dry_run=dry_run, no_land=no_land, message=message, onto=onto,
    )  # fmt: skip
