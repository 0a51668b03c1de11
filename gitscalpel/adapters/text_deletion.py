"""Convert a text edit that deletes whole definitions to delete operations.

Tools that only edit text have no other way to delete a definition. Any other text edit stays one, and the
structure gate checks it.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from gitscalpel.adapters.tool import Arguments, EditStep, ReadStep, operation
from gitscalpel.errors import GateRefused, ScalpelError


def edit_or_delete(op: Arguments) -> Generator[EditStep | ReadStep, Any, Any]:
    """Make a text edit, or delete the definitions that it removes, and return the answer.

    Raises:
        ScalpelError: the edit fails.
    """
    try:
        return (yield EditStep((op,)))
    except GateRefused as error:
        refused = error
    whole = () if op["new"].strip() else (yield from find_deleted(op, refused))
    if not whole:
        raise refused
    return (yield EditStep(tuple(operation("delete", path=op["path"], symbol=symbol) for symbol in whole)))


def find_deleted(op: Arguments, refused: ScalpelError) -> Generator[ReadStep, Any, list[str]]:
    """Return the definitions that make up the text. Empty if it contains anything else but blank lines."""
    intents = refused.data.get("intents", ())
    gone = [intent["symbol"] for intent in intents if intent["kind"] == "delete"]
    if len(gone) != len(intents):
        return []
    outer = [symbol for symbol in gone if not any(symbol.startswith(f"{other}.") for other in gone)]
    left = _unix(op["old"])
    for symbol in outer:
        shown = yield ReadStep("show", {"path": op["path"], "symbol": symbol})
        before, found, after = left.partition(_unix(shown["content"]).strip())
        if not found:
            return []
        left = before + after
    return [] if left.strip() else outer


def _unix(text: str) -> str:
    """Normalise line endings, which do not count when texts are compared."""
    return text.replace("\r\n", "\n")
