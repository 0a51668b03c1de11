"""Apply a changeset (JSON) or a patch from a file or standard input: all of it, or none of it."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from gitscalpel import parse_request
from gitscalpel.cli import edit, options
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE|-",
        nargs="?",
        default="-",
        help="The changeset or patch; - is standard input. Patches: unified diff, SEARCH/REPLACE blocks, "
        "*** Begin Patch, fenced blocks with path= and lines= or base=; as JSON: str_replace and multi-edit "
        "calls, whole files with their base, LSP WorkspaceEdit, SARIF fixes, ast-grep matches, "
        "GitHub review comments with suggestions.",
    )
    options.whole(parser)


def command(given: Given) -> None:
    raw = sys.stdin.buffer.read() if given.file == "-" else edit.read(Path(given.file))
    request = parse_request(raw)
    if given.message:
        request = msgspec.structs.replace(request, message=given.message)
    edit.whole("apply", given, lambda _: request)
