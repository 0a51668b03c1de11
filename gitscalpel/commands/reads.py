"""Commands outline, show, find and refs.

``outline`` lists symbols with their addresses. ``show`` prints a file, symbol or line range with the
hashes to edit by. ``find`` lists selector or text matches. ``refs`` lists the definition and the uses of
a name in all files, each with its certainty and reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel.changesets.answers import (
    CHECKOUT,
    FileOutline,
    FoldingRow,
    ReferenceRow,
    References,
    Shown,
    SymbolTree,
    quote_for_line,
    remark,
)
from gitscalpel.changesets.answers import Match as AnswersMatch
from gitscalpel.commands.reply import (
    Base,
    Caller,
    Count,
    FirstLine,
    Kind,
    LastLine,
    Match,
    NameField,
    NameFile,
    NameLine,
    Node,
    Query,
    ReadRequest,
    Reply,
    ReplyText,
    Symbol,
    TargetFile,
    Trust,
    describe_field,
    plain_text,
)
from gitscalpel.errors.messages import Spelling, arg

OutlineAnswer = list[FileOutline]


class OutlineRequest(ReadRequest, frozen=True, kw_only=True):
    """Files to outline."""

    examples = ("src", "src/app.py cli.py --depth 1")

    paths: Annotated[tuple[str, ...], describe_field("Files or directories.", "PATH", place=True, path=True)]
    depth: Annotated[Count | None, describe_field("Maximum number of levels (default: all).", "N")] = None
    folding: Annotated[
        bool,
        describe_field("List the line ranges that an editor can fold."),
    ] = False


def perform_outline(caller: Caller, request: OutlineRequest) -> Reply:
    """List the symbols of files."""
    found: OutlineAnswer = caller.view(request).outline(request.paths, folding=request.folding)
    return outline_reply(found if request.depth is None else cut_levels(found, request.depth))


def outline_reply(found: OutlineAnswer, hashes: bool = True) -> Reply:
    """Return the reply for an outline."""
    if not found:
        return Reply(found, lambda _: ReplyText("no file there is in a language with symbols", aside=True))
    lines = (line for file in found for line in _outline_lines(file, hashes))
    return Reply(found, plain_text("\n".join(lines), page=True))


def cut_levels(found: OutlineAnswer, depth: int) -> OutlineAnswer:
    """Cut an outline to its first levels."""
    return [msgspec.structs.replace(file, symbols=_cut_tree(file.symbols, depth)) for file in found]


def _cut_tree(symbols: tuple[SymbolTree, ...], depth: int) -> tuple[SymbolTree, ...]:
    if not depth:
        return ()
    return tuple(msgspec.structs.replace(s, children=_cut_tree(s.children, depth - 1)) for s in symbols)


def _outline_lines(file: FileOutline, hashes: bool) -> Iterator[str]:
    known = file.language or "no symbols are known in it"
    path = quote_for_line(file.path)
    yield f"{path} ({known})" if file.unread is UNSET else f"{path}: not read: {file.unread}"
    if file.folding is not UNSET:
        yield from _folding_lines(file.folding)
        return
    pending = [(symbol, 1) for symbol in reversed(file.symbols)]
    while pending:
        symbol, depth = pending.pop()
        first, last = symbol.span
        yield f"{'  ' * depth}{symbol.address}  {symbol.kind}  {first}-{last}" + (
            f"  {symbol.hash}" if hashes else ""
        )
        pending += [(child, depth + 1) for child in reversed(symbol.children)]


def _folding_lines(rows: tuple[FoldingRow, ...]) -> Iterator[str]:
    """Yield a line for each range, indented by the ranges around it."""
    around: list[int] = []
    for row in rows:
        while around and around[-1] < row.last:
            around.pop()
        named = row.address or row.name or ""
        yield f"{'  ' * (len(around) + 1)}{row.first}-{row.last}  {row.kind}  {named}".rstrip()
        around.append(row.last)


ShowAnswer = Shown


class ShowRequest(ReadRequest, frozen=True, kw_only=True):
    """File, symbol or lines to show."""

    examples = ("src/app.py::Server.start", "src/app.py:12-16 --json")

    path: TargetFile
    symbol: Symbol = None
    start: FirstLine = None
    end: LastLine = None
    query: Query = None
    node: Node = None
    match: Match = None
    kind: Kind = None
    base: Base = None


def perform_show(caller: Caller, request: ShowRequest) -> Reply:
    """Show a file, symbol or lines."""
    address = {
        name: getattr(request, name)
        for name in ("symbol", "query", "match", "node", "kind", "start", "end", "base")
    }
    shown = caller.view(request).show(request.path, **address)

    def words(_: Spelling) -> ReplyText:
        text = "\n".join(f"{line.n}:{line.hash}| {line.text}" for line in shown.lines)
        return ReplyText(text, page=True, verbatim=True)

    note = remark(f"the file on disk has uncommitted changes; {arg('checkout')} shows it", severity="note")
    return Reply(shown, words, (note,) if shown.dirty and caller.onto(request) != CHECKOUT else ())


class FindRequest(ReadRequest, frozen=True, kw_only=True):
    """Selector, and the files to search."""

    examples = ("'class[name=Server] > method' src", "'text(\"retries\")' src --limit 5")

    selector: Annotated[
        str,
        describe_field(
            'Selector, such as class[name=A] > method, call[name=f] or text("words").', "SELECTOR", place=True
        ),
    ]
    paths: Annotated[
        tuple[str, ...],
        describe_field(
            "Files or directories (default: the current directory).", "PATH", place=True, path=True, none="."
        ),
    ] = ()
    limit: Annotated[Count | None, describe_field("Maximum number of matches (default: all).", "N")] = None
    no_code: Annotated[bool, describe_field("Omit the text of matches from the JSON output.")] = False


class FindAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The matches; ``more`` is set with a limit, and true if it cut the list."""

    matches: tuple[AnswersMatch, ...]
    more: bool | UnsetType = UNSET


