"""Finish or take back what a killed landing left, and say what was done."""

from __future__ import annotations

from gitscalpel import lock, recovery
from gitscalpel.cli import edit, output
from gitscalpel.workspace import Workspace


def command(json: edit.Json = False) -> None:
    with Workspace() as ws, lock.hold(ws.repo.scalpel_dir) as held:
        done = recovery.recover(ws.repo, ws.store, held)
    output.answer("recover", {"done": done}, "\n".join(done) or "nothing to recover", json)
