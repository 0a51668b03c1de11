"""Finish or take back what a killed landing left, and say what was done."""

from __future__ import annotations

from pathlib import Path

from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    parser.add_argument(
        "--take-over",
        metavar="FILE",
        type=Path,
        help="Follow the journal in FILE, which another user has written, or you with another secret.",
    )
    options.json(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        found = repo.status().recovery
        done = repo.recover(given.take_over)
    words = done or ["nothing to recover"]
    output.answer(
        "recover",
        {"done": done, "message": "; ".join(words), "recovery": found},
        "\n".join(words),
        given.json,
    )
