"""An open transaction is given up."""

from __future__ import annotations

from gitscalpel.verbs import editing
from gitscalpel.verbs.asked import Named
from gitscalpel.verbs.reply import Caller, Reply, plain

Answer = editing.Answer


class Request(Named, frozen=True, kw_only=True):
    """Which one."""


def perform(caller: Caller, asked: Request) -> Reply:
    """Drop it."""
    result = caller.repo.drop(caller.named(asked))
    kept = f"; its commit {result.head[:12]} is kept as refs/scalpel/keep/{result.tx}" if result.head else ""
    return Reply(result.answer(), plain(f"dropped {result.tx}{kept}"))
