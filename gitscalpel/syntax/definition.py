"""One match of a ``definition.<kind>`` pattern: its parts, by captures or by the fields of its node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
import tree_sitter

from gitscalpel.syntax.names import Name, Names
from gitscalpel.syntax.symbols import BINDINGS, NAMELESS

Found = dict[str, list[tree_sitter.Node]]
"""The captures of one match."""


class Definition(msgspec.Struct, frozen=True):
    """What is defined; of two for one name the earlier pattern counts.

    Attributes:
        pattern: the pattern's place in the query.
        kind: function, class, field, …
        node: the whole of it.
        name: its name.
        body: what follows the header.
        value: what is bound to the name.
        declared: it only announces what may be defined elsewhere.
        more: the clauses that go on with it, in order.
        level: of a heading, how deep it is.
    """

    pattern: int
    kind: str
    node: tree_sitter.Node
    name: Name
    body: tree_sitter.Node | None
    value: tree_sitter.Node | None
    declared: bool = False
    more: tuple[tree_sitter.Node, ...] = ()
    level: str | None = None


def read(pattern: int, kind: str, node: tree_sitter.Node, found: Found, names: Names) -> Iterator[Definition]:
    """The definitions of one match: one for each name that it captures or has in a field."""
    owner = found.get("owner")
    body, value = _part(found, node, "body"), _part(found, node, "value", "right", "default_value")
    for first, last in _named(found, node):
        name = names.read(first, owner[0] if owner else None, last)
        if name is None:
            continue
        announced = name.callable and kind in BINDINGS
        own = "function" if announced else kind
        own = "method" if own == "function" and name.owned and "kind" not in found else own
        if kind == "item":
            name = msgspec.structs.replace(name, segments=(*name.segments, NAMELESS))
        yield Definition(pattern, own, node, name, body, value or name.value, announced, level=_level(found))


def told(one: Definition, settings: Mapping[str, str | None]) -> Definition:
    """The definition with the name or level that its pattern says, and not what stands there."""
    if name := settings.get("name"):
        one = msgspec.structs.replace(
            one, name=msgspec.structs.replace(one.name, segments=(*one.name.segments[:-1], name))
        )
    return msgspec.structs.replace(one, level=settings.get("level")) if "level" in settings else one


def _level(found: Found) -> str | None:
    """The style of a heading: the signs around it, and whether they stand above it, too."""
    if "level" not in found:
        return None
    return (
        "".join(sorted((sign.text or b"").decode("utf-8", "replace")[:1] for sign in found["level"])) or None
    )


def _named(found: Found, node: tree_sitter.Node) -> list[tuple[tree_sitter.Node, tree_sitter.Node]]:
    """The first and the last node of each name."""
    if "name" in found:
        tokens = sorted(found["name"], key=lambda token: token.start_byte)
        return [(tokens[0], tokens[-1])]
    one = _part(found, node, "name", "left")
    several = [one] if one else node.children_by_field_name("declarator")
    if not several and (arguments := node.child_by_field_name("arguments")):
        several = [argument for argument in arguments.named_children if not argument.is_extra]
    return [(name, name) for name in several]


def _part(found: Found, node: tree_sitter.Node, name: str, *other: str) -> tree_sitter.Node | None:
    if name in found:
        return found[name][0]
    for field in (name, *other):
        part = node.child_by_field_name(field)
        if part is not None:
            return part
    return None
