"""The values of a configuration that pure rooms and gates need."""

from __future__ import annotations

from typing import Literal

import msgspec

from gitscalpel.trust import Program

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
        setup: a command that makes a worktree ready for programs.
        shared: folders of the checkout that worktrees share.
    """

    syntax: bool = True
    structure: Structure = "block"
    hooks: Literal["run", "skip"] = "run"
    worktree: Literal["lazy", "always"] = "lazy"
    setup: str = ""
    shared: tuple[str, ...] = ()

    @property
    def programs(self) -> tuple[Program, ...]:
        """What they have started, beside the user's own hooks."""
        return (Program("gates.setup", self.setup),) if self.setup else ()
