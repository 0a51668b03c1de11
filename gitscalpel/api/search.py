"""Search: references to a name, and text in files.

In a language without name resolution, every occurrence of the word is a row, and only the definition is
certain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec
import tree_sitter

from gitscalpel.api.queries import File
from gitscalpel.changesets import paths
from gitscalpel.changesets.answers import Match, ReferenceRow, References, quote_path
from gitscalpel.changesets.answers import References as Listed
from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, TREE, Overlay
from gitscalpel.changesets.operations import Refs
from gitscalpel.edit.source import Source
from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.names import address_targets, overloads, references, unresolved_notes
from gitscalpel.names.address_targets import bindings_of, unresolved_reason
from gitscalpel.names.files import Files
from gitscalpel.names.references import Kind, Reference, find_references
from gitscalpel.names.resolver import Place, Resolver
from gitscalpel.refactor.cross_check import CrossChecker, cross_check
from gitscalpel.syntax import addresses, control_flow
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.system.regex_worker import CallerPattern
from gitscalpel.text import line_refs
from gitscalpel.workspace.workspace import Target, Workspace


class TreeWalk:
    """A position in a tree that moves on to later bytes, and starts again for an earlier one.

    No sibling is passed twice. Tree-sitter itself searches from the root, in a file of 100,000 comments for
    0.3 ms each.
    """

    def __init__(self, root: tree_sitter.Node) -> None:
        self._root = root
        self._cursor = root.walk()
        self._path = [root]
        self._offset = 0

    def to(self, start: int) -> list[tree_sitter.Node]:
        """Return the nodes around a byte, root first."""
        if start < self._offset:
            self._cursor, self._path = self._root.walk(), [self._root]
        self._offset = start
        while len(self._path) > 1 and self._path[-1].end_byte <= start:
            self._step()
        if len(self._path) > 1 and start < self._path[-1].start_byte:
            return self._path[:-1]  # between two nodes: keep the later one for the next bytes
        while self._cursor.goto_first_child():
            self._enter()
            depth = len(self._path)
            while len(self._path) == depth and self._path[-1].end_byte <= start:
                self._step()
            if len(self._path) < depth:
                break
            if start < self._path[-1].start_byte:
                return self._path[:-1]
        return [*self._path]

    def _step(self) -> None:
        self._path.pop()
        if self._cursor.goto_next_sibling():
            self._enter()
        else:
            self._cursor.goto_parent()

    def _enter(self) -> None:
        node = self._cursor.node
        assert node is not None  # noqa: S101 - the cursor is in a tree
        self._path.append(node)


_TEXT_WORDS = ("comment", "string", "heredoc", "char")
"""Words in the types of nodes that are not code."""


def lacks_name_resolution(op: Refs, files: Files) -> bool:
    """Return True if the language of a file has symbols, but no name resolution."""
    path, _ = paths.require_file(op.path, files.overlay)
    source = files.source(path)
    has_symbols = source is not None and source.language is not None and source.syntax is not None
    return has_symbols and files.lexical(path) is None and path not in files.unread


def list_occurrences(op: Refs, files: Files, why: str = "") -> References:
    """Return each occurrence of the addressed word; ``why`` is the reason for the uncertainty.

    Raises:
        DoesNotFit: ``symbol_not_found``: there is no such symbol, or the line does not contain the word.
    """
    path, _ = paths.require_file(op.path, files.overlay)
    source = files.source(path)
    assert source is not None and source.language is not None  # noqa: S101, PT018 - the caller has checked this
    symbol = addresses.resolve_address(source.outline, op.symbol) if op.symbol else None
    word = symbol.name if symbol is not None else str(op.name).partition("#")[0]
    why = why or f"names are not followed in {source.language.name}"
    rows = [
        (row, _is_in_header(symbol, at, row, path))
        for holding in files.holding(word)
        for row, at in _iter_rows(files, holding, word, why)
    ]
    if symbol is None and not any(row.path == quote_path(path) and row.line == op.start for row, _ in rows):
        words = f"line {op.start} of {path} does not contain {word}"
        raise DoesNotFit("symbol_not_found", words, "show prints the line")
    definition = next((row for row, is_own in rows if is_own), None)
    return References(
        symbol=word,
        definitions=()
        if definition is None
        else (msgspec.structs.replace(definition, kind="definition", certain=True, why=""),),
        references=(),
        unsure=tuple(row for row, _ in rows if row is not definition),
        unread=tuple(f"{quote_path(each)}: {reason}" for each, reason in sorted(files.unread.items())),
    )


def _is_in_header(symbol: Symbol | None, at: int, row: ReferenceRow, path: str) -> bool:
    in_file = symbol is not None and row.path == quote_path(path) and row.kind != "text"
    return in_file and symbol is not None and symbol.start <= at < max(symbol.header_end, symbol.start + 1)


def _iter_rows(files: Files, path: str, word: str, why: str) -> Iterator[tuple[ReferenceRow, int]]:
    source = files.source(path)
    if source is None:
        return
    starts = Mention.places(word, source.text, source.language.name if source.language else "")
    for start, in_text in _add_text_reasons(source, starts):
        yield (
            ReferenceRow(
                path=quote_path(path),
                line=source.document.line_at(start),
                column=start - source.text.rfind(b"\n", 0, start),
                kind="text" if in_text else "use",
                certain=False,
                why=in_text or why,
            ),
            start,
        )


def _add_text_reasons(source: Source, starts: Iterable[int]) -> Iterator[tuple[int, str]]:
    """Yield ascending positions in a file, each with the kind of text around it. Empty for code."""
    try:
        syntax = source.syntax if source.language is not None and not source.language.data else None
    except DoesNotFit as error:
        yield from ((start, error.message) for start in starts)
        return
    if syntax is None:
        yield from ((start, "it is in a text") for start in starts)
        return
    walk = TreeWalk(syntax.root)
    yield from ((start, _text_reason(walk.to(start))) for start in starts)


def _text_reason(around: Sequence[tree_sitter.Node]) -> str:
    for node in reversed(around[1:]):
        found = next((each for each in _TEXT_WORDS if each in node.type), None)
        if found is not None and "interpolation" not in node.type:
            return f"it is in a {'comment' if found == 'comment' else 'string'}"
        if not node.type.endswith(("content", "identifier", "fragment")):
            break
    return ""


def list_references(op: Refs, resolver: Resolver, witness: CrossChecker | None = None) -> Listed:
    """Return the occurrences of the addressed name, with a cross-check by ``witness`` if ``op`` trusts it.

    Raises:
        DoesNotFit: there is no such name, or its meaning is unknown; ``symbol_ambiguous``: the language
            server disagrees, and both are trusted.
        Misconfigured: ``unavailable``: there is no trusted language server.
    """
    files = resolver.files
    if op.trust is None and lacks_name_resolution(op, files):
        return list_occurrences(op, files)
    place = address_targets.find_target(op, resolver)
    steered = control_flow.find_related(resolver.lexical(place.path).syntax, place.mention.start)
    if steered is not None:
        return _list_control_flow(resolver, place, steered)
    why = unresolved_reason(resolver, place)
    if why:  # it may refer to anything of that name
        return list_occurrences(op, files, why)
    of_language = references.find_builtin_references(resolver, place)
    found = of_language or find_references(resolver, bindings_of(resolver, place, keys=True), in_line=place)
    found = overloads.select_overloads(resolver, [place], found)
    found, against, _ = cross_check(resolver, found, witness, op.trust or "resolver")
    certain = [_reference_row(each) for each in (*found.certain, *against)]
    return Listed(
        symbol=place.mention.name,
        definitions=tuple(row for row in certain if row.kind == "definition"),
        references=tuple(row for row in certain if row.kind != "definition"),
        unsure=tuple(_reference_row(each) for each in (*found.unsure, *found.spelt, *found.text)),
        unread=tuple(map(str, unresolved_notes.iter_unread(resolver, found))),
    )


def _list_control_flow(resolver: Resolver, place: Place, related: control_flow.RelatedKeywords) -> Listed:
    """Return the places that belong to a control flow keyword, as if it were a name."""
    path, mention = place
    of_macro = "a macro decides what it does"

    def row(start: int, kind: Kind, why: str = "") -> ReferenceRow:
        return _make_row(path, resolver.spot(path, start), kind, why)

    return Listed(
        symbol=mention.name,
        definitions=tuple(row(start, "definition") for start in related.begins),
        references=tuple(row(start, "use") for start in related.jumps),
        unsure=tuple(row(start, "use", of_macro) for start in related.unsure),
        unread=(),
    )


def _reference_row(each: Reference) -> ReferenceRow:
    return _make_row(each.path, each.found.spot, each.kind, each.why)


def _make_row(path: str, spot: tuple[int, int], kind: Kind, why: str = "") -> ReferenceRow:
    line, column = spot
    return ReferenceRow(path=quote_path(path), line=line, column=column, kind=kind, certain=not why, why=why)


_TEXT_SELECTOR = re.compile(
    r"""\s*text\(\s*(?P<quoted>"(?:[^"\\]|\\.)*"|'[^']*'|/.*/)\s*\)\s*\Z""", re.DOTALL
)
_SELECTOR_START = re.compile(r"\s*text\s*\(")


