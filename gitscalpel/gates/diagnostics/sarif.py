"""Reads results of SARIF 2.1.0 logs (section 3.27): clang-tidy, CodeQL, semgrep, ESLint, ruff and others.

Their fixes are left alone: a log does not say which of them are safe (ruff lists unsafe ones too).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gitscalpel.gates.diagnostics.diagnostic import Diagnostic
from gitscalpel.gates.diagnostics.place import SEVERITIES, Exists, at


def claims(value: Any) -> bool:
    """Whether this is a log."""
    return isinstance(value, dict) and isinstance(value.get("runs"), list)


def read(value: Any, exists: Exists) -> Iterator[Diagnostic]:
    """What its results complain of; what is suppressed, or was there before by its own account, is none."""
    for run in value["runs"]:
        for result in _list(run, "results"):
            severity = SEVERITIES.get(_level(run, result), "error")
            known = _list(result, "suppressions") or result.get("baselineState") in ("unchanged", "absent")
            if severity is None or known or result.get("kind", "fail") != "fail":
                continue
            place = _dict((_list(result, "locations") or [{}])[0], "physicalLocation")
            region = _dict(place, "region")
            yield at(
                _uri(run, _dict(place, "artifactLocation")),
                (region.get("startLine"), region.get("startColumn")),
                str(_dict(result, "message").get("text", "")),
                exists,
                severity=severity,
                rule=str(result.get("ruleId") or ""),
            )


def _level(run: Any, result: Any) -> Any:
    """The level of a result, its rule's where it says none (section 3.27.10)."""
    if "level" in result:
        return result["level"]
    rules = _list(_dict(_dict(run, "tool"), "driver"), "rules")
    index = result.get("ruleIndex", -1)
    by_id = (rule for rule in rules if rule.get("id") == result.get("ruleId"))
    rule = rules[index] if isinstance(index, int) and 0 <= index < len(rules) else next(by_id, {})
    return _dict(rule, "defaultConfiguration").get("level", "warning")


def _uri(run: Any, location: Any) -> str:
    artifacts, index = _list(run, "artifacts"), location.get("index", -1)
    if "uri" not in location and isinstance(index, int) and 0 <= index < len(artifacts):
        location = _dict(artifacts[index], "location")
    return str(location.get("uri") or "")


def _dict(value: Any, name: str) -> dict[str, Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _list(value: Any, name: str) -> list[dict[str, Any]]:
    found = value.get(name) if isinstance(value, dict) else None
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
