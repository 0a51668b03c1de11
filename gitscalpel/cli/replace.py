"""Replace a definition, a selector's match or a line range by new code."""

from __future__ import annotations

from typing import Annotated

import typer

from gitscalpel.cli import edit, target


def command(
    where: edit.Target,
    code: edit.Code = None,
    code_file: edit.CodeFile = None,
    query: edit.Query = None,
    match: edit.Match = None,
    kind: edit.Kind = None,
    lead: Annotated[
        str, typer.Option(help="Decorators, comments and export words: auto, keep or drop.")
    ] = "auto",
    expect: edit.Expect = None,
    base: edit.Base = None,
    message: edit.Message = None,
    onto: edit.Onto = None,
    dry_run: edit.DryRun = False,
    no_land: edit.NoLand = False,
    json: edit.Json = False,
) -> None:
    edit.one(
        "replace",
        lambda repo: {
            **target.read(where, repo, query, match),
            "code": edit.code_from(code, code_file),
            "kind": kind,
            "lead": lead,
            "expect": expect,
            "base": base,
        },
        json=json, dry_run=dry_run, no_land=no_land, message=message, onto=onto,
    )  # fmt: skip
