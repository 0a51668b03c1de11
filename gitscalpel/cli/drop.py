"""Give a staged transaction up."""

from __future__ import annotations

from gitscalpel import transaction
from gitscalpel.cli import edit, output
from gitscalpel.workspace import Workspace


def command(
    tx: edit.Id,
    json: edit.Json = False,
) -> None:
    with Workspace() as ws:
        staged = transaction.drop(ws, tx)
    data = {**staged.data(), "state": "dropped"}
    kept = f"its commit {str(staged.head)[:12]} is kept as refs/scalpel/keep/{staged.id}"
    output.answer("drop", data, f"dropped {staged.id}; {kept}", json)
