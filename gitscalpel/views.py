"""What the calls that only look answer: files, symbols, matches."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel.report import LineSpan


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
