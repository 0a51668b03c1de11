"""Insert code beside a definition, or as first or last child of its body."""

from __future__ import annotations

from typing import Annotated

import typer

from gitscalpel.cli import edit, target
from gitscalpel.errors import BadCall


def command(
    where: edit.Target,
    before: Annotated[bool, typer.Option("--before", help="Above the target and its lead.")] = False,
    after: Annotated[bool, typer.Option("--after", help="Below the target (the default).")] = False,
    first: Annotated[bool, typer.Option("--first", help="As first child of its body.")] = False,
    last: Annotated[bool, typer.Option("--last", help="As last child of its body.")] = False,
    code: edit.Code = None,
    code_file: edit.CodeFile = None,
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
    chosen = {"before": before, "after": after, "first": first, "last": last}
    given = [name for name, on in chosen.items() if on]
    if len(given) > 1:
        raise BadCall("invalid_position", f"--{' and --'.join(given)} exclude each other", "give one of them")
    edit.one(
        "insert",
        lambda repo: {
            **target.read(where, repo, query, match),
            "position": given[0] if given else "after",
            "code": edit.code_from(code, code_file),
            "kind": kind,
            "expect": expect,
            "base": base,
        },
        json=json, dry_run=dry_run, no_land=no_land, message=message, onto=onto,
    )  # fmt: skip
