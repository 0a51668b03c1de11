"""Diagnostics of compilers, linters and language servers: comparison, verdict and safe fixes.

Two diagnostics are the same if they have the same rule and message, for the same text in the same file. The
line number and the name of the file may differ. If several are the same, only those in excess of the old
number are new. A changed line keeps its old diagnostics: they count as the same if the diff has the new line
in place of the old one.

A fix is safe if it changes only the file that it is offered for, the change has edited that file already, and
the fix does not just silence its tool at that place.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple
from urllib.parse import unquote

import msgspec

from gitscalpel.changesets.answers import Finding, Fix, Remaining, quoted
from gitscalpel.changesets.file_tree import Overlay, Snapshot
from gitscalpel.changesets.operations import Patch
from gitscalpel.changesets.rules import Diagnostics
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.errors import GateRefused, ScalpelError
from gitscalpel.gates.command_verdict import comparable_words, more
from gitscalpel.gates.verdict import Verdict
from gitscalpel.text.line_diff import diff_lines

Severity = Literal["error", "warning"]


class Remedy(msgspec.Struct, frozen=True):
    """A fix that a tool offers; ``patch`` has a format of ``edit/patches``.

    Attributes:
        is_safe: True if the tool calls the fix safe. Other fixes are never applied without a request.
    """

    title: str
    patch: str
    is_safe: bool = True


class Diagnostic(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One problem that a tool reports.

    Attributes:
        path: path of the file. Empty if the tree does not contain the file; ``message`` then names it.
        line, column: start of the problem, counted from 1.
        rule: name of the violated rule, from the tool.
    """

    path: str
    line: int
    message: str
    column: int = 1
    severity: Severity = "error"
    rule: str = ""
    remedies: tuple[Remedy, ...] = ()

    @property
    def told(self) -> str:
        """Return the message, with the rule in brackets unless the message already contains it."""
        is_said = not self.rule or f"[{self.rule}]" in self.message
        return self.message if is_said else f"{self.message} [{self.rule}]"

    @property
    def finding(self) -> Finding:
        """Return the diagnostic as a row of an answer."""
        return Finding(quoted(self.path), self.line, self.column, self.told, self.severity)


Exists = Callable[[str], bool]
SEVERITIES: dict[object, Severity | None] = {
    **dict.fromkeys(("error", "fatal", "fatal error", "failure-note", 1), "error"),
    **dict.fromkeys(("warning", "warn", 2), "warning"),
    **dict.fromkeys(("note", "info", "information", "hint", "help", "none", 3, 4)),
}
"""Severity for a word, or for a number of the Language Server Protocol. None for what is not a problem."""


def make_diagnostic(
    name: Any, where: tuple[Any, Any], message: str, exists: Exists, **more: Any
) -> Diagnostic:
    """Return a diagnostic. If the tree does not contain the file, the message names it.

    ``where`` is line and column, counted from 1. ``exists`` returns True if the tree contains a path.
    """
    line, column = (each if isinstance(each, int) and each > 0 else 1 for each in where)
    path = named_path(str(name or ""))
    if not exists(path):
        path, message = "", f"{path}:{line}: {message}" if path else message
    return Diagnostic(path=path, line=line, column=column, message=message, **more)


def named_path(name: str) -> str:
    """Return the normalised path for a file name or ``file:`` URI, from which the root was removed."""
    if name.startswith("file:"):
        name = unquote(name.removeprefix("file:").removeprefix("//"), errors="surrogateescape")
    return posixpath.normpath(name) if name else ""


NAME = "diagnostics"
_MAX_NAMED = 5
"""Number of places that an error names."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Result of one tool that was run on a change.

    Attributes:
        by: name of the tool.
        new: problems that the old tree does not have. None if the tool could not decide.
        silent: reason why the tool could not decide.
        error: error for that reason, if the tool is a command of the team and not a server of the user.
        about: paths that the tool has checked.
    """

    by: str
    new: tuple[Diagnostic, ...] | None = None
    silent: str = ""
    error: ScalpelError | None = None
    about: frozenset[str] = frozenset()
    where: str = ""
    cached: bool = False


