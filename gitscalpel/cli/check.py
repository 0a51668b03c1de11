"""Let every gate judge an open transaction, without landing it."""

from __future__ import annotations

from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.id(parser)
    parser.add_argument("--fresh", action="store_true", help="Run commands again whose verdict is known.")
    options.json(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        result = output.chosen(repo, given).check(fresh=given.fresh)
    lines = [f"{gate.name}: {gate.status}" for gate in result.facts.gates]
    output.answer(
        "check",
        result.data(),
        "\n".join(lines),
        given.json,
        warnings=result.warnings,
        following=[f"git scalpel land {result.tx}"],
    )
