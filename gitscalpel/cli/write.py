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

        text = edit.text_from(given, "content")
        raw = text.encode("utf-8", "surrogateescape")
        content = {"content_b64": base64.b64encode(raw).decode("ascii")}
        if given.content is not None and text == raw.decode("utf-8", "replace"):
            content = {"content": text}  # characters; what comes from elsewhere are bytes
        return {
            "path": target.from_root(given.path, repo),
            **content,
            "overwrite": given.overwrite,
            "mode": given.mode,
        }

    edit.one("write", given, build)
