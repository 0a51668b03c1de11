"""Open a transaction; edits with --tx go into it until it lands or is dropped."""

from __future__ import annotations

from contextlib import suppress

from gitscalpel import BadCall, ScalpelError
from gitscalpel.cli import edit, options, output, target
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    parser.add_argument("--adopt", action="store_true", help="Take the uncommitted changes of PATHS in.")
    parser.add_argument("paths", metavar="PATH", nargs="*", help="Files or folders, for --adopt.")
    parser.add_argument("--worktree", action="store_true", help="Lease a worktree for it at once.")
    options.message(parser)
    options.onto(parser)
    options.json(parser)


def command(given: Given) -> None:
    if given.adopt != bool(given.paths):
        raise BadCall("invalid_args", "--adopt and PATHS go together", "such as: begin --adopt src new.py")
    with output.opened() as repo:
        adopt = [target.from_root(path, repo) for path in given.paths]
        tx = repo.begin(given.message, onto=given.onto, adopt=adopt)
        if given.worktree:
            try:
                tx.worktree()
            except ScalpelError:
                with suppress(ScalpelError, OSError):
                    tx.forget()
                raise
        result = tx.result
    lines = [f"began {result.tx} for {result.target}", *edit.files(result)]
    lines += [f"worktree: {result.worktree}"] if result.worktree else []
    text = "\n".join([*lines, f"edit in it with: --tx {result.tx}"])
    following = [f"git scalpel land {result.tx}", f"git scalpel drop {result.tx}"]
    output.answer("begin", result.data(), text, given.json, following=following)
