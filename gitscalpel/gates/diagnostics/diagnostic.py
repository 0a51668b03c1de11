"""One model for diagnostics of compilers, linters and language servers, and the paths that they name."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import Any, Literal
from urllib.parse import unquote

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


Exists = Callable[[str], bool]
SEVERITIES: dict[object, Severity | None] = {
    **dict.fromkeys(("error", "fatal", "fatal error", "failure-note", 1), "error"),
    **dict.fromkeys(("warning", "warn", 2), "warning"),
    **dict.fromkeys(("note", "info", "information", "hint", "help", "none", 3, 4)),
}
"""By the word, or the number of the Language Server Protocol; None: it is no complaint."""


def at(name: Any, where: tuple[Any, Any], message: str, exists: Exists, **more: Any) -> Diagnostic:
    """A diagnostic; one of a file that the tree does not have names it in its message.

    Args:
        name: of the file, as its tool has it.
        where: line and column, from 1.
        message: what is said.
        exists: whether the tree has such a file.
        more: other attributes.
    """
    line, column = (each if isinstance(each, int) and each > 0 else 1 for each in where)
    path = named(str(name or ""))
    if not exists(path):
        path, message = "", f"{path}:{line}: {message}" if path else message
    return Diagnostic(path=path, line=line, column=column, message=message, **more)


def named(name: str) -> str:
    """The path that a name or a URI means; what led to the root has been taken away from it."""
    if name.startswith("file:"):
        name = unquote(name.removeprefix("file:").removeprefix("//"), errors="surrogateescape")
    return posixpath.normpath(name) if name else ""
