"""Read-only queries on files and symbols, and their cache.

A cached answer is used while the files that were read and gitscalpel's own code are unchanged, so that it
always equals a computed one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cached_property, partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec import UNSET

from gitscalpel.api.blob_answers import FileToAnswer, Question, answer_files
from gitscalpel.api.code_key import code_key
from gitscalpel.changesets import paths
from gitscalpel.changesets.answers import (
    EnclosingSymbol,
    FileOutline,
    FoldingRow,
    Line,
    LineSpan,
    Match,
    Shown,
    ShownSymbol,
    SymbolTree,
    quote_path,
)
from gitscalpel.changesets.file_tree import TREE, Oid, Overlay, Snapshot
from gitscalpel.changesets.operations import AddressedOperation
from gitscalpel.edit.source import Source
from gitscalpel.edit.symbols import address_resolution
from gitscalpel.edit.symbols.address_resolution import locate
from gitscalpel.errors import BadCall, Damaged, DoesNotFit, ScalpelError
from gitscalpel.git import user_cache
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.git.user_cache import Dependencies, TracedSnapshot, are_dependencies_unchanged
from gitscalpel.syntax.addresses import list_addresses
from gitscalpel.syntax.folding import list_folding_ranges
from gitscalpel.syntax.languages import read_document
from gitscalpel.syntax.selectors import module_of, parse, require_known_somewhere, required_words, select
from gitscalpel.system import serialization
from gitscalpel.text import line_refs
from gitscalpel.text.document import Document
from gitscalpel.text.line_refs import content_hash, line_hash
from gitscalpel.workspace.workspace import Target, Workspace, is_dirty

if TYPE_CHECKING:
    from gitscalpel.edit.source import Source
    from gitscalpel.syntax.outline import Outline
    from gitscalpel.syntax.selectors import Found
    from gitscalpel.syntax.symbols import Symbol


_SKIPPED_CODES = ("too_large", "binary_file", "unsupported_language")
"""Errors for which a file of a directory is skipped. A file that is named itself is rejected."""


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
            raise DoesNotFit("binary_file", f"{self.path} is binary", "git show prints its bytes")

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


def list_files(target: Target, given: Iterable[str]) -> list[tuple[str, bool]]:
    """Return the files that paths mean, each with True if it was named itself. Raises ``file_not_found``.

    Files in a directory are included if their language is known.
    """
    overlay = Overlay(target.snapshot)
    found: list[tuple[str, bool]] = []
    for path in given:
        place = "" if path in ("", ".") else paths.resolve_path(path, overlay)
        entry = overlay.entry(place)
        if entry is not None and entry.mode == TREE:
            recognise = target.exemptions.recognise
            found += [(p, False) for p in target.snapshot.under(place) if recognise(p, b"") is not None]
        else:
            found.append((paths.require_file(path, overlay)[0], True))
    return found


def _size(file: File) -> int:
    return file.size


class _ListedFile(FileToAnswer[File], frozen=True):
    """A file to query.

    Attributes:
        given: path as the caller gave it, which may lead through symbolic links.
        blob: blob id.
        is_named: True if the caller named the file itself, not a directory.
    """

    given: str
    blob: str
    is_named: bool


class _Skipped(msgspec.Struct, frozen=True):
    path: str
    reason: str


def _ask_files(
    ws: Workspace, target: Target, files: Iterable[tuple[str, bool]], question: Question[File, _Answer]
) -> Iterator[tuple[_ListedFile, _Answer] | _Skipped]:
    """Yield files with the answers to a question, and those of a directory that cannot be read."""
    overlay = Overlay(target.snapshot)
    listed = []
    for path, is_named in files:
        place, entry = paths.require_file(path, overlay)
        assigned = target.exemptions.language_of(place)
        language = assigned if isinstance(assigned, str) else assigned.name if assigned else "none"
        # The attribute "module" of a node depends on the whole path.
        name = place if "module" in question.text else place.rpartition("/")[2]
        key = question.key(name, language, entry.oid)
        listed.append(_ListedFile(place, key, partial(File, ws, target, path), path, entry.oid, is_named))
    for file, answer in answer_files(ws.repo, listed, question):
        if not isinstance(answer, ScalpelError):
            yield file, answer
        elif file.is_named or answer.code not in _SKIPPED_CODES:
            raise answer
        else:
            yield _Skipped(file.given, answer.message)


def outline(
    ws: Workspace, target: Target, given: Iterable[str], *, folding: bool = False
) -> list[FileOutline]:
    """Return the symbols of files as trees. Unreadable files of a directory are listed with the reason."""
    rows = []
    compute = partial(_outline_row, folding=folding)
    question = Question(f"outline {folding}", FileOutline, compute, _size)
    for each in _ask_files(ws, target, list_files(target, given), question):
        if isinstance(each, _Skipped):
            language = target.exemptions.recognise(each.path, b"")
            name = language.name if language else None
            rows.append(
                FileOutline(path=quote_path(each.path), language=name, symbols=(), unread=each.reason)
            )
        else:
            file, row = each
            rows.append(msgspec.structs.replace(row, path=quote_path(file.given)))
    return rows


def _outline_row(file: File, folding: bool) -> FileOutline:
    """Return the outline of a file, without its path."""
    outline = file.parse().outline
    spelt = list_addresses(outline)
    symbols = tuple(_symbol_tree(s, file.document, spelt) for s in outline.symbols)
    folds = _folding_rows(outline, spelt) if folding else UNSET
    return FileOutline(path="", language=file.language, symbols=symbols, folding=folds)


def _folding_rows(outline: Outline, spelt: dict[int, str]) -> tuple[FoldingRow, ...]:
    return tuple(
        FoldingRow(
            first=each.first,
            last=each.last,
            kind=each.kind,
            address=UNSET if each.symbol is None else spelt[id(each.symbol)],
            name=each.name or UNSET,
        )
        for each in list_folding_ranges(outline)
    )


def find(
    ws: Workspace,
    target: Target,
    query: str,
    given: Iterable[str],
    limit: int | None = None,
    *,
    code: bool = True,
) -> list[Match]:
    """Return up to ``limit`` matches of a selector in files, in order. Raises ``query_syntax``."""
    parsed = parse(query)
    files = list_files(target, given)
    candidates = _select_candidates(target, files, required_words(parsed))
    rows: list[Match] = []
    known = False
    question = Question(f"find {code} {query}", _FileMatches, partial(_find_in_file, query, code), _size)
    for each in _ask_files(ws, target, candidates, question):
        if isinstance(each, _Skipped):
            ws.notify(f"not searched: {each.reason}")
            continue
        file, found = each
        known = known or not found.is_unknown
        rows += [
            msgspec.structs.replace(row, path=quote_path(file.path), blob=file.blob) for row in found.matches
        ]
        if limit is not None and len(rows) >= limit:
            return rows[:limit]
    if not known:
        languages = {target.exemptions.recognise(path, b"") for path, _ in files}
        require_known_somewhere(parsed, query, [each for each in languages if each is not None])
    return rows


class _FileMatches(msgspec.Struct, frozen=True):
    """The matches in one file, without its path and blob.

    Attributes:
        is_unknown: True if the file's language has no such type or attribute.
    """

    matches: tuple[Match, ...]
    is_unknown: bool = False


def _find_in_file(query: str, code: bool, file: File) -> _FileMatches:
    outline = file.parse().outline
    try:
        found = select(outline, query, module_of(file.path))
    except BadCall:  # a node type may exist in one language only
        return _FileMatches((), is_unknown=True)
    except DoesNotFit as error:  # LibCST reads less than the grammar does
        raise DoesNotFit(error.code, f"{file.path}: {error.message}", error.hint) from None
    return _FileMatches(tuple(_match_row(place, file, outline, code) for place in found))


_WIDE_ENCODINGS = ("\udcff\udcfe", "\udcfe\udcff")
"""Byte order marks of the encodings in which a word has other bytes than in ASCII."""


def _select_candidates(
    target: Target, files: list[tuple[str, bool]], words: frozenset[str] | None
) -> list[tuple[str, bool]]:
    """Return the files that may contain one of some words, or all of them if no words are known."""
    if words is None or all(is_named for _, is_named in files):
        return files
    found = {*target.snapshot.mentions("\n".join((*sorted(words), *_WIDE_ENCODINGS)))}
    return [(path, is_named) for path, is_named in files if is_named or path in found]


def find_definitions(ws: Workspace, target: Target, symbol: str, below: str = "", most: int = 5) -> list[str]:
    """Return up to ``most`` definitions of a symbol as ``PATH::SYMBOL``, from 20 times as many files.

    Only files that contain the last part of the symbol's name are read.
    """
    named = target.snapshot.mentions(symbol.rpartition(".")[2])
    inside = (name for name in named if not below or f"{name}/".startswith(f"{below.rstrip('/')}/"))
    recognise = target.exemptions.recognise
    known = (name for name in inside if recognise(name, b"") is not None)
    found: list[str] = []
    for path in islice(known, 20 * most):
        with suppress(DoesNotFit):  # the file cannot be parsed
            outline = File(ws, target, path).source.outline
            found += [f"{path}::{s.qualname}" for s in outline.walk() if _ends_with(s.path, symbol)]
        if len(found) >= most:
            break
    return found[:most]


def _ends_with(path: tuple[str, ...], symbol: str) -> bool:
    asked = tuple(symbol.split("."))
    return path[-len(asked) :] == asked


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
        first, last = _line_span(document, found.full_start, found.end)
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
        content=_decode(content),
        hash=content_hash(content),
        lines=tuple(_line_row(document, n) for n in range(first, last + 1)),
        dirty=is_dirty(ws, target, file.path),
        range=line_refs.format_reference(document, first, last) if last >= first else UNSET,
        symbol=_symbol_row(found, file) if found is not None and found.named else UNSET,
    )


def _line_row(document: Document, n: int) -> Line:
    return Line(n=n, hash=line_hash(document.line(n)), text=_decode(document.line(n)))


def _symbol_row(symbol: Symbol, file: File) -> ShownSymbol:
    parent = symbol.parent
    around = parent.children if parent else file.source.outline.symbols
    siblings = [s for s in around if s.full_start != symbol.full_start]
    return ShownSymbol(
        name=symbol.name,
        qualname=symbol.qualname,
        kind=symbol.kind,
        lead=_lead_span(symbol, file.document),
        span=_line_span(file.document, symbol.start, symbol.end),
        children=tuple(child.qualname for child in symbol.children),
        siblings=tuple(s.qualname for s in siblings),
        parent=EnclosingSymbol(qualname=parent.qualname, kind=parent.kind) if parent else None,
        children_kinds=tuple(child.kind for child in symbol.children),
        sibling_kinds=tuple(s.kind for s in siblings),
    )


def _symbol_tree(symbol: Symbol, document: Document, spelt: dict[int, str]) -> SymbolTree:
    return SymbolTree(
        name=symbol.name,
        qualname=symbol.qualname,
        address=spelt[id(symbol)],
        kind=symbol.kind,
        span=_line_span(document, symbol.start, symbol.end),
        lead=_lead_span(symbol, document),
        hash=content_hash(document.text[symbol.full_start : symbol.end]),
        children=tuple(_symbol_tree(child, document, spelt) for child in symbol.children),
    )


def _match_row(place: Found, file: File, outline: Outline, code: bool) -> Match:
    text, document = file.document.text, file.document
    node, symbol = place.node, place.symbol
    start, end = (symbol.start, symbol.end) if symbol else (node.start_byte, node.end_byte)
    first, last = _line_span(document, start, end)
    owner = symbol or outline.around(node.start_byte, node.end_byte)
    return Match(
        node_id=str(place.ref),
        kind=symbol.kind if symbol else node.type,
        type=node.type,
        name=symbol.name if symbol else "",
        qualname=owner.qualname if owner else "",
        path=quote_path(file.path),
        blob=file.blob,
        start_line=first,
        start_column=start - document.starts[first - 1] + 1,
        end_line=last,
        end_column=end - document.starts[last - 1] + 1,
        code=_decode(text[start:end]) if code else UNSET,
    )


def _lead_span(symbol: Symbol, document: Document) -> LineSpan | None:
    return _line_span(document, symbol.full_start, symbol.start) if symbol.full_start < symbol.start else None


def _line_span(document: Document, start: int, end: int) -> LineSpan:
    last = end - 1
    while last > start and document.text[last : last + 1] in (b" ", b"\t", b"\r", b"\n"):
        last -= 1
    return document.line_at(start), document.line_at(max(start, last))


def _decode(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _read_from_disk(work_tree: Path, path: str) -> bytes:
    try:
        return (work_tree / path).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise DoesNotFit("file_not_found", f"{path} is not on disk", "check the path", path=path) from None
    except IsADirectoryError:
        raise DoesNotFit("not_a_file", f"{path} is a directory", "name a file in it", path=path) from None


_BRANCH = "refs/heads/"
_Answer = TypeVar("_Answer", bound=msgspec.Struct)


class _CachedAnswer(msgspec.Struct, frozen=True):
    tree: str
    looked: Dependencies
    answer: msgspec.Raw


def cached_answer(
    ws: Workspace,
    target: Target,
    asked: msgspec.Struct,
    kind: type[_Answer],
    make: Callable[[Snapshot], _Answer],
) -> _Answer:
    """Return the cached answer about a target's files, or compute it with ``make`` from the files alone.

    Answers about files on disk are not cached.
    """
    snapshot = target.snapshot
    if not isinstance(snapshot, TreeSnapshot):
        return make(snapshot)
    # A transaction starts from its branch: its first answers come from the branch's cache.
    names = [_cache_name(asked, place) for place in dict.fromkeys((_transaction_branch(target), ""))]
    for name in names:
        kept = _read_cached(ws, name)
        if kept is not None and _is_valid(ws, kept, snapshot):
            with suppress(msgspec.MsgspecError):
                found = serialization.decode(bytes(kept.answer), kind)
                if kept.tree != snapshot.tree:
                    _write_cached(ws, names[0], snapshot, kept.looked, found)
                return found
    watched = TracedSnapshot(snapshot)
    found = make(watched)
    _write_cached(ws, names[0], snapshot, watched.dependencies, found)
    return found


def _transaction_branch(target: Target) -> str:
    return "" if target.branch.startswith(_BRANCH) else target.branch


def _read_cached(ws: Workspace, name: str) -> _CachedAnswer | None:
    said = user_cache.read_result(ws.repo, name)
    with suppress(msgspec.MsgspecError):
        return None if said is None else serialization.decode(said, _CachedAnswer)
    return None


def _write_cached(
    ws: Workspace, name: str, snapshot: TreeSnapshot, looked: Dependencies, found: msgspec.Struct
) -> None:
    with suppress(UnicodeEncodeError):  # names that are not UTF-8
        answer = msgspec.Raw(msgspec.json.encode(found))
        user_cache.write_result(
            ws.repo, name, msgspec.json.encode(_CachedAnswer(snapshot.tree, looked, answer))
        )


def _is_valid(ws: Workspace, kept: _CachedAnswer, now: TreeSnapshot) -> bool:
    if kept.tree == now.tree:
        return True
    before = TreeSnapshot(ws.store, ws.repo.git, Oid(kept.tree))
    with suppress(Damaged):  # the other tree is gone
        return are_dependencies_unchanged(kept.looked, ws.store, before, now)
    return False


def _cache_name(asked: msgspec.Struct, place: str) -> str:
    try:
        said = msgspec.json.encode([type(asked).__name__, asked, place])
    except UnicodeEncodeError:  # a name that is not UTF-8
        said = ascii((asked, place)).encode()
    return blake2b(said, key=code_key(), digest_size=20).hexdigest()
