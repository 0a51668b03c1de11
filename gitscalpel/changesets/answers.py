"""Answers of commands as data: changes, files, symbols, matches, diagnostics, and their envelope."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.changesets.paths import ESCAPES
from gitscalpel.errors import ScalpelError
from gitscalpel.errors.messages import BY_NAME, Spelling, spelt

SCHEMA = "scalpel/1"
CHECKOUT = "@checkout"
STAGED = "@staged"
"""What the user's files on the disk are called where a branch can be named."""
_NO_UTF8 = re.compile(r"[\ud800-\udfff]")
_NO_BYTE = re.compile(r"[\ud800-\udc7f\udd00-\udfff]")
"""Half of a character that stands for no byte of a name."""

LineSpan = tuple[int, int]
"""First and last line, from 1; ``(n, n - 1)`` is the empty range before line n."""


class FileRow(msgspec.Struct, frozen=True, kw_only=True):
    """One file that changed.

    Attributes:
        path: as JSON can hold it, see :func:`quoted`.
        status: what became of it.
        before, after: blob ids; None where there is no file.
        added, removed: lines; 0 for a binary file.
    """

    path: str
    status: Literal["added", "modified", "deleted"]
    before: Oid | None
    after: Oid | None
    added: int
    removed: int


class OperationRow(msgspec.Struct, frozen=True, kw_only=True):
    """What one operation did.

    Attributes:
        op, path: the operation's word, and the file that it ended up in.
        before, after: the lines that it covered and covers; None where there is no file.
        corrections: what was corrected in the request, in words.
        hash: content hash of the text it left; None: no file is left.
        symbol: the symbol that it was addressed by.
        matched, replacements: for ``text``, the strategy that found it, and the number of places.
        lead: what became of comments, decorators and ``export``.
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
    """What an edit did to one symbol; ``to`` is where a renamed or moved one went."""

    kind: str
    symbol: str
    path: str
    to: str | UnsetType = UNSET


class Finding(msgspec.Struct, frozen=True):
    """One place that a gate points at; ``line`` and ``column`` count from 1."""

    path: str
    line: int
    column: int
    message: str
    severity: Literal["error", "warning"] = "error"


class GateRow(msgspec.Struct, frozen=True, kw_only=True):
    """One gate's verdict.

    Attributes:
        name, status: which, and what it says.
        seconds: that it took.
        findings: the places that it points at.
        notes: what else there is to say, in words.
        output: what its command printed, at the end.
        sandbox: what its programs ran in: ``bubblewrap``, ``off``, or ``none`` and why there was none.
        rules: names of the rules that were asked.
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
    """What a hook, or the one safe remedy for a diagnostic, changed in a file before it landed."""

    path: str
    fix: str


class Remaining(msgspec.Struct, frozen=True):
    """What a change brings that a compiler, a linter or a language server complains of, and leaves."""

    path: str
    line: int
    message: str
    severity: Literal["error", "warning"]


class Affected(msgspec.Struct, frozen=True, kw_only=True):
    """A symbol with uses that had to follow an edit.

    Attributes:
        symbol: its name.
        references: how many there are.
        files: in how many files.
    """

    symbol: str
    references: int
    files: int


class Propagated(msgspec.Struct, frozen=True, kw_only=True):
    """Edits that followed from an operation on names: which it was, in how many files, and how many."""

    kind: str
    files: int
    edits: int


class StaleDoc(msgspec.Struct, frozen=True):
    """A line of documentation that an edit has made untrue, and why."""

    path: str
    line: int
    why: str


class Factor(msgspec.Struct, frozen=True, kw_only=True):
    """What one factor adds to a risk.

    Attributes:
        name: of the factor.
        value: what was counted.
        contribution: by how much that moves the logarithm of the odds.
        why: in words.
    """

    name: str
    value: float
    contribution: float
    why: str


