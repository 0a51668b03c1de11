"""What an operation did in a few words, as a commit message says it: "Add Server.stop in app.py"."""

from __future__ import annotations

from collections.abc import Sequence

from gitscalpel.changesets.answers import shown
from gitscalpel.changesets.operations import CopyFile, Following, Move, MoveFile, Remove, Rename, Write
from gitscalpel.edit.outcome import Done
from gitscalpel.syntax.symbol_changes import Intent

_VERBS = {"add": "Add", "delete": "Delete", "rename": "Rename", "move": "Move"}
_NAMED = 2
"""Symbols that a message names; more are counted."""


def step(done: Done) -> str:
    """What one operation did to one file."""
    path = shown(done.path)
    if isinstance(done.op, Following):
        return _following(done.op, path)
    if isinstance(done.op, CopyFile):
        verb = "Move" if isinstance(done.op, MoveFile) else "Copy"
        return f"{verb} {shown(done.op.path)} to {path}"
    if done.after is None:
        return f"Remove {path}"
    if done.before is None:
        return f"Add {path}"
    if isinstance(done.op, (Write, Remove)):
        return f"Replace {path}"
    what = _symbols(done.intents)
    return f"{what} in {path}" if what else f"Edit {path}"


def _following(op: Following, path: str) -> str:
    if isinstance(op, Rename):
        return f"Rename {op.symbol or op.name} to {op.to}"
    if isinstance(op, Move):
        return f"Move {op.symbol} to {shown(op.to_path) if op.to_path else op.to}"
    return f"Change the imports of {path}"


def _symbols(intents: Sequence[Intent]) -> str:
    """What became of symbols; empty where nothing did."""
    kinds: dict[str, set[str]] = {}
    all_names = {intent.symbol for intent in intents}
    for intent in intents:
        if any(intent.symbol.startswith((f"{name}.", f"{name}[")) for name in all_names):
            continue  # what is around it says enough
        name = f"{intent.symbol} to {_last(intent)}" if intent.to else intent.symbol
        kinds.setdefault(name, set()).add(intent.kind)
    all_kinds = set().union(*kinds.values()) if kinds else set()
    names = list(kinds)
    if not names:
        return ""
    verb = _VERBS.get(next(iter(all_kinds)), "Change") if len(all_kinds) == 1 else "Change"
    if all_kinds == {"signature_change"} and all(intent.defines for intent in intents):
        verb = "Change the signature of"
    return f"{verb} {_listed(names)}"


def _last(intent: Intent) -> str:
    """The new name; the whole path where that is another as well."""
    to, here = str(intent.to), intent.symbol.rpartition(".")[0]
    return to.removeprefix(f"{here}.") if here else to


def _listed(names: Sequence[str]) -> str:
    shown, more = names[:_NAMED], len(names) - _NAMED
    if more > 0:
        return f"{', '.join(shown)} and {more} more"
    return " and ".join(shown)
