"""Start programs other than git. Nothing else does."""

from __future__ import annotations

import signal
from contextlib import suppress

from gitscalpel.system.processes.background import Conversation, conversing, detached
from gitscalpel.system.processes.child import LONGEST, Enclosure, Stop, answering, captured, into, run
from gitscalpel.system.processes.terminal import asked, paged, passed_through

__all__ = [
    "LONGEST",
    "Conversation",
    "Enclosure",
    "Stop",
    "answering",
    "asked",
    "captured",
    "conversing",
    "detached",
    "ended",
    "into",
    "paged",
    "passed_through",
    "run",
]


def ended(status: int) -> str:
    """How a program with this status ended, in words."""
    if status >= 0:
        return f"ended with exit status {status}"
    with suppress(ValueError):
        return f"was killed by {signal.Signals(-status).name}"
    return f"was killed by signal {-status}"
