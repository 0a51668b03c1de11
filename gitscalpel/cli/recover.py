"""Finish or take back what a killed landing left, and say what was done."""

from __future__ import annotations

from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.json(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        done = repo.recover()
    words = done or ["nothing to recover"]
    output.answer("recover", {"done": done, "message": "; ".join(words)}, "\n".join(words), given.json)
