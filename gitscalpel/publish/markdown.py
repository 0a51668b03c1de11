"""Describe a change and its checks in Markdown, for a pull request, a job summary or a mail.

Names and paths are code spans, so that nothing in them becomes a mention, a link or HTML. The message is kept
as the author wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import UNSET

from gitscalpel.api import Result
from gitscalpel.changesets.answers import GateRow, IntentRow
from gitscalpel.system.version import __version__

_MAX_ROWS = 50
"""Largest number of rows of a list; the rest is counted."""
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


def title(result: Result) -> str:
    """Return the first line of the message."""
    return result.message.partition("\n")[0]


def body(result: Result, by: str = "") -> str:
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


def code(text: str) -> str:
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
        return code(text)
    plain = (each if each.isalnum() or each == " " else f"&#{ord(each)};" for each in _one_line(text))
    return f"<code>{''.join(plain)}</code>"


def _one_line(text: str) -> str:
    """Return ``text`` with single spaces for line breaks and control characters."""
    return " ".join(_CONTROLS.sub(" ", text).split())


def _format_message(text: str) -> str:
    """Return the rest of a message unchanged, or quoted if it would swallow the text after it.

    An unclosed fence, a comment or a tag would do so; each ends with its quotation.
    """
    text = _HTML.sub("<\u200b", text.strip("\n"))
    return "\n".join(f"> {line}" for line in text.splitlines()) if _FENCE.search(text) else text


def _format_section(heading: str, rows: Iterable[str], *, plain: bool = False) -> str:
    rows = list(rows)
    lines = [f"- {_escape(row) if plain else row}" for row in rows[:_MAX_ROWS]]
    more = [f"- and {len(rows) - _MAX_ROWS} more"] if len(rows) > _MAX_ROWS else []
    return "\n".join([f"### {heading}", "", *lines, *more]) if rows else ""


def _format_intent(row: IntentRow) -> str:
    to = f" to {code(str(row.to))}" if row.to is not UNSET and row.to else ""
    return f"{_VERBS.get(row.kind, row.kind)} {code(row.symbol)}{to} in {code(row.path)}"


def _list_consequences(result: Result) -> Iterator[str]:
    facts = result.facts
    for one in facts.affected or ():
        yield f"{code(one.symbol)} is used in {one.references} places of {one.files} files"
    for followed in facts.propagated or ():
        yield f"{followed.edits} edits in {followed.files} files followed from a {followed.kind}"
    for stale in facts.stale_docs or ():
        yield f"{code(f'{stale.path}:{stale.line}')} is untrue now: {_escape(stale.why)}"
    for fix in facts.fixed or ():
        yield f"{code(fix.path)} was changed on the way: {_escape(fix.fix)}"


def _format_gates(gates: tuple[GateRow, ...]) -> str:
    rows = [f"| {_escape(gate.name)} | {gate.status} | {len(gate.findings) or ''} |" for gate in gates]
    return "\n".join(["| gate | verdict | findings |", "|---|---|---|", *rows]) if rows else ""


def _format_files(result: Result) -> str:
    rows = result.patch.rows
    lines = [
        f"| {_cell(row.path)} | {row.status} | +{row.added} -{row.removed} |" for row in rows[:_MAX_ROWS]
    ]
    more = [f"| and {len(rows) - _MAX_ROWS} more | | |"] if len(rows) > _MAX_ROWS else []
    return "\n".join(["| file | | lines |", "|---|---|---|", *lines, *more])


def _format_provenance(result: Result, by: str) -> str:
    base = f" on {code(str(result.base)[:12])}" if result.base else ""
    who = f" by {_escape(by)}" if by else ""
    return f"Transaction {code(str(result.tx))}{base}{who}, made with gitscalpel {__version__}"


def _escape(text: str) -> str:
    """Return foreign text without anything that Markdown or a forge would interpret."""
    plain = _one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|#@~])", r"\\\1", plain).replace(r"\@", "@\u200b")
