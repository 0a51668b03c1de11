"""What a name is worth where it is bound: by an item, a pattern, or as a member."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import tree_sitter

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.rust import classes, modules, types, uses
from gitscalpel.meaning.things import Class, Elsewhere, Function, Instance, Unknown, Value
from gitscalpel.syntax.occurrences import Mention

_Bound = Callable[[Resolver, str, Mention, tree_sitter.Node], Iterable[Value]]


def worth(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    """What a name is worth where a mention binds it."""
    above = mention.node.parent
    if above is None:
        return (Unknown("it is bound by nothing"),)
    if mention.kind == "import":
        return [v for each in uses.origin(resolver, path, mention) for v in resolver.worth(each)]
    if mention.kind in ("let", "parameter", "pattern"):
        return _pattern(resolver, path, mention, above)
    read = _READ.get(above.type)
    return read(resolver, path, mention, above) if read else (Elsewhere("the language"),)


def _type(_resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    yield classes.of_item(path, above)


def _alias(resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    kind = above.child_by_field_name("type")
    yield from resolver.values(path, kind) if kind is not None else ()


def _mod(resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    yield modules.declared(resolver, path, above) or Unknown("it has no file that is read here")


def _function(_resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    yield Function(path, above)


def _typed(resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    yield from types.objects(resolver, path, above.child_by_field_name("type"))


def _node(_resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    yield Class(path, above)


def _pattern(resolver: Resolver, path: str, mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    """A name that a pattern consists of, or that is a field's in it."""
    kind, value = above.child_by_field_name("type"), above.child_by_field_name("value")
    if above.type == "parameter" or (above.type == "let_declaration" and kind is not None):
        yield from types.objects(resolver, path, kind)
    elif above.type in ("let_declaration", "let_condition") and value is not None:
        for each in resolver.values(path, value):
            yield Instance(each) if isinstance(each, Class) else each
    elif mention.key and above.parent is not None:
        for holder in resolver.values(path, above.parent):
            for meaning in resolver.members(holder, mention.name):
                yield from map(types.seen_from_outside, resolver.worth(meaning))
    else:
        yield Unknown("it is bound by what is taken apart")


_READ: Mapping[str, _Bound] = {
    **dict.fromkeys((*classes.ITEMS, "trait_item"), _type),
    "type_item": _alias,
    "mod_item": _mod,
    **dict.fromkeys(("function_item", "function_signature_item"), _function),
    **dict.fromkeys(("const_item", "static_item", "field_declaration"), _typed),
    **dict.fromkeys(("enum_variant", "type_parameter", "associated_type"), _node),
}
"""How what stands around a bound name is read."""
