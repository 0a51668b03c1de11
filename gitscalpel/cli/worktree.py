"""Lease a real worktree for a transaction, with its change staged, and print where it is."""

from __future__ import annotations

from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.id(parser)
    options.json(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        tx = output.chosen(repo, given)
        path = str(tx.worktree())
        result = tx.result
    following = [f"git scalpel stage {result.tx}", f"git scalpel land {result.tx}"]
    output.answer("worktree", {**result.data(), "path": path}, path, given.json, following=following)
