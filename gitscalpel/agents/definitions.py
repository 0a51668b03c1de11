"""What an agent's tool does to definitions, which knows nothing but text.

Definitions that its old text shows whole are to go where the new text is empty: the call has no other way to
say so. What else an edit of text may not do is done by a command of ours, which the refusal names.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from gitscalpel import Repository, ScalpelError, changeset
from gitscalpel.dialects import removing
from gitscalpel.dialects.tool import Look
from gitscalpel.phrases import call
from gitscalpel.report import CHECKOUT

_COMMANDS = ("delete", "rename", "signature")


def judged(
    repo: Repository, path: str | None, given: Mapping[str, Any], refused: ScalpelError
) -> ScalpelError | None:
    """What speaks against an edit that the structure gate refuses; None: all that goes is shown whole."""
    if not path:
        return refused
    old, new = (str(given.get(name, "")) for name in ("old_string", "new_string"))
    whole = removing.shown_whole({"path": path, "old": old, "new": new}, refused)
    gone = _answered(repo, whole) if old and not new.strip() else []
    if not gone:
        return _with_command(refused, path)
    deletes = [{"op": "delete", "path": path, "symbol": symbol} for symbol in gone]
    try:
        repo.apply(changeset(*deletes), onto=CHECKOUT, dry_run=True)
    except ScalpelError as error:
        return error
    return None


def _answered(repo: Repository, looking: Generator[Look, Any, list[str]]) -> list[str]:
    """What looks at files come to."""
    try:
        look = next(looking)
        while True:
            shown = repo.view(CHECKOUT).show(look.fields["path"], symbol=look.fields["symbol"])
            look = looking.send({"content": shown.content})
    except StopIteration as end:
        found: list[str] = end.value
        return found


def _with_command(refused: ScalpelError, path: str) -> ScalpelError:
    data = refused.data
    if data.get("operation") not in _COMMANDS:
        return refused
    symbol = data.get("symbol") or data["intents"][0]["symbol"]
    command = call(data["operation"], what=f"{path}::{symbol}", subject=data.get("to"), checkout=True)
    return refused.but(hint=f"in a shell: {command}")
