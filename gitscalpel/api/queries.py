"""Queries about one file: its text, its symbols, and what an address means in it."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import UNSET

from gitscalpel.changesets import paths
from gitscalpel.changesets.answers import (
    EnclosingSymbol,
    Line,
    LineSpan,
    Shown,
    ShownSymbol,
    quote_path,
)
from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.changesets.operations import AddressedOperation
from gitscalpel.edit.source import Source
from gitscalpel.edit.symbols import address_resolution
from gitscalpel.edit.symbols.address_resolution import locate
from gitscalpel.errors import DoesNotFit
from gitscalpel.syntax.languages import read_document
from gitscalpel.text import line_refs
from gitscalpel.text.document import Document
from gitscalpel.text.line_refs import content_hash, line_hash
from gitscalpel.workspace.workspace import Target, Workspace, is_dirty

if TYPE_CHECKING:
    from gitscalpel.edit.source import Source
    from gitscalpel.syntax.symbols import Symbol


class File:
    """A file to query, on the target branch or on disk."""

    def __init__(self, ws: Workspace, target: Target, path: str, checkout: bool = False) -> None:
        self.overlay = Overlay(target.snapshot)
        self.exemptions = target.exemptions
        self.blob: str | None = None
        if checkout and ws.here.work_tree is not None:
            self.path = paths.resolve_path(path, self.overlay)
            raw = _read_from_disk(ws.here.work_tree, self.path)
            paths.require_no_trailing_slash(path, self.path)
        else:
            self.path, entry = paths.require_file(path, self.overlay)
            self.blob = entry.oid
            raw = self.overlay.read(entry.oid)
        self._raw = raw
        self.document = read_document(self.path, raw)
        if self.document.is_binary:
            raise DoesNotFit("binary_file", f"{self.path} is binary", "print its bytes with `git show`")

    @property
    def language(self) -> str | None:
        language = self.exemptions.recognise(self.path, self.document.text)
        return language.name if language else None

    @property
    def size(self) -> int:
        """Size in bytes."""
        return len(self._raw)

    @cached_property
    def source(self) -> Source:
        """The parsed file, which queries about lines do not need."""
        return self.parse()

    def parse(self) -> Source:
        """Parse the file for one use: trees of many files would fill the memory."""
        return Source.read(self.path, self._raw, exemptions=self.exemptions)


def find_namesakes(target: Target, path: str, most: int = 3) -> list[str]:
    name = path.rpartition("/")[2]
    return [each for each in target.snapshot.under("") if each.rpartition("/")[2] == name][:most]


def show(
    ws: Workspace,
    target: Target,
    at: AddressedOperation,
    checkout: bool = False,
) -> Shown:
    """Return the text at an address: a symbol with its leading comments, a node, lines, or a whole file."""
    file = File(ws, target, at.path, checkout)
    document = file.document
    first, last = 1, document.line_count
    found = None
    if at.lines is not None:
        place = line_refs.locate_lines(at.lines, document, False)
        first, last = place.first, place.last
    elif at.symbol or at.query or at.node:
        base = address_resolution.base_source(at, file.source, file.overlay)
        found = (
            locate(at, file.source)
            if base is None
            else address_resolution.relocate_symbol(at, base, file.source)
        )
        first, last = line_span(document, found.full_start, found.end)
    start, end = document.span(first, last) if last else (0, 0)
    if found is not None:
        start, end = found.full_start, found.end
    content = document.text[start:end]
    return Shown(
        path=quote_path(file.path),
        blob=file.blob,
        language=file.language,
        encoding=document.encoding,
        eol=document.eol,
        total_lines=document.line_count,
        span=(first, last),
        content=decode(content),
        hash=content_hash(content),
        lines=tuple(_line_row(document, n) for n in range(first, last + 1)),
        dirty=is_dirty(ws, target, file.path),
        range=line_refs.format_reference(document, first, last) if last >= first else UNSET,
        symbol=_symbol_row(found, file) if found is not None and found.named else UNSET,
    )


def _line_row(document: Document, n: int) -> Line:
    return Line(n=n, hash=line_hash(document.line(n)), text=decode(document.line(n)))


def _symbol_row(symbol: Symbol, file: File) -> ShownSymbol:
    parent = symbol.parent
    around = parent.children if parent else file.source.outline.symbols
    siblings = [s for s in around if s.full_start != symbol.full_start]
    return ShownSymbol(
        name=symbol.name,
        qualname=symbol.qualname,
        kind=symbol.kind,
        lead=lead_span(symbol, file.document),
        span=line_span(file.document, symbol.start, symbol.end),
        children=tuple(child.qualname for child in symbol.children),
        siblings=tuple(s.qualname for s in siblings),
        parent=EnclosingSymbol(qualname=parent.qualname, kind=parent.kind) if parent else None,
        children_kinds=tuple(child.kind for child in symbol.children),
        sibling_kinds=tuple(s.kind for s in siblings),
    )


def lead_span(symbol: Symbol, document: Document) -> LineSpan | None:
    return line_span(document, symbol.full_start, symbol.start) if symbol.full_start < symbol.start else None


def line_span(document: Document, start: int, end: int) -> LineSpan:
    last = end - 1
    while last > start and document.text[last : last + 1] in (b" ", b"\t", b"\r", b"\n"):
        last -= 1
    return document.line_at(start), document.line_at(max(start, last))


def decode(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _read_from_disk(work_tree: Path, path: str) -> bytes:
    try:
        return (work_tree / path).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise DoesNotFit("file_not_found", f"{path} is not on disk", "check the path", path=path) from None
    except IsADirectoryError:
        raise DoesNotFit("not_a_file", f"{path} is a directory", "name a file in it", path=path) from None
