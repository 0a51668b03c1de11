"""Pull requests: their text, and the forge that opens them.

Names and paths are code spans, so that nothing in them becomes a mention, a link or HTML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import quote

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel.api import BadCall, Pushed, Result
from gitscalpel.api.open_repository import OpenRepository
from gitscalpel.changesets.answers import GateRow, IntentRow
from gitscalpel.system.trust import redact
from gitscalpel.system.version import __version__

_MAX_ROWS = 50  # Largest number of rows of a list; the rest is counted
_BACKTICKS = re.compile("`+")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_FENCE = re.compile(r"^[ \t>*+\-\d.)]*(?:```|~~~)", re.MULTILINE)
_HTML = re.compile(r"<(?=[A-Za-z/!?])(?!https?://|[^<>\s]+@[^<>\s]+>)")
_VERBS = {
    "add": "adds",
    "delete": "removes",
    "rename": "renames",
    "move": "moves",
    "body_change": "changes the body of",
    "signature_change": "changes the signature of",
}


def format_title(result: Result) -> str:
    return result.message.partition("\n")[0]


def format_body(result: Result, by: str = "") -> str:
    """Return the description of a change; ``by`` is the author and the program."""
    parts = [
        _format_message(result.message.partition("\n")[2]),
        _format_section("What it does", map(_format_intent, result.facts.intents)),
        _format_section("What follows from it", _list_consequences(result)),
        _format_section("Not checked", result.facts.unchecked, plain=True),
        _format_gates(result.facts.gates),
        _format_files(result),
        f"<sub>{_format_provenance(result, by)}</sub>",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def code_span(text: str) -> str:
    """Return ``text`` as a code span for any content (CommonMark 0.31, section 6.1)."""
    text = _one_line(text)
    if not text:
        return ""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def _cell(text: str) -> str:
    r"""Return ``text`` as code for a table cell, which ends at a bar even within a code span.

    GitHub reads ``\|`` as a bar there, but not after another backslash. It splits cells before it decodes
    entities.
    """
    if "|" not in text:
        return code_span(text)
    plain = (each if each.isalnum() or each == " " else f"&#{ord(each)};" for each in _one_line(text))
    return f"<code>{''.join(plain)}</code>"


def _one_line(text: str) -> str:
    return " ".join(_CONTROLS.sub(" ", text).split())


def _format_message(text: str) -> str:
    """Return the rest of a message unchanged, or quoted if a fence in it would swallow the text after it."""
    text = _HTML.sub("<\u200b", text.strip("\n"))
    return "\n".join(f"> {line}" for line in text.splitlines()) if _FENCE.search(text) else text


def _format_section(heading: str, rows: Iterable[str], *, plain: bool = False) -> str:
    rows = list(rows)
    lines = [f"- {_escape(row) if plain else row}" for row in rows[:_MAX_ROWS]]
    omitted = [f"- and {len(rows) - _MAX_ROWS} more"] if len(rows) > _MAX_ROWS else []
    return "\n".join([f"### {heading}", "", *lines, *omitted]) if rows else ""


def _format_intent(row: IntentRow) -> str:
    to = f" to {code_span(str(row.to))}" if row.to is not UNSET and row.to else ""
    return f"{_VERBS.get(row.kind, row.kind)} {code_span(row.symbol)}{to} in {code_span(row.path)}"


def _list_consequences(result: Result) -> Iterator[str]:
    facts = result.facts
    for definition in facts.affected or ():
        uses = f"{definition.references} places of {definition.files} files"
        yield f"{code_span(definition.symbol)} is used in {uses}"
    for change in facts.propagated or ():
        yield f"{change.edits} edits in {change.files} files followed from a {change.kind}"
    for stale in facts.stale_docs or ():
        yield f"{code_span(f'{stale.path}:{stale.line}')} is outdated: {_escape(stale.why)}"
    for fix in facts.fixed or ():
        yield f"{code_span(fix.path)} was changed too: {_escape(fix.fix)}"


def _format_gates(gates: tuple[GateRow, ...]) -> str:
    rows = [f"| {_escape(gate.name)} | {gate.status} | {len(gate.findings) or ''} |" for gate in gates]
    return "\n".join(["| gate | verdict | findings |", "|---|---|---|", *rows]) if rows else ""


def _format_files(result: Result) -> str:
    rows = result.patch.rows
    lines = [
        f"| {_cell(row.path)} | {row.status} | +{row.added} -{row.removed} |" for row in rows[:_MAX_ROWS]
    ]
    omitted = [f"| and {len(rows) - _MAX_ROWS} more | | |"] if len(rows) > _MAX_ROWS else []
    return "\n".join(["| file | | lines |", "|---|---|---|", *lines, *omitted])


def _format_provenance(result: Result, by: str) -> str:
    base = f" on {code_span(str(result.base)[:12])}" if result.base else ""
    author = f" by {_escape(by)}" if by else ""
    return f"Transaction {code_span(str(result.tx))}{base}{author}, made with gitscalpel {__version__}"


def _escape(text: str) -> str:
    """Return foreign text without anything that Markdown or a forge would interpret."""
    plain = _one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|#@~])", r"\\\1", plain).replace(r"\@", "@\u200b")


_REMOTE_URL = re.compile(
    r"^(?:\w+://(?:[^/@]+@)?|[^/@:]+@)(?P<host>[^/:]+)(?::\d+)?[:/](?P<path>.+?)(?:\.git)?/?$"
)
_PROGRAMS = {True: "glab", False: "gh"}
"""The forge's command-line program, for GitLab hosts (True) and for all others."""
Run = Callable[..., tuple[int, str]]  # Runs a program with arguments and returns its exit status and output


