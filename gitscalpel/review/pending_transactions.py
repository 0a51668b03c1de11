"""Open transactions as the review page shows them, and its background jobs."""

from __future__ import annotations

import difflib
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import UNSET
from unidiff import PatchSet
from unidiff.patch import Hunk, Line, PatchedFile

from gitscalpel.api import (
    DoesNotFit,
    Repository,
    Result,
    ScalpelError,
    Spelling,
    Standing,
    Transaction,
    View,
    unexpected_errors,
)
from gitscalpel.changesets.answers import Risk, SymbolTree, message_subject
from gitscalpel.workspace.workspace import environment

_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)
_MAX_COMPARED_LENGTH = 500  # Largest length in characters of a line to compare by words; difflib is quadratic
_MIN_SIMILARITY = 0.3
"""Smallest similarity (``SequenceMatcher.ratio``) of two lines that count as one changed line."""


class LinePiece(NamedTuple):
    """A part of a line, with True if it differs from the other line."""

    text: str
    changed: bool


def mark_changes(old: str, new: str) -> tuple[list[LinePiece], list[LinePiece]]:
    """Return two lines in pieces, with their differences marked."""
    unmarked = [LinePiece(old, False)], [LinePiece(new, False)]
    if max(len(old), len(new)) > _MAX_COMPARED_LENGTH:
        return unmarked
    words = _WORD.findall(old), _WORD.findall(new)
    matcher = difflib.SequenceMatcher(None, *words, autojunk=False)
    if matcher.ratio() < _MIN_SIMILARITY:
        return unmarked
    left: list[LinePiece] = []
    right: list[LinePiece] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if a < b:
            left.append(LinePiece("".join(words[0][a:b]), tag != "equal"))
        if c < d:
            right.append(LinePiece("".join(words[1][c:d]), tag != "equal"))
    return left, right


_MAX_LINES = 2_000  # Largest number of lines to show of a file
_MAX_LINE_LENGTH = 5_000  # Largest number of characters to show of a line


class DiffLine(msgspec.Struct, frozen=True):
    """A line of a diff, with its number on both sides and its text in pieces."""

    kind: str
    old: int | None
    new: int | None
    pieces: Sequence[LinePiece]


class HunkRows(msgspec.Struct, frozen=True):
    """Adjacent lines, and the definition in which they start, or ""."""

    symbol: str
    rows: Sequence[DiffLine]


class FileDiff(msgspec.Struct, frozen=True):
    """Diff of a file; ``cut`` is True if lines are omitted."""

    path: str
    added: int
    removed: int
    hunks: Sequence[HunkRows]
    cut: bool = False


def file_diffs(diff: str, view: View) -> list[FileDiff]:
    """Return the files of a unified diff, whose new sides are in ``view``."""
    return [_file_diff(file, view) for file in PatchSet(diff)]


def _file_diff(file: PatchedFile, view: View) -> FileDiff:
    symbols = _outline_symbols(view, file.path)
    hunks, remaining = [], _MAX_LINES
    for hunk in file:
        rows = [*_iter_rows(hunk)][:remaining]
        remaining -= len(rows)
        if rows:
            hunks.append(HunkRows(_enclosing_definition(symbols, _first_changed_line(rows, hunk)), rows))
    return FileDiff(file.path, file.added, file.removed, hunks, remaining <= 0)


def _outline_symbols(view: View, path: str) -> Sequence[SymbolTree]:
    try:
        (outline,) = view.outline([path])
    except (ScalpelError, ValueError):  # removed, or in an unknown language
        return ()
    return outline.symbols


def _first_changed_line(rows: Sequence[DiffLine], hunk: Hunk) -> int:
    """Return the first changed line, by its number on the new side."""
    line = hunk.target_start
    for row in rows:
        if row.kind != "context":
            return line
        line = (row.new or line) + 1
    return line


def _enclosing_definition(symbols: Iterable[SymbolTree], line: int) -> str:
    for symbol in symbols:
        if (symbol.lead or symbol.span)[0] <= line <= symbol.span[1]:
            return _enclosing_definition(symbol.children, line) or symbol.qualname
    return ""


def _iter_rows(hunk: Hunk) -> Iterator[DiffLine]:
    """Yield the lines of a hunk; removed lines are compared with the added lines after them."""
    removed: list[Line] = []
    added: list[Line] = []
    for line in hunk:
        if line.is_context or (line.is_removed and added):
            yield from _iter_changed_rows(removed, added)
            removed, added = [], []
        if line.is_removed:
            removed.append(line)
        elif line.is_added:
            added.append(line)
        elif line.is_context:
            yield DiffLine(
                "context", line.source_line_no, line.target_line_no, [LinePiece(_shown_text(line), False)]
            )
    yield from _iter_changed_rows(removed, added)


