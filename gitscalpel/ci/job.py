"""Job of a CI system: stage, check and push a change, and report in the system's form.

The commits have the identity of the person who started the job, as no user is logged in on a runner.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from gitscalpel.api import InputOutput, Repository, Result, ScalpelError, Transaction, TryAgain, parse_request
from gitscalpel.changesets.answers import Finding, GateRow, make_json_safe, replace_surrogates
from gitscalpel.publish import pull_request
from gitscalpel.publish.pull_request import PullRequest
from gitscalpel.system.version import __version__
from gitscalpel.workspace.workspace import set_variables


class JobRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Request of a job.

    Attributes:
        changes: a changeset, a patch in any format, or review comments with suggestions.
        message: commit message, or "" for that of the changes or a summary.
        remote: remote to push to, or "" for that of the target branch.
        pr: True to open a pull request, or update the open one.
        agent: name of the acting program, for the record.
    """

    changes: bytes
    message: str
    onto: str
    remote: str
    pr: bool
    agent: str


class JobResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a job: the transaction as far as it got, the pushed branch and commit, and the error."""

    result: Result | None = None
    branch: str = ""
    commit: str = ""
    pull: PullRequest | None = None
    refused: ScalpelError | None = None

    @property
    def gates(self) -> Sequence[GateRow]:
        return self.result.facts.gates if self.result else ()

    @property
    def findings(self) -> list[tuple[str, Finding]]:
        """Return the findings of the gates, each with the name of its gate."""
        found = [(gate.name, finding) for gate in self.gates for finding in gate.findings]
        if self.refused is not None and not found:
            rows = self.refused.data.get("findings", ())
            found = [(self.refused.code, _read_finding(row)) for row in rows if isinstance(row, dict)]
        return found


def run_job(root: Path, request: JobRequest) -> JobResult:
    """Run a job; a refused change is a result, and leaves nothing behind.

    After an error of the disk or the remote, the branch may have been pushed. So the transaction stays, and
    the next job continues it.
    """
    with Repository(root, agent=request.agent, notify=_discard) as repo:
        try:
            changes = parse_request(request.changes)
            if request.message:
                changes = changes.reworded(request.message)
            onto = changes.goes_onto(request.onto or None)
            tx = _find_left_transaction(repo, repo.apply(changes, onto=onto, dry_run=True))
            tx = tx or str(repo.apply(changes, onto=onto, land=False).tx)
        except ScalpelError as error:
            return JobResult(refused=error)
        return _publish(repo, repo.transaction(tx), request)


def _find_left_transaction(repo: Repository, planned: Result) -> str | None:
    """Return the id of the same transaction left by a killed job, or None."""
    return next(
        (each.tx for each in repo.status().transactions if _identify(each) == _identify(planned)), None
    )


def _identify(result: Result) -> tuple[object, ...]:
    return result.branch, result.message, result.patch.rows


def _publish(repo: Repository, tx: Transaction, request: JobRequest) -> JobResult:
    try:
        tx.check()
        pushed = tx.push(request.remote or None)
    except ScalpelError as error:
        result = tx.result
        if not isinstance(error, InputOutput | TryAgain):
            tx.drop()
        return JobResult(result=result, refused=error)
    pull = pull_request.prepare_pull_request(repo, pushed, open_it=request.pr)
    return JobResult(result=pushed.result, branch=pushed.branch, commit=pushed.commit, pull=pull)


def _read_finding(row: dict[str, object]) -> Finding:
    position = {"line": 1, "column": 1, **{name: row[name] for name in ("line", "column") if row.get(name)}}
    return Finding(
        str(row["path"]), int(str(position["line"])), int(str(position["column"])), str(row["message"])
    )


def _discard(_: str) -> None:
    pass


_COMMITTER_NAME = "scalpel"


def set_identity(folder: Path, variables: Mapping[str, str]) -> None:
    """Set this process's variables for git's author and committer, unless the runner has an identity."""
    with Repository(folder, long_lived=False) as repo:
        if repo.setting("user.email"):
            return
    who = variables.get("GITHUB_ACTOR") or variables.get("GITLAB_USER_LOGIN") or _COMMITTER_NAME
    mail = variables.get("GITLAB_USER_EMAIL") or _no_reply_address(variables, who)
    identity = {
        "GIT_AUTHOR_NAME": variables.get("GITLAB_USER_NAME") or who,
        "GIT_AUTHOR_EMAIL": mail,
        "GIT_COMMITTER_NAME": _COMMITTER_NAME,
        "GIT_COMMITTER_EMAIL": mail,
    }
    set_variables({name: value for name, value in identity.items() if not variables.get(name)})


def _no_reply_address(variables: Mapping[str, str], name: str) -> str:
    if variables.get("GITLAB_CI"):
        return f"{name}@users.noreply.{variables.get('CI_SERVER_HOST') or 'gitlab.com'}"
    number = variables.get("GITHUB_ACTOR_ID")
    return f"{number}+{name}@users.noreply.github.com" if number else f"{name}@users.noreply.github.com"


_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_log(findings: Iterable[tuple[str, Finding]]) -> dict[str, Any]:
    """Return a SARIF 2.1.0 log (docs.oasis-open.org/sarif) of findings, each with the name of its gate."""
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


def write_outputs(result: JobResult, folder: Path | None, environment: Mapping[str, str]) -> None:
    """Write all outputs of a job.

    ``folder`` is None for no files; GitLab's ``dotenv`` report is ``scalpel.env`` there. In the environment,
    ``GITHUB_OUTPUT`` and ``GITHUB_STEP_SUMMARY`` name files of the runner.
    """
    outputs = _make_outputs(result)
    if folder is not None:
        outputs["sarif"] = str(_write_files(result, folder, outputs))
    _append_to(
        environment.get("GITHUB_OUTPUT"),
        "".join(_format_output(name, value) for name, value in outputs.items()),
    )
    _append_to(environment.get("GITHUB_STEP_SUMMARY"), format_summary(result))


def escape_for_log(text: str) -> str:
    """Return ``text`` for a log from which the runner reads commands line by line.

    Messages, paths and findings are untrusted; a zero-width character keeps them from being commands.
    """
    lines = (_COMMAND_START.sub("\u200b", _CONTROL_CHARACTERS.sub(" ", line)) for line in text.splitlines())
    return "".join(f"{line}\n" for line in lines)


def _write_files(result: JobResult, folder: Path, outputs: Mapping[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / SARIF
    report.write_bytes(msgspec.json.format(msgspec.json.encode(make_json_safe(sarif_log(result.findings)))))
    (folder / "scalpel.md").write_text(replace_surrogates(format_summary(result)), "utf-8")
    rows = {**outputs, "sarif": str(report)}
    lines = [f"SCALPEL_{name.upper()}={' '.join(value.split())}\n" for name, value in rows.items()]
    (folder / "scalpel.env").write_text(replace_surrogates("".join(lines)), "utf-8")
    return report


def format_summary(result: JobResult) -> str:
    if result.refused is not None:
        lines = [
            f"### Refused: {pull_request.code_span(result.refused.code)}",
            "",
            pull_request.code_span(result.refused.message),
            "",
        ]
        places = [
            f"- {pull_request.code_span(f'{finding.path}:{finding.line}')} "
            f"{pull_request.code_span(finding.message)}"
            for _, finding in result.findings
        ]
        return "\n".join([*lines, *places, "", pull_request.code_span(result.refused.hint), ""])
    assert result.result is not None  # noqa: S101 - a job without an error has a result
    pushed = f"pushed as {pull_request.code_span(result.branch)}"
    link = f" ([open a pull request]({result.pull.url}))" if result.pull and result.pull.url else ""
    title = f"### {pull_request.code_span(pull_request.format_title(result.result))}"
    return "\n\n".join([title, pushed + link, pull_request.format_body(result.result)])


def _make_outputs(result: JobResult) -> dict[str, str]:
    return {
        "state": "refused" if result.refused else "pushed",
        "code": result.refused.code if result.refused else "",
        "tx": str(result.result.tx) if result.result and not result.refused else "",
        "branch": result.branch,
        "commit": result.commit,
        "url": str(result.pull.url or "") if result.pull else "",
        "said": str(result.pull.said or "") if result.pull else "",
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
            written.write(replace_surrogates(text))
