"""From an expression to a part of it: what is in a list, a member, what a function takes or gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

import tree_sitter

from gitscalpel.meaning.javascript import calls, listed, typed, types, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Function, Instance, Unknown, Value


class Item(NamedTuple):
    """What is in a list, or under any key."""


class Member(NamedTuple):
    """What an object has under a name."""

    name: str


class Takes(NamedTuple):
    """What a function takes, by the number of the parameter."""

    at: int


class Gives(NamedTuple):
    """What a function gives."""


Step: TypeAlias = Item | Member | Takes | Gives
Steps: TypeAlias = tuple[Step, ...]
_CHOICES = ("ternary_expression", "binary_expression")
_AROUND = ("parenthesized_expression", "satisfies_expression", "non_null_expression", "await_expression")
_WRITTEN = ("object", "array")
_SAME = frozenset({"filter", "slice", "concat", "sort", "reverse", "splice", "toSorted", "toReversed"})
"""Methods of lists that give lists of the same."""
_THROUGH = frozenset(
    {"Object.freeze", "Object.seal", "Object.assign", "structuredClone", "Promise.resolve", "Array.from"}
)
"""What gives what it is given."""


def values(resolver: Resolver, path: str, node: tree_sitter.Node, steps: Steps) -> Iterator[Value]:
    """What the part of an expression to which steps lead may be worth."""
    read = _READ.get(node.type)
    found = list(read(resolver, path, node, steps)) if read is not None else []
    if found:
        yield from found
    elif node.type in _WRITTEN:  # what it is, is said by what asks for it
        return
    elif steps and isinstance(steps[0], Item):
        yield from along(resolver, listed.items(resolver, path, node), steps[1:])
    else:
        yield from along(resolver, resolver.values(path, node), steps)


def along(resolver: Resolver, found: Iterable[Value], steps: Steps) -> Iterator[Value]:
    """The parts of some values to which steps lead; what nobody can tell stays so."""
    for value in found:
        if not steps or isinstance(value, Unknown):
            yield value
        elif isinstance(steps[0], Member) and isinstance(value, Instance):
            yield from _member(resolver, value, steps[0].name, steps[1:])
        elif isinstance(steps[0], Takes) and isinstance(value, Function):
            yield from _taken(resolver, value, steps[0].at, steps[1:])
        elif isinstance(steps[0], Gives) and isinstance(value, Function):
            yield from _given(resolver, value, steps[1:])


def _member(resolver: Resolver, value: Value, name: str, steps: Steps) -> Iterator[Value]:
    for meaning in resolver.members(value, name):
        if steps and isinstance(steps[0], Item):
            for each in typed.items(resolver, tuple(typed.declared(resolver, [meaning]))):
                yield from along(resolver, types.objects(resolver, *each), steps[1:])
        else:
            yield from along(resolver, resolver.worth(meaning), steps)


def _taken(resolver: Resolver, function: Function, at: int, steps: Steps) -> Iterator[Value]:
    kind = _kind(parameter(function.node, at))
    if kind is not None:
        yield from of_type(resolver, function.path, kind, steps)


def _given(resolver: Resolver, function: Function, steps: Steps) -> Iterator[Value]:
    kind = function.node.child_by_field_name("return_type")
    if kind is not None:
        yield from of_type(resolver, function.path, kind, steps)
    elif not (steps and isinstance(steps[0], Item)):
        yield from along(resolver, calls.returned(resolver, function), steps)


def of_type(resolver: Resolver, path: str, kind: tree_sitter.Node, steps: Steps) -> Iterator[Value]:
    """The same of what has a type."""
    if steps and isinstance(steps[0], Item):
        for each in typed.items(resolver, (typed.Typed(path, kind),)):
            yield from along(resolver, types.objects(resolver, *each), steps[1:])
    else:
        yield from along(resolver, types.objects(resolver, path, kind), steps)


def parameter(function: tree_sitter.Node, at: int) -> tree_sitter.Node | None:
    """A parameter by its number; of those without parentheses there is one."""
    held = function.child_by_field_name("parameters")
    taken = [each for each in held.named_children if _is_one(each)] if held is not None else []
    return taken[at] if at < len(taken) else None


def number(parameter: tree_sitter.Node) -> int:
    """Of a parameter among those of its function."""
    held = parameter.parent
    taken = [each for each in held.named_children if _is_one(each)] if held is not None else []
    return next((at for at, each in enumerate(taken) if each.id == parameter.id), 0)


def _is_one(node: tree_sitter.Node) -> bool:
    """Whether it is a parameter that callers give: ``this`` is none."""
    pattern = node.child_by_field_name("pattern")
    return node.type != "comment" and (pattern is None or pattern.type != "this")


def _kind(parameter: tree_sitter.Node | None) -> tree_sitter.Node | None:
    return None if parameter is None else parameter.child_by_field_name("type")


def _inner(resolver: Resolver, path: str, node: tree_sitter.Node, steps: Steps) -> Iterator[Value]:
    yield from values(resolver, path, node.named_children[0], steps)


def _choice(resolver: Resolver, path: str, node: tree_sitter.Node, steps: Steps) -> Iterator[Value]:
    operator = node.child_by_field_name("operator")
    if operator is None or operator.type in ("||", "&&", "??"):
        for field in ("consequence", "alternative", "left", "right"):
            part = node.child_by_field_name(field)
            yield from values(resolver, path, part, steps) if part is not None else ()


def _object(resolver: Resolver, path: str, node: tree_sitter.Node, steps: Steps) -> Iterator[Value]:
    """What is spread into an object, and what it has under a key, or under any."""
    for each in node.named_children:
        if each.type == "spread_element":
            yield from values(resolver, path, each.named_children[0], steps)
        elif steps and isinstance(steps[0], (Item, Member)):
            key = each if each.type.startswith("shorthand") else each.child_by_field_name("key")
            said = words.text(resolver, path, key).strip("\"'`")
            if isinstance(steps[0], Item) or said == steps[0].name:
                value = each if each.type.startswith("shorthand") else each.child_by_field_name("value")
                yield from values(resolver, path, value, steps[1:]) if value is not None else ()


def _array(resolver: Resolver, path: str, node: tree_sitter.Node, steps: Steps) -> Iterator[Value]:
    for each in node.named_children if steps and isinstance(steps[0], Item) else ():
        is_spread = each.type == "spread_element"
        inner = each.named_children[0] if is_spread else each
        yield from values(resolver, path, inner, steps if is_spread else steps[1:])


def _call(resolver: Resolver, path: str, node: tree_sitter.Node, steps: Steps) -> Iterator[Value]:
    """What a call gives that gives what it was given."""
    callee, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if callee is None or given is None:
        return
    does = words.text(resolver, path, callee.child_by_field_name("property"))
    receiver = callee.child_by_field_name("object")
    is_list = bool(steps) and isinstance(steps[0], Item)
    if words.text(resolver, path, callee) in _THROUGH:
        for each in given.named_children:
            yield from values(resolver, path, each, steps)
    elif is_list and does in _SAME and receiver is not None:
        yield from values(resolver, path, receiver, steps)
    elif is_list and does == "map" and given.named_children:
        yield from values(resolver, path, given.named_children[0], (Gives(), *steps[1:]))
    else:
        yield from _through(resolver, path, callee, given, steps)


def _through(
    resolver: Resolver, path: str, callee: tree_sitter.Node, given: tree_sitter.Node, steps: Steps
) -> Iterator[Value]:
    """What a function gives that has the type of a parameter of its own, which is chosen by the call."""
    for value in resolver.values(path, callee):
        if not isinstance(value, Function):
            continue
        chosen, kind = generics(resolver, value), value.node.child_by_field_name("return_type")
        said = words.text(resolver, value.path, kind).lstrip(": ")
        for at, each in enumerate(given.named_children if said in chosen else ()):
            taken = _kind(parameter(value.node, at))
            if words.text(resolver, value.path, taken).lstrip(": ") == said:
                yield from values(resolver, path, each, steps)


def generics(resolver: Resolver, function: Function) -> set[str]:
    """The types that who calls a function chooses."""
    held = function.node.child_by_field_name("type_parameters")
    return {
        words.text(resolver, function.path, each.child_by_field_name("name"))
        for each in (held.named_children if held is not None else ())
    }


_READ = {
    **dict.fromkeys(_AROUND, _inner),
    **dict.fromkeys(_CHOICES, _choice),
    "object": _object,
    "array": _array,
    "call_expression": _call,
}
"""How a kind of expression is read whose parts say more than what it is worth."""
