"""Show a file, a symbol or lines, with line hashes and a content hash to edit by."""

from __future__ import annotations

import msgspec

from gitscalpel.cli import options, output, target
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.target(parser)
    options.base(parser)
    parser.add_argument("--checkout", action="store_true", help="The file on disk, not on the branch.")
    options.place(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        view = output.place(repo, given)
        with target.meant(given.where, repo, lambda: view):
            shown = view.show(checkout=given.checkout, **target.read(given, repo))
    text = "\n".join(f"{line.n}:{line.hash}| {line.text}" for line in shown.lines)
    note = ["the file on disk has uncommitted changes; --checkout shows it"]
    warnings = note if shown.dirty and not given.checkout else []
    output.answer("show", msgspec.to_builtins(shown), text, given.json, page=True, warnings=warnings)
