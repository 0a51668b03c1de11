"""Infer the values of expressions of Ruby: classes, modules, and objects that are visibly created."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import Class, Function, Instance, Unknown, Value
from gitscalpel.names.languages.ruby import classes
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention

_Read = Callable[[Resolver, str, tree_sitter.Node], Iterable[Value]]
_ANY = Unknown("nobody can tell what it is")


def expression_values(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    """What an expression may be worth."""
    read = _READ.get(node.type)
    return read(resolver, path, node) if read is not None else (_ANY,)


def binding_values(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    """What a name is worth where it is bound."""
    above = mention.node.parent
    if above is not None and above.type == "scope_resolution":
        above = above.parent
    if above is None:
        return (_ANY,)
    if mention.kind == "constant" and above.type in classes.TYPES:
        return (Class(path, above),)
    if mention.kind in ("method", "static"):
        return (Function(path, above),)
    if mention.kind == "local" and above.type == "assignment" and _is_only(resolver, path, mention):
        right = above.child_by_field_name("right")
        return resolver.values(path, right) if right is not None else ()
    return (_ANY,)


def _is_only(resolver: Resolver, path: str, mention: Mention) -> bool:
    """Whether nothing else around it binds a variable."""
    function = next((scope for scope in mention.scopes if scope.kind != "block"), mention.scopes[-1])
    bound = (each for each in resolver.lexical(path).of(mention.name) if each.kind in ("local", "parameter"))
    inside = [e for e in bound if function.span[0] <= e.start < function.span[1] and e.role == "bind"]
    return len(inside) == 1


def _name(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for meaning in resolver.meanings(path, nodes.mention(resolver, path, node)):
        for value in resolver.worth(meaning):
            yield _ANY if isinstance(value, Function) else value


def _scoped(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    last = node.child_by_field_name("name")
    return resolver.values(path, last) if last is not None else ()


def _called(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """``A.new``, and ``self.class``."""
    before, name = node.child_by_field_name("receiver"), node.child_by_field_name("method")
    said = nodes.text(resolver, path, name)
    if before is None or said not in ("new", "class"):
        yield _ANY
        return
    for value in resolver.values(path, before):
        if said == "class":
            yield value.of if isinstance(value, Instance) else _ANY
        elif isinstance(value, Class) and value.node.type == "class" and not _has_own(resolver, value):
            yield Instance(value)
        else:
            yield _ANY


def _has_own(resolver: Resolver, of: Class) -> bool:
    return any(True for _ in classes.fitting_methods(resolver, of, resolver.members(of, "new")))


def _self(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    if classes.is_rebound(node):
        return (_ANY,)
    return (classes.type_of_self(path, node),)


def base_classes(resolver: Resolver, of: Class) -> Iterator[Value]:
    """What it inherits from, and the modules that it takes in."""
    above = of.node.child_by_field_name("superclass")
    if above is not None and above.named_children:
        yield from resolver.values(of.path, above.named_children[0])
    body = of.node.child_by_field_name("body")
    for call in body.named_children if body is not None else ():
        said = (
            nodes.text(resolver, of.path, call.child_by_field_name("method")) if call.type == "call" else ""
        )
        given = call.child_by_field_name("arguments") if said in ("include", "prepend", "extend") else None
        for each in given.named_children if given is not None else ():
            yield from resolver.values(of.path, each)


_READ: Mapping[str, _Read] = {
    **dict.fromkeys(("identifier", "constant"), _name),
    "scope_resolution": _scoped,
    "call": _called,
    "self": _self,
}
"""How a kind of expression is read."""
