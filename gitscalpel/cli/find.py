"""Find definitions and other nodes by a selector, such as class[name=A] > method."""

from __future__ import annotations

import msgspec

from gitscalpel.cli import options, output, target
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    parser.add_argument(
        "selector", metavar="SELECTOR", help="Such as function:has(Return) or method[name^=test_]."
    )
    parser.add_argument("paths", metavar="PATH", nargs="*", help="Files or folders; the current one if none.")
    parser.add_argument("--limit", metavar="N", type=options.number, help="The first N matches only.")
    parser.add_argument("--no-code", action="store_true", help="Leave their text out of the JSON.")
    options.place(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        paths = [target.from_root(path, repo) for path in given.paths or ["."]]
        beyond = None if given.limit is None else given.limit + 1  # one more tells whether there are more
        found = output.place(repo, given).find(given.selector, paths, beyond, code=not given.no_code)
    matches = found[: given.limit]
    more = {} if given.limit is None else {"more": len(found) > len(matches)}
    lines = [f"{m.path}:{m.start_line}  {m.qualname}  {m.kind}" for m in matches]
    warnings = [f"there are more than these {len(matches)}"] if more.get("more") else []
    data = {"matches": msgspec.to_builtins(matches), **more}
    output.answer("find", data, "\n".join(lines), given.json, page=True, warnings=warnings)
