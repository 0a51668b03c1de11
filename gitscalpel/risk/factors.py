"""Factors of a change's risk, and its score.

score = 1 / (1 + exp(-(bias + sum of weight * scaled factor))), with the weights in ``[risk]`` of the target
branch.

The fit is a logistic regression without a library: Newton's method on the log-likelihood, with a quadratic
penalty for weights that differ from the expected ones (a Gaussian prior). Hastie, Tibshirani and Friedman,
The Elements of Statistical Learning, 4.4.
"""

from __future__ import annotations

import io
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

from gitscalpel.changesets import paths
from gitscalpel.changesets.answers import Factor, quote_path
from gitscalpel.changesets.answers import Risk as AnswersRisk
from gitscalpel.changesets.file_tree import Oid, Overlay, Snapshot, read_content
from gitscalpel.changesets.paths import Globs
from gitscalpel.changesets.rules import Policy, Risk
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import Misconfigured, ScalpelError
from gitscalpel.gates.policy.policy_change import PolicyChange
from gitscalpel.git import oplog
from gitscalpel.names.files import Files
from gitscalpel.names.resolver import Resolver, dialect
from gitscalpel.refactor import definition_impact
from gitscalpel.syntax.languages import recognise
from gitscalpel.system import private_files
from gitscalpel.text.line_diff import diff_lines
from gitscalpel.text.merge3 import split_lines
from gitscalpel.workspace.workspace import Workspace

DAY = 86_400
CHURN_DAYS, DAYS = 90, 365  # Number of days in which changes (churn) and reverts count
_MAX_OPERATIONS = 1_000  # Largest number of operations to read from the log
_MAX_PATHS = 200  # Largest number of files in one call of git
_FORMAT = "--format=%x01%H%x1f%ct%x1f%ae%x1f%B%x02"
_LOG_OPTIONS = ("--no-renames", "--no-ext-diff", "--no-textconv", "--numstat")
REVERT_MESSAGE = re.compile(r"This reverts commit ([0-9a-f]{7,64})")


class LoggedCommit(NamedTuple):
    """A commit of the past.

    Attributes:
        mail: mail address of the author.
        takes_back: IDs of reverted commits, possibly abbreviated, from "This reverts commit …" as git writes
            it.
        lines: number of added and removed lines by file.
    """

    oid: str
    time: int
    mail: str
    takes_back: tuple[str, ...]
    lines: dict[str, int]


class FileHistory(NamedTuple):
    """History of some files before a change.

    Attributes:
        changed: number of commits in the last :data:`CHURN_DAYS` by file.
        reverted: number of revert commits in the last :data:`DAYS`.
        undone: file and path of the definitions of each undo in the operation log.
    """

    changed: Counter[str]
    reverted: int
    undone: list[set[tuple[str, str]]]


def read_past(ws: Workspace, base: Oid | None, paths: list[str]) -> FileHistory:
    """Return the history of files before a commit on ``base``; renames are not followed."""
    undone = list(_iter_undone_definitions(ws, set(paths)))
    if base is None or not paths:
        return FileHistory(Counter(), 0, undone)
    base_time = int(ws.repo.git("show", "-s", "--format=%ct", base))
    pathspecs = [f":(top,literal){path}" for path in paths[:_MAX_PATHS]]
    since = f"--since={base_time - DAYS * DAY}"
    commits = list(read_commits(ws, "--no-merges", since, base, "--", *pathspecs))
    recent = (each for each in commits if each.time >= base_time - CHURN_DAYS * DAY)
    changed = Counter(path for each in recent for path in each.lines)
    return FileHistory(changed, sum(bool(each.takes_back) for each in commits), undone)


def read_commits(ws: Workspace, *words: str) -> Iterator[LoggedCommit]:
    """Yield commits with their changes; ``words`` are arguments of ``git log``."""
    raw = ws.repo.git("-c", "core.quotePath=false", "log", _FORMAT, *_LOG_OPTIONS, *words)
    for part in raw.split(b"\x01")[1:]:
        head, end, rows = part.decode("utf-8", "surrogateescape").partition("\x02")
        fields = head.split("\x1f", 3)
        if end and len(fields) == 4 and fields[1].isdecimal():  # otherwise the message contains a separator
            oid, time, mail, body = fields
            yield LoggedCommit(
                oid,
                int(time),
                mail.lower(),
                tuple(REVERT_MESSAGE.findall(body)),
                dict(_iter_line_counts(rows)),
            )


