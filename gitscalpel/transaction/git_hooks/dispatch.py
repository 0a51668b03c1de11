"""The table of git hooks that gitscalpel answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gitscalpel.changesets.answers import Judged
from gitscalpel.transaction.check import staged_changes
from gitscalpel.transaction.git_hooks import commit_msg, pre_push, pre_receive, reference_transaction
from gitscalpel.workspace import Workspace


class Told(NamedTuple):
    """What git tells a hook: words, and lines at its standard input."""

    words: tuple[str, ...] = ()
    lines: str = ""


HOOKS: dict[str, Callable[[Workspace, Told], Judged]] = {
    "pre-commit": lambda ws, _: staged_changes.staged(ws),
    "commit-msg": lambda ws, told: commit_msg.check(ws, told.words),
    "pre-push": lambda ws, told: pre_push.check(ws, told.lines),
    "pre-receive": lambda ws, told: pre_receive.check(ws, told.lines),
    "reference-transaction": lambda ws, told: reference_transaction.check(ws, told.words, told.lines),
}
OF_LANDINGS = ("pre-commit", "commit-msg")
"""Hooks that a landing runs as its gate: what they would say here it has asked already."""


def ask(ws: Workspace, name: str, told: Told) -> Judged:
    """What is said in a hook.

    Raises:
        ScalpelError: git is not to go on.
    """
    if ws.judges and name in OF_LANDINGS:
        return Judged(target=name)
    return HOOKS[name](ws, told)
