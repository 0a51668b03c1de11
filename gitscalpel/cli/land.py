"""Land a staged transaction on its branch, and bring the checkout along."""

from __future__ import annotations

from gitscalpel import shadow, transaction
from gitscalpel.cli import edit
from gitscalpel.workspace import Workspace


def command(
    tx: edit.Id,
    json: edit.Json = False,
) -> None:
    with Workspace() as ws:
        staged = transaction.land(ws, shadow.load(ws, tx))
    edit.tell("land", staged, json)
