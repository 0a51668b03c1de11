"""Run a job configured by environment variables, as CI templates do: ``python -m gitscalpel.ci``.

Variables: ``SCALPEL_CHANGES`` (text) or ``SCALPEL_FILE``, by default the suggestion in the comment of the
GitHub event; ``SCALPEL_MESSAGE``, ``SCALPEL_ONTO``, ``SCALPEL_REMOTE``, ``SCALPEL_PR`` (``true``),
``SCALPEL_AGENT`` and ``SCALPEL_REPORTS`` (the directory for files, by default one that the runner clears; no
files are written if the runner names none).
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from gitscalpel.api import BadCall, ScalpelError, unexpected_errors
from gitscalpel.ci import job
from gitscalpel.workspace.workspace import environment


def main() -> int:
    """Run the job of this process's variables and return the exit status of ``git scalpel``."""
    variables = environment()
    result = _run(variables)
    try:
        job.write_outputs(result, _report_folder(variables), variables)
    except OSError as error:
        pushed_note = f"; the change is pushed, as {result.branch}" if result.branch else ""
        result = job.JobResult(refused=_to_scalpel_error(error, variables).but(more=pushed_note))
    sys.stdout.write(job.escape_for_log(job.format_summary(result)))
    return result.refused.exit_status if result.refused else 0


def _run(variables: Mapping[str, str]) -> job.JobResult:
    try:
        job.set_identity(Path.cwd(), variables)
        return job.run_job(Path.cwd(), _read_request(variables))
    except Exception as error:
        return job.JobResult(refused=_to_scalpel_error(error, variables))


def _to_scalpel_error(error: Exception, variables: Mapping[str, str]) -> ScalpelError:
    return unexpected_errors.convert_error(
        error, unexpected_errors.CallContext(lambda: ["ci"], variables, _print_error)
    )


def _print_error(text: str) -> None:
    sys.stderr.write(job.escape_for_log(text))


def _report_folder(variables: Mapping[str, str]) -> Path | None:
    """Return the folder for report files, or None if nothing would read them."""
    folder, runner_folder = variables.get("SCALPEL_REPORTS"), variables.get("RUNNER_TEMP")
    if folder:
        return Path(folder)
    if not variables.get("GITHUB_OUTPUT"):
        return None
    return Path(tempfile.mkdtemp(prefix="scalpel-", dir=runner_folder or None))


def _read_request(variables: Mapping[str, str]) -> job.JobRequest:
    return job.JobRequest(
        changes=_read_changes(variables),
        message=variables.get("SCALPEL_MESSAGE", ""),
        onto=variables.get("SCALPEL_ONTO", ""),
        remote=variables.get("SCALPEL_REMOTE", ""),
        pr=variables.get("SCALPEL_PR", "") == "true",
        agent=variables.get("SCALPEL_AGENT", "") or "ci",
    )


def _read_changes(variables: Mapping[str, str]) -> bytes:
    text, file = variables.get("SCALPEL_CHANGES", ""), variables.get("SCALPEL_FILE", "")
    if text:
        return text.encode("utf-8", "surrogateescape")
    if file:
        return _read_file(file)
    event = variables.get("GITHUB_EVENT_PATH", "")
    if event:
        with suppress(msgspec.MsgspecError, AttributeError):  # the event is not a comment
            comment = msgspec.json.decode(_read_file(event)).get("comment")
            if isinstance(comment, dict):
                return msgspec.json.encode(comment)
    message = "no change to apply"
    raise BadCall(
        "invalid_args",
        message,
        "set the input `changes` or `file`, or trigger the workflow on `pull_request_review_comment`",
    )


def _read_file(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise BadCall("invalid_args", f"{file}: {error.strerror}", "name an existing file") from None


if __name__ == "__main__":
    sys.exit(main())
