"""Strings that name a member: keys of a ``TypedDict``, members of an ``Enum``, arguments of ``getattr``."""

from __future__ import annotations

import tree_sitter

from gitscalpel.meaning.python import expected, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Class, Elsewhere, Instance, Meaning, Value
from gitscalpel.syntax.occurrences import Mention

_BY_NAME = frozenset({"getattr", "hasattr", "setattr", "delattr", "object"})
"""Calls that take the name of a member behind what has it; ``object`` is ``mock.patch.object``."""
_BY_KEY = frozenset({"get", "pop", "setdefault", "__getitem__"})
"""Methods of a dict that take a key first."""
_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})


def named(resolver: Resolver, path: str, mention: Mention, string: tree_sitter.Node) -> tuple[Meaning, ...]:
    """Return the members that a string names; nothing if it is just text, or may be."""
    return item(resolver, path, string) if _content(resolver, path, string) == mention.name else ()


def item(resolver: Resolver, path: str, string: tree_sitter.Node) -> tuple[Meaning, ...]:
    """Return the members that a string names as a whole; nothing if it is just text, or may be."""
    name = _content(resolver, path, string)
    values = _holders(resolver, path, string)
    found = [each for value in values for each in resolver.members(value, name)]
    bound = [each for each in found if isinstance(each, Binding) and resolver.binders(each)]
    return tuple(dict.fromkeys(bound)) if len(bound) == len(found) else ()


def is_typed_dict(resolver: Resolver, value: Value) -> bool:
    """Return True for a class of which the objects are dicts with known keys, and for its objects."""
    return _inherits(resolver, value.of if isinstance(value, Instance) else value, frozenset({"TypedDict"}))


def member_of_enum(resolver: Resolver, path: str, mention: Mention) -> Instance | None:
    """Return the object that a name bound in the body of an ``Enum`` is; None if it is no member."""
    if not mention.scopes or mention.scopes[0].kind != "class" or mention.name.startswith("_"):
        return None
    own = Class(path, mention.scopes[0].node)
    return Instance(own) if _inherits(resolver, own, _ENUMS) else None


def _content(resolver: Resolver, path: str, string: tree_sitter.Node) -> str:
    inner = [each for each in string.named_children if each.type == "string_content"]
    return words.text(resolver, path, inner[0]) if len(inner) == 1 else ""


def _holders(resolver: Resolver, path: str, string: tree_sitter.Node) -> list[Value]:
    """Return what has the member that a string names: all of it, or nothing."""
    above = string.parent
    if above is None:
        return []
    if above.type == "subscript":
        values = _of_node(resolver, path, above.child_by_field_name("value"))
        return values if string != above.child_by_field_name("value") and _have_keys(resolver, values) else []
    if above.type == "comparison_operator":
        values = _of_node(resolver, path, above.named_children[-1])
        is_in = above.named_children[0] == string and any(
            each.type in ("in", "not in") for each in above.children
        )
        return values if is_in and _have_keys(resolver, values) else []
    if above.type == "pair" and above.child_by_field_name("key") == string and above.parent is not None:
        values = [*expected.objects(resolver, path, above.parent, is_typed_dict)]
        return values if _have_keys(resolver, values) else []
    return _of_argument(resolver, path, string, above) if above.type == "argument_list" else []


def _of_argument(
    resolver: Resolver, path: str, string: tree_sitter.Node, arguments: tree_sitter.Node
) -> list[Value]:
    call = arguments.parent
    called = call.child_by_field_name("function") if call is not None else None
    given = [each for each in arguments.named_children if each.type != "comment"]
    if called is None:
        return []
    said = words.last(resolver, path, called)
    if said in _BY_NAME and len(given) > 1 and given[1] == string:
        return _of_node(resolver, path, given[0])
    if said in _BY_KEY and given[0] == string and called.type == "attribute":
        values = _of_node(resolver, path, called.child_by_field_name("object"))
        return values if _have_keys(resolver, values) else []
    return []


def _of_node(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> list[Value]:
    return [] if node is None else [*resolver.values(path, node)]


def _have_keys(resolver: Resolver, values: list[Value]) -> bool:
    """Return True if all values are taken apart by the names of their members."""
    return bool(values) and all(
        is_typed_dict(resolver, each)
        if isinstance(each, Instance)
        else isinstance(each, Class) and _inherits(resolver, each, _ENUMS)
        for each in values
    )


def _inherits(resolver: Resolver, value: Value, names: frozenset[str]) -> bool:
    """Return True if a class, or one that it inherits from, names one of these as a base from outside."""
    classes = resolver.ancestry(value) if isinstance(value, Class) else ()
    return any(_names(resolver, each, names) for each in classes if isinstance(each, Class))


def _names(resolver: Resolver, of: Class, names: frozenset[str]) -> bool:
    given = of.node.child_by_field_name("superclasses")
    for each in given.named_children if given is not None else ():
        is_one = each.type in ("identifier", "attribute") and words.last(resolver, of.path, each) in names
        if is_one and any(isinstance(value, Elsewhere) for value in resolver.values(of.path, each)):
            return True
    return False
