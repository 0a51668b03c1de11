"""Check that a rename captures no name, in either direction, and find the ``using`` that causes it.

Every name has to mean after the change what it meant before. If a declaration such as ``using n::f``
brings the name to the place of a conflict, the error quotes it, since it may be far from both
definitions.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

import tree_sitter

from gitscalpel.changesets.answers import quoted
from gitscalpel.edit.lowered_operation import FileSplices
from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.names import overloads
from gitscalpel.names.entities import Binding
from gitscalpel.names.files import Files
from gitscalpel.names.language_registry import dialect
from gitscalpel.names.references import OVERLOADED, Reference, References, find_references
from gitscalpel.names.resolver import Place, Resolver
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text import splice

_MOST = 20
"""Of which it is tried what a name means without them."""


def describe_using(resolver: Resolver, place: Place) -> Iterator[str]:
    """Where that stands which brings a name to a place, and what it says."""
    path, mention = place
    meant = set(resolver.meanings(path, mention))
    found = [*resolver.dialect(path).bringing(resolver, path, mention.name)]
    for other, node in found[:_MOST]:
        is_itself = other == path and node.start_byte <= mention.start < node.end_byte
        if is_itself or _without(resolver, place, other, node) != meant:
            said = (node.text or b"").decode("utf-8", "replace").strip().rstrip(";")
            yield f"{quoted(other)}:{resolver.line(other, node.start_byte)} ({' '.join(said.split())})"


def _without(resolver: Resolver, place: Place, other: str, node: tree_sitter.Node) -> set[object]:
    """What a place means where a declaration is not; all else stands where it stood."""
    path, mention = place
    text = resolver.lexical(other).text
    blank = b" " * (node.end_byte - node.start_byte)
    files = resolver.files.with_text(other, text[: node.start_byte] + blank + text[node.end_byte :])
    after = Resolver(files, dialect)
    return set(after.meanings(path, after.mention(path, mention.name, mention.start)))


_QUOTES = (b'"', b"`")
"""With which the path of a package begins that is imported under its own name."""
_SINGLE = frozenset({"block", "let", "function", "signature"})
"""The kinds of scopes in which a name is bound once, if its language is linked."""


def require_no_capture(resolver: Resolver, found: References, inside: Sequence[FileSplices], to: str) -> None:
    """Refuse a name that would be another's, or that another's would be.

    Args:
        resolver: of the files before.
        found: the name's places.
        inside: what is done to them.
        to: the new name.

    Raises:
        BadCall: ``invalid_name``: it is no name in the language.
        DoesNotFit: ``duplicate_symbol``.
    """
    after = Resolver(_after(resolver.files, inside), dialect)
    places = {(each.path, each.mention.start): each for each in found.certain}
    moved = {_moved(inside, path, start, to): each for (path, start), each in places.items()}
    bindings: set[Binding] = set()
    for (path, start), each in moved.items():
        is_read = after.files.lexical(path) is not None
        mention = after.mention(path, to, start) if is_read else None
        if mention is None or not _is_name(mention, each):
            raise BadCall(
                "invalid_name",
                f"{to} is no name in {path}:{resolver.line(each.path, each.mention.start)}",
                "choose one that the language allows",
            )
        if each.kind == "definition":
            _refuse_second(after, path, mention, moved)
            bindings |= {one for one in after.meanings(*Place(path, mention)) if isinstance(one, Binding)}
    now = find_references(after, bindings or _any(after, moved, to), apart=found.family.apart)
    now = overloads.select_overloads(after, [*_defined(after, moved, to)], now)
    _refuse_overloaded(after, now, to)
    for dialect_ in {after.dialect_of(each) for each in bindings}:
        for (path, mention), what in dialect_.hidden(after, now.family.members, to):
            raise _duplicate(to, path, after.line(path, mention.start), f"is {what}")
    certain = {(each.path, each.mention.start) for each in now.certain}
    seen = certain | {(each.path, each.mention.start) for each in now.places}
    for path, start in sorted(certain - moved.keys() - set(_written(inside, to))):
        brought = describe_using(after, Place(path, after.mention(path, to, start)))
        raise _duplicate(to, path, after.line(path, start), "would then be this one as well", brought)
    for path, start in sorted(moved.keys() - seen):
        each = moved[path, start]
        brought = describe_using(resolver, Place(each.path, each.mention))
        raise _duplicate(to, path, after.line(path, start), "would then be another one", brought)
    _refuse_both(resolver, found, after, now, moved)


def _defined(after: Resolver, moved: Mapping[tuple[str, int], Reference], to: str) -> Iterator[Place]:
    """Yield the definitions that have got a name."""
    for (path, start), each in moved.items():
        if each.kind == "definition":
            yield Place(path, after.mention(path, to, start))


def _refuse_overloaded(after: Resolver, now: References, to: str) -> None:
    """Refuse what makes a method one of several overloads that a call may mean."""
    for each in now.unsure:
        if each.why == OVERLOADED:
            line = after.line(each.path, each.mention.start)
            raise _duplicate(to, each.path, line, "may then be this overload or another one")


def _refuse_both(
    resolver: Resolver,
    found: References,
    after: Resolver,
    now: References,
    moved: Mapping[tuple[str, int], Reference],
) -> None:
    """Refuse what makes a name one of two that are brought into one scope and told apart by nothing."""
    for each in now.unsure:
        spot, to = (each.path, each.mention.start), each.mention.name
        if after.linking(each.path) is None or not _others(after, now, each.path, each.mention):
            continue
        was = moved.get(spot)
        if was is None or not _others(resolver, found, was.path, was.mention):
            raise _duplicate(to, each.path, after.line(*spot), "would then be one of two")


def _others(resolver: Resolver, found: References, path: str, mention: Mention) -> bool:
    """Whether a place may be a member of a family, and something else that is told apart by the same."""
    meant = {each for each in resolver.meanings(path, mention) if isinstance(each, Binding)}
    own = meant & set(found.family.members)
    return any(each.space in {one.space for one in own} for each in meant - own)


def _refuse_second(after: Resolver, path: str, mention: Mention, moved: Container[tuple[str, int]]) -> None:
    """Refuse a name that is bound already in the same region, where one may not be bound twice there."""
    lexical = after.lexical(path)
    if not lexical.rules.linked:
        return
    own, named = lexical.region(mention), {*after.meanings(path, mention)}
    for other in lexical.of(mention.name):
        is_other = other.role == "bind" and (path, other.start) not in moved
        if not is_other or lexical.region(other) != own or not lexical.rules.meet(other.kind, mention.kind):
            continue
        if lexical.holder(other).kind in _SINGLE and named.isdisjoint(after.meanings(path, other)):
            raise _duplicate(mention.name, path, after.line(path, other.start), "is bound there already")


def _is_name(mention: Mention, each: Reference) -> bool:
    """Whether a changed name is one where it stands; what is spelled out beside it is another kind of one."""
    if each.form != "plain" or mention.key:
        return mention.role not in ("comment", "string", "text")
    return mention.role == each.mention.role or (mention.role, each.mention.role) == ("imported", "bind")


def _any(after: Resolver, moved: Iterable[tuple[str, int]], to: str) -> set[Binding]:
    """What the changed places mean where none of them defines the name."""
    found: set[Binding] = set()
    for path, start in moved:
        mention = after.mention(path, to, start)
        meant = after.meanings(path, mention) or after.dialect(path).quoted(after, path, mention)
        found |= {each for each in meant if isinstance(each, Binding)}
    return found


def _after(files: Files, inside: Sequence[FileSplices]) -> Files:
    """The files with the change."""
    for each in inside:
        source = files.source(each.path)
        assert source is not None  # noqa: S101 - it has been read
        files = files.with_text(each.path, splice.apply(source.text, each.splices))
    return files


def _moved(inside: Sequence[FileSplices], path: str, start: int, to: str) -> tuple[str, int]:
    """Where a changed name stands afterwards."""
    (splices,) = (each.splices for each in inside if each.path == path)
    (own,) = (each for each in splices if each.start <= start < each.end)
    shift = sum(len(each.new) - (each.end - each.start) for each in splices if each.end <= own.start)
    return path, own.start + shift + _within(own.new, to.encode("utf-8", "surrogateescape"))


def _written(inside: Sequence[FileSplices], to: str) -> Iterator[tuple[str, int]]:
    """Every place where what is put somewhere says the name: it declares it as well (``<'a>(x: &'a``)."""
    for each in inside:
        shift = 0
        for own in each.splices:
            yield from ((each.path, own.start + shift + at) for at in Mention.places(to, own.new))
            shift += len(own.new) - (own.end - own.start)


def _within(spelled: bytes, name: bytes) -> int:
    """Where the new name stands in what is put there (``old: new``), or what implies it."""
    is_first = spelled.startswith(name) and spelled[len(name) :][:1] in (b"", b":", b" ")
    return 0 if is_first or spelled[:1] in _QUOTES else spelled.rindex(name)


def _duplicate(to: str, path: str, line: int, what: str, brought: Iterable[str] = ()) -> DoesNotFit:
    by = ", ".join(brought)
    instead = "say in full at each use which one is meant, and take that away first; or choose another name"
    return DoesNotFit(
        "duplicate_symbol",
        f"{to} in {path}:{line} {what}{f': it is brought by {by}' if by else ''}",
        instead if by else "choose another name, or rename that one first",
        path=path,
        line=line,
    )
