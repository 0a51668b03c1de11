"""Create a file, with its folders; --overwrite replaces one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gitscalpel.cli import edit, target
from gitscalpel.git.repository import Repository


def command(
    path: Annotated[str, typer.Argument(metavar="PATH", help="The file to create.")],
    content: Annotated[
        str | None, typer.Option("--content", help="Its content; else --content-file or standard input.")
    ] = None,
    content_file: Annotated[Path | None, typer.Option("--content-file", metavar="FILE")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file if it exists.")] = False,
    mode: Annotated[str | None, typer.Option(help="100644 or 100755.")] = None,
    expect: edit.Expect = None,
    base: edit.Base = None,
    message: edit.Message = None,
    onto: edit.Onto = None,
    dry_run: edit.DryRun = False,
    no_land: edit.NoLand = False,
    json: edit.Json = False,
) -> None:
    def build(repo: Repository) -> dict[str, Any]:
        import base64

        raw = edit.code_from(content, content_file, "content").encode("utf-8", "surrogateescape")
        return {
            "path": target.from_root(path, repo),
            "content_b64": base64.b64encode(raw).decode("ascii"),
            "overwrite": overwrite,
            "mode": mode,
            "expect": expect,
            "base": base,
        }

    edit.one("write", build, json=json, dry_run=dry_run, no_land=no_land, message=message, onto=onto)