class TextQuery(NamedTuple):
    """A text to search."""

    spans: Callable[[bytes], Iterable[tuple[int, int]]]  # returns the matches in a text in UTF-8
    line: str  # line that every matching file contains. Empty if it is not known.


def parse_text_selector(selector: str) -> TextQuery | None:
    """Return the text in ``text("words")``, ``text('words')`` or ``text(/regex/)``; None for other selectors.

    Raises:
        BadCall: ``query_syntax``.
    """
    found = _TEXT_SELECTOR.match(selector)
    if found is None:
        if _SELECTOR_START.match(selector):
            raise _syntax_error(selector, "it needs one text in quotes, or a pattern between slashes")
        return None
    mark, inner = found["quoted"][0], found["quoted"][1:-1]
    if not inner:
        raise _syntax_error(selector, "it is empty")
    try:
        if mark == "/":
            pattern = CallerPattern(inner.encode("utf-8", "surrogateescape"), re.MULTILINE)
            return TextQuery(lambda text: (match[0] for match in pattern.matches(text)), "")
        words = str(json.loads(found["quoted"], strict=False)) if mark == '"' else inner
    except (re.error, ValueError) as error:
        raise _syntax_error(selector, str(error)) from None
    line = max(words.split("\n"), key=len)
    literal = re.compile(re.escape(words.encode("utf-8", "surrogateescape")))
    return TextQuery(lambda text: (found.span() for found in literal.finditer(text)), line)


