"""Run a CI job: stage a change, run all gates, push it as its own branch, and open a pull request.

The result is one value, and :mod:`gitscalpel.ci.outputs` writes it in the format of each CI system. No user
is logged in on a runner, so the commits have the identity of the person who started the job.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from gitscalpel.api import InputOutput, Repository, Result, ScalpelError, Transaction, TryAgain, parse_request
from gitscalpel.changesets.answers import Finding, GateRow
from gitscalpel.publish import pull_request
from gitscalpel.publish.pull_request import PullRequest
from gitscalpel.workspace.caller import set_variables


class JobRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Request of a job.

    Attributes:
        changes: a changeset, a patch in any format, or review comments with suggestions.
        message: commit message, or empty for that of the changes or a summary.
        onto: target branch.
        remote: remote to push to, or empty for that of the target branch.
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
        """Results of the gates."""
        return self.result.facts.gates if self.result else ()

    @property
    def findings(self) -> list[tuple[str, Finding]]:
        """Findings of the gates, each with the name of its gate."""
        found = [(gate.name, finding) for gate in self.gates for finding in gate.findings]
        if self.refused is not None and not found:
            rows = self.refused.data.get("findings", ())
            found = [(self.refused.code, _read_finding(row)) for row in rows if isinstance(row, dict)]
        return found


def run_job(root: Path, asked: JobRequest) -> JobResult:
    """Run a job; a refused change is a result, and leaves nothing behind.

    After an error of the disk or the remote, the branch may have been pushed. So the transaction stays, and
    the next job continues it.
    """
    with Repository(root, agent=asked.agent, notify=_discard) as repo:
        try:
            sent = parse_request(asked.changes)
            if asked.message:
                sent = sent.reworded(asked.message)
            onto = sent.goes_onto(asked.onto or None)
            tx = _find_left_transaction(repo, repo.apply(sent, onto=onto, dry_run=True))
            tx = tx or str(repo.apply(sent, onto=onto, land=False).tx)
        except ScalpelError as error:
            return JobResult(refused=error)
        return _publish(repo, repo.transaction(tx), asked)


def _find_left_transaction(repo: Repository, wanted: Result) -> str | None:
    """Return the id of the same transaction left by a killed job, or None."""
    return next(
        (each.tx for each in repo.status().transactions if _identify(each) == _identify(wanted)), None
    )


def _identify(result: Result) -> tuple[object, ...]:
    return result.branch, result.message, result.patch.rows


def _publish(repo: Repository, tx: Transaction, asked: JobRequest) -> JobResult:
    try:
        tx.check()
        pushed = tx.push(asked.remote or None)
    except ScalpelError as error:
        result = tx.result
        if not isinstance(error, InputOutput | TryAgain):
            tx.drop()
        return JobResult(result=result, refused=error)
    pull = pull_request.of(repo, pushed, open_it=asked.pr)
    return JobResult(result=pushed.result, branch=pushed.branch, commit=pushed.commit, pull=pull)


def _read_finding(row: dict[str, object]) -> Finding:
    where = {"line": 1, "column": 1, **{name: row[name] for name in ("line", "column") if row.get(name)}}
    return Finding(str(row["path"]), int(str(where["line"])), int(str(where["column"])), str(row["message"]))


def _discard(_: str) -> None:
    """Discard progress messages, since the job prints a summary."""


_COMMITTER_NAME = "scalpel"


def set_identity(folder: Path, variables: Mapping[str, str]) -> None:
    """Set this process's variables for git's author and committer, unless the runner has an identity.

    Args:
        folder: the checkout.
        variables: the job's variables; existing author and committer variables stay.
    """
    with Repository(folder, long_lived=False) as repo:
        if repo.setting("user.email"):
            return
    who = variables.get("GITHUB_ACTOR") or variables.get("GITLAB_USER_LOGIN") or _COMMITTER_NAME
    mail = variables.get("GITLAB_USER_EMAIL") or _no_reply_address(variables, who)
    known = {
        "GIT_AUTHOR_NAME": variables.get("GITLAB_USER_NAME") or who,
        "GIT_AUTHOR_EMAIL": mail,
        "GIT_COMMITTER_NAME": _COMMITTER_NAME,
        "GIT_COMMITTER_EMAIL": mail,
    }
    set_variables({name: value for name, value in known.items() if not variables.get(name)})


def _no_reply_address(variables: Mapping[str, str], who: str) -> str:
    """Return an address for ``who`` that does not receive mail."""
    if variables.get("GITLAB_CI"):
        return f"{who}@users.noreply.{variables.get('CI_SERVER_HOST') or 'gitlab.com'}"
    number = variables.get("GITHUB_ACTOR_ID")
    return f"{number}+{who}@users.noreply.github.com" if number else f"{who}@users.noreply.github.com"
