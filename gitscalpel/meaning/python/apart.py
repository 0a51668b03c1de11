"""What the names of a pattern are bound to: the parts of a tuple that is written out (``a, b = c, d``).

A tuple is followed through names, and out of functions that return one or say of what
(``-> tuple[A, B]``); a list only where it stands beside the pattern, since it may change later.
"""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.python import annotated, calls, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Function, Unknown, Value

_PATTERNS = frozenset({"pattern_list", "tuple_pattern", "list_pattern"})
_TUPLES = frozenset({"tuple", "expression_list"})
_SPLATS = frozenset({"list_splat", "list_splat_pattern"})
_UNKNOWN = Unknown("it is bound by what is taken apart")
_Steps = tuple[int, ...]
"""Which part of which part, from the outside; those that are counted from the end are negative."""


def bound(resolver: Resolver, path: str, target: tree_sitter.Node) -> Iterator[Value]:
    """What a name, or an attribute, in a pattern is worth."""
    steps, pattern = _steps(target)
    statement = pattern.parent
    right = assigned(statement) if statement is not None and statement.type == "assignment" else None
    if steps and right is not None:
        while right.type == "parenthesized_expression" and right.named_children:
            right = right.named_children[0]
        inside = _element(right, steps[0]) if right.type == "list" else None
        yield from _part(resolver, path, inside or right, steps[1:] if inside else steps)
    else:
        yield _UNKNOWN


def assigned(statement: tree_sitter.Node) -> tree_sitter.Node | None:
    """The value of an assignment, or of the last of several (``a = b = value``)."""
    right = statement.child_by_field_name("right")
    while right is not None and right.type == "assignment":
        right = right.child_by_field_name("right")
    return right


def _steps(target: tree_sitter.Node) -> tuple[_Steps, tree_sitter.Node]:
    """The way from the outermost pattern to one of its names, and that pattern."""
    steps: _Steps = ()
    node, above = target, target.parent
    while above is not None and above.type in _PATTERNS:
        parts = _parts(above)
        at = [each.id for each in parts].index(node.id)
        has_splat = any(each.type in _SPLATS for each in parts[:at])
        steps, node, above = (at - len(parts) if has_splat else at, *steps), above, above.parent
    return steps, node


def _parts(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    return [each for each in node.named_children if each.type != "comment"]


def _element(node: tree_sitter.Node, step: int) -> tree_sitter.Node | None:
    """The part of a tuple, unless nobody can count up to it."""
    parts = _parts(node)
    if not -len(parts) <= step < len(parts):
        return None
    counted = parts[: step + 1] if step >= 0 else parts[step:]
    return None if any(each.type in _SPLATS for each in counted) else parts[step]


def _part(resolver: Resolver, path: str, node: tree_sitter.Node, steps: _Steps) -> tuple[Value, ...]:
    """What a part of what an expression gives is worth."""
    key = ("part", path, node.start_byte, node.end_byte, node.type, steps)
    return resolver.once(key, lambda: _read(resolver, path, node, steps), (_UNKNOWN,))


def _read(resolver: Resolver, path: str, node: tree_sitter.Node, steps: _Steps) -> Iterator[Value]:
    if not steps:
        yield from () if node.type == "none" else resolver.values(path, node)
    elif node.type in _TUPLES:
        inside = _element(node, steps[0])
        yield from (_UNKNOWN,) if inside is None else _part(resolver, path, inside, steps[1:])
    elif node.type in ("parenthesized_expression", "await") and node.named_children:
        yield from _part(resolver, path, node.named_children[0], steps)
    elif node.type == "conditional_expression":
        for part in (node.named_children[0], node.named_children[-1]):
            yield from _part(resolver, path, part, steps)
    elif node.type == "identifier":
        yield from _named(resolver, path, node, steps)
    elif node.type == "call":
        yield from _called(resolver, path, node, steps)
    else:
        yield _UNKNOWN


def _named(resolver: Resolver, path: str, node: tree_sitter.Node, steps: _Steps) -> Iterator[Value]:
    for meaning in resolver.meanings(path, words.mention(resolver, path, node)):
        for place in resolver.binders(meaning) if isinstance(meaning, Binding) else ():
            statement = place.mention.node.parent
            left = statement.child_by_field_name("left") if statement is not None else None
            if statement is None or statement.type != "assignment" or left != place.mention.node:
                yield _UNKNOWN
                continue
            kind, right = statement.child_by_field_name("type"), assigned(statement)
            if kind is not None:
                yield from annotated.parts(resolver, place.path, kind, steps)
            elif right is not None:
                yield from _part(resolver, place.path, right, steps)
        if not isinstance(meaning, Binding):
            yield _UNKNOWN


def _called(resolver: Resolver, path: str, node: tree_sitter.Node, steps: _Steps) -> Iterator[Value]:
    callee = node.child_by_field_name("function")
    for value in resolver.values(path, callee) if callee is not None else ():
        yield from _returned(resolver, value, steps) if isinstance(value, Function) else (_UNKNOWN,)


def _returned(resolver: Resolver, function: Function, steps: _Steps) -> Iterator[Value]:
    node, path = function.node, function.path
    annotation = node.child_by_field_name("return_type")
    results = calls.results(node)
    if calls.is_changed(resolver, function) or (annotation is None and not results):
        yield _UNKNOWN
    elif annotation is not None:
        yield from annotated.parts(resolver, path, annotation, steps)
    else:
        for result in results:
            yield from _part(resolver, path, result, steps)