class Risk(msgspec.Struct, frozen=True, kw_only=True):
    """How risky a change is, from 0 to 1, and why."""

    score: float
    factors: tuple[Factor, ...]


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a change beside its files.

    Attributes:
        ops, intents, gates: what was done, what it did to symbols, what was checked.
        fixed: what hooks and remedies changed on the way, where there were any.
        remaining: the diagnostics that are new and still there.
        unchecked: what could not be checked, and why, in words.
        affected: what had to follow, where names were followed.
        propagated: the edits that followed from operations on names.
        stale_docs: documentation that is untrue now, where it was looked for.
        risk: how risky it is, where that was asked for.
    """

    ops: tuple[OperationRow, ...] = ()
    intents: tuple[IntentRow, ...] = ()
    gates: tuple[GateRow, ...] = ()
    fixed: tuple[Fix, ...] | UnsetType = UNSET
    remaining: tuple[Remaining, ...] | UnsetType = UNSET
    unchecked: tuple[str, ...] = ()
    affected: tuple[Affected, ...] | UnsetType = UNSET
    propagated: tuple[Propagated, ...] | UnsetType = UNSET
    stale_docs: tuple[StaleDoc, ...] | UnsetType = UNSET
    risk: Risk | UnsetType = UNSET


class Edited(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of a call that edits or lands, or that shows a transaction.

    Attributes:
        tx: the transaction's id; None in a dry run.
        state: ``open``, ``checked``, ``landed``, ``edited`` (in the checkout), ``undone`` or ``dropped``;
            ``unchanged`` where a command had nothing to do.
        target: the branch, or ``@checkout``.
        message: of its commit.
        base: the commit of the branch that it starts from; None: unborn.
        head: the commit of its shadow branch; None in a dry run.
        landed: the commit that the branch has moved to.
        diff: as one unified diff.
        files, ops, intents, gates, fixed, remaining: see :class:`Facts`.
        unchecked, affected, propagated, stale_docs, risk: likewise.
        worktree: the folder that the transaction has leased.
        answers: the transaction that it is a suggestion for.
        note: how much was done, where that is not one operation.
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
    affected: tuple[Affected, ...] | UnsetType = UNSET
    propagated: tuple[Propagated, ...] | UnsetType = UNSET
    stale_docs: tuple[StaleDoc, ...] | UnsetType = UNSET
    risk: Risk | UnsetType = UNSET
    worktree: str | UnsetType = UNSET
    answers: str | UnsetType = UNSET
    note: str | UnsetType = UNSET


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What gates say of a change that somebody made with git, and that is no transaction.

    Attributes:
        target: ``@staged``, or what was pushed.
        base: the commit that it is held against; None: there is none yet.
        paths: the files that change.
        gates: what was checked.
        unchecked: what could not be checked, and why, in words.
        commits: those that were looked at, where there are several.
        named: the transactions that a message names.
    """

    target: str
    base: str | None = None
    paths: tuple[str, ...] = ()
    gates: tuple[GateRow, ...] = ()
    unchecked: tuple[str, ...] = ()
    commits: tuple[str, ...] | UnsetType = UNSET
    named: tuple[str, ...] | UnsetType = UNSET


def success(
    command: str, data: Any, warnings: Iterable[str] = (), following: Iterable[str] = ()
) -> dict[str, Any]:
    """The envelope of a success; ``following`` are the calls that make sense next, as typed."""
    return {
        "schema": SCHEMA,
        "ok": True,
        "command": command,
        "data": data,
        "warnings": list(warnings),
        "next": list(following),
    }


def failure(command: str, error: ScalpelError, spelling: Spelling = BY_NAME) -> dict[str, Any]:
    """The envelope of a refusal or failure; ``spelling`` is that of the face."""
    message, hint = error.told(spelling)
    said: dict[str, Any] = {
        "code": error.code,
        "message": message,
        "hint": hint,
        "retryable": error.retryable,
        "data": error.told_data(spelling),
    }
    if error.op is not None:
        said["op"] = error.op
    return {"schema": SCHEMA, "ok": False, "command": command, "error": said}


def quoted(path: str) -> str:
    """A path as JSON can hold it: one that is not UTF-8 is written as git quotes it."""
    return escaped(path) if _NO_UTF8.search(path) else path


def shown(path: str) -> str:
    """The same for a line of text, which a name with a line break or another control would end or change."""
    return escaped(path) if min(path, default=" ") < " " or "\x7f" in path else quoted(path)


def escaped(name: str) -> str:
    """A name in double quotes, as git writes one that is not plain."""
    raw = _NO_BYTE.sub("\ufffd", name).encode("utf-8", "surrogateescape")
    return '"' + "".join(map(_escape_byte, raw)) + '"'


def _escape_byte(byte: int) -> str:
    if byte in ESCAPES:
        return "\\" + ESCAPES[byte]
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"


def short(branch: str) -> str:
    """A branch as people write it."""
    return branch.removeprefix("refs/heads/")


def subject(message: str) -> str:
    """The first line of a commit message."""
    return message.partition("\n")[0]


def clean(value: Any, spelling: Spelling = BY_NAME) -> Any:
    """Return ``value`` with every text as JSON can hold it, and with the marks of messages in words.

    Bytes that are no UTF-8 become U+FFFD.
    """
    if isinstance(value, str):
        return value if value.isascii() else text_of(spelt(value, spelling))
    if isinstance(value, Mapping):
        return {clean(key, spelling): clean(item, spelling) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(item, spelling) for item in value]
    return value