def _iter_line_counts(rows: str) -> Iterable[tuple[str, int]]:
    for row in rows.splitlines():
        added, tab, numbers_and_path = row.partition("\t")
        removed, _, path = numbers_and_path.partition("\t")
        if tab and path:
            yield path, sum(int(number) for number in (added, removed) if number.isdecimal())


def _iter_undone_definitions(ws: Workspace, paths: set[str]) -> Iterator[set[tuple[str, str]]]:
    landed: set[str] = set()
    for entry in oplog.read_log(ws.repo, _MAX_OPERATIONS):
        record = entry.record
        if record.kind == "undo" and record.undoes and paths.intersection(record.paths):
            landed.add(record.undoes)
        elif entry.oid in landed:
            rows = record.note.get("intents", ())
            yield {(str(row.get("path")), str(row.get("symbol"))) for row in rows if isinstance(row, dict)}


class TouchedDefinition(NamedTuple):
    """A changed definition: its file, its old path in the file, and the kind of change."""

    path: str
    symbol: str
    kind: str


class RiskContext:
    """A change whose risk is computed.

    Args:
        ws: the workspace.
        base: the base commit, or None for an unborn branch.
        outcome: the change.
        authors: mail addresses of the authors.
        rule: the ``[risk]`` policy of the target branch.
    """

    def __init__(
        self, ws: Workspace, base: Oid | None, outcome: Outcome, authors: frozenset[str], rule: Risk
    ) -> None:
        self.ws, self.base, self.outcome, self.authors, self.rule = ws, base, outcome, authors, rule

    @cached_property
    def paths(self) -> list[str]:
        return [change.path for change in self.outcome.changes]

    @cached_property
    def touched(self) -> list[TouchedDefinition]:
        """Changed definitions outside of functions."""
        return list(self._iter_touched())

    @cached_property
    def past(self) -> FileHistory:
        return read_past(self.ws, self.base, self.paths)

    def _iter_touched(self) -> Iterator[TouchedDefinition]:
        overlay = self.outcome.overlay
        for change in self.outcome.changes:
            contents = overlay.before(change.path), overlay.content(change.path)
            for intent in self.outcome.intents(change.path, *contents):
                if intent.defines:
                    yield TouchedDefinition(change.path, intent.symbol, intent.kind)


class FactorValue(NamedTuple):
    """Value of a factor for a change: the count, the count scaled to 0 to 1, and its description."""

    value: float
    scaled: float
    why: str


def log_scale(count: float, full: int) -> float:
    """Return a count scaled to 0 to 1: each doubling adds the same, and ``2 ** full - 1`` or more is 1."""
    return min(1.0, math.log2(1 + count) / full)


def format_count(count: int, noun: str) -> str:
    """Return a count with its noun; ``noun`` takes an s in the plural."""
    return f"{count} {noun}{'s' * (count != 1)}"


SIZE = "size"


def scale_size(lines: float) -> float:
    """Scale a number of lines; 1,023 or more are 1."""
    return log_scale(lines, 10)


def measure_size(about: RiskContext) -> FactorValue:
    judged = PolicyChange(about.outcome, Policy())
    lines = sum(map(judged.size, about.paths))
    return FactorValue(
        lines, scale_size(lines), f"{format_count(lines, 'line')} in {format_count(len(about.paths), 'file')}"
    )


FAN_IN = "fan_in"
_MAX_DEFINITIONS, _MAX_FILES = 8, 150
"""Largest number of definitions to search uses of, and of files with the word to search for one."""


def scale_fan_in(uses: float) -> float:
    """Scale a number of uses; 255 or more are 1."""
    return log_scale(uses, 8)


def measure_fan_in(about: RiskContext) -> FactorValue:
    """Count the outside uses of changed definitions, or the files with the word if names are not followed."""
    existing = [each for each in about.touched if each.kind != "add"]
    if not existing:
        return FactorValue(0, 0.0, "no existing definition changes")
    resolver = Resolver(Files(Overlay(about.outcome.overlay.below), about.outcome.read), dialect)
    uses_by_name = dict(_count_uses(resolver, existing[:_MAX_DEFINITIONS]))
    uses = sum(uses_by_name.values())
    most_used = max(uses_by_name, key=lambda name: uses_by_name[name], default="")
    summary = f"{format_count(uses, 'place')} use{'s' * (uses == 1)} what changes"
    summary += f", most of all {most_used}" if len(uses_by_name) > 1 and uses else ""
    uncounted = len(existing) - _MAX_DEFINITIONS
    return FactorValue(
        uses,
        scale_fan_in(uses),
        summary + (f"; uses of {uncounted} more were not counted" if uncounted > 0 else ""),
    )


