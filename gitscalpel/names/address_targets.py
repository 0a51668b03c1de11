"""Find the occurrence that an operation addresses, and the bindings of the name there."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.changesets import paths
from gitscalpel.changesets.operations import NameOperation
from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.errors.messages import arg
from gitscalpel.names.entities import Binding, Elsewhere, Unknown
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.resolver import Place, Resolver
from gitscalpel.syntax import addresses, control_flow
from gitscalpel.syntax.occurrences import Mention

_DEFINES = ("bind", "early", "member")
_TICKED = ("lifetime", "label")
"""Kinds of Rust names that are written with a leading tick."""


def find_target(op: NameOperation, resolver: Resolver) -> Place:
    """Return the occurrence that an operation addresses.

    Raises:
        DoesNotFit: ``unsupported_language``, ``file_not_found``, ``symbol_not_found``, ``symbol_ambiguous``,
            ``out_of_range`` or ``index_out_of_range``.
    """
    files = resolver.files
    path, _ = paths.require_file(op.path, files.overlay)
    lexical, source = files.lexical(path), files.source(path)
    if lexical is None or source is None:
        raise DoesNotFit(
            "unsupported_language",
            f"{path}: {files.why_unread(path)}",
            "search for its uses as text, and edit them in one changeset",
        )
    mention = (
        _find_symbol(op.symbol, path, source, resolver)
        if op.symbol
        else _find_in_line(op, path, source, resolver)
    )
    return Place(path, mention)


_MOST_OVERLOADS = 50
"""Maximum number of definitions with one name and path that are compared to see if they are one binding."""


def _find_symbol(address: str, path: str, source: Source, resolver: Resolver) -> Mention:
    """Return the name of a symbol's definition, the first of overloads."""
    lexical = resolver.lexical(path)
    owner, tick, name = address.rpartition("'")
    if tick and source.language is not None and source.language.name == "rust":
        return _find_lifetime(owner.removesuffix("."), name, source, lexical)
    try:
        return _find_single_symbol(address, source, lexical)
    except DoesNotFit as error:
        candidates = [each["symbol"] for each in error.data.get("candidates", ())]
        are_few = 2 <= len(candidates) <= _MOST_OVERLOADS
        if error.code != "symbol_ambiguous" or not are_few or lexical.rules.overloads_apart:
            raise
        mentions = [_find_single_symbol(each, source, lexical) for each in candidates]
        meanings = [{*resolver.meanings(path, each)} for each in mentions]
        is_one = meanings[0] and all(isinstance(each, Binding) for each in meanings[0])
        if not is_one or any(each != meanings[0] for each in meanings) or len({e.name for e in mentions}) > 1:
            raise
        return mentions[0]


def _find_single_symbol(address: str, source: Source, lexical: Lexical) -> Mention:
    symbol = addresses.resolve_address(source.outline, address)
    for name in dict.fromkeys((symbol.name, symbol.segments[-1].rpartition(".")[2])):
        for mention in lexical.occurrences_of(name):
            if mention.role in _DEFINES and symbol.start <= mention.start < symbol.end:
                return mention
    raise DoesNotFit(
        "symbol_not_found",
        f"{symbol.qualname} has no name of its own that can be resolved",
        "address the name by its line: PATH:LINE:NAME",
    )


def _find_lifetime(owner: str, name: str, source: Source, lexical: Lexical) -> Mention:
    symbol = addresses.resolve_address(source.outline, owner)
    inside = [
        each
        for each in lexical.occurrences_of(name)
        if each.kind in _TICKED and each.role == "bind" and symbol.start <= each.start < symbol.end
    ]
    declared = [each for each in inside if each.start < symbol.header_end] or inside
    if not declared:
        raise DoesNotFit(
            "symbol_not_found", f"{owner} declares no '{name}", "address it by its line: PATH:LINE:NAME"
        )
    if len(declared) > 1:
        lines = [source.document.line_at(each.start) for each in declared]
        raise DoesNotFit(
            "symbol_ambiguous",
            f"{owner} declares '{name} {len(declared)} times, in lines {', '.join(map(str, lines))}",
            f"address one by its line: {source.path}:{lines[0]}:'{name}",
            candidates=[{"name": f"'{name}", "line": line} for line in lines],
        )
    return declared[0]


def _find_in_line(op: NameOperation, path: str, source: Source, resolver: Resolver) -> Mention:
    address = op.name or ""
    rest, _, number = address[1:].partition("#")  # a private name of JavaScript begins with the sign: #x#2
    name = address[:1] + rest
    line = op.start or 0
    occurrences = _find_with_sigil(name, line, source, resolver) or list(
        _iter_line(name, line, source, resolver.lexical(path))
    )
    if not 1 <= line <= source.document.line_count:
        words = f"{path} has {source.document.line_count} lines, so line {line} does not exist"
        raise DoesNotFit("out_of_range", words, "show prints the lines with their numbers")
    if not occurrences:
        raise DoesNotFit(
            "symbol_not_found", f"{name} is not in line {line} of {path}", "show prints the line"
        )
    if not number and len(occurrences) > 1:
        return _require_one_binding(resolver, path, line, occurrences)
    at = int(number) if number.isdigit() else 1
    if not 1 <= at <= len(occurrences):
        words = f"{name} occurs {len(occurrences)} times in line {line} of {path}"
        raise DoesNotFit("index_out_of_range", words, "count the occurrences from 1, from left to right")
    return occurrences[at - 1]


