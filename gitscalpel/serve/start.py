"""Starts a server behind a call that found none."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from gitscalpel import command
from gitscalpel.serve import address, habit, mark


def in_background(environment: Mapping[str, str]) -> None:
    """Have one for the next call, unless another call has just started one."""
    with suppress(OSError):  # where nobody can listen, nobody is missed
        if habit.allows(environment) and mark.claim(mark.of(environment)):
            _start()


def _start() -> None:
    """Start one, unless it could not serve others: of a call with less than they have none comes."""
    from gitscalpel.serve import peer, scheduling  # hardly any call starts one

    if not peer.is_confined() and scheduling.can_be_neutral():
        command.detached([*address.itself(), "serve"])