def _count_uses(resolver: Resolver, touched: list[TouchedDefinition]) -> Iterator[tuple[str, int]]:
    for each in touched:
        word = each.symbol.rpartition(".")[2]
        files = [path for path in resolver.files.holding(word) if path != each.path]
        count = len(files)
        if count <= _MAX_FILES:
            with suppress(ScalpelError, RecursionError):  # names are not followed: count the files
                count = len(definition_impact.find_uses(resolver, each.path, each.symbol)[1])
        yield each.symbol, count


PUBLIC = "public"
_TEST_FOLDERS = ("test", "tests", "spec", "specs", "__tests__")


def measure_public(about: RiskContext) -> FactorValue:
    """Measure the share of changed definitions with public names by their language's convention."""
    names = [each for each in about.touched if not _is_test(each.path)]
    public = [each for each in names if _is_public(each)]
    if not names:
        return FactorValue(0, 0.0, "no definition changes outside of tests")
    example = f", such as {public[0].symbol}" if public else ""
    total = format_count(len(names), "changed definition")
    return FactorValue(
        len(public), len(public) / len(names), f"{len(public)} of {total} with a public name{example}"
    )


def _is_test(path: str) -> bool:
    *folders, name = path.lower().split("/")
    stem = name.partition(".")[0]
    return (
        any(each in _TEST_FOLDERS for each in folders) or stem.startswith("test_") or stem.endswith("_test")
    )


def _is_public(each: TouchedDefinition) -> bool:
    """Return True unless the name is private: ``_private``, ``#private``, or lower case in Go."""
    segments = [segment for segment in each.symbol.split(".") if segment]
    language = recognise(each.path, b"")
    if language is not None and language.name == "go":
        return all(segment[:1].isupper() for segment in segments)
    return not any(segment.startswith("#") or _is_private(segment) for segment in segments)


def _is_private(segment: str) -> bool:
    return segment.startswith("_") and not (segment.startswith("__") and segment.endswith("__"))


CHURN = "churn"


def scale_churn(commits: float) -> float:
    """Scale a number of commits; 63 or more are 1."""
    return log_scale(commits, 6)


def measure_churn(about: RiskContext) -> FactorValue:
    """Count the recent commits to the most frequently changed of the files."""
    counts = about.past.changed
    if not counts:
        return FactorValue(0, 0.0, f"none of its files has changed in {CHURN_DAYS} days")
    path = max(counts, key=lambda each: counts[each])
    summary = f"{format_count(counts[path], 'commit')} to {quote_path(path)} in {CHURN_DAYS} days"
    return FactorValue(counts[path], scale_churn(counts[path]), summary)


REVERTS = "reverts"


def scale_reverts(taken_back: float) -> float:
    """Scale a number of reverts; 7 or more are 1."""
    return log_scale(taken_back, 3)


def measure_reverts(about: RiskContext) -> FactorValue:
    """Count the revert commits and undos of the last year that touched one of the files."""
    reverted, undone = about.past.reverted, about.past.undone
    count = reverted + len(undone)
    if not count:
        return FactorValue(0, 0.0, f"nothing in its files was taken back in {DAYS} days")
    names = {(each.path, each.symbol) for each in about.touched}
    repeated = sum(bool(names & symbols) for symbols in undone)
    counts = f"{format_count(reverted, 'revert')} and {format_count(len(undone), 'undo')}"
    summary = f"{counts} in its files in {DAYS} days"
    summary += f", {repeated} of the very definitions" if repeated else ""
    return FactorValue(count, scale_reverts(count), summary)


Lines = Mapping[int, bool]  # Lines of a file in a report, from 1, with True if a test reaches the line
LARGEST = 64 << 20  # Largest size of a report in bytes


def read_coverage(content: bytes) -> dict[str, dict[int, bool]]:
    """Return the lines of each file of a coverage report, by the report's path. Empty if unreadable."""
    if content.lstrip()[:1] == b"<":
        return _read_cobertura(content)
    return _read_lcov(content.decode("utf-8", "surrogateescape"))


def find_coverage(report: Mapping[str, Lines], path: str) -> Lines | None:
    """Return the report's lines for a file of the repository, or None.

    Reports name files from where they were made: ``/build/src/a.py``, or ``a.py`` of a source ``src``.
    """
    if path in report:
        return report[path]
    ends = [each for each in report if each.endswith(f"/{path}") or path.endswith(f"/{each}")]
    return report[max(ends, key=len)] if ends else None


