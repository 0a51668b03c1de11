"""Which file of the tree a tool means, however it spells its name."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from gitscalpel.gates.diagnostics.diagnostic import Diagnostic, Severity

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
