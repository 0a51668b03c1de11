"""How a command ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

How = Literal["passed", "failed", "timed out", "cannot tell", "changed files", "out of room"]
CANNOT_TELL = 125
"""The exit status by which a command says that it cannot judge this tree, as for `git bisect run`."""


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """How a command ended.

    Attributes:
        how: what that means.
        status: its exit status; None where it was stopped.
        output: what it printed, at the end.
        seconds: how long it took, all tries together.
        tries: how often it was run.
        whole: ``output`` is all that it printed.
        changed: the files that were changed meanwhile: whoever came later saw something else.
        where: where it ran: ``bubblewrap``, ``off``, or ``none`` and why there is no sandbox.
    """

    how: How
    status: int | None
    output: str
    seconds: float
    tries: int = 1
    whole: bool = True
    changed: tuple[str, ...] = ()
    where: str = ""

    def unless(self, changed: Sequence[str]) -> Ran:
        """The same, unless files were changed meanwhile: then it says nothing."""
        if not changed:
            return self
        return msgspec.structs.replace(self, how="changed files", changed=tuple(changed))


def meaning(status: int) -> How:
    """What an exit status means."""
    if status == CANNOT_TELL:
        return "cannot tell"
    return "failed" if status else "passed"
