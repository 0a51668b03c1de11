"""Create a file, with its folders; --overwrite replaces one."""

from __future__ import annotations

from typing import Any

from gitscalpel import Repository
from gitscalpel.cli import edit, options, target
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.path(parser, "The file to create.")
    options.text(parser, "content", "Its content", "code")
    parser.add_argument("--overwrite", action="store_true", help="Replace the file if it exists.")
    parser.add_argument("--mode", choices=("100644", "100755"), help="For programs: 100755.")
    options.edit(parser)


def command(given: Given) -> None:
    def build(repo: Repository) -> dict[str, Any]:
        import base64

        raw = edit.text_from(given, "content").encode("utf-8", "surrogateescape")
        return {
            "path": target.from_root(given.path, repo),
            "content_b64": base64.b64encode(raw).decode("ascii"),
            "overwrite": given.overwrite,
            "mode": given.mode,
        }

    edit.one("write", given, build)