def _iter_changed_rows(removed: Sequence[Line], added: Sequence[Line]) -> Iterator[DiffLine]:
    pairs = [
        mark_changes(_shown_text(old), _shown_text(new)) if old and new else (None, None)
        for old, new in zip_longest(removed, added)
    ]
    for line, (pieces, _) in zip(removed, pairs, strict=False):
        yield DiffLine("delete", line.source_line_no, None, pieces or [LinePiece(_shown_text(line), False)])
    for line, (_, pieces) in zip(added, pairs, strict=False):
        yield DiffLine("add", None, line.target_line_no, pieces or [LinePiece(_shown_text(line), False)])


def _shown_text(line: Line) -> str:
    text: str = line.value.rstrip("\r\n")
    return text if len(text) <= _MAX_LINE_LENGTH else f"{text[:_MAX_LINE_LENGTH]}…"


class PendingRow(msgspec.Struct, frozen=True):
    """An open transaction in the list.

    Attributes:
        state: ``open`` or ``checked``.
        title: first line of the message.
        who: authors of its changes, and the program that began it.
        risk: score from 0 to 1, or None if unknown.
        missing: number of missing approvals.
        rejected: True if a reviewer rejected the transaction.
        files, added, removed: size in files and lines.
    """

    tx: str
    target: str
    state: str
    title: str
    who: str
    risk: Risk | None
    missing: int
    rejected: bool
    files: int
    added: int
    removed: int


class TransactionPage(msgspec.Struct, frozen=True):
    """A transaction for display: its row in the list, its result, its approval status, and its diff."""

    row: PendingRow
    result: Result
    standing: Standing
    files: Sequence[FileDiff]

    @property
    def why(self) -> str:
        """Return the message below its first line."""
        return self.result.message.partition("\n")[2].strip()


def list_pending(repo: Repository) -> list[PendingRow]:
    """Return the open transactions with changes, riskiest first, then oldest first."""
    rows = []
    for result in repo.status().transactions:
        with suppress(DoesNotFit):  # another process has landed or dropped it meanwhile
            rows += [_read_row(repo, result)] if result.files else []
    return sorted(rows, key=lambda row: -(row.risk.score if row.risk else 0))


def read_transaction_page(repo: Repository, tx: str) -> TransactionPage:
    """Return the details of a transaction.

    Raises:
        DoesNotFit: ``tx_not_found``, or ``tx_closed``.
    """
    transaction = repo.transaction(tx)
    result = transaction.result
    diffs = file_diffs(result.patch.diff, transaction.view())
    return TransactionPage(_read_row(repo, result), result, transaction.standing, diffs)


def _read_row(repo: Repository, result: Result) -> PendingRow:
    transaction = repo.transaction(str(result.tx))
    standing, files = transaction.standing, result.patch.rows
    return PendingRow(
        tx=str(result.tx),
        target=result.target,
        state=result.state,
        title=message_subject(result.message) or "(no message)",
        who=transaction.who,
        risk=_find_risk(transaction, result),
        missing=standing.missing,
        rejected=standing.rejected is not None,
        files=len(files),
        added=sum(file.added for file in files),
        removed=sum(file.removed for file in files),
    )


def _find_risk(transaction: Transaction, result: Result) -> Risk | None:
    """Return the recorded risk, or the current one, or None."""
    if result.facts.risk is not UNSET:
        return result.facts.risk
    try:
        return transaction.risk
    except ScalpelError:  # the page works without a risk
        return None


_MAX_JOBS = 50
Work = Callable[[Repository], str]  # Performs the action and returns a message about the result


class Job:
    """A background action.

    Attributes:
        number: ID of the job on the page.
        what: description of the action.
        lines: output of the gates so far.
        said: result, or "" while the job runs.
        error: the error, or None.
    """

    def __init__(self, number: int, what: str) -> None:
        self.number, self.what = number, what
        self.lines: list[str] = []
        self.said = ""
        self.error: ScalpelError | None = None

    @property
    def is_done(self) -> bool:
        return bool(self.said) or self.error is not None

    def tell(self, words: str) -> None:
        self.lines += words.splitlines()
        del self.lines[:-_MAX_LINES]


class Jobs:
    """The most recent background jobs. Each opens the repository for itself."""

    def __init__(self, root: Path, agent: str, spelling: Spelling) -> None:
        self._root, self._agent, self._spelling = root, agent, spelling
        self._lock = threading.Lock()
        self._next = 1
        self._jobs: dict[int, Job] = {}

    def start(self, what: str, work: Work) -> Job:
        """Start a job and return at once."""
        with self._lock:
            job = self._jobs[self._next] = Job(self._next, what)
            self._next += 1
            for number in list(self._jobs)[:-_MAX_JOBS]:
                if self._jobs[number].is_done:
                    del self._jobs[number]
        threading.Thread(target=self._run, args=(job, work), name=what).start()
        return job

    def get(self, number: int) -> Job | None:
        return self._jobs.get(number)

    def _run(self, job: Job, work: Work) -> None:
        try:
            with Repository(
                self._root, notify=job.tell, show=job.tell, agent=self._agent, spelling=self._spelling
            ) as repo:
                job.said = work(repo)
        except BaseException as error:
            context = unexpected_errors.CallContext(
                lambda: ["review", job.what.split()[0]], environment(), job.tell
            )
            job.error = unexpected_errors.convert_error(error, context)
