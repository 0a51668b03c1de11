"""What stands before a member, and what makes doubtful what a name means."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.c import includes, macros, spaces
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import WHOLE, Binding, Meaning, Unknown
from gitscalpel.syntax.occurrences import Mention

_NAMES = ("template_type", "template_function", "template_method", "dependent_name", "destructor_name")


def of(mention: Mention) -> tree_sitter.Node | None:
    """What stands before the dot, the arrow or ``::``; the sign itself, where that says more."""
    above, child = mention.node.parent, mention.node
    while above is not None and above.type in _NAMES:
        child, above = above, above.parent
    if above is not None and above.type == "qualified_identifier":
        is_scope = above.child_by_field_name("scope") == child
        above = above.parent if is_scope else above
    read = _READ.get(above.type) if above is not None else None
    if above is None or above.type == "nested_namespace_specifier":
        return mention.node.prev_named_sibling
    return read(above) if read is not None else above.child_by_field_name("type")


def _qualified(above: tree_sitter.Node) -> tree_sitter.Node:
    return above.child_by_field_name("scope") or above.children[0]


def _field(above: tree_sitter.Node) -> tree_sitter.Node | None:
    return above.child_by_field_name("operator")


def _designator(above: tree_sitter.Node) -> tree_sitter.Node | None:
    """The designator before it; of the first, what is written out."""
    before = above.prev_named_sibling
    if before is not None and before.type.endswith("designator"):
        return before
    return above.parent and above.parent.parent


def _initializer(above: tree_sitter.Node) -> tree_sitter.Node | None:
    return above.parent


_READ: Mapping[str, Callable[[tree_sitter.Node], tree_sitter.Node | None]] = {
    "qualified_identifier": _qualified,
    "field_expression": _field,
    "field_designator": _designator,
    "field_initializer": _initializer,
}
"""By what a member stands in."""


def visible(
    resolver: Resolver, path: str, mention: Mention, found: tuple[Meaning, ...]
) -> tuple[Meaning, ...]:
    """Of what namespaces have, what a file sees of it; doubtful, where it sees none."""
    far = [each for each in found if isinstance(each, Binding) and each.kind in spaces.OPEN]
    if mention.role != "member" or not far or any(each.scope == WHOLE for each in far):
        return found
    own = includes.seen(resolver, path)
    here = [each for each in far if each.path in own]
    if not here:
        around = {one for each in includes.including(resolver, path) for one in includes.seen(resolver, each)}
        here = [each for each in far if each.path in around]
    kinds = {place.mention.kind for each in far for place in resolver.binders(each)}
    if here or kinds <= {"namespace"}:
        return tuple(each for each in found if each not in far or each in here or kinds <= {"namespace"})
    return (*found, Unknown("nothing that is included declares it, but the tree does"))


def doubted(
    resolver: Resolver, path: str, mention: Mention, found: tuple[Meaning, ...]
) -> tuple[Meaning, ...]:
    """With what nobody can tell: what is not understood, is made text of, or may be a macro."""
    if nodes.around(mention.node, "ERROR") is not None:
        return (*found, Unknown("the grammar does not understand what stands there"))
    known = macros.bindings(resolver, macros.visible(resolver, path, mention.name))
    if known:
        named = [each for each in found if isinstance(each, Binding) and each not in known]
        found = (*found, *known) if named else known
    if macros.picks_member(resolver, path, mention):
        return (*found, Unknown("a macro decides what it means", anywhere=True))
    if macros.is_pasted(resolver, path, mention.node):
        return (*found, Unknown("a macro makes text of it", among=True))
    return found
