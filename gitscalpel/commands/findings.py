"""Findings of a call as lines of text, worded and limited in the same way for all commands and front ends.

Warnings come first: something may break the program. All other findings are notes. Each kind has at most
ten lines, one for each file. Places that only mention a name in words are counted, unless they are
requested. Nothing is said twice.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET

from gitscalpel.changesets.answers import EditFinding, Remark
from gitscalpel.errors.messages import Action, Spelling, action, arg, spell

if TYPE_CHECKING:
    from gitscalpel.api import Result

_MENTIONS = {
    "string": "strings",
    "comment": "comments",
    "text": "texts",
    "other_language": "other languages",
}
"""Kinds of findings that are mentions of a name, and where these are."""
_MAX_ROWS = 10
"""Maximum number of lines for each kind of finding."""
_MAX_NUMBERS = 8
"""Maximum number of line numbers in one line."""


_WITHOUT_SYNTAX = re.compile(
    r"(?:.*/)?(?:\.?[^./:]+|[^/:]*\.(?:txt|text|log|csv|tsv)): no parser for this type of file"
)
"""Note about a file type without syntax, which no text mentions."""


class Findings(msgspec.Struct, frozen=True):
    """Findings of a call.

    Attributes:
        rows: the findings.
        full: call that shows all of them, or None if only the call itself can.
        list_mentions: True to list mentions instead of counting them, None if the call has no such option.
    """

    rows: tuple[EditFinding, ...] = ()
    full: Action | None = None
    list_mentions: bool | None = None

    def lines(self, spelling: Spelling) -> list[str]:
        """Return the findings as lines of text, each with its severity."""
        rows = sorted(dict.fromkeys(self.rows), key=lambda each: each.severity == "note")
        mentions = [each for each in rows if each.kind in _MENTIONS]
        is_counted = len(mentions) > 1 and not self.list_mentions
        groups: dict[tuple[str, str], list[EditFinding]] = {}
        for each in rows:
            if not (is_counted and each.kind in _MENTIONS):
                groups.setdefault((each.severity, each.kind or each.message), []).append(each)
        found = [line for group in groups.values() for line in self._group_lines(group)]
        found += [self._count_mentions(mentions)] if is_counted else []
        return [spell(line, spelling) for line in found]

    def _group_lines(self, group: list[EditFinding]) -> Iterator[str]:
        merged = list(_merge_lines(group))
        is_whole = self.list_mentions and group[0].kind in _MENTIONS
        most_rows, most_numbers = (len(merged), sys.maxsize) if is_whole else (_MAX_ROWS, _MAX_NUMBERS)
        for each in merged[:most_rows]:
            yield f"{each.severity}: {each.shorten(most_numbers)}"
        rest = merged[most_rows:]
        if rest:
            more = f"{_count_lines(rest)} more in {_count_files(rest)}"
            yield f"{group[0].severity}: {more}: {self._full_call('json')}"

    def _full_call(self, option: str) -> str:
        """Return the call or option that lists all findings."""
        if self.full is not None:
            return f"`{Action(self.full.verb, (*self.full.arguments, (option, True)))}`"
        return f"`{arg(option if self.list_mentions is not None else 'json')}`"

    def _count_mentions(self, mentions: list[EditFinding]) -> str:
        """Return one line for all mentions: their number, and that of each kind."""
        counts = ((words, [row for row in mentions if row.kind == kind]) for kind, words in _MENTIONS.items())
        parts = [f"{_count_lines(rows)} in {words}" for words, rows in counts if rows]
        total = f"{_count_lines(mentions)} mentions in {_count_files(mentions)} left"
        return f"note: {total} ({', '.join(parts)}): {self._full_call('list_mentions')}"


def _count_lines(rows: Sequence[EditFinding]) -> int:
    return sum(len(each.lines or (0,)) for each in rows)


def _count_files(rows: Sequence[EditFinding]) -> str:
    files = len({each.path for each in rows})
    return f"{files} file{'s' * (files != 1)}"


def _merge_lines(group: Iterable[EditFinding]) -> Iterator[EditFinding]:
    """Yield the findings, joining those of the same file with the same message."""
    lines: dict[EditFinding, list[int]] = {}
    for each in group:
        lines.setdefault(msgspec.structs.replace(each, lines=UNSET), []).extend(each.lines or ())
    for each, numbers in lines.items():
        yield msgspec.structs.replace(each, lines=tuple(sorted({*numbers})) or UNSET)


def warning_findings(said: Iterable[str]) -> Findings:
    """Return the warnings of a reply as findings."""
    return Findings(tuple(map(_make_finding, said)))


def _make_finding(words: str) -> EditFinding:
    if isinstance(words, Remark):
        return words.finding
    return EditFinding(severity="warning", kind="", message=words)


def list_remarks(result: Result) -> Iterator[str]:
    """Yield the warnings of a result, with the parts of those that have any."""
    known = {each.text: each for each in result.facts.findings or ()}
    for words in result.said:
        yield Remark(known[words]) if words in known else words


def result_findings(result: Result, *, list_mentions: bool | None = None) -> Findings:
    """Return all that a result reports besides its files."""
    facts, said = result.facts, set(result.said)
    known = {each.text: each for each in facts.findings or ()}
    rows = list(map(_make_finding, list_remarks(result)))
    rows += [
        known.get(words) or EditFinding(severity="note", kind="", message=words)
        for words in facts.unchecked
        if words not in said and not _WITHOUT_SYNTAX.match(words)
    ]
    rows += [
        EditFinding(severity="note", kind="documentation", message=doc.why, path=doc.path, lines=(doc.line,))
        for doc in facts.stale_docs or ()
    ]
    full = None if result.tx is None else action("show-tx", tx=result.tx)
    return Findings(tuple(rows), full, list_mentions)
