"""What the message of a commit says: what was done, and at its end how it came about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gitscalpel.changesets.rules import Trailer

_TRAILER = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*: \S.*")


def message(steps: Sequence[str]) -> str:
    """A commit message for a transaction that came without one, from its steps."""
    more = len(steps) - 1
    return steps[0] + (f" and {more} more edit{'s' * (more > 1)}" if more else "") if steps else ""


def with_trailers(message: str, wanted: Iterable[Trailer], tx: str, agent: str) -> str:
    """The message with those of the trailers that there is something to say for, each once."""
    said: dict[Trailer, str] = {"Scalpel-Tx": tx, "Assisted-by": " ".join(agent.split())}
    new = [f"{name}: {said[name]}" for name in wanted if said[name]]
    body = message.rstrip("\n")
    last = body.rpartition("\n\n")[2].splitlines() if "\n\n" in body else []
    new = [line for line in new if line not in last]
    if not new:
        return message
    is_trailers = bool(last) and all(_TRAILER.fullmatch(line) for line in last)
    return "\n".join([body, *([] if is_trailers else [""]), *new])
