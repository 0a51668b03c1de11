"""Make the landing again that the last undo took back."""

from __future__ import annotations

from gitscalpel import history
from gitscalpel.cli import edit
from gitscalpel.cli.undo import tell
from gitscalpel.workspace import Workspace


def command(onto: edit.Onto = None, json: edit.Json = False) -> None:
    with Workspace() as ws:
        step = history.redo(ws, onto)
    tell("redo", step, json)