def _require_one_binding(resolver: Resolver, path: str, line: int, occurrences: list[Mention]) -> Mention:
    """Return the first of several occurrences in a line if all that are resolved have the same binding."""
    dialect = resolver.dialect(path)
    syntax = resolver.lexical(path).syntax
    meanings: list[set[object]] = [
        {*(resolver.meanings(path, each) or dialect.resolve_in_string(resolver, path, each))}
        or {*filter(None, [control_flow.find_related(syntax, each.start)])}
        for each in occurrences
    ]
    resolved = [
        at for at, those in enumerate(meanings) if not all(isinstance(each, Elsewhere) for each in those)
    ]
    if any(meanings[at] != meanings[resolved[0]] for at in resolved):
        name, column = occurrences[0].name, resolver.lexical(path).text.rfind(b"\n", 0, occurrences[0].start)
        raise DoesNotFit(
            "symbol_ambiguous",
            f"{name} occurs {len(occurrences)} times in line {line} of {path}, with different meanings",
            f"choose one, counted from the left: {name}#1, {name}#2",
            candidates=[
                {"name": f"{name}#{at + 1}", "line": line, "column": occurrences[at].start - column}
                for at in resolved
            ],
        )
    return occurrences[resolved[0]] if resolved else occurrences[0]


def _find_with_sigil(name: str, line: int, source: Source, resolver: Resolver) -> list[Mention]:
    """Return the occurrences in a line of a name written with its sigil (``@x``, ``'a``)."""
    if name.startswith("'"):
        occurrences = _iter_line(name[1:], line, source, resolver.lexical(source.path))
        return [each for each in occurrences if each.kind in _TICKED]
    bare = name.lstrip("@$")
    sign, lexical = name.removesuffix(bare).encode(), resolver.lexical(source.path)
    return [
        each
        for each in (_iter_line(bare, line, source, lexical) if sign and bare else ())
        if each.role == "bind" and lexical.text[each.node.start_byte : each.start] == sign
    ]


def _iter_line(name: str, line: int, source: Source, lexical: Lexical) -> Iterator[Mention]:
    for mention in lexical.occurrences_of(name):
        if source.document.line_at(mention.start) == line:
            yield mention


def bindings_of(resolver: Resolver, place: Place, *, keys: bool = False) -> set[Binding]:
    """Return the bindings that a place certainly means; with ``keys``, also those of a key (``{ x }``).

    Raises ``symbol_not_found`` or ``symbol_ambiguous``.
    """
    rules, mention = resolver.lexical(place.path).rules, place.mention
    why = resolver.dialect(place.path).address_doubt(resolver, *place)
    if why:
        raise DoesNotFit("symbol_not_found", why, f"address its declaration, by {arg('symbol')} or by line")
    # A member may have the name of a reserved word.
    is_member = mention.role == "member" or mention.kind in ("member", rules.static or "member")
    is_signed = mention.node.start_byte < mention.start and mention.role not in ("comment", "string", "text")
    if rules.is_reserved(mention) and not (is_signed or is_member):
        raise DoesNotFit(
            "symbol_not_found",
            f"{place.mention.name} is a keyword, not a name",
            f"address the symbol that it refers to, by {arg('symbol')} or by line",
        )
    meanings = resolver.meanings(*place) or tuple(
        resolver.dialect(place.path).resolve_in_string(resolver, *place)
    )
    bindings = {each for each in meanings if isinstance(each, Binding)}
    if bindings and len(bindings) == len(set(meanings)):
        as_key = resolver.dialect(place.path).key(resolver, *place) if keys and place.mention.key else ()
        return bindings | {each for each in as_key if isinstance(each, Binding)}
    why = next((each.why for each in meanings if isinstance(each, Unknown)), "it is not a name there")
    if any(isinstance(each, Elsewhere) for each in meanings):
        why = "it is defined outside the repository"
    spot = f"{place.path}:{resolver.line(place.path, place.mention.start)}"
    raise DoesNotFit(
        "symbol_ambiguous" if bindings else "symbol_not_found",
        f"cannot resolve {place.mention.name} in {spot}: {why}",
        f"address its definition, by {arg('symbol')} or by line",
    )


def unresolved_reason(resolver: Resolver, place: Place) -> str:
    meanings = resolver.meanings(*place)
    is_open = bool(meanings) and all(isinstance(each, Unknown) for each in meanings)
    return next((each.why for each in meanings if isinstance(each, Unknown)), "") if is_open else ""