def _read_cobertura(content: bytes) -> dict[str, dict[int, bool]]:
    from xml.etree import ElementTree

    files: dict[str, dict[int, bool]] = {}
    if b"<!ENTITY" in content:  # reports have no entities, which could expand without limit
        return files
    with suppress(ElementTree.ParseError):
        for _, element in ElementTree.iterparse(io.BytesIO(content)):  # noqa: S314 - see above
            if element.tag == "class":
                _record_hits(files.setdefault(element.get("filename", ""), {}), element)
                element.clear()
    return files


def _record_hits(lines: dict[int, bool], element: object) -> None:
    for line in element.iter("line"):  # type: ignore[attr-defined]
        number, hits = line.get("number", ""), line.get("hits", "")
        if number.isdecimal() and hits.isdecimal():
            lines[int(number)] = lines.get(int(number), False) or int(hits) > 0


def _read_lcov(text: str) -> dict[str, dict[int, bool]]:
    files: dict[str, dict[int, bool]] = {}
    lines: dict[int, bool] = {}
    for row in text.splitlines():
        keyword, _, value = row.partition(":")
        if keyword == "SF":
            lines = files.setdefault(value.strip(), {})
        elif keyword == "DA":
            number, _, hits = value.partition(",")
            hits = hits.partition(",")[0].strip()
            if number.isdecimal() and hits.isdecimal():
                lines[int(number)] = lines.get(int(number), False) or int(hits) > 0
    return files


UNTESTED = "untested"


def measure_untested(about: RiskContext) -> FactorValue:
    """Measure the share of the changed lines, in their old version, that no test reaches.

    The report is assumed to be from before the change.
    """
    name_and_report = _find_report(about)
    if name_and_report is None:
        return FactorValue(0, 0.0, "no coverage report")
    name, report = name_and_report
    reached = [
        hit for path in about.paths for hit in _iter_hits(about, path, find_coverage(report, path) or {})
    ]
    if not reached:
        return FactorValue(0, 0.0, f"{name} covers none of the changed lines")
    missed = reached.count(False)
    share = missed / len(reached)
    return FactorValue(
        missed, share, f"{missed} of {len(reached)} changed lines are reached by no test ({name})"
    )


def _iter_hits(about: RiskContext, path: str, coverage: Lines) -> Iterator[bool]:
    """Yield the coverage of removed or replaced lines, and of the lines around an insertion."""
    overlay = about.outcome.overlay
    old, new = (split_lines(text or b"") for text in (overlay.before(path), overlay.content(path)))
    numbers: set[int] = set()
    for first, last, _, _ in diff_lines(old, new) if coverage else ():
        numbers |= set(range(first + 1, last + 1)) or {first, first + 1}
    yield from (coverage[number] for number in sorted(numbers) if number in coverage)


def _find_report(about: RiskContext) -> tuple[str, dict[str, dict[int, bool]]] | None:
    """Return the first coverage report, from the tree or the working tree, where git often ignores it."""
    root = about.ws.repo.work_tree
    for name in about.rule.coverage:
        with suppress(ScalpelError, OSError):
            path = paths.normalize_path(name)
            content = read_content(about.outcome.overlay.below, path)
            if content is None and root is not None:
                content = private_files.read(root / path)
            if content is not None and len(content) <= LARGEST:
                report = read_coverage(content)
                if report:
                    return name, report
    return None


OWNERS = "owners"
PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
"""Locations in GitHub's order of search, then GitLab's."""


class Owners:
    """Rules of a CODEOWNERS file; the last matching pattern counts, and invalid patterns are skipped."""

    def __init__(self, text: str) -> None:
        self._rows: list[tuple[Globs, tuple[str, ...]]] = []
        for line in text.splitlines():
            pattern, *owners = line.partition(" #")[0].split() or [""]
            if pattern and not pattern.startswith(("#", "[", "^[")):
                try:
                    self._rows.append((Globs([pattern]), tuple(owners)))
                except Misconfigured:
                    continue

    @classmethod
    def load(cls, files: Snapshot) -> Owners | None:
        contents = (read_content(files, place) for place in PLACES)
        text = next((content for content in contents if content is not None), None)
        return None if text is None else cls(text.decode("utf-8", "replace"))

    def owners(self, path: str) -> tuple[str, ...]:
        return next((owners for globs, owners in reversed(self._rows) if globs.match(path)), ())

    def find_foreign(self, paths: Iterable[str], authors: frozenset[str]) -> list[str]:
        """Return the files with owners none of whom is known to be one of the authors."""
        author_names = {name for mail in authors for name in _owner_names(mail)}
        owned = ((path, self.owners(path)) for path in paths)
        return [path for path, owners in owned if owners and not author_names & {o.lower() for o in owners}]


