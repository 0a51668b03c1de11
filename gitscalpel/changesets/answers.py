"""Answers of commands as data: changes, files, symbols, matches, diagnostics, and their envelope."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.changesets.paths import ESCAPES
from gitscalpel.errors import ScalpelError
from gitscalpel.errors.messages import BY_NAME, Spelling, spell

SCHEMA = "scalpel/1"
CHECKOUT = "@checkout"
STAGED = "@staged"  # name of the index where a branch can be named
_NO_UTF8 = re.compile(r"[\ud800-\udfff]")
_NO_BYTE = re.compile(r"[\ud800-\udc7f\udd00-\udfff]")  # surrogates that stand for no byte of a name

LineSpan = tuple[int, int]  # first and last line, from 1; ``(n, n - 1)`` is the empty range before line n


class FileRow(msgspec.Struct, frozen=True, kw_only=True):
    """One changed file.

    Attributes:
        path: path in a form for JSON; see :func:`quoted`.
        status: kind of the change.
        before, after: blob ids. None if there is no file.
        added, removed: numbers of lines. 0 for a binary file.
    """

    path: str
    status: Literal["added", "modified", "deleted"]
    before: Oid | None
    after: Oid | None
    added: int
    removed: int


class OperationRow(msgspec.Struct, frozen=True, kw_only=True):
    """Result of one operation.

    Attributes:
        op, path: name of the operation, and the file in which it ended.
        before, after: its old and new lines. None if there is no file.
        corrections: corrections of the request, in words.
        hash: content hash of the resulting text. None if no file is left.
        symbol: symbol that was its address.
        matched, replacements: strategy and number of replacements, for ``text``.
        lead: effect on comments, decorators and ``export``.
    """

    op: str
    path: str
    before: LineSpan | None
    after: LineSpan | None
    hash: str | None
    corrections: tuple[str, ...] = ()
    symbol: str | UnsetType = UNSET
    matched: str | UnsetType = UNSET
    replacements: int | UnsetType = UNSET
    lead: str | UnsetType = UNSET


class IntentRow(msgspec.Struct, frozen=True, kw_only=True):
    """Change of one symbol; ``to`` is the new name or place of a renamed or moved one."""

    kind: str
    symbol: str
    path: str
    to: str | UnsetType = UNSET


class Finding(msgspec.Struct, frozen=True):
    """One place that a gate reports; ``line`` and ``column`` count from 1."""

    path: str
    line: int
    column: int
    message: str
    severity: Literal["error", "warning"] = "error"


_MAX_LINES = 20
"""Maximum number of lines that the text of a finding lists for one file; further lines are counted."""


class EditFinding(msgspec.Struct, frozen=True, kw_only=True):
    """Something that an edit left or could not judge, such as the lines of one file with an old name.

    Attributes:
        severity: ``warning`` if it may break the program, otherwise ``note``.
        kind: kind, such as ``string``, ``unresolved`` or ``call``; "" if there is only one of the kind.
        message: description, without the place.
        path, lines: file, in a form for JSON, and all its lines, from 1.
    """

    severity: Literal["warning", "note"]
    kind: str
    message: str
    path: str | UnsetType = UNSET
    lines: tuple[int, ...] | UnsetType = UNSET

    @property
    def text(self) -> str:
        """The finding as one sentence, as ``warnings`` and ``unchecked`` list it."""
        return self.shorten(_MAX_LINES)

    def shorten(self, most: int) -> str:
        """Return the finding as one sentence that names at most ``most`` lines."""
        if self.path is UNSET:
            return self.message
        where = format_lines(self.path, self.lines, most) if self.lines else self.path
        return f"{where}: {self.message}"


class Remark(str):
    """Text of a finding, in a list of texts; ``finding`` has its parts."""

    __slots__ = ("finding",)
    finding: EditFinding

    def __new__(cls, finding: EditFinding) -> Remark:
        """Return the text of a finding."""
        made = super().__new__(cls, finding.text)
        made.finding = finding
        return made


def remark(
    message: str,
    *,
    path: str = "",
    lines: Iterable[int] = (),
    kind: str = "",
    severity: Literal["warning", "note"] = "warning",
) -> Remark:
    """Return a finding as text; ``path`` is a path of the tree."""
    return Remark(
        EditFinding(
            severity=severity,
            kind=kind,
            message=message,
            path=quote_path(path) if path else UNSET,
            lines=tuple(lines) or UNSET,
        )
    )


def format_lines(path: str, lines: Sequence[int], most: int = _MAX_LINES) -> str:
    """Return a quoted path with its lines; of many lines, the first ones and the number of the rest."""
    shown = ", ".join(map(str, lines[:most]))
    more = len(lines) - most
    return f"{path}:{shown}" + (f" and {more} more line{'s' * (more > 1)}" if more > 0 else "")


class GateRow(msgspec.Struct, frozen=True, kw_only=True):
    """Verdict of one gate.

    Attributes:
        notes: remarks, in words.
        output: end of its command's output.
        sandbox: place where its programs ran: ``bubblewrap``, ``off``, or ``none`` with the reason.
        rules: names of the rules that were applied.
    """

    name: str
    status: Literal["passed", "failed", "skipped", "cached"]
    seconds: float = 0.0
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] | UnsetType = UNSET
    output: str | UnsetType = UNSET
    sandbox: str | UnsetType = UNSET
    rules: tuple[str, ...] | UnsetType = UNSET


class Fix(msgspec.Struct, frozen=True):
    """Change of a file by a hook, or by a safe fix for a diagnostic, before landing."""

    path: str
    fix: str


class Remaining(msgspec.Struct, frozen=True):
    """New problem that a compiler, linter or language server reports and no fix removed."""

    path: str
    line: int
    message: str
    severity: Literal["error", "warning"]


class Affected(msgspec.Struct, frozen=True, kw_only=True):
    """A symbol whose references an edit had to update, with the numbers of references and files."""

    symbol: str
    references: int
    files: int


class Propagated(msgspec.Struct, frozen=True, kw_only=True):
    """Edits that an operation on names made: kind of the operation, number of files and of edits."""

    kind: str
    files: int
    edits: int


class StaleDoc(msgspec.Struct, frozen=True):
    """A line of documentation that an edit made wrong, with the reason."""

    path: str
    line: int
    why: str


class Factor(msgspec.Struct, frozen=True, kw_only=True):
    """Contribution of one factor to a risk.

    Attributes:
        value: measured value.
        contribution: change of the logarithm of the odds.
    """

    name: str
    value: float
    contribution: float
    why: str


class Risk(msgspec.Struct, frozen=True, kw_only=True):
    """Risk of a change from 0 to 1, with its factors."""

    score: float
    factors: tuple[Factor, ...]


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about a change besides its files.

    Attributes:
        ops, intents, gates: operations, changes of symbols, and verdicts.
        fixed: changes by hooks and fixes, if there were any.
        remaining: new diagnostics that are left.
        unchecked: checks that were not possible, with the reason, in words.
        findings: places and facts that need attention, those of ``unchecked`` with their parts.
        affected: symbols whose references were updated, if names were followed.
        propagated: edits that operations on names made.
        stale_docs: documentation that is wrong now, if it was searched.
        risk: risk of the change, if requested.
    """

    ops: tuple[OperationRow, ...] = ()
    intents: tuple[IntentRow, ...] = ()
    gates: tuple[GateRow, ...] = ()
    fixed: tuple[Fix, ...] | UnsetType = UNSET
    remaining: tuple[Remaining, ...] | UnsetType = UNSET
    unchecked: tuple[str, ...] = ()
    findings: tuple[EditFinding, ...] | UnsetType = UNSET
    affected: tuple[Affected, ...] | UnsetType = UNSET
    propagated: tuple[Propagated, ...] | UnsetType = UNSET
    stale_docs: tuple[StaleDoc, ...] | UnsetType = UNSET
    risk: Risk | UnsetType = UNSET


