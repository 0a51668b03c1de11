"""What ``this`` and ``super`` are where they stand."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.javascript import classes, constructors, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Function, Instance, Unknown, Value

_FUNCTIONS = (*constructors.FUNCTIONS, "generator_function")
_HOLDERS = ("class_body", "object", "program", *_FUNCTIONS)


def this(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``this`` is where it stands."""
    holder = words.around(node, *_HOLDERS)
    if holder is None or holder.type == "program":
        yield Unknown("this is whatever the file is run with")
    elif holder.type == "object":
        inside = node.parent
        while inside is not None and inside.type not in ("method_definition", "object"):
            inside = inside.parent
        is_method = inside is not None and inside.type == "method_definition"
        yield from _object(resolver, path, node, holder) if is_method else this(resolver, path, holder)
    elif holder.type == "class_body":
        own = Class(path, holder)
        yield own if _is_static(node, holder) else Instance(own)
    else:
        yield from _function(resolver, path, node, holder)


def _function(
    resolver: Resolver, path: str, node: tree_sitter.Node, function: tree_sitter.Node
) -> Iterator[Value]:
    """In a function: what it makes, or what it is a method of."""
    own, above = constructors.of(Function(path, function)), function.parent
    if own is not None and constructors.is_one(resolver, path, function):
        yield Instance(own)
    elif above is not None and above.type == "pair" and above.parent is not None:
        yield from _object(resolver, path, node, above.parent)
    else:
        left = above.child_by_field_name("left") if above is not None else None
        holder = left.child_by_field_name("object") if left is not None else None
        if holder is not None:
            yield from resolver.values(path, holder)
        else:
            yield Unknown("this is what the function is called on")


def _object(
    resolver: Resolver, path: str, node: tree_sitter.Node, holder: tree_sitter.Node
) -> Iterator[Value]:
    """In a method of an object: that, or what has it as its prototype; what is handed on may have more."""
    above = holder.parent
    left = above.child_by_field_name("left") if above is not None else None
    if left is not None and words.text(resolver, path, left.child_by_field_name("property")) == "prototype":
        yield from resolver.values(path, left)
        return
    described = _described(holder)
    if described is not None:
        yield from resolver.values(path, described)
        return
    for value in resolver.values(path, holder):
        of = value.of if isinstance(value, Instance) else None
        if of is None or of.node.id != holder.id or _has(resolver, path, of, node):
            yield value
        else:
            yield Unknown("others may give the object more than it is written with")


def _described(holder: tree_sitter.Node) -> tree_sitter.Node | None:
    """What has the property that an object describes, for ``Object.defineProperty`` and its like."""
    does = b".defineProperty"
    if holder.parent is not None and holder.parent.type == "pair" and holder.parent.parent is not None:
        holder, does = holder.parent.parent, b".defineProperties"
    given = holder.parent if holder.parent is not None and holder.parent.type == "arguments" else None
    called = given.parent.child_by_field_name("function") if given is not None and given.parent else None
    is_so = called is not None and (called.text or b"").endswith(does)
    return given.named_children[0] if given is not None and is_so else None


def _has(resolver: Resolver, path: str, of: Class, this: tree_sitter.Node) -> bool:
    """Whether an object has what is asked of it, or certainly has no more than its file says."""
    above = of.node.parent
    if above is not None and above.type in ("variable_declarator", "assignment_expression"):
        return True
    asked = this.parent.child_by_field_name("property") if this.parent is not None else None
    return bool(resolver.own_members(of, words.text(resolver, path, asked)))


def _is_static(node: tree_sitter.Node, body: tree_sitter.Node) -> bool:
    member = node
    while member.parent is not None and member.parent.id != body.id:
        member = member.parent
    return member.type == "class_static_block" or any(child.type == "static" for child in member.children)


def parent(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``super`` is where it stands."""
    body = words.around(node, "class_body", "object")
    if body is None or body.type != "class_body" or body.parent is None:
        yield Unknown("super stands in no class")
        return
    for value in classes.extended(resolver, Class(path, body)):
        is_instance = isinstance(value, Class) and not _is_static(node, body)
        yield Instance(value) if is_instance and isinstance(value, Class) else value