def judge_reports(level: Diagnostics, reports: Sequence[Report], unchecked: Sequence[str]) -> Verdict:
    """Return the verdict. The gate is not passed if a tool could not decide.

    ``unchecked`` names files that no tool has checked, with the reason.
    """
    new = new_diagnostics(reports)
    errors = [each for each in new if each.severity == "error"]
    silent = tuple(f"{NAME}: {each.by}: {each.silent}" for each in reports if each.new is None)
    error = _new_errors_error(level, errors, reports)
    told = any(each.new is not None for each in reports)
    status: Literal["failed", "passed", "skipped"] = "passed" if told and not silent else "skipped"
    asked = f"asked: {', '.join(each.by for each in reports)}" if reports else ""
    return Verdict(
        NAME,
        "failed" if error else status,
        tuple(each.finding for each in new),
        error,
        notes=(asked,) if asked else (),
        unchecked=(*silent, *(f"{NAME}: {words}" for words in unchecked)),
        where=next((each.where for each in reports if each.where), ""),
    )


def new_diagnostics(reports: Sequence[Report]) -> list[Diagnostic]:
    """Return the new problems in order of file and line, without duplicates from several tools."""
    found = {each.finding: each for one in reports for each in one.new or ()}
    return sorted(found.values(), key=lambda each: (each.severity, each.path, each.line, each.column))


def remaining_rows(new: Sequence[Diagnostic]) -> tuple[Remaining, ...]:
    """Return the new problems as ``remaining`` rows of an answer."""
    rows = (each.finding for each in new)
    return tuple(Remaining(row.path, row.line, row.message, row.severity) for row in rows)


def _new_errors_error(
    level: Diagnostics, errors: Sequence[Diagnostic], reports: Sequence[Report]
) -> ScalpelError | None:
    if level != "new-errors":
        return None
    if not errors:
        return next((each.error for each in reports if each.error is not None), None)
    findings = [each.finding for each in errors]
    places = "; ".join(f"{each.path}:{each.line}: {each.message}" for each in findings[:_MAX_NAMED])
    more = f" and {len(findings) - _MAX_NAMED} more" if len(findings) > _MAX_NAMED else ""
    count = f"{len(findings)} new error{'s' * (len(findings) > 1)}"
    return GateRefused(
        "diagnostics_failed",
        f"{count}: {places}{more}",
        "fix them in the same changeset; errors of the old tree do not count",
        gate=NAME,
        findings=msgspec.to_builtins(findings),
        remaining=msgspec.to_builtins(remaining_rows(errors)),
    )


Text = Callable[[str], "bytes | None"]
"""Returns the content of a path in one of the trees."""


class _LocatedDiagnostic(NamedTuple):
    """A diagnostic with the path of its file in the new tree, and the text of its line."""

    one: Diagnostic
    path: str
    text: bytes

    @property
    def what(self) -> tuple[str, str, str, str]:
        words = comparable_words(self.one.message, placed=bool(self.path))
        return self.path, self.one.rule, words, self.one.severity


def find_new(
    after: Sequence[Diagnostic],
    before: Sequence[Diagnostic],
    texts: tuple[Text, Text],
    origins: Mapping[str, str],
) -> list[Diagnostic]:
    """Return the diagnostics of ``after`` that exceed those of ``before``.

    ``texts`` return the files of the old and of the new tree; ``origins`` maps new paths of renamed files to
    old ones.
    """
    ways = {old: path for path, old in origins.items()}
    olds = _locate_diagnostics(before, texts[0], ways)
    news = _locate_diagnostics(after, texts[1], {})
    identity = lambda each: (each.what, each.text)  # noqa: E731
    left, gone = more(news, olds, identity), more(olds, news, identity)
    found = []
    for each in left:
        old = next(
            (one for one in gone if one.what == each.what and _is_replaced_line(one, each, texts)), None
        )
        if old is None:
            found.append(each.one)
        else:
            gone.remove(old)
    return found


