"""Land what a command does to the files: run -- black src. It runs in a worktree, not in your checkout."""

from __future__ import annotations

from gitscalpel import BadCall, DoesNotFit, Repository, Result
from gitscalpel.cli import edit, options, output
from gitscalpel.cli.parser import Given, Parser

TRAILING = True


def arguments(parser: Parser) -> None:
    parser.epilog = "What follows -- is the command. A failing one lands nothing."
    parser.add_argument(
        "--ok-status",
        metavar="N",
        type=int,
        action="append",
        default=[0],
        help="An exit status that is a success as well; may be repeated.",
    )
    options.whole(parser)


def command(given: Given) -> None:
    if not given.rest:
        raise BadCall("invalid_args", "there is no command", "put it behind --: git scalpel run -- black src")
    with output.opened() as repo:
        try:
            result = _done(repo, given)
        except DoesNotFit as error:
            if error.code != "no_change":
                raise
            # A formatter that finds nothing to do has succeeded.
            data = {"tx": given.tx, "state": "unchanged", "landed": None, "diff": "", "files": []}
            output.answer("run", data, error.message, given.json)
            return
    edit.tell("run", result, given)


def _done(repo: Repository, given: Given) -> Result:
    tx = output.transaction(repo, given)
    if tx is None:
        return repo.run(
            *given.rest,
            ok=given.ok_status,
            message=given.message,
            onto=given.onto,
            land=not given.no_land,
            dry_run=given.dry_run,
            wait=given.wait,
        )
    if given.dry_run:
        raise BadCall("invalid_args", "--dry-run and --tx exclude each other", "run it without --tx")
    result = tx.run(*given.rest, ok=given.ok_status)
    if given.message:
        tx.reword(given.message)
    return result
