"""The places of a name as an answer lists them."""

from __future__ import annotations

from gitscalpel.changesets.answers import ReferenceRow, quoted
from gitscalpel.changesets.answers import References as Listed
from gitscalpel.changesets.operations import Refs
from gitscalpel.meaning import overloads, own, target, told
from gitscalpel.meaning.meant import meant, unknown
from gitscalpel.meaning.references import Kind, Reference, references
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.unfollowed import is_unfollowed
from gitscalpel.meaning.unfollowed import refs as unfollowed
from gitscalpel.meaning.witness import Witness, weighed
from gitscalpel.syntax import control_flow


def refs(op: Refs, resolver: Resolver, witness: Witness | None = None) -> Listed:
    """Where the name stands that ``op`` addresses.

    Args:
        op: which name.
        resolver: of the tree.
        witness: who is asked as well, if ``op`` trusts one.

    Raises:
        DoesNotFit: there is no such name, or nobody can tell what it means; ``symbol_ambiguous``: the
            witness contradicts, and both are trusted.
        Misconfigured: ``unavailable``: a witness is trusted that is not there.
    """
    files = resolver.files
    if op.trust is None and is_unfollowed(op, files):
        return unfollowed(op, files)
    place = target.find(op, resolver)
    steered = control_flow.related(resolver.lexical(place.path).syntax, place.mention.start)
    if steered is not None:
        return _steered(resolver, place, steered)
    why = unknown(resolver, place)
    if why:  # it may be any of that name
        return unfollowed(op, files, why)
    of_language = own.references(resolver, place)
    found = of_language or references(resolver, meant(resolver, place, keys=True), in_line=place)
    found = overloads.narrow(resolver, [place], found)
    found, against, _ = weighed(resolver, found, witness, op.trust or "resolver")
    certain = [_row(each) for each in (*found.certain, *against)]
    return Listed(
        symbol=place.mention.name,
        definitions=tuple(row for row in certain if row.kind == "definition"),
        references=tuple(row for row in certain if row.kind != "definition"),
        unsure=tuple(_row(each) for each in (*found.unsure, *found.spelt, *found.text)),
        unread=tuple(told.unread(resolver, found)),
    )


def _steered(resolver: Resolver, place: Place, related: control_flow.Related) -> Listed:
    """What belongs to a word that steers: no name, but it is asked for as one."""
    path, mention = place
    of_macro = "a macro decides what it does"

    def row(start: int, kind: Kind, why: str = "") -> ReferenceRow:
        return _spot(path, resolver.spot(path, start), kind, why)

    return Listed(
        symbol=mention.name,
        definitions=tuple(row(start, "definition") for start in related.begins),
        references=tuple(row(start, "use") for start in related.jumps),
        unsure=tuple(row(start, "use", of_macro) for start in related.unsure),
        unread=(),
    )


def _row(each: Reference) -> ReferenceRow:
    return _spot(each.path, each.found.spot, each.kind, each.why)


def _spot(path: str, spot: tuple[int, int], kind: Kind, why: str = "") -> ReferenceRow:
    """A row; ``why`` it is not certain."""
    line, column = spot
    return ReferenceRow(path=quoted(path), line=line, column=column, kind=kind, certain=not why, why=why)
