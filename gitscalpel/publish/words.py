"""A change in Markdown, for a pull request, a job's summary or a mail: what it does, and what was checked.

Names and paths are code, so that nothing in them is a mention, a link or HTML; the message is its author's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import UNSET

from gitscalpel import Result, __version__
from gitscalpel.report import GateRow, IntentRow

_MOST = 50
"""Rows of one list; more are counted."""
_RUNS = re.compile("`+")
_DOES = {
    "add": "adds",
    "delete": "removes",
    "rename": "renames",
    "move": "moves",
    "body_change": "changes the body of",
    "signature_change": "changes the signature of",
}


def title(result: Result) -> str:
    """The first line of its message."""
    return result.message.partition("\n")[0]


def body(result: Result, by: str = "") -> str:
    """All that is known of a change; ``by`` is who asks for it, and with what."""
    parts = [
        result.message.partition("\n")[2].strip("\n"),
        _part("What it does", map(_intent, result.facts.intents)),
        _part("What follows from it", _consequences(result)),
        _part("Not checked", result.facts.unchecked, plain=True),
        _gates(result.facts.gates),
        _files(result),
        f"<sub>{_provenance(result, by)}</sub>",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def code(text: str) -> str:
    """``text`` as a code span, whatever it holds (CommonMark 0.31, section 6.1)."""
    text = " ".join(text.split())
    longest = max((len(run) for run in _RUNS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def _part(heading: str, rows: Iterable[str], *, plain: bool = False) -> str:
    rows = list(rows)
    lines = [f"- {_escaped(row) if plain else row}" for row in rows[:_MOST]]
    more = [f"- and {len(rows) - _MOST} more"] if len(rows) > _MOST else []
    return "\n".join([f"### {heading}", "", *lines, *more]) if rows else ""


def _intent(row: IntentRow) -> str:
    to = f" to {code(str(row.to))}" if row.to is not UNSET and row.to else ""
    return f"{_DOES.get(row.kind, row.kind)} {code(row.symbol)}{to} in {code(row.path)}"


def _consequences(result: Result) -> Iterator[str]:
    facts = result.facts
    for one in facts.affected or ():
        yield f"{code(one.symbol)} is used in {one.references} places of {one.files} files"
    for followed in facts.propagated or ():
        yield f"{followed.edits} edits in {followed.files} files followed from a {followed.kind}"
    for stale in facts.stale_docs or ():
        yield f"{code(f'{stale.path}:{stale.line}')} is untrue now: {_escaped(stale.why)}"
    for fix in facts.fixed or ():
        yield f"{code(fix.path)} was changed on the way: {_escaped(fix.fix)}"


def _gates(gates: tuple[GateRow, ...]) -> str:
    rows = [f"| {_escaped(gate.name)} | {gate.status} | {len(gate.findings) or ''} |" for gate in gates]
    return "\n".join(["| gate | verdict | findings |", "|---|---|---|", *rows]) if rows else ""


def _files(result: Result) -> str:
    rows = result.patch.rows
    lines = [f"| {code(row.path)} | {row.status} | +{row.added} -{row.removed} |" for row in rows[:_MOST]]
    more = [f"| and {len(rows) - _MOST} more | | |"] if len(rows) > _MOST else []
    return "\n".join(["| file | | lines |", "|---|---|---|", *lines, *more])


def _provenance(result: Result, by: str) -> str:
    base = f" on {code(str(result.base)[:12])}" if result.base else ""
    who = f" by {_escaped(by)}" if by else ""
    return f"Transaction {code(str(result.tx))}{base}{who}, made with gitscalpel {__version__}"


def _escaped(text: str) -> str:
    """Words that are none of ours, without anything that Markdown or a forge would make something of."""
    plain = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|#@~])", r"\\\1", plain).replace(r"\@", "@\u200b")
