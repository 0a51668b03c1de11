"""What a function is called with that is handed to others: by their types, or as lists and promises do."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.javascript import amd, imports, listed, paths, typed, types, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Function, Unknown, Value

_FUNCTIONS = ("arrow_function", "function_expression")
_OF_LISTS = frozenset(
    {"map", "forEach", "filter", "find", "findLast", "findIndex", "some", "every", "flatMap"}
)
_UNKNOWN = Unknown("it is bound by what is taken apart, or by a caller")


def given(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What may be given for a parameter that says no type."""
    function, at = _parameter(node)
    yield from handed(resolver, path, function, at) if function is not None else (_UNKNOWN,)


def handed(resolver: Resolver, path: str, function: tree_sitter.Node, at: int) -> Iterator[Value]:
    """What a function that is handed to a call is given for a parameter by who calls it."""
    arguments = function.parent
    call = arguments.parent if arguments is not None and arguments.type == "arguments" else None
    callee = call.child_by_field_name("function") if call is not None else None
    if arguments is None or callee is None:
        yield _UNKNOWN
        return
    asked = amd.dependencies(call) if call is not None else []
    if at < len(asked):
        module = paths.find(resolver, path, words.literal(resolver, path, asked[at]))
        yield from imports.required(resolver, module)
        return
    number = next(n for n, each in enumerate(arguments.named_children) if each.id == function.id)
    said = words.text(resolver, path, callee.child_by_field_name("property"))
    receiver = callee.child_by_field_name("object")
    if said == "then" and (number, at) == (0, 0) and receiver is not None:
        yield from resolver.values(path, receiver)
    elif said in _OF_LISTS and (number, at) == (0, 0) and _is_list(resolver, path, receiver):
        yield from listed.items(resolver, path, receiver)
    else:
        yield from _by_type(resolver, path, callee, (number, at))


def _is_list(resolver: Resolver, path: str, receiver: tree_sitter.Node | None) -> bool:
    return not all(isinstance(each, Unknown) for each in listed.items(resolver, path, receiver))


def _parameter(node: tree_sitter.Node) -> tuple[tree_sitter.Node | None, int]:
    """The function of a parameter, and which of its parameters it is."""
    above = node.parent
    if above is not None and above.type in _FUNCTIONS:
        return above, 0
    if above is not None and above.type in ("required_parameter", "optional_parameter"):
        node, above = above, above.parent
    if above is None or above.type != "formal_parameters" or above.parent is None:
        return None, 0
    at = next(n for n, each in enumerate(above.named_children) if each.id == node.id)
    return (above.parent if above.parent.type in _FUNCTIONS else None), at


def _by_type(
    resolver: Resolver, path: str, callee: tree_sitter.Node, which: tuple[int, int]
) -> Iterator[Value]:
    """By the type that the one who is called says for the function."""
    for value in resolver.values(path, callee):
        taken = _nth(value.node, which[0]) if isinstance(value, Function) else None
        kind = taken.child_by_field_name("type") if taken is not None else None
        if not isinstance(value, Function) or kind is None:
            yield _UNKNOWN
            continue
        for at, node in typed.spelled(resolver, value.path, kind):
            inner = _nth(node, which[1]) if node.type == "function_type" else None
            wanted = inner.child_by_field_name("type") if inner is not None else None
            yield from types.objects(resolver, at, wanted) if wanted is not None else (_UNKNOWN,)


def _nth(function: tree_sitter.Node, at: int) -> tree_sitter.Node | None:
    parameters = function.child_by_field_name("parameters")
    return (
        parameters.named_child(at) if parameters is not None and at < parameters.named_child_count else None
    )
