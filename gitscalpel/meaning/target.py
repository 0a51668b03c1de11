"""The name that an address means."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel import paths
from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning.lexical import Lexical
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Binding, Elsewhere
from gitscalpel.operations import Named
from gitscalpel.syntax import flow, resolve
from gitscalpel.syntax.mentions import Mention

_DEFINES = ("bind", "early", "member")


def find(op: Named, resolver: Resolver) -> Place:
    """Where the name stands that an operation addresses.

    Raises:
        DoesNotFit: ``unsupported_language``, ``file_not_found``, ``symbol_not_found``, ``symbol_ambiguous``,
            ``out_of_range`` or ``index_out_of_range``.
    """
    files = resolver.files
    path, _ = paths.existing(op.path, files.overlay)
    lexical, source = files.lexical(path), files.source(path)
    if lexical is None or source is None:
        raise DoesNotFit(
            "unsupported_language",
            f"{path}: {files.unread.get(path, 'names are not followed in this type of file')}",
            "find its uses by text, and edit them in one changeset",
        )
    if not op.symbol:
        return Place(path, _in_line(op, path, source, resolver))
    try:
        return Place(path, _of_symbol(op.symbol, source, lexical))
    except DoesNotFit as error:
        same = _same(resolver, path, op.symbol, error)
        if same is None:
            raise
        return Place(path, same)


def _same(resolver: Resolver, path: str, address: str, error: DoesNotFit) -> Mention | None:
    """Return the first of several symbols if all of them have one name, as overload signatures have."""
    source, lexical = resolver.files.source(path), resolver.lexical(path)
    candidates = error.data.get("candidates", ()) if error.code == "symbol_ambiguous" else ()
    if source is None or len(candidates) < 2 or lexical.rules.overloads:
        return None
    try:
        found = [_of_symbol(f"{address}#{at + 1}", source, lexical) for at in range(len(candidates))]
    except DoesNotFit:
        return None
    named = {frozenset(resolver.meanings(path, each)) for each in found}
    return (
        found[0]
        if len(named) == 1 and all(isinstance(m, Binding) for those in named for m in those)
        else None
    )


def _of_symbol(address: str, source: Source, lexical: Lexical) -> Mention:
    """Where a symbol's own name stands."""
    symbol = resolve.resolve(source.outline, address)
    for name in dict.fromkeys((symbol.name, symbol.segments[-1].rpartition(".")[2])):
        for mention in lexical.of(name):
            if mention.role in _DEFINES and symbol.start <= mention.start < symbol.end:
                return mention
    raise DoesNotFit(
        "symbol_not_found",
        f"{symbol.qualname} has no name of its own that could be followed",
        "address the name by its line: PATH:LINE:NAME",
    )


def _in_line(op: Named, path: str, source: Source, resolver: Resolver) -> Mention:
    first, (rest, _, number) = (op.name or "")[:1], (op.name or "")[1:].partition("#")  # JavaScript: #x#2
    name = first + rest
    line = op.start or 0
    found = list(_of_line(str(name), line, source, resolver.lexical(path)))
    if not 1 <= line <= source.document.line_count:
        words = f"{path} has {source.document.line_count} lines, and no line {line}"
        raise DoesNotFit("out_of_range", words, "show prints the lines with their numbers")
    if not found:
        raise DoesNotFit(
            "symbol_not_found", f"{name} does not stand in line {line} of {path}", "show prints the line"
        )
    if not number and len(found) > 1:
        return _only(resolver, path, line, found)
    at = int(number) if number.isdigit() else 1
    if not 1 <= at <= len(found):
        words = f"{name} stands {len(found)} times in line {line} of {path}"
        raise DoesNotFit("index_out_of_range", words, "count from 1, from left to right")
    return found[at - 1]


def _only(resolver: Resolver, path: str, line: int, found: list[Mention]) -> Mention:
    """The first of several in a line, where those that mean something all mean the same."""
    dialect = resolver.dialect(path)
    syntax = resolver.lexical(path).syntax
    said: list[set[object]] = [
        {*(resolver.meanings(path, each) or dialect.quoted(resolver, path, each))}
        or {*filter(None, [flow.related(syntax, each.start)])}
        for each in found
    ]
    named = [at for at, those in enumerate(said) if any(not isinstance(each, Elsewhere) for each in those)]
    if any(said[at] != said[named[0]] for at in named):
        name, column = found[0].name, resolver.lexical(path).text.rfind(b"\n", 0, found[0].start)
        raise DoesNotFit(
            "symbol_ambiguous",
            f"{name} stands {len(found)} times in line {line} of {path}, and not for the same thing",
            f"say which, counted from the left: {name}#1, {name}#2",
            candidates=[
                {"name": f"{name}#{at + 1}", "line": line, "column": found[at].start - column} for at in named
            ],
        )
    return found[named[0]] if named else found[0]


def _of_line(name: str, line: int, source: Source, lexical: Lexical) -> Iterator[Mention]:
    for mention in lexical.of(name):
        if source.document.line_at(mention.start) == line:
            yield mention
