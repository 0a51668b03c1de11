"""Pull request of a pushed transaction: its text, its web page, and the forge's command line."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel.api import BadCall, Pushed, Repository
from gitscalpel.publish import markdown
from gitscalpel.system.credentials import redact

_REMOTE_URL = re.compile(
    r"^(?:\w+://(?:[^/@]+@)?|[^/@:]+@)(?P<host>[^/:]+)(?::\d+)?[:/](?P<path>.+?)(?:\.git)?/?$"
)
_PROGRAMS = {True: "glab", False: "gh"}
"""The forge's command-line program, for GitLab hosts (True) and for all others."""
Run = Callable[..., tuple[int, str]]
"""Runs a program with arguments and returns its exit status and output."""


class Request(msgspec.Struct, frozen=True):
    """Text and branches of a pull request."""

    title: str
    body: str
    head: str
    base: str


def page(url: str, request: Request) -> str | None:
    """Return the web page for opening the pull request, or None for an unknown forge."""
    found = _REMOTE_URL.match(url)
    if found is None:
        return None
    at = f"https://{found['host']}/{found['path']}"
    head, base = quote(request.head, safe="/"), quote(request.base, safe="/")
    if _is_gitlab(found["host"]):
        source, target = quote(request.head, safe=""), quote(request.base, safe="")
        asked = f"merge_request%5Bsource_branch%5D={source}&merge_request%5Btarget_branch%5D={target}"
        return f"{at}/-/merge_requests/new?{asked}"
    return f"{at}/compare/{base}...{head}?expand=1" if "github" in found["host"] else None


def open_pull_request(url: str, request: Request, run: Run) -> tuple[bool, str]:
    """Open or update the pull request of a branch.

    Returns:
        True on success, and the program's output.
    """
    found = _REMOTE_URL.match(url)
    program = _PROGRAMS[_is_gitlab(found["host"] if found else "")]
    make, change = (_gitlab_arguments if program == "glab" else _github_arguments)(request)
    try:
        status, said = run(program, *change)
        if status != 0:
            status, said = run(program, *make)
    except BadCall:
        return False, f"there is no {program} on PATH"
    return status == 0, redact(said.strip())


def _is_gitlab(host: str) -> bool:
    return "gitlab" in host


def _github_arguments(request: Request) -> tuple[list[str], list[str]]:
    words = ["--title", request.title, "--body", request.body]
    make = ["pr", "create", "--head", request.head, "--base", request.base, *words]
    return make, ["pr", "edit", request.head, *words]


def _gitlab_arguments(request: Request) -> tuple[list[str], list[str]]:
    words = ["--title", request.title, "--description", request.body]
    ends = ["--source-branch", request.head, "--target-branch", request.base]
    return ["mr", "create", *ends, *words, "--yes"], ["mr", "update", request.head, *words]


class PullRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A pull request with its text, its branches and its web page if known.

    Attributes:
        opened: True if the pull request was opened or updated.
        said: output of the forge's command line.
    """

    title: str
    body: str
    head: str
    base: str
    url: str | UnsetType = UNSET
    opened: bool | UnsetType = UNSET
    said: str | UnsetType = UNSET


def of(repo: Repository, done: Pushed, *, open_it: bool) -> PullRequest:
    """Return the pull request for a pushed transaction, and open it if ``open_it`` is True."""
    result = done.result
    says = Request(markdown.title(result), markdown.body(result, done.by), done.branch, result.target)
    opened, said = open_pull_request(done.url, says, repo.ask) if open_it else (False, "")
    return PullRequest(
        title=says.title,
        body=says.body,
        head=says.head,
        base=says.base,
        url=page(done.url, says) or UNSET,
        opened=opened if open_it else UNSET,
        said=said or UNSET,
    )