def _locate_diagnostics(
    found: Sequence[Diagnostic], text: Text, ways: Mapping[str, str]
) -> list[_LocatedDiagnostic]:
    lines: dict[str, list[bytes]] = {}
    for each in found:
        if each.path not in lines:
            lines[each.path] = ((text(each.path) if each.path else None) or b"").split(b"\n")
    return [
        _LocatedDiagnostic(each, ways.get(each.path, each.path), _line_text(lines[each.path], each.line))
        for each in found
    ]


def _line_text(lines: list[bytes], number: int) -> bytes:
    return lines[number - 1].strip() if 0 < number <= len(lines) else b""


def _is_replaced_line(old: _LocatedDiagnostic, new: _LocatedDiagnostic, texts: tuple[Text, Text]) -> bool:
    """Return True if the diff of the file replaces the line of the old diagnostic by that of the new one."""
    before, after = texts[0](old.one.path), texts[1](new.one.path)
    if not old.path or before is None or after is None:
        return False
    first, second = before.split(b"\n"), after.split(b"\n")
    return any(a < old.one.line <= b and c < new.one.line <= d for a, b, c, d in diff_lines(first, second))


_SUPPRESSIONS = re.compile(
    rb"noqa|type: *ignore|(?:ty|pyright|mypy|basedpyright|pyrefly|zuban|pyre)(?::|-) *(?:ignore|fixme)"
    rb"|pylint: *disable|nosec|ruff: *(?:noqa|disable|ignore)|@ts-(?:ignore|expect-error|nocheck)"
    rb"|(?:eslint|oxlint|biome|tslint|deno-lint|stylelint)-(?:disable|ignore)|nolint|noinspection"
    rb"|lint:ignore|#!?\[(?:cfg_attr\(.*)?(?:allow|expect)\(|@SuppressWarnings|#pragma .*ignored"
    rb"|nosemgrep|codeql\[|NOSONAR|no_type_check",
    re.IGNORECASE,
)
"""Comments and attributes that silence a tool at a place."""


def apply_safe_fixes(
    found: Iterable[Diagnostic], files: Snapshot, within: Collection[str]
) -> tuple[Overlay, tuple[Fix, ...]]:
    """Apply every fix that is safe and the only one for its diagnostic; return the files and the fixes.

    Only files ``within`` are changed. Fixes that conflict with an earlier one are left out. A later round may
    offer them again.
    """
    now, before = Overlay(files), Overlay(files)
    chosen: tuple[Patch, ...] = ()
    fixed: list[Fix] = []
    for each in found:
        safe = (remedy for remedy in each.remedies if remedy.is_safe)
        ways = {after: remedy for remedy in safe if (after := _apply_remedy(remedy, before, each.path))}
        if len(ways) != 1 or each.path not in within:
            continue
        (remedy,) = ways.values()
        patches = (*chosen, Patch(path=each.path, diff=remedy.patch))
        with suppress(ScalpelError):
            now = apply(patches, before).overlay
            chosen = patches
            fixed.append(Fix(quoted(each.path), f"line {each.line}: {remedy.title}"))
    return now, tuple(fixed)


def _apply_remedy(remedy: Remedy, files: Overlay, path: str) -> bytes | None:
    """Return the file after one fix.

    None if the fix does not apply, changes other files or silences a tool.
    """
    try:
        outcome = apply((Patch(path=path, diff=remedy.patch),), files)
    except ScalpelError:
        return None
    content = outcome.overlay.content(path)
    if content is None or [change.path for change in outcome.changes] != [path]:
        return None
    silenced = (len(_SUPPRESSIONS.findall(text or b"")) for text in (files.content(path), content))
    return content if next(silenced) >= next(silenced) else None