def search_text(
    ws: Workspace, target: Target, query: TextQuery, sent_paths: Iterable[str], limit: int | None = None
) -> list[Match]:
    """Return up to ``limit`` matches of a text in files and below directories, in order.

    Raises:
        DoesNotFit: ``file_not_found``, ``too_slow``.
    """
    rows: list[Match] = []
    for path in _iter_files(target, query, tuple(sent_paths)):
        try:
            rows += _find_in_file(File(ws, target, path), query.spans)
        except DoesNotFit as error:
            if error.code != "binary_file":
                raise
        if limit is not None and len(rows) >= limit:
            return rows[:limit]
    return rows


def _iter_files(target: Target, query: TextQuery, sent_paths: tuple[str, ...]) -> Iterator[str]:
    overlay = Overlay(target.snapshot)
    found: list[str] = []
    for path in sent_paths:
        place = "" if path in ("", ".") else paths.resolve_path(path, overlay)
        entry = overlay.entry(place)
        is_folder = entry is not None and entry.mode == TREE
        found += target.snapshot.under(place) if is_folder else [paths.require_file(path, overlay)[0]]
    holding = {*target.snapshot.mentions(query.line)} if query.line else {*found}
    for path in dict.fromkeys(found):
        entry = overlay.entry(path) if path in holding else None
        if entry is not None and entry.mode in (REGULAR, EXECUTABLE):
            yield path


def _find_in_file(file: File, spans: Callable[[bytes], Iterable[tuple[int, int]]]) -> Iterator[Match]:
    document = file.document
    for start, end in spans(document.text):
        if start == end:
            continue
        first, last = document.line_at(start), document.line_at(end - 1)
        text = document.text[slice(*document.span(first, last))]
        yield Match(
            node_id="",
            kind="text",
            type="text",
            name="",
            qualname="",
            path=quote_path(file.path),
            blob=file.blob,
            start_line=first,
            start_column=start - document.starts[first - 1] + 1,
            end_line=last,
            end_column=end - document.starts[last - 1] + 1,
            code=text.rstrip(b"\r\n").decode("utf-8", "replace"),
            range=line_refs.format_reference(document, first, last),
        )


def _syntax_error(selector: str, why: str) -> BadCall:
    hint = """write text("words"), or text(/a pattern of Python's re/)"""
    return BadCall("query_syntax", f"{selector!r}: {why}", hint, column=1)