def measure_owners(about: RiskContext) -> FactorValue:
    owners = Owners.load(about.outcome.overlay.below)
    if owners is None:
        return FactorValue(0, 0.0, "no CODEOWNERS")
    others = owners.find_foreign(about.paths, about.authors)
    if not others:
        return FactorValue(0, 0.0, "all files belong to the authors or to nobody")
    example = f"{quote_path(others[0])} belongs to {', '.join(owners.owners(others[0]))}"
    summary = f"{len(others)} of {format_count(len(about.paths), 'file')} belong to others: {example}"
    return FactorValue(len(others), len(others) / len(about.paths), summary)


def _owner_names(mail: str) -> tuple[str, str]:
    """Return the names of an author in CODEOWNERS: the mail address, and the handle before the @."""
    handle = mail.partition("@")[0].rpartition("+")[2]  # 123+name@users.noreply.github.com
    return mail.lower(), f"@{handle.lower()}"


_MAX_ROUNDS = 50
_TOLERANCE = 1e-8
_LARGEST_STEP = 5.0  # Limit of a Newton step, so that a start far from the solution does not diverge

Row = Sequence[float]


def fit(
    rows: Sequence[Row], labels: Sequence[bool], expected: Row, strength: float = 1.0
) -> tuple[float, list[float]]:
    """Return the most likely intercept and weights for the labels.

    Args:
        rows: numbers of about the same size, such as 0 to 1.
        labels: label of each row; both labels must occur.
        expected: prior mean of the weights.
        strength: strength of the prior; 0 for none.
    """
    share = sum(labels) / len(labels)
    parameters = [math.log(share / (1 - share)), *expected]
    means = [0.0, *expected]
    ridge = [0.0, *(strength for _ in expected)]
    for _ in range(_MAX_ROUNDS):
        step = _solve(*_compute_derivatives(rows, labels, parameters, means, ridge))
        largest = max(map(abs, step))
        scale = min(1.0, _LARGEST_STEP / largest) if largest else 1.0
        parameters = [value + scale * change for value, change in zip(parameters, step, strict=True)]
        if largest < _TOLERANCE:
            break
    return parameters[0], parameters[1:]


def _compute_derivatives(
    rows: Sequence[Row], labels: Sequence[bool], point: Row, means: Row, ridge: Row
) -> tuple[list[list[float]], list[float]]:
    """Return the negative second derivative at a point, and the first derivative."""
    size = len(point)
    slope = [strength * (mean - value) for strength, mean, value in zip(ridge, means, point, strict=True)]
    curve = [[ridge[i] if i == j else 0.0 for j in range(size)] for i in range(size)]
    for row, label in zip(rows, labels, strict=True):
        terms = (1.0, *row)
        chance = probability(sum(weight * value for weight, value in zip(point, terms, strict=True)))
        residual, variance = label - chance, chance * (1 - chance)
        for i, value in enumerate(terms):
            if value:
                slope[i] += residual * value
                for j in range(i + 1):
                    curve[i][j] += variance * value * terms[j]
    for i in range(size):
        for j in range(i):
            curve[j][i] = curve[i][j]
    return curve, slope


def probability(odds: float) -> float:
    """Return the probability for log odds, which are limited to ±50 to avoid an overflow."""
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, odds))))


def _solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Solve a linear system by elimination; undetermined values are 0."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda i: abs(rows[i][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        if abs(rows[column][column]) < 1e-12:
            continue
        for i in range(size):
            if i != column and rows[i][column]:
                factor = rows[i][column] / rows[column][column]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[column], strict=True)]
    return [rows[i][size] / rows[i][i] if abs(rows[i][i]) >= 1e-12 else 0.0 for i in range(size)]


FACTORS: dict[str, Callable[[RiskContext], FactorValue]] = {
    SIZE: measure_size,
    FAN_IN: measure_fan_in,
    PUBLIC: measure_public,
    CHURN: measure_churn,
    REVERTS: measure_reverts,
    UNTESTED: measure_untested,
    OWNERS: measure_owners,
}
"""Function that measures each factor; the name is also that of the weight in ``[risk]``."""


def assess(about: RiskContext) -> AnswersRisk:
    """Return the risk score of a change with its factors."""
    values = {name: measure(about) for name, measure in FACTORS.items()}
    weighed = {name: getattr(about.rule, name) * each.scaled for name, each in values.items()}
    odds = about.rule.bias + sum(weighed.values())
    rows = (
        Factor(name=name, value=float(each.value), contribution=round(weighed[name], 3), why=each.why)
        for name, each in values.items()
    )
    return AnswersRisk(score=round(probability(odds), 3), factors=tuple(rows))
