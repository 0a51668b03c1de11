"""What a name is worth where it is bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import tree_sitter

from gitscalpel.meaning.c import classes, signatures, spaces, types
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Class, Elsewhere, Function, Instance, Unknown, Value
from gitscalpel.syntax.occurrences import Mention

_TYPED = ("declaration", "field_declaration", "parameter_declaration", "optional_parameter_declaration")
_HOLDERS = (
    *_TYPED,
    "for_range_loop",
    "type_definition",
    "variadic_parameter_declaration",
    "function_definition",
)


def worth(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    """What a name is worth where a mention binds it."""
    above = mention.node.parent
    if above is None:
        return (Unknown("it is bound by nothing"),)
    kind = "alias_declaration" if above.type == "alias_declaration" else mention.kind
    read = _READ.get(kind)
    return read(resolver, path, mention, above) if read is not None else _declared(resolver, path, mention)


def _tag(resolver: Resolver, path: str, mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    body = above.child_by_field_name("body")
    if body is not None:
        yield Class(path, body)
        return
    found: tuple[Class, ...] = ()
    for each in resolver.written(path, mention):
        found = (*found, *classes.of_binding(resolver, each)) if isinstance(each, Binding) else found
    yield from dict.fromkeys(found) or (Unknown("its body is not known"),)


def _namespace(resolver: Resolver, path: str, mention: Mention, _above: tree_sitter.Node) -> Iterator[Value]:
    """The namespace that a name of one opens."""
    around = spaces.of_mention(resolver, path, mention) or ""
    definition = mention.node.parent
    while definition is not None and definition.type != "namespace_definition":
        definition = definition.parent
    is_inline = definition is not None and any(each.type == "inline" for each in definition.children)
    yield spaces.module(around if is_inline else spaces.joined(around, mention.name))


def _enumerator(
    _resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node
) -> Iterator[Value]:
    if above.parent is not None:
        yield Instance(Class(path, above.parent))


def _alias(resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    """What another name for a namespace or a type stands for."""
    named = above.child_by_field_name("type") or above.named_children[-1]
    yield from resolver.values(path, named)


def _generic(_resolver: Resolver, _path: str, _mention: Mention, _above: tree_sitter.Node) -> Iterator[Value]:
    yield Unknown("its type is chosen elsewhere")


def _function(resolver: Resolver, path: str, mention: Mention, _above: tree_sitter.Node) -> Iterator[Value]:
    declarator = signatures.declared(mention.node)
    if declarator is None:
        yield Unknown("it is no function")
    elif (
        mention.scopes
        and resolver.lexical(path).holder(mention).kind in ("block", "let")
        and _is_object(resolver, path, declarator)
    ):
        yield from _declared(resolver, path, mention)
    else:
        yield Function(path, declarator)


def _is_object(resolver: Resolver, path: str, declarator: tree_sitter.Node) -> bool:
    """Whether ``A a(b)`` makes an object of what looks like types."""
    for each in signatures.parameters(declarator):
        kind = each.child_by_field_name("type")
        for value in resolver.values(path, kind) if kind is not None else ():
            if isinstance(value, (Instance, Function)):
                return True
    return False


def _declared(resolver: Resolver, path: str, mention: Mention) -> Iterator[Value]:
    """By the type of what declares it."""
    above = mention.node.parent
    while above is not None and above.type not in _HOLDERS:
        if above.type == "lambda_capture_initializer":
            right = above.child_by_field_name("right")
            yield from resolver.values(path, right) if right is not None else ()
            return
        if above.type == "structured_binding_declarator":
            yield Unknown("it is bound by what is taken apart")
            return
        above = above.parent
    kind = above.child_by_field_name("type") if above is not None else None
    if above is None or kind is None:
        yield Unknown("nobody can tell what it is")
    elif above.type == "type_definition":
        yield from _type(resolver, path, mention, kind)
    elif kind.type == "placeholder_type_specifier":
        yield from _given(resolver, path, mention, above)
    else:
        yield from types.objects(resolver, path, kind)


def _type(resolver: Resolver, path: str, mention: Mention, kind: tree_sitter.Node) -> Iterator[Value]:
    """What a typedef names; of a function's type, what it gives."""
    above = mention.node.parent
    while above is not None and above.type != "type_definition":
        if above.type == "function_declarator":
            yield Elsewhere("a type of functions")
            return
        above = above.parent
    yield from resolver.values(path, kind)


def _given(resolver: Resolver, path: str, mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    """What ``auto`` is, by what is given."""
    if above.type == "for_range_loop":
        right = above.child_by_field_name("right")
        for value in resolver.values(path, right) if right is not None else ():
            yield from (
                types.element(resolver, value)
                if isinstance(value, Instance) and (value.of.node.type == "template_type")
                else (Unknown("nobody can tell what it goes through"),)
            )
        return
    holder = mention.node.parent
    while holder is not None and holder.type != "init_declarator" and holder != above:
        holder = holder.parent
    given = holder.child_by_field_name("value") if holder is not None else None
    if given is None:
        given = above.child_by_field_name("value")
    if given is None or given.type in ("initializer_list", "argument_list"):
        yield Unknown("nobody can tell what it is given")
    else:
        yield from resolver.values(path, given)


_READ: Mapping[str, Callable[[Resolver, str, Mention, tree_sitter.Node], Iterable[Value]]] = {
    "tag": _tag,
    "namespace": _namespace,
    **dict.fromkeys(("function", "method"), _function),
    "enumerator": _enumerator,
    **dict.fromkeys(("alias", "alias_declaration"), _alias),
    "generic": _generic,
}
"""How what a kind of name is bound to is read."""
