"""What a name is worth where ``isinstance`` has been asked of it."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.python import words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Instance, Unknown, Value

_BOUNDS = ("function_definition", "class_definition", "lambda", "module")
_SETS = ("assignment", "augmented_assignment", "for_statement")
_CONDITIONAL = ("if_statement", "elif_clause", "while_statement")


def narrowed(
    resolver: Resolver, path: str, node: tree_sitter.Node, declared: tuple[Value, ...]
) -> tuple[Value, ...]:
    """The values of an expression, which are ``declared`` elsewhere, where it stands."""
    if b"isinstance" not in resolver.lexical(path).text:
        return declared
    said = words.text(resolver, path, node)
    asked = next(_asked(resolver, path, node, said), None)
    if asked is None:
        return declared
    found = tuple(
        Instance(value) if isinstance(value, Class) else value
        for each in asked
        for value in resolver.values(path, each)
    )
    if any(isinstance(each, Unknown) or _is_above(resolver, each, found) for each in declared):
        return found
    return tuple(dict.fromkeys((*declared, *found)))  # it is both, and nobody knows which of them has what


def _is_above(resolver: Resolver, declared: Value, found: tuple[Value, ...]) -> bool:
    """Whether all that was found inherits from what was declared."""
    top, *of = (value.of if isinstance(value, Instance) else value for value in (declared, *found))
    return isinstance(top, Class) and all(
        isinstance(each, Class)
        and any(
            isinstance(a, Class) and (a.path, a.scope) == (top.path, top.scope)
            for a in resolver.ancestry(each)
        )
        for each in of
    )


def _asked(
    resolver: Resolver, path: str, node: tree_sitter.Node, said: str
) -> Iterator[list[tree_sitter.Node]]:
    """The classes of which it is one, by the innermost condition around it."""
    child, above = node, node.parent
    while above is not None and child.type not in _BOUNDS:
        for condition in _conditions(above, child):
            classes = _classes(resolver, path, condition, said)
            if classes and not _is_set(resolver, path, above, said, (condition.end_byte, node.start_byte)):
                yield classes
        child, above = above, above.parent


def _conditions(above: tree_sitter.Node, child: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """What certainly holds in a part of a node."""
    if above.type in _CONDITIONAL:
        condition, then = (above.child_by_field_name(name) for name in ("condition", "consequence"))
        then = then or above.child_by_field_name("body")
        if condition is not None and then is not None and then.id == child.id:
            yield condition
    elif above.type == "conditional_expression" and above.named_children[0].id == child.id:
        yield above.named_children[1]
    elif above.type == "boolean_operator":
        left, operator = (above.child_by_field_name(name) for name in ("left", "operator"))
        if left is not None and left.id != child.id and operator is not None and operator.type == "and":
            yield left
    elif above.type in ("block", "module"):
        before = child.prev_named_sibling
        while before is not None:
            if before.type == "assert_statement" and before.named_children:
                yield before.named_children[0]
            before = before.prev_named_sibling


def _classes(resolver: Resolver, path: str, condition: tree_sitter.Node, said: str) -> list[tree_sitter.Node]:
    """Of which classes a condition says that an expression is one."""
    if condition.type == "parenthesized_expression":
        return _classes(resolver, path, condition.named_children[0], said)
    if condition.type == "boolean_operator":
        operator = condition.child_by_field_name("operator")
        if operator is None or operator.type != "and":
            return []
        parts = (condition.child_by_field_name(name) for name in ("right", "left"))
        return next((c for part in parts if part and (c := _classes(resolver, path, part, said))), [])
    callee, given = (condition.child_by_field_name(name) for name in ("function", "arguments"))
    if condition.type != "call" or callee is None or given is None or len(given.named_children) != 2:
        return []
    what, of = given.named_children
    if words.text(resolver, path, callee) != "isinstance" or words.text(resolver, path, what) != said:
        return []
    return list(of.named_children) if of.type == "tuple" else [of]


def _is_set(
    resolver: Resolver, path: str, around: tree_sitter.Node, said: str, between: tuple[int, int]
) -> bool:
    """Whether it may have been given another value since: some of what it is made of is bound in between."""
    waiting = [around]
    while waiting:
        node = waiting.pop()
        if node.end_byte <= between[0] or node.start_byte >= between[1]:
            continue
        left = node.child_by_field_name("left")
        targets = _targets(resolver, path, left) if left is not None and node.type in _SETS else []
        if any(said == each or said.startswith(f"{each}.") for each in targets):
            return True
        waiting += node.named_children
    return False


def _targets(resolver: Resolver, path: str, left: tree_sitter.Node) -> list[str]:
    parts = left.named_children if left.type.endswith(("list", "pattern")) else [left]
    return [words.text(resolver, path, each) for each in parts]
