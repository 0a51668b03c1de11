"""The places of a name as an answer lists them."""

from __future__ import annotations

from gitscalpel.edit.lowered import Read
from gitscalpel.meaning import target, told
from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.meant import meant, unknown
from gitscalpel.meaning.references import Reference, references
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.unfollowed import is_unfollowed
from gitscalpel.meaning.unfollowed import refs as unfollowed
from gitscalpel.meaning.witness import Witness, weighed
from gitscalpel.operations import Refs
from gitscalpel.report import quoted
from gitscalpel.snapshot import Overlay
from gitscalpel.views import ReferenceRow
from gitscalpel.views import References as Listed


def refs(op: Refs, overlay: Overlay, read: Read, witness: Witness | None = None) -> Listed:
    """Where the name stands that ``op`` addresses.

    Args:
        op: which name.
        overlay: the tree.
        read: opens a file of it.
        witness: who is asked as well, if ``op`` trusts one.

    Raises:
        DoesNotFit: there is no such name, or nobody can tell what it means; ``symbol_ambiguous``: the
            witness contradicts, and both are trusted.
        Misconfigured: ``unavailable``: a witness is trusted that is not there.
    """
    files = Files(overlay, read)
    if op.trust is None and is_unfollowed(op, files):
        return unfollowed(op, files)
    resolver = Resolver(files, dialect)
    place = target.find(op, resolver)
    why = unknown(resolver, place)
    if why:  # it may be any of that name
        return unfollowed(op, files, why)
    found = references(resolver, meant(resolver, place, keys=True), in_line=place)
    found, against, _ = weighed(resolver, found, witness, op.trust or "resolver")
    certain = [_row(resolver, each) for each in (*found.certain, *against)]
    return Listed(
        symbol=place.mention.name,
        definitions=tuple(row for row in certain if row.kind == "definition"),
        references=tuple(row for row in certain if row.kind != "definition"),
        unsure=tuple(_row(resolver, each) for each in (*found.unsure, *found.text)),
        unread=tuple(told.unread(resolver, found)),
    )


def _row(resolver: Resolver, each: Reference) -> ReferenceRow:
    text = resolver.lexical(each.path).text
    start = each.mention.start
    return ReferenceRow(
        path=quoted(each.path),
        line=resolver.line(each.path, start),
        column=start - text.rfind(b"\n", 0, start),
        kind=each.kind,
        certain=each.certain,
        why=each.why,
    )
