"""Show what landed, was undone and dropped, newest first."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from gitscalpel.cli import edit, output
from gitscalpel.git import oplog
from gitscalpel.git.oplog import Entry
from gitscalpel.report import subject
from gitscalpel.workspace import Workspace


def command(
    number: Annotated[int, typer.Option("-n", help="How many steps to show.")] = 20,
    json: edit.Json = False,
) -> None:
    with Workspace() as ws:
        entries = list(oplog.read(ws.repo, number))
    text = "\n".join(_line(entry) for entry in entries) or "nothing has landed yet"
    output.answer("log", [_row(entry) for entry in entries], text, json)


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
