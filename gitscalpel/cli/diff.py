"""Show what a staged transaction changes."""

from __future__ import annotations

from gitscalpel import shadow
from gitscalpel.cli import edit, output
from gitscalpel.workspace import Workspace


def command(
    tx: edit.Id,
    json: edit.Json = False,
) -> None:
    with Workspace() as ws:
        staged = shadow.load(ws, tx)
    data = staged.data()
    output.answer("diff", data, data["diff"], json, following=[f"git scalpel land {staged.id}"])
