"""Runs programs that are not git: the one place that does."""

from __future__ import annotations

import signal
from contextlib import suppress

from gitscalpel.command.attended import asked, paged, passed_through
from gitscalpel.command.beside import Conversation, conversing, detached
from gitscalpel.command.ending import LONGEST, Enclosure, answering, captured, into, run
from gitscalpel.command.waiting import Stop

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
