"""Queries about the files of directories: outlines, and matches of selectors.

A file is parsed only if it contains a word that a match needs, and if no answer about its blob is cached.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec import UNSET

from gitscalpel.api import queries
from gitscalpel.api.blob_answers import FileToAnswer, Question, answer_files
from gitscalpel.api.queries import File
from gitscalpel.changesets import paths
from gitscalpel.changesets.answers import FileOutline, FoldingRow, Match, SymbolTree, quote_path
from gitscalpel.changesets.file_tree import TREE, Overlay
from gitscalpel.errors import BadCall, DoesNotFit, ScalpelError
from gitscalpel.syntax.addresses import list_addresses
from gitscalpel.syntax.folding import list_folding_ranges
from gitscalpel.syntax.selectors import module_of, parse, require_known_somewhere, required_words, select
from gitscalpel.text.document import Document
from gitscalpel.text.line_refs import content_hash
from gitscalpel.workspace.workspace import Target, Workspace

if TYPE_CHECKING:
    from gitscalpel.syntax.outline import Outline
    from gitscalpel.syntax.selectors import Found
    from gitscalpel.syntax.symbols import Symbol

_Answer = TypeVar("_Answer", bound=msgspec.Struct)
_SKIPPED_CODES = ("too_large", "binary_file", "unsupported_language")
"""Errors for which a file of a directory is skipped. A file that is named itself is rejected."""


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
        languages = target.exemptions.language_of(place), target.exemptions.recognise(place, b"")
        language = " ".join("none" if each is None else getattr(each, "name", "") for each in languages)
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
    question = Question(f"outline {folding}", FileOutline, compute)
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
    question = Question(f"find {code} {query}", _FileMatches, partial(_find_in_file, query, code))
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


def _symbol_tree(symbol: Symbol, document: Document, spelt: dict[int, str]) -> SymbolTree:
    return SymbolTree(
        name=symbol.name,
        qualname=symbol.qualname,
        address=spelt[id(symbol)],
        kind=symbol.kind,
        span=queries.line_span(document, symbol.start, symbol.end),
        lead=queries.lead_span(symbol, document),
        hash=content_hash(document.text[symbol.full_start : symbol.end]),
        children=tuple(_symbol_tree(child, document, spelt) for child in symbol.children),
    )


def _match_row(place: Found, file: File, outline: Outline, code: bool) -> Match:
    text, document = file.document.text, file.document
    node, symbol = place.node, place.symbol
    start, end = (symbol.start, symbol.end) if symbol else (node.start_byte, node.end_byte)
    first, last = queries.line_span(document, start, end)
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
        code=queries.decode(text[start:end]) if code else UNSET,
    )
