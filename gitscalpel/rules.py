"""The values of a configuration that pure rooms and gates need."""

from __future__ import annotations

from typing import Literal

import msgspec

Structure = Literal["off", "warn", "block", "strict"]
LEVELS: tuple[Structure, ...] = ("off", "warn", "block", "strict")
"""From loose to tight."""


class Rules(msgspec.Struct, frozen=True):
    """What the target branch and the user ask of an edit.

    Attributes:
        syntax: a file that parsed must still parse.
        structure: how multi-line text and line edits of definitions are taken.
        hooks: whether the user's commit hooks belong to the gates.
        worktree: whether a transaction gets its worktree when one is needed, or at once.
    """

    syntax: bool = True
    structure: Structure = "block"
    hooks: Literal["run", "skip"] = "run"
    worktree: Literal["lazy", "always"] = "lazy"
