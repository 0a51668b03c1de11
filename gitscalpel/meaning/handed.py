"""Names that stand where their value goes elsewhere: given to a call, returned, put into a list, assigned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import tree_sitter


class Values(NamedTuple):
    """Where values stand in a language, by the types of its nodes.

    Attributes:
        dotted: what says of what something is a member, which comes last in it.
        holding: what a value stands in that goes elsewhere.
        given: what gives it to something, with the field in which it stands.
    """

    dotted: str
    holding: frozenset[str]
    given: Mapping[str, str]


def holder(node: tree_sitter.Node, values: Values) -> tree_sitter.Node | None:
    """In what a name, or the last part of a dotted one, stands as a value that goes elsewhere."""
    above = node.parent
    while above is not None and above.type == values.dotted and above.named_children[-1].id == node.id:
        node, above = above, above.parent
    if above is None or above.type in values.holding:
        return above
    given = above.child_by_field_name(values.given[above.type]) if above.type in values.given else None
    return above if given is not None and given.id == node.id else None