class PullRequestDraft(msgspec.Struct, frozen=True):
    """Text and branches of a pull request."""

    title: str
    body: str
    head: str
    base: str


def new_pull_request_url(url: str, request: PullRequestDraft) -> str | None:
    """Return the web page for opening the pull request, or None for an unknown forge."""
    match = _REMOTE_URL.match(url)
    if match is None:
        return None
    web_page = f"https://{match['host']}/{match['path']}"
    head, base = quote(request.head, safe="/"), quote(request.base, safe="/")
    if _is_gitlab(match["host"]):
        source, target = quote(request.head, safe=""), quote(request.base, safe="")
        query = f"merge_request%5Bsource_branch%5D={source}&merge_request%5Btarget_branch%5D={target}"
        return f"{web_page}/-/merge_requests/new?{query}"
    return f"{web_page}/compare/{base}...{head}?expand=1" if "github" in match["host"] else None


def open_pull_request(url: str, request: PullRequestDraft, run: Run) -> tuple[bool, str]:
    """Open or update the pull request of a branch; return True on success, and the program's output."""
    match = _REMOTE_URL.match(url)
    program = _PROGRAMS[_is_gitlab(match["host"] if match else "")]
    create_arguments, update_arguments = (_gitlab_arguments if program == "glab" else _github_arguments)(
        request
    )
    try:
        status, output = run(program, *update_arguments)
        if status != 0:
            status, output = run(program, *create_arguments)
    except BadCall:
        return False, f"there is no {program} on PATH"
    return status == 0, redact(output.strip())


def _is_gitlab(host: str) -> bool:
    return "gitlab" in host


def _github_arguments(request: PullRequestDraft) -> tuple[list[str], list[str]]:
    options = ["--title", request.title, "--body", request.body]
    create = ["pr", "create", "--head", request.head, "--base", request.base, *options]
    return create, ["pr", "edit", request.head, *options]


def _gitlab_arguments(request: PullRequestDraft) -> tuple[list[str], list[str]]:
    options = ["--title", request.title, "--description", request.body]
    branches = ["--source-branch", request.head, "--target-branch", request.base]
    return ["mr", "create", *branches, *options, "--yes"], ["mr", "update", request.head, *options]


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


def prepare_pull_request(repo: OpenRepository, pushed: Pushed, *, open_it: bool) -> PullRequest:
    result = pushed.result
    draft = PullRequestDraft(
        format_title(result), format_body(result, pushed.by), pushed.branch, result.target
    )
    opened, output = open_pull_request(pushed.url, draft, repo.ask) if open_it else (False, "")
    return PullRequest(
        title=draft.title,
        body=draft.body,
        head=draft.head,
        base=draft.base,
        url=new_pull_request_url(pushed.url, draft) or UNSET,
        opened=opened if open_it else UNSET,
        said=output or UNSET,
    )
