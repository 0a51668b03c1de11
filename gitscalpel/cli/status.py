"""Show the branch, the open transactions and whether something needs recovery."""

from __future__ import annotations

from typing import Any

from gitscalpel import Result
from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Parser
from gitscalpel.report import subject

_KILLED = "a command was cut short; git scalpel recover heals what it left (so does the next edit)"

_UNTRUSTED = (
    "recovery: untrusted: .git/scalpel says that a command was cut short, and you have not written that; "
    "nothing follows it, and git scalpel recover sets it aside"
)


def arguments(parser: Parser) -> None:
    options.json(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        status = repo.status()
    at = status.tip[:12] if status.tip else "no commit yet"
    lines = [f"on {status.branch} at {at}" if status.branch else "no branch is checked out"]
    lines += [f"  {line(result)}" for result in status.transactions] or ["no open transactions"]
    data = {
        "branch": status.branch,
        "tip": status.tip,
        "transactions": [row(result) for result in status.transactions],
        "recovery_pending": status.recovery_pending,
        "recovery": status.recovery,
    }
    warnings = {"none": [], "pending": [_KILLED], "untrusted": [_UNTRUSTED]}[status.recovery]
    output.answer("status", data, "\n".join(lines), given.json, warnings=warnings)


def row(result: Result) -> dict[str, Any]:
    """An open transaction in a list, as data."""
    return {
        "tx": result.tx,
        "state": result.state,
        "target": result.target,
        "message": result.message,
        "base": result.base,
        "head": result.head,
        "paths": [file.path for file in result.patch.rows],
        "worktree": result.worktree,
    }


def line(result: Result) -> str:
    """An open transaction in a list, for people."""
    where = f"  in {result.worktree}" if result.worktree else ""
    return f"{result.tx}  {result.state:<7}  {result.target}  {subject(result.message) or '(empty)'}{where}"
