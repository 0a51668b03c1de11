"""Reads diagnostics as the Language Server Protocol has them (3.17, "PublishDiagnostics").

``{"uri": …, "diagnostics": […]}``, a list of such, or messages that hold one as ``params``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gitscalpel.gates.diagnostics.diagnostic import Diagnostic
from gitscalpel.gates.diagnostics.place import SEVERITIES, Exists, at


def claims(value: Any) -> bool:
    """Whether these are diagnostics of files."""
    values = value if isinstance(value, list) else [value]
    return bool(values) and all(_published(each) is not None for each in values)


def read(value: Any, exists: Exists) -> Iterator[Diagnostic]:
    """All of them but hints and information."""
    for each in value if isinstance(value, list) else [value]:
        published = _published(each) or {}
        for item in published.get("diagnostics") or ():
            found = one(published["uri"], item, exists)
            if found is not None:
                yield found


def one(uri: str, item: Any, exists: Exists) -> Diagnostic | None:
    """A diagnostic of a file; None: it complains of nothing."""
    if not isinstance(item, dict) or not isinstance(item.get("range"), dict):
        return None
    start = item["range"].get("start") or {}
    severity = SEVERITIES.get(item.get("severity", 1), "error")
    if severity is None or not isinstance(start, dict):
        return None
    where = tuple(n + 1 if isinstance(n := start.get(key), int) else 1 for key in ("line", "character"))
    code = item.get("code")
    rule = "" if code is None else str(code)
    return at(uri, (where[0], where[1]), _message(item), exists, severity=severity, rule=rule)


def _message(item: dict[str, Any]) -> str:
    said = item.get("message")
    return str(said.get("value", "")) if isinstance(said, dict) else str(said or "")


def _published(value: Any) -> dict[str, Any] | None:
    if not isinstance(value, dict):
        return None
    inner = value.get("params", value)
    if isinstance(inner, dict) and isinstance(inner.get("diagnostics"), list) and "uri" in inner:
        return inner
    return None