class Edited(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of a call that edits or lands, or that shows a transaction.

    Attributes:
        tx: id of the transaction. None in a dry run.
        state: ``open``, ``checked``, ``landed``, ``edited`` (in the checkout), ``undone`` or ``dropped``;
            ``unchanged`` if a command had nothing to do.
        target: branch, or ``@checkout``.
        message: commit message.
        base: commit of the branch from which the transaction starts. None for an unborn branch.
        head: commit of the transaction's shadow branch. None in a dry run.
        landed: new commit of the branch.
        diff: the change as one unified diff.
        files, ops, intents, gates, fixed, remaining: see :class:`Facts`.
        unchecked, findings, affected, propagated, stale_docs, risk: see :class:`Facts`.
        worktree: directory of the worktree that the transaction has leased.
        answers: transaction for which this one is a suggestion.
        note: summary of several operations.
    """

    tx: str | None
    state: str
    target: str | UnsetType = UNSET
    message: str | UnsetType = UNSET
    base: str | UnsetType | None = UNSET
    head: str | UnsetType | None = UNSET
    landed: str | None
    diff: str
    files: tuple[FileRow, ...]
    ops: tuple[OperationRow, ...] | UnsetType = UNSET
    intents: tuple[IntentRow, ...] | UnsetType = UNSET
    gates: tuple[GateRow, ...] | UnsetType = UNSET
    fixed: tuple[Fix, ...] | UnsetType = UNSET
    remaining: tuple[Remaining, ...] | UnsetType = UNSET
    unchecked: tuple[str, ...] | UnsetType = UNSET
    findings: tuple[EditFinding, ...] | UnsetType = UNSET
    affected: tuple[Affected, ...] | UnsetType = UNSET
    propagated: tuple[Propagated, ...] | UnsetType = UNSET
    stale_docs: tuple[StaleDoc, ...] | UnsetType = UNSET
    risk: Risk | UnsetType = UNSET
    worktree: str | UnsetType = UNSET
    answers: str | UnsetType = UNSET
    note: str | UnsetType = UNSET


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """Verdict of gates on a change that was made with git and is not a transaction.

    Attributes:
        target: ``@staged``, or the pushed ref.
        base: commit with which the change is compared. None if there is no commit yet.
        paths: changed files.
        gates: verdicts.
        unchecked: checks that were not possible, with the reason, in words.
        commits: commits that were checked, if there are several.
        named: transactions that a message names.
    """

    target: str
    base: str | None = None
    paths: tuple[str, ...] = ()
    gates: tuple[GateRow, ...] = ()
    unchecked: tuple[str, ...] = ()
    commits: tuple[str, ...] | UnsetType = UNSET
    named: tuple[str, ...] | UnsetType = UNSET


def success_envelope(
    command: str, data: Any, warnings: Iterable[str] = (), following: Iterable[str] = ()
) -> dict[str, Any]:
    """Return the envelope of a success; ``following`` are calls that make sense next, as typed."""
    return {
        "schema": SCHEMA,
        "ok": True,
        "command": command,
        "data": data,
        "warnings": list(warnings),
        "next": list(following),
    }


def failure_envelope(command: str, error: ScalpelError, spelling: Spelling = BY_NAME) -> dict[str, Any]:
    """Return the envelope of an error, with messages in the spelling of a front end."""
    message, hint = error.told(spelling)
    fields: dict[str, Any] = {
        "code": error.code,
        "message": message,
        "hint": hint,
        "retryable": error.retryable,
        "data": error.told_data(spelling),
    }
    if error.op is not None:
        fields["op"] = error.op
    return {"schema": SCHEMA, "ok": False, "command": command, "error": fields}


def quote_path(path: str) -> str:
    """Return a path in a form for JSON. A path that is not UTF-8 is quoted as git does."""
    return quote_c_style(path) if _NO_UTF8.search(path) else path


def quote_for_line(path: str) -> str:
    """Return a path for a line of text. A path with control characters is quoted, too."""
    return quote_c_style(path) if min(path, default=" ") < " " or "\x7f" in path else quote_path(path)


def quote_c_style(name: str) -> str:
    """Return a name in double quotes, with escapes as git writes them."""
    raw = _NO_BYTE.sub("\ufffd", name).encode("utf-8", "surrogateescape")
    return '"' + "".join(map(_escape_byte, raw)) + '"'


def _escape_byte(byte: int) -> str:
    if byte in ESCAPES:
        return "\\" + ESCAPES[byte]
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"


def short_branch_name(branch: str) -> str:
    return branch.removeprefix("refs/heads/")


def message_subject(message: str) -> str:
    return message.partition("\n")[0]


def make_json_safe(value: Any, spelling: Spelling = BY_NAME) -> Any:
    """Return ``value`` with its texts fit for JSON and marks spelled. Bytes not in UTF-8 become U+FFFD."""
    if isinstance(value, str):
        return value if value.isascii() else replace_surrogates(spell(value, spelling))
    if isinstance(value, Mapping):
        return {make_json_safe(key, spelling): make_json_safe(item, spelling) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [make_json_safe(item, spelling) for item in value]
    return value


def replace_surrogates(words: str) -> str:
    """Return a text that UTF-8 can encode. Surrogates without a byte become U+FFFD."""
    return _NO_BYTE.sub("\ufffd", words).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class SymbolTree(msgspec.Struct, frozen=True, kw_only=True):
    """A symbol with the symbols inside; ``expect`` takes its ``hash``, ``address`` is unique in the file."""

    name: str
    qualname: str
    address: str
    kind: str
    span: LineSpan
    lead: LineSpan | None
    hash: str
    children: tuple[SymbolTree, ...]


class FoldingRow(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that an editor may fold, counted from 1.

    Attributes:
        kind: ``definition``, ``block``, ``import``, ``comment`` or ``region``.
        address, name: address of the definition, or name of the region.
    """

    first: int
    last: int
    kind: str
    address: str | UnsetType = UNSET
    name: str | UnsetType = UNSET


class FileOutline(msgspec.Struct, frozen=True, kw_only=True):
    """Symbols of one file as trees.

    Attributes:
        unread: reason why the symbols of a file in a directory are not known.
        folding: lines that may be folded, if requested.
    """

    path: str
    language: str | None
    symbols: tuple[SymbolTree, ...]
    unread: str | UnsetType = UNSET
    folding: tuple[FoldingRow, ...] | UnsetType = UNSET


class ReferenceRow(msgspec.Struct, frozen=True, kw_only=True):
    """An occurrence of a name; lines and columns (in bytes) count from 1.

    Attributes:
        path, line, column: position.
        kind: ``definition``, ``use``, ``import``, or ``text`` for a comment, a string or prose.
        certain: True if the occurrence is certainly the requested name.
        why: reason why it is not certain.
    """

    path: str
    line: int
    column: int
    kind: str
    certain: bool
    why: str


class References(msgspec.Struct, frozen=True, kw_only=True):
    """Occurrences of a name in a tree, without those that certainly mean something else.

    Attributes:
        symbol: the name.
        definitions, references: certain occurrences.
        unsure: occurrences that could not be resolved, and text.
        unread: files that contain the word and could not be analysed, with the reason, in words.
    """

    symbol: str
    definitions: tuple[ReferenceRow, ...]
    references: tuple[ReferenceRow, ...]
    unsure: tuple[ReferenceRow, ...]
    unread: tuple[str, ...]


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """A match of a selector; lines and columns (in bytes) count from 1, the end is exclusive.

    Only definitions have a ``name``; the ``qualname`` of another node is that of the definition around it.
    ``node_id`` names the node in ``blob``; an edit takes both, as ``node`` and ``base``. A text match has a
    ``range`` instead, its lines with their hashes, and these lines as its ``code``.
    """

    node_id: str
    kind: str
    type: str
    name: str
    qualname: str
    path: str
    blob: str | None
    start_line: int
    start_column: int
    end_line: int
    end_column: int
    code: str | UnsetType = UNSET
    range: str | UnsetType = UNSET


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line with its number and its line hash."""

    n: int
    hash: str
    text: str


class EnclosingSymbol(msgspec.Struct, frozen=True, kw_only=True):
    """A symbol that contains another."""

    qualname: str
    kind: str


class ShownSymbol(msgspec.Struct, frozen=True, kw_only=True):
    """The requested symbol, and the symbols around it, inside it and next to it.

    ``children_kinds`` and ``sibling_kinds`` have the order of ``children`` and ``siblings``.
    """

    name: str
    qualname: str
    kind: str
    lead: LineSpan | None
    span: LineSpan
    children: tuple[str, ...]
    siblings: tuple[str, ...]
    parent: EnclosingSymbol | None
    children_kinds: tuple[str, ...]
    sibling_kinds: tuple[str, ...]


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A file or a part of it.

    Attributes:
        path, blob: path and blob id; ``blob`` is None for a file on disk.
        language, encoding, eol, total_lines: properties of the whole file.
        span: lines that are shown.
        content: text of these lines; for a symbol, its text with comments and decorators before it.
        hash: content hash of the text, for ``expect``.
        lines: single lines.
        dirty: True if the file on disk has uncommitted changes.
        range: the lines as a reference with hashes, for any line address.
        symbol: the requested definition.
    """

    path: str
    blob: str | None
    language: str | None
    encoding: str
    eol: str | None
    total_lines: int
    span: LineSpan
    content: str
    hash: str
    lines: tuple[Line, ...]
    dirty: bool
    range: str | UnsetType = UNSET
    symbol: ShownSymbol | UnsetType = UNSET


class OfferedFix(msgspec.Struct, frozen=True, kw_only=True):
    """A fix that a server or linter offers, with its number and a unified diff."""

    n: int
    title: str
    is_safe: bool
    diff: str


class DiagnosticRow(msgspec.Struct, frozen=True, kw_only=True):
    """A new problem, the tool that reports it, and the fixes that are offered."""

    path: str
    line: int
    column: int
    message: str
    severity: str
    by: str
    fixes: tuple[OfferedFix, ...]


class Fixes(msgspec.Struct, frozen=True, kw_only=True):
    """New problems of a change; ``unchecked`` names the tools that gave no answer."""

    diagnostics: tuple[DiagnosticRow, ...]
    unchecked: tuple[str, ...] = ()
