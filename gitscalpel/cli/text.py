"""Find and replace text in a file."""

from __future__ import annotations

from typing import Annotated

import typer

from gitscalpel.cli import edit, target


def command(
    path: Annotated[str, typer.Argument(metavar="PATH", help="The file.")],
    old: Annotated[str, typer.Option("--old", help="The text to find; it must be unique.")],
    new: Annotated[str, typer.Option("--new", help="What takes its place.")],
    all_: Annotated[bool, typer.Option("--all", help="Replace every occurrence.")] = False,
    regex: Annotated[bool, typer.Option("--regex", help="--old is a regular expression of Python.")] = False,
    count: Annotated[int | None, typer.Option(help="How many occurrences there must be.")] = None,
    occurrence: Annotated[
        list[int] | None, typer.Option(help="Which one to replace, from 0; may be repeated.")
    ] = None,
    expect: edit.Expect = None,
    base: edit.Base = None,
    message: edit.Message = None,
    onto: edit.Onto = None,
    dry_run: edit.DryRun = False,
    no_land: edit.NoLand = False,
    json: edit.Json = False,
) -> None:
    edit.one(
        "text",
        lambda repo: {
            "path": target.from_root(path, repo),
            "old": old,
            "new": new,
            "all": all_,
            "regex": regex,
            "count": count,
            "occurrences": occurrence or None,
            "expect": expect,
            "base": base,
        },
        json=json, dry_run=dry_run, no_land=no_land, message=message, onto=onto,
    )  # fmt: skip
