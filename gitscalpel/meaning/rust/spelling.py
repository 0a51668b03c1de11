"""How another name is put into the place of one: a field and what it holds share a word where they can."""

from __future__ import annotations

import tree_sitter

from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text.splice import Splice

_REFERS = ("ref_pattern", "mut_pattern")


def respelled(mention: Mention, form: str, new: str) -> Splice:
    """The splice that does it; see :class:`gitscalpel.meaning.resolve.Dialect`."""
    old = mention.name
    if form == "alias":
        return mention.renamed(f"{old} as {new}")
    if form == "plain":
        return _together(mention, new) or mention.renamed(new)
    field, held = (new, old) if form == "key" else (old, new)
    holder = mention.node.parent
    words = _words(holder, mention.node) if holder is not None and holder.type == "field_pattern" else []
    start = words[0].start_byte if words else mention.start
    said = " ".join([*(each.type if not each.is_named else "mut" for each in words), held])
    return Splice(start, mention.end, f"{field}: {said}".encode("utf-8", "surrogateescape"))


def _words(holder: tree_sitter.Node, name: tree_sitter.Node) -> list[tree_sitter.Node]:
    """``ref`` and ``mut`` before a name."""
    return [each for each in holder.children if each.end_byte <= name.start_byte]


def _together(mention: Mention, new: str) -> Splice | None:
    """``x: x`` is written as ``x``, and ``x: ref x`` as ``ref x``."""
    inner = mention.node
    while inner.parent is not None and inner.parent.type in _REFERS:
        inner = inner.parent
    holder = inner.parent
    if holder is None or holder.type not in ("field_initializer", "field_pattern"):
        return None
    value = holder.child_by_field_name("value") or holder.child_by_field_name("pattern")
    field = holder.child_by_field_name("field") or holder.child_by_field_name("name")
    held = value
    while held is not None and held.type in _REFERS:
        held = held.named_children[-1]
    if field is None or value is None or held is None or held.type != "identifier" or held.text is None:
        return None
    raw = new.encode("utf-8", "surrogateescape")
    if (held if field.id == mention.node.id else field).text != raw:
        return None
    before = (value.text or b"")[: held.start_byte - value.start_byte]
    return Splice(field.start_byte, value.end_byte, before + raw)
