"""What the verbs for decisions about a transaction share."""

from __future__ import annotations

from typing import Any

from gitscalpel import Standing
from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Paragraphs, Parser

_PAST = {"approve": "approved", "reject": "rejected"}


def arguments(parser: Parser, note: str) -> None:
    """What both take; ``note`` says what the message is."""
    options.id(parser)
    parser.add_argument("-m", "--message", metavar="TEXT", action=Paragraphs, default="", help=note)
    parser.add_argument(
        "--expect", metavar="COMMIT", default="", help="Refuse if its commit is not the one that begins so."
    )
    options.json(parser)


def command(verb: str, given: Given) -> None:
    """Decide, and say where the transaction stands."""
    with output.opened() as repo:
        tx = repo.transaction(output.chosen_id(repo, given))
        decide = tx.approve if verb == "approve" else tx.reject
        standing = decide(given.message, given.expect)
    data = {"tx": tx.id, **rows(standing)}
    following = [f"git scalpel land {tx.id}"] if not standing.missing and not standing.rejected else []
    output.answer(
        verb, data, "\n".join([f"{_PAST[verb]} {tx.id}", *words(standing)]), given.json, following=following
    )


def rows(standing: Standing) -> dict[str, Any]:
    """Where a transaction stands, for programs."""
    return {
        "needed": list(standing.needed.why),
        "missing": standing.missing,
        "decisions": [
            {
                "kind": each.kind,
                "user": each.user,
                "time": each.time,
                "message": each.message,
                "counts": each.counts,
                "why_not": each.why_not,
            }
            for each in standing.decisions
        ],
    }


def words(standing: Standing) -> list[str]:
    """The same for people."""
    lines = [
        f"  {_PAST[each.kind]} by {each.user}{': ' * bool(each.message)}{each.message}"
        + (f" (not counted: {each.why_not})" if not each.counts else "")
        for each in standing.decisions
    ]
    if standing.missing:
        lines.append(f"  needs {standing.missing} more for {', '.join(standing.needed.why)}")
    return lines
