"""Let this repository start the programs that it names: hooks in its files, filters, signers and the like."""

from __future__ import annotations

from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    parser.add_argument("--list", action="store_true", help="Only show them.")
    parser.add_argument("--revoke", action="store_true", help="Trust none of them any more.")
    parser.add_argument(
        "--onto", metavar="BRANCH", help="Also what this branch names, not only the one checked out."
    )
    options.json(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        if given.revoke:
            repo.distrust()
        elif not given.list:
            repo.trust(given.onto)
        programs = repo.programs(given.onto)
    rows = [{"where": p.where, "what": p.what, "trusted": trusted} for p, trusted in programs]
    lines = [f"{'trusted' if trusted else 'NOT trusted'}  {p.where}: {p.what}" for p, trusted in programs]
    text = "\n".join(lines) or "this repository names no programs"
    output.answer("trust", {"programs": rows}, text, given.json)
