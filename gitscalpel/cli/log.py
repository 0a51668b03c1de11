"""Show what landed, was undone and dropped, newest first."""

from __future__ import annotations

import time
from typing import Any

from gitscalpel import Entry
from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Parser
from gitscalpel.report import subject


def arguments(parser: Parser) -> None:
    parser.add_argument("-n", metavar="N", type=int, default=20, help="How many steps to show.")
    options.json(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        entries = repo.log(given.n)
    text = "\n".join(_line(entry) for entry in entries) or "nothing has landed yet"
    output.answer("log", [_row(entry) for entry in entries], text, given.json, page=True)


def _row(entry: Entry) -> dict[str, Any]:
    record = entry.record
    return {
        "entry": entry.oid,
        "kind": record.kind,
        "tx": record.tx,
        "branch": record.branch.removeprefix("refs/heads/"),
        "before": record.before,
        "after": record.after,
        "message": record.message,
        "user": record.user,
        "agent": record.agent,
        "time": record.time,
        "paths": list(record.paths),
        "revert": record.revert,
    }


def _line(entry: Entry) -> str:
    record = entry.record
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(record.time))
    branch = record.branch.removeprefix("refs/heads/")
    where = f"{branch}  {str(record.after or '-')[:10]}"
    return f"{when}  {record.kind:<5} {record.tx}  {where}  {subject(record.message)}"
