"""Write the result of a job for CI systems: outputs, a summary, and findings as SARIF.

Forges show SARIF 2.1.0 (docs.oasis-open.org/sarif) next to the lines.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from gitscalpel.changesets.answers import Finding, clean, text_of
from gitscalpel.ci.job import JobResult
from gitscalpel.publish import markdown
from gitscalpel.system.version import __version__

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_log(findings: Iterable[tuple[str, Finding]]) -> dict[str, Any]:
    """Return a SARIF log of findings, each with the name of its gate."""
    rows = list(findings)
    rules = [{"id": gate} for gate in dict.fromkeys(gate for gate, _ in rows)]
    driver = {"name": "gitscalpel", "version": __version__, "rules": rules}
    results = [_sarif_result(gate, finding) for gate, finding in rows]
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def _sarif_result(gate: str, finding: Finding) -> dict[str, Any]:
    region = {"startLine": max(finding.line, 1), "startColumn": max(finding.column, 1)}
    place = {"artifactLocation": {"uri": quote(finding.path, errors="surrogateescape")}, "region": region}
    return {
        "ruleId": gate,
        "level": finding.severity,
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": place}],
    }


SARIF = "scalpel.sarif"
_CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Control characters, for terminals and GitLab's sections (escape to carriage return)."""
_COMMAND_START = re.compile(r"^(?=\s*::)|(?<=#)(?=#\[)", re.MULTILINE)
"""Start of a GitHub runner command: ``::`` after spaces, and ``##[`` anywhere in a line."""


def write(came: JobResult, folder: Path | None, environment: Mapping[str, str]) -> None:
    """Write all outputs of a job.

    Args:
        came: result of the job.
        folder: folder for files, or None for no files; GitLab's ``dotenv`` report is ``scalpel.env`` there.
        environment: variables of the job; ``GITHUB_OUTPUT`` and ``GITHUB_STEP_SUMMARY`` name files of its
            runner.
    """
    said = _make_outputs(came)
    if folder is not None:
        said["sarif"] = str(_write_files(came, folder, said))
    _append_to(
        environment.get("GITHUB_OUTPUT"), "".join(_format_output(name, value) for name, value in said.items())
    )
    _append_to(environment.get("GITHUB_STEP_SUMMARY"), summary(came))


def printable(text: str) -> str:
    """Return ``text`` for a log from which the runner reads commands line by line.

    Messages, paths and findings are untrusted; a zero-width character keeps them from being commands.
    """
    lines = (_COMMAND_START.sub("\u200b", _CONTROL_CHARACTERS.sub(" ", line)) for line in text.splitlines())
    return "".join(f"{line}\n" for line in lines)


def _write_files(came: JobResult, folder: Path, said: Mapping[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / SARIF
    report.write_bytes(msgspec.json.format(msgspec.json.encode(clean(sarif_log(came.findings)))))
    (folder / "scalpel.md").write_text(text_of(summary(came)), "utf-8")
    rows = {**said, "sarif": str(report)}
    lines = [f"SCALPEL_{name.upper()}={' '.join(value.split())}\n" for name, value in rows.items()]
    (folder / "scalpel.env").write_text(text_of("".join(lines)), "utf-8")
    return report


def summary(came: JobResult) -> str:
    """Return the summary of a job in Markdown."""
    if came.refused is not None:
        lines = [
            f"### Refused: {markdown.code(came.refused.code)}",
            "",
            markdown.code(came.refused.message),
            "",
        ]
        places = [
            f"- {markdown.code(f'{finding.path}:{finding.line}')} {markdown.code(finding.message)}"
            for _, finding in came.findings
        ]
        return "\n".join([*lines, *places, "", markdown.code(came.refused.hint), ""])
    assert came.result is not None  # noqa: S101 - a job without an error has a result
    where = f"pushed as {markdown.code(came.branch)}"
    link = f" ([open a pull request]({came.pull.url}))" if came.pull and came.pull.url else ""
    title = f"### {markdown.code(markdown.title(came.result))}"
    return "\n\n".join([title, where + link, markdown.body(came.result)])


def _make_outputs(came: JobResult) -> dict[str, str]:
    return {
        "state": "refused" if came.refused else "pushed",
        "code": came.refused.code if came.refused else "",
        "tx": str(came.result.tx) if came.result and not came.refused else "",
        "branch": came.branch,
        "commit": came.commit,
        "url": str(came.pull.url or "") if came.pull else "",
        "said": str(came.pull.said or "") if came.pull else "",
    }


def _format_output(name: str, value: str) -> str:
    """Return an output; a value of several lines ends at a random delimiter."""
    if "\n" not in value and "\r" not in value:
        return f"{name}={value}\n"
    mark = secrets.token_hex(16)
    return f"{name}<<{mark}\n{value}\n{mark}\n"


def _append_to(file: str | None, text: str) -> None:
    if file:
        with Path(file).open("a", encoding="utf-8") as written:
            written.write(text_of(text))