def text_of(words: str) -> str:
    """Return ``words`` as UTF-8 can hold them: what stands for a byte that is none becomes U+FFFD."""
    return _NO_BYTE.sub("\ufffd", words).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class SymbolTree(msgspec.Struct, frozen=True, kw_only=True):
    """A symbol with what is defined in it; ``expect`` takes its ``hash``, ``address`` names it alone."""

    name: str
    qualname: str
    address: str
    kind: str
    span: LineSpan
    lead: LineSpan | None
    hash: str
    children: tuple[SymbolTree, ...]


class FoldingRow(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that an editor may fold.

    Attributes:
        first, last: the lines, from 1.
        kind: ``definition``, ``block``, ``import``, ``comment`` or ``region``.
        address: of the definition.
        name: of the region.
    """

    first: int
    last: int
    kind: str
    address: str | UnsetType = UNSET
    name: str | UnsetType = UNSET


class FileOutline(msgspec.Struct, frozen=True, kw_only=True):
    """The symbols of one file.

    Attributes:
        path, language: of the file.
        symbols: its symbols, as trees.
        unread: why those of a file in a folder are not known.
        folding: the lines that may be folded, where they were asked for.
    """

    path: str
    language: str | None
    symbols: tuple[SymbolTree, ...]
    unread: str | UnsetType = UNSET
    folding: tuple[FoldingRow, ...] | UnsetType = UNSET


class ReferenceRow(msgspec.Struct, frozen=True, kw_only=True):
    """A place where a name stands; lines and columns (in bytes) count from 1.

    Attributes:
        path, line, column: where.
        kind: ``definition``, ``use``, ``import``, or ``text``: a comment, a string, prose.
        certain: it is the name that was asked for.
        why: it is not certain.
    """

    path: str
    line: int
    column: int
    kind: str
    certain: bool
    why: str


class References(msgspec.Struct, frozen=True, kw_only=True):
    """Where a name stands in the files of a tree; what certainly means something else is not there.

    Attributes:
        symbol: the name.
        definitions, references: what is certain.
        unsure: of what nobody can tell, and text.
        unread: files that hold the word and were not understood, and why, in words.
    """

    symbol: str
    definitions: tuple[ReferenceRow, ...]
    references: tuple[ReferenceRow, ...]
    unsure: tuple[ReferenceRow, ...]
    unread: tuple[str, ...]


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """What a selector found; lines and columns (in bytes) count from 1, the end is exclusive.

    Only definitions have a ``name``; the ``qualname`` of another node is that of the definition around
    it. ``node_id`` names the node in ``blob``: an edit takes both, as ``node`` and ``base``. A place of a
    text has a ``range`` instead, its lines with their hashes, and these lines as its ``code``.
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


class Around(msgspec.Struct, frozen=True, kw_only=True):
    """A symbol around another."""

    qualname: str
    kind: str


class ShownSymbol(msgspec.Struct, frozen=True, kw_only=True):
    """The symbol that was asked for, and what is defined around it, in it and beside it.

    ``children_kinds`` and ``sibling_kinds`` are those of ``children`` and ``siblings``, in their order.
    """

    name: str
    qualname: str
    kind: str
    lead: LineSpan | None
    span: LineSpan
    children: tuple[str, ...]
    siblings: tuple[str, ...]
    parent: Around | None
    children_kinds: tuple[str, ...]
    sibling_kinds: tuple[str, ...]


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A file or a part of it.

    Attributes:
        path, blob: the file; ``blob`` is None for a file on disk.
        language, encoding, eol, total_lines: of the whole file.
        span: the lines that are shown.
        content: their text, from the symbol's lead to its end where a symbol was asked for.
        hash: content hash of that; ``expect`` takes it.
        lines: the lines one by one.
        dirty: the file on disk has uncommitted changes.
        range: the lines as a reference with hashes, to be used wherever lines are addressed.
        symbol: the definition that was asked for.
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
    """A fix that a server or linter offers.

    Attributes:
        n: its number, by which it is taken.
        title: what it does, in the words of its tool.
        is_safe: its tool holds it for safe.
        diff: the change, as a unified diff.
    """

    n: int
    title: str
    is_safe: bool
    diff: str


class DiagnosticRow(msgspec.Struct, frozen=True, kw_only=True):
    """Something new that is wrong, who says so, and the fixes that are offered for it."""

    path: str
    line: int
    column: int
    message: str
    severity: str
    by: str
    fixes: tuple[OfferedFix, ...]


class Fixes(msgspec.Struct, frozen=True, kw_only=True):
    """What is new and wrong in a change; ``unchecked`` names who was asked and has kept silent."""

    diagnostics: tuple[DiagnosticRow, ...]
    unchecked: tuple[str, ...] = ()