def perform_find(caller: Caller, request: FindRequest) -> Reply:
    """Find the matches of a selector."""
    beyond = None if request.limit is None else request.limit + 1  # one more, to detect further matches
    paths = request.paths or ("",)
    found = caller.view(request).find(request.selector, paths, beyond, code=not request.no_code)
    matches = tuple(found[: request.limit])
    more = UNSET if request.limit is None else len(found) > len(matches)
    if not found:
        return Reply(
            FindAnswer(matches=(), more=more), lambda _: ReplyText("nothing there matches", aside=True)
        )
    text = "\n".join(map(_match_line, matches))
    note = remark(f"there are more than these {len(matches)}", severity="note")
    warnings = (note,) if more is True else ()
    return Reply(FindAnswer(matches=matches, more=more), plain_text(text, page=True), warnings)


def _match_line(match: AnswersMatch) -> str:
    if match.range is UNSET:
        return f"{quote_for_line(match.path)}:{match.start_line}  {match.qualname}  {match.kind}"
    first, _, last = match.range.partition("@")[0].partition("-")
    return f"{quote_for_line(match.path)}:{first}{f'-{last}' if last != first else ''}| {match.code}"


RefsAnswer = References


class RefsRequest(ReadRequest, frozen=True, kw_only=True):
    """Name whose references to find."""

    examples = ("src/app.py::Server.start", "src/app.py:12:port --json")

    path: NameFile
    symbol: Symbol = None
    start: NameLine = None
    name: NameField = None
    trust: Trust = None


def perform_refs(caller: Caller, request: RefsRequest) -> Reply:
    """Find the references of a name."""
    place = caller.view(request)
    found = place.refs(
        request.path, symbol=request.symbol, start=request.start, name=request.name, trust=request.trust
    )
    parts = [
        _reference_lines(found.definitions),
        _reference_lines(found.references),
        _reference_lines(found.unsure),
    ]
    unread = tuple(remark(words, kind="unread", severity="note") for words in found.unread)
    return Reply(found, plain_text("\n".join(filter(None, parts)), page=True), unread)


def _reference_lines(rows: Iterable[ReferenceRow]) -> str:
    return "\n".join(
        f"{quote_for_line(row.path)}:{row.line}:{row.column}  {row.kind}{_uncertainty(row)}" for row in rows
    )


def _uncertainty(row: ReferenceRow) -> str:
    return "" if row.certain else f"  unsure: {row.why}" if row.kind != "text" else f"  {row.why}"
