"""Findings as SARIF 2.1.0 (docs.oasis-open.org/sarif), which forges show beside the lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from gitscalpel import __version__
from gitscalpel.report import Finding

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def log(findings: Iterable[tuple[str, Finding]]) -> dict[str, Any]:
    """A log of findings, each with the name of its gate."""
    rows = list(findings)
    rules = [{"id": gate} for gate in dict.fromkeys(gate for gate, _ in rows)]
    driver = {"name": "gitscalpel", "version": __version__, "rules": rules}
    results = [_result(gate, finding) for gate, finding in rows]
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def _result(gate: str, finding: Finding) -> dict[str, Any]:
    region = {"startLine": max(finding.line, 1), "startColumn": max(finding.column, 1)}
    place = {"artifactLocation": {"uri": quote(finding.path, errors="surrogateescape")}, "region": region}
    return {
        "ruleId": gate,
        "level": finding.severity,
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": place}],
    }
