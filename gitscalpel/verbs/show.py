"""A file, a symbol or lines, with the hashes to edit by."""

from __future__ import annotations

from gitscalpel.changesets.answers import CHECKOUT, Shown
from gitscalpel.errors.messages import Spelling, arg
from gitscalpel.verbs.asked import (
    Base,
    First,
    Kind,
    Last,
    Looking,
    Match,
    Node,
    Place,
    Query,
    Symbol,
)
from gitscalpel.verbs.reply import Caller, Reply, Words

Answer = Shown


class Request(Looking, frozen=True, kw_only=True):
    """What to show."""

    path: Place
    symbol: Symbol = None
    start: First = None
    end: Last = None
    query: Query = None
    node: Node = None
    match: Match = None
    kind: Kind = None
    base: Base = None


def perform(caller: Caller, asked: Request) -> Reply:
    """Show it."""
    address = {
        name: getattr(asked, name)
        for name in ("symbol", "query", "match", "node", "kind", "start", "end", "base")
    }
    shown = caller.place(asked).show(asked.path, **address)

    def words(_: Spelling) -> Words:
        text = "\n".join(f"{line.n}:{line.hash}| {line.text}" for line in shown.lines)
        return Words(text, page=True, verbatim=True)

    note = f"the file on disk has uncommitted changes; {arg('checkout')} shows it"
    return Reply(shown, words, (note,) if shown.dirty and caller.onto(asked) != CHECKOUT else ())
