"""Diagnostics: read from the output of tools, compared with those before a change.

Two diagnostics are the same if they have the same rule and message, for the same text in the same file, or
for a line that replaces it. If several are the same, only those in excess of the old number are new.

Formats are the JSON of some tools, SARIF 2.1.0 (section 3.27) and the Language Server Protocol (3.17,
"PublishDiagnostics"). Fixes in SARIF are not used: a log does not say which are safe (ruff lists unsafe
ones).
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple
from urllib.parse import unquote

import msgspec

from gitscalpel.changesets.answers import Finding, Fix, Remaining, quote_path
from gitscalpel.changesets.file_tree import Overlay, Snapshot
from gitscalpel.changesets.operations import Patch
from gitscalpel.changesets.rules import Diagnostics, Output
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.errors import GateRefused, ScalpelError
from gitscalpel.gates import command_verdict
from gitscalpel.gates.command_verdict import comparable_words, find_additional
from gitscalpel.gates.verdict import Verdict
from gitscalpel.text import lenient_json
from gitscalpel.text.line_diff import diff_lines

Severity = Literal["error", "warning"]


class Remedy(msgspec.Struct, frozen=True):
    """A fix that a tool offers, as a patch. One that the tool does not call safe is never applied unasked."""

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
        return Finding(quote_path(self.path), self.line, self.column, self.told, self.severity)


Exists = Callable[[str], bool]
SEVERITIES: dict[object, Severity | None] = {
    **dict.fromkeys(("error", "fatal", "fatal error", "failure-note", 1), "error"),
    **dict.fromkeys(("warning", "warn", 2), "warning"),
    **dict.fromkeys(("note", "info", "information", "hint", "help", "none", 3, 4)),
}
"""Severity for a word, or for a number of the Language Server Protocol. None for what is not a problem."""


class ToolProblem(NamedTuple):
    """A problem as a tool reports it, with any values; ``line`` and ``column`` count from 1."""

    file: Any
    line: Any
    column: Any
    message: Any
    severity: object = "error"
    rule: object = None
    remedies: Iterable[Remedy] = ()


def make_diagnostic(problem: ToolProblem, exists: Exists) -> Diagnostic | None:
    """Return a diagnostic, or None if it is neither an error nor a warning.

    If the tree does not contain the file, the message names it.
    """
    severity = SEVERITIES.get(problem.severity, "error")
    if severity is None:
        return None
    line, column = (n if isinstance(n, int) and n > 0 else 1 for n in (problem.line, problem.column))
    path, message = path_from_uri(str(problem.file or "")), str(problem.message)
    if not exists(path):
        path, message = "", f"{path}:{line}: {message}" if path else message
    return Diagnostic(
        path=path,
        line=line,
        column=column,
        message=message,
        severity=severity,
        rule="" if problem.rule is None else str(problem.rule),
        remedies=tuple(problem.remedies),
    )


def path_from_uri(name: str) -> str:
    """Return the normalised path for a file name or ``file:`` URI, from which the root was removed."""
    if name.startswith("file:"):
        name = unquote(name.removeprefix("file:").removeprefix("//"), errors="surrogateescape")
    return posixpath.normpath(name) if name else ""


NAME = "diagnostics"
_MAX_NAMED = 5  # Number of places that an error names


class ToolReport(msgspec.Struct, frozen=True, kw_only=True):
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


def judge_reports(level: Diagnostics, reports: Sequence[ToolReport], unchecked: Sequence[str]) -> Verdict:
    """Return the verdict, which is not "passed" if a tool could not decide.

    ``unchecked`` names files that no tool has checked, with the reason.
    """
    new = new_diagnostics(reports)
    errors = [each for each in new if each.severity == "error"]
    silent = tuple(f"{NAME}: {each.by}: {each.silent}" for each in reports if each.new is None)
    error = _new_errors_error(level, errors, reports)
    has_decided = any(each.new is not None for each in reports)
    status: Literal["failed", "passed", "skipped"] = "passed" if has_decided and not silent else "skipped"
    asked_note = f"asked: {', '.join(each.by for each in reports)}" if reports else ""
    return Verdict(
        NAME,
        "failed" if error else status,
        tuple(each.finding for each in new),
        error,
        notes=(asked_note,) if asked_note else (),
        unchecked=(*silent, *(f"{NAME}: {words}" for words in unchecked)),
        where=next((each.where for each in reports if each.where), ""),
    )


def new_diagnostics(reports: Sequence[ToolReport]) -> list[Diagnostic]:
    """Return the new problems in order of file and line, without duplicates from several tools."""
    by_finding = {each.finding: each for report in reports for each in report.new or ()}
    return sorted(by_finding.values(), key=lambda each: (each.severity, each.path, each.line, each.column))


def remaining_rows(new: Sequence[Diagnostic]) -> tuple[Remaining, ...]:
    rows = (each.finding for each in new)
    return tuple(Remaining(row.path, row.line, row.message, row.severity) for row in rows)


def _new_errors_error(
    level: Diagnostics, errors: Sequence[Diagnostic], reports: Sequence[ToolReport]
) -> ScalpelError | None:
    if level != "new-errors":
        return None
    if not errors:
        return next((each.error for each in reports if each.error is not None), None)
    findings = [each.finding for each in errors]
    places = "; ".join(f"{each.path}:{each.line}: {each.message}" for each in findings[:_MAX_NAMED])
    others = f" and {len(findings) - _MAX_NAMED} more" if len(findings) > _MAX_NAMED else ""
    count = f"{len(findings)} new error{'s' * (len(findings) > 1)}"
    return GateRefused(
        "diagnostics_failed",
        f"{count}: {places}{others}",
        "fix them in the same changeset; errors that were there before do not count",
        gate=NAME,
        findings=msgspec.to_builtins(findings),
        remaining=msgspec.to_builtins(remaining_rows(errors)),
    )


ReadText = Callable[[str], "bytes | None"]  # Returns the content of a path in one of the trees


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
    texts: tuple[ReadText, ReadText],
    origins: Mapping[str, str],
) -> list[Diagnostic]:
    """Return the diagnostics of ``after`` that exceed those of ``before``.

    ``texts`` return the files of the old and of the new tree; ``origins`` maps new paths of renamed files to
    old ones.
    """
    new_paths = {old: path for path, old in origins.items()}
    olds = _locate_diagnostics(before, texts[0], new_paths)
    news = _locate_diagnostics(after, texts[1], {})
    identity = lambda each: (each.what, each.text)  # noqa: E731
    added, removed = find_additional(news, olds, identity), find_additional(olds, news, identity)
    new = []
    for each in added:
        old = next(
            (one for one in removed if one.what == each.what and _is_replaced_line(one, each, texts)), None
        )
        if old is None:
            new.append(each.one)
        else:
            removed.remove(old)
    return new


def _locate_diagnostics(
    diagnostics: Sequence[Diagnostic], text: ReadText, new_paths: Mapping[str, str]
) -> list[_LocatedDiagnostic]:
    lines: dict[str, list[bytes]] = {}
    for each in diagnostics:
        if each.path not in lines:
            lines[each.path] = ((text(each.path) if each.path else None) or b"").split(b"\n")
    return [
        _LocatedDiagnostic(each, new_paths.get(each.path, each.path), _line_text(lines[each.path], each.line))
        for each in diagnostics
    ]


def _line_text(lines: list[bytes], number: int) -> bytes:
    return lines[number - 1].strip() if 0 < number <= len(lines) else b""


def _is_replaced_line(
    old: _LocatedDiagnostic, new: _LocatedDiagnostic, texts: tuple[ReadText, ReadText]
) -> bool:
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
    diagnostics: Iterable[Diagnostic], files: Snapshot, within: Collection[str]
) -> tuple[Overlay, tuple[Fix, ...]]:
    """Apply every fix that is safe and the only one for its diagnostic; return the files and the fixes.

    A fix is safe if its tool says so and it changes only its own file, one of ``within``, without silencing a
    tool there. Fixes that conflict with an earlier one are left out; a later round may offer them again.
    """
    current, unfixed = Overlay(files), Overlay(files)
    chosen: tuple[Patch, ...] = ()
    fixed: list[Fix] = []
    for each in diagnostics:
        safe = (remedy for remedy in each.remedies if remedy.is_safe)
        fixes = {after: remedy for remedy in safe if (after := _apply_remedy(remedy, unfixed, each.path))}
        if len(fixes) != 1 or each.path not in within:
            continue
        (remedy,) = fixes.values()
        patches = (*chosen, Patch(path=each.path, diff=remedy.patch))
        with suppress(ScalpelError):
            current = apply(patches, unfixed).overlay
            chosen = patches
            fixed.append(Fix(quote_path(each.path), f"line {each.line}: {remedy.title}"))
    return current, tuple(fixed)


def _apply_remedy(remedy: Remedy, files: Overlay, path: str) -> bytes | None:
    """Return the file after one fix. None if the fix fails, changes other files or silences a tool."""
    try:
        outcome = apply((Patch(path=path, diff=remedy.patch),), files)
    except ScalpelError:
        return None
    content = outcome.overlay.content(path)
    if content is None or [change.path for change in outcome.changes] != [path]:
        return None
    silenced = (len(_SUPPRESSIONS.findall(text or b"")) for text in (files.content(path), content))
    return content if next(silenced) >= next(silenced) else None


_POSITION = re.compile(r"(?P<path>.*?)(?::(?P<line>\d+))?(?::(?P<column>\d+))?")


def _as_rows(value: Any) -> list[dict[str, Any]]:
    rows = value if isinstance(value, list) else [value]
    return rows if all(isinstance(row, dict) for row in rows) else []


def _has_fields(*fields: str) -> Callable[[Any], bool]:
    """Return a test that each object of a value has these fields. An empty list passes every test."""

    def claims(value: Any) -> bool:
        rows = _as_rows(value)
        return (bool(rows) or value == []) and all(set(fields) <= row.keys() for row in rows)

    return claims


def _read_ruff(value: Any) -> Iterator[ToolProblem]:
    """Read ``ruff check --output-format json`` or ``json-lines``."""
    for row in _as_rows(value):
        place, severity = row["location"] or {}, row.get("severity") or "error"
        yield ToolProblem(
            row["filename"],
            place.get("row"),
            place.get("column"),
            row["message"],
            severity,
            row.get("code"),
            _ruff_remedies(row),
        )


def _ruff_remedies(row: dict[str, Any]) -> Iterator[Remedy]:
    """Yield the fix as a SARIF log, as both count in characters. A fix that ruff only displays is skipped."""
    fix = row.get("fix") or {}
    if fix.get("applicability") not in ("safe", "unsafe") or row.get("cell") is not None:
        return
    replacements = [
        {
            "deletedRegion": {
                "startLine": edit["location"]["row"],
                "startColumn": edit["location"]["column"],
                "endLine": edit["end_location"]["row"],
                "endColumn": edit["end_location"]["column"],
            },
            "insertedContent": {"text": edit["content"]},
        }
        for edit in fix.get("edits") or ()
    ]
    title = str(fix.get("message") or row.get("code") or "fix")
    log = _format_sarif(path_from_uri(row["filename"]), replacements, "unicodeCodePoints")
    yield Remedy(title, log, fix["applicability"] == "safe")


def _format_sarif(path: str, replacements: list[dict[str, Any]], unit: str) -> str:
    change = {"artifactLocation": {"uri": path}, "replacements": replacements}
    results = [{"message": {"text": ""}, "fixes": [{"artifactChanges": [change]}]}]
    return json.dumps({"version": "2.1.0", "runs": [{"columnKind": unit, "results": results}]})


def _read_eslint(value: Any) -> Iterator[ToolProblem]:
    """Read ``eslint --format json``, which biome and oxlint print as well."""
    for file in _as_rows(value):
        for row in file["messages"]:
            severity = "error" if row.get("severity") == 2 or row.get("fatal") else "warning"
            yield ToolProblem(
                file["filePath"],
                row.get("line"),
                row.get("column"),
                row.get("message"),
                severity,
                row.get("ruleId"),
                _eslint_remedies(file, row),
            )


def _eslint_remedies(file: dict[str, Any], row: dict[str, Any]) -> Iterator[Remedy]:
    """Yield the fix and the suggestions, whose ranges count UTF-16 code units of the file."""
    source = file.get("source")
    if not isinstance(source, str):
        return
    offered = [(row.get("fix"), str(row.get("ruleId") or "fix"), True)]
    offered += [(each.get("fix"), str(each.get("desc")), False) for each in row.get("suggestions") or ()]
    units = source.encode("utf-16-le")
    for fix, title, is_safe in offered:
        if not isinstance(fix, dict):
            continue
        region: dict[str, int] = {}
        for at_unit, edge in zip(fix["range"], ("start", "end"), strict=True):
            head = units[: 2 * at_unit].decode("utf-16-le", "replace")
            line = head.rpartition("\n")[2]
            region[f"{edge}Line"] = head.count("\n") + 1
            region[f"{edge}Column"] = len(line.encode("utf-16-le")) // 2 + 1
        replacement = {"deletedRegion": region, "insertedContent": {"text": str(fix["text"])}}
        yield Remedy(
            title, _format_sarif(path_from_uri(file["filePath"]), [replacement], "utf16CodeUnits"), is_safe
        )


def _read_mypy(value: Any) -> Iterator[ToolProblem]:
    """Read ``mypy --output json``: an object in each line, with columns counted from 0."""
    for row in _as_rows(value):
        column = int(row["column"] or 0) + 1
        yield ToolProblem(row["file"], row["line"], column, row["message"], row["severity"], row.get("code"))


def _read_pyright(value: Any) -> Iterator[ToolProblem]:
    """Read ``pyright --outputjson``, also of basedpyright, with lines and columns counted from 0."""
    for row in value["generalDiagnostics"]:
        start = (row.get("range") or {}).get("start") or {}
        line, column = (int(start.get(name, 0)) + 1 for name in ("line", "character"))
        yield ToolProblem(
            row.get("file"), line, column, row.get("message"), row.get("severity"), row.get("rule")
        )


def _read_cargo(value: Any) -> Iterator[ToolProblem]:
    """Read ``cargo check --message-format json``: a message in each line, many of them not diagnostics."""
    for row in _as_rows(value):
        message = row.get("message") if row["reason"] == "compiler-message" else None
        spans = [span for span in message["spans"] if span["is_primary"]] if message else []
        if message and spans:  # a message without a location is a summary
            rule = (message.get("code") or {}).get("code")
            name, line, column = (spans[0][key] for key in ("file_name", "line_start", "column_start"))
            yield ToolProblem(name, line, column, message["message"], message["level"], rule)


def _read_vet(value: Any) -> Iterator[ToolProblem]:
    """Read ``go vet -json``, grouped by package and analyzer."""
    for by_analyzer in value.values():
        for rule, rows in by_analyzer.items():
            for row in rows if isinstance(rows, list) else ():
                match = _POSITION.fullmatch(row["posn"])
                name, line, column = match.groups() if match else ("", None, None)
                yield ToolProblem(name, int(line or 1), int(column or 1), row["message"], rule=rule)


def _is_vet(value: Any) -> bool:
    inner = [each for each in value.values() if isinstance(each, dict)] if isinstance(value, dict) else []
    rows = [row for each in inner for rows in each.values() if isinstance(rows, list) for row in rows]
    if not rows or len(inner) != len(value):
        return False
    return all(isinstance(row, dict) and "posn" in row for row in rows)


def _is_pyright(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("generalDiagnostics"), list)


def _is_sarif(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("runs"), list)


def _read_sarif(value: Any) -> Iterator[ToolProblem]:
    """Yield the problems of a SARIF log. Suppressed and old ones are left out."""
    for run in value["runs"]:
        for result in _list_field(run, "results"):
            is_old = result.get("baselineState") in ("unchanged", "absent")
            if is_old or _list_field(result, "suppressions") or result.get("kind", "fail") != "fail":
                continue
            place = _dict_field((_list_field(result, "locations") or [{}])[0], "physicalLocation")
            region = _dict_field(place, "region")
            yield ToolProblem(
                _location_uri(run, _dict_field(place, "artifactLocation")),
                region.get("startLine"),
                region.get("startColumn"),
                _dict_field(result, "message").get("text", ""),
                _result_level(run, result),
                result.get("ruleId"),
            )


def _result_level(run: Any, result: Any) -> Any:
    """Return the level of a result. The default is that of its rule (section 3.27.10)."""
    if "level" in result:
        return result["level"]
    rules = _list_field(_dict_field(_dict_field(run, "tool"), "driver"), "rules")
    index = result.get("ruleIndex", -1)
    by_id = (rule for rule in rules if rule.get("id") == result.get("ruleId"))
    rule = rules[index] if isinstance(index, int) and 0 <= index < len(rules) else next(by_id, {})
    return _dict_field(rule, "defaultConfiguration").get("level", "warning")


def _location_uri(run: Any, location: Any) -> str:
    artifacts, index = _list_field(run, "artifacts"), location.get("index", -1)
    if "uri" not in location and isinstance(index, int) and 0 <= index < len(artifacts):
        location = _dict_field(artifacts[index], "location")
    return str(location.get("uri") or "")


def _dict_field(value: Any, name: str) -> dict[str, Any]:
    field = value.get(name) if isinstance(value, dict) else None
    return field if isinstance(field, dict) else {}


def _list_field(value: Any, name: str) -> list[dict[str, Any]]:
    field = value.get(name) if isinstance(value, dict) else None
    return [each for each in field if isinstance(each, dict)] if isinstance(field, list) else []


def _is_lsp(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return bool(values) and all(_diagnostics_message(each) is not None for each in values)


def _read_lsp(value: Any) -> Iterator[ToolProblem]:
    for each in value if isinstance(value, list) else [value]:
        published = _diagnostics_message(each) or {}
        for item in published.get("diagnostics") or ():
            problem = _lsp_problem(published["uri"], item)
            if problem is not None:
                yield problem


def read_lsp_item(uri: str, item: Any, exists: Exists) -> Diagnostic | None:
    """Return one LSP diagnostic of a file. None if it is not an error or warning."""
    problem = _lsp_problem(uri, item)
    return None if problem is None else make_diagnostic(problem, exists)


def _lsp_problem(uri: str, item: Any) -> ToolProblem | None:
    if not isinstance(item, dict) or not isinstance(item.get("range"), dict):
        return None
    start = item["range"].get("start") or {}
    if not isinstance(start, dict):
        return None
    line, column = (n + 1 if isinstance(n := start.get(key), int) else 1 for key in ("line", "character"))
    return ToolProblem(uri, line, column, _item_message(item), item.get("severity", 1), item.get("code"))


def _item_message(item: dict[str, Any]) -> str:
    message = item.get("message")
    return str(message.get("value", "")) if isinstance(message, dict) else str(message or "")


def _diagnostics_message(value: Any) -> dict[str, Any] | None:
    if not isinstance(value, dict):
        return None
    inner = value.get("params", value)
    if isinstance(inner, dict) and isinstance(inner.get("diagnostics"), list) and "uri" in inner:
        return inner
    return None


_READERS: tuple[tuple[Output, Callable[[Any], bool], Callable[[Any], Iterable[ToolProblem]]], ...] = (
    ("sarif", _is_sarif, _read_sarif),
    ("lsp", _is_lsp, _read_lsp),
    ("auto", _has_fields("filename", "location", "message"), _read_ruff),
    ("auto", _has_fields("filePath", "messages"), _read_eslint),
    ("auto", _has_fields("file", "line", "column", "message", "severity"), _read_mypy),
    ("auto", _is_pyright, _read_pyright),
    ("auto", _has_fields("reason"), _read_cargo),
    ("auto", _is_vet, _read_vet),
)
"""For each JSON format, its value of ``output``, a test and the reader."""
_MINOR_LEVEL = re.compile(r"(?:note|info|hint|help)\b")


def read_output(output: str, form: Output, exists: Exists) -> tuple[Diagnostic, ...] | None:
    """Return the diagnostics in an output, whose format ``auto`` detects. None if nothing has the format."""
    if form == "lines":
        return tuple(_read_lines(output, exists))
    readers = [(claims, read) for kind, claims, read in _READERS if form in ("auto", kind)]
    diagnostics: list[Diagnostic] = []
    is_known = False
    try:
        for value in _iter_json_values(output):
            read = next((read for claims, read in readers if claims(value)), None)
            if read is not None:
                is_known = True
                diagnostics += filter(None, (make_diagnostic(each, exists) for each in read(value)))
    except (KeyError, TypeError, ValueError, AttributeError):
        return None  # it only resembles the format
    if is_known:
        return tuple(dict.fromkeys(diagnostics))
    return tuple(_read_lines(output, exists)) if form == "auto" else None


def _iter_json_values(output: str) -> Iterator[Any]:
    """Yield the JSON values of an output: the whole output, one in each line, or between other lines."""
    with suppress(ValueError, RecursionError):
        yield json.loads(output)
        return
    for text in lenient_json.find_json_values(output):
        yield json.loads(text)


def _read_lines(output: str, exists: Exists) -> Iterator[Diagnostic]:
    """Yield diagnostics in lines such as ``PATH:LINE:COLUMN: message``."""
    for failure in command_verdict.find_locations(output, exists):
        finding = failure.finding
        if finding.path and not _MINOR_LEVEL.match(finding.message):
            yield Diagnostic(
                path=finding.path,
                line=finding.line,
                column=finding.column,
                message=finding.message,
                severity=finding.severity,
            )
