"""Land many open transactions in order; what cannot land stays open, with the reason."""

from __future__ import annotations

from gitscalpel import Queue
from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Parser
from gitscalpel.report import subject


def arguments(parser: Parser) -> None:
    parser.add_argument(
        "ids", metavar="ID", nargs="*", help="Which, in this order; else all, the oldest first."
    )
    options.onto(parser)
    parser.add_argument(
        "--batch", metavar="N", type=int, default=8, help="How many are judged together at most; else 8."
    )
    options.wait(parser)
    options.json(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        done = repo.queue(*given.ids, onto=given.onto, batch=given.batch, wait=given.wait)
    if not done.stayed:
        output.answer("queue", done.data(), _text(done), given.json)
        return
    first = done.stayed[0].error
    if given.json:
        first.data = {**first.data, **done.data()}
        first.message = f"{len(done.stayed)} stayed open; {done.stayed[0].tx}: {first.message}"
        raise first
    output.answer("queue", None, _text(done), as_json=False)
    raise SystemExit(first.exit_status)


def _text(done: Queue) -> str:
    lines = [f"landed  {one.tx}  {subject(one.message)}" for one in done.landed]
    for one in done.stayed:
        lines += [
            f"stayed  {one.tx}  {one.error.code}: {one.error.message}",
            f"        hint: {one.error.hint}",
        ]
    return "\n".join(lines) or "no open transactions"
