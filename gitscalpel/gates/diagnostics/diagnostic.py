"""What a compiler, a linter or a language server says of a place, in one form."""

from __future__ import annotations

from typing import Literal

import msgspec

from gitscalpel.changesets.answers import Finding, quoted

Severity = Literal["error", "warning"]


class Remedy(msgspec.Struct, frozen=True):
    """A way to mend something that whoever reports it offers.

    Attributes:
        title: what it does, in words.
        patch: the change, in a format of ``edit/patches``.
        is_safe: its tool holds it for safe; others are offered, and never taken unasked.
    """

    title: str
    patch: str
    is_safe: bool = True


class Diagnostic(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One place, and what is wrong there.

    Attributes:
        path: of the file; "": it is none of the tree's, and ``message`` says which.
        line, column: where it begins, from 1.
        message: in words.
        severity: whether it has to be mended.
        rule: what it violates, as its tool calls that.
        remedies: what would mend it.
    """

    path: str
    line: int
    message: str
    column: int = 1
    severity: Severity = "error"
    rule: str = ""
    remedies: tuple[Remedy, ...] = ()

    @property
    def told(self) -> str:
        """The message with the rule, which it may have already."""
        is_said = not self.rule or f"[{self.rule}]" in self.message
        return self.message if is_said else f"{self.message} [{self.rule}]"

    @property
    def finding(self) -> Finding:
        """As an answer lists it."""
        return Finding(quoted(self.path), self.line, self.column, self.told, self.severity)
