"""Associated types where a trait is implemented for a form of types (``impl<A, B> Trait for (A, B)``)."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.rust import words
from gitscalpel.meaning.things import Class, Value

_Bound = dict[str, tree_sitter.Node]


def chosen(resolver: Resolver, path: str, own: tree_sitter.Node, trait: Class, name: str) -> Iterator[Value]:
    """What the type of a name is for one that is written out at ``own``, if one ``impl`` fits it."""
    fitting = [
        (where, block, bound)
        for where, block in _implementations(resolver, trait)
        if (bound := _fitted(resolver, where, block.child_by_field_name("type"), path, own)) is not None
    ]
    if len(fitting) != 1:
        return
    ((where, block, bound),) = fitting
    body = block.child_by_field_name("body")
    for item in body.named_children if body is not None else ():
        kind = item.child_by_field_name("type")
        if item.type == "type_item" and kind is not None and words.name(resolver, where, item) == name:
            given = bound.get(words.text(resolver, where, kind))
            yield from resolver.values(where, kind) if given is None else resolver.values(path, given)


def _implementations(resolver: Resolver, trait: Class) -> Iterator[tuple[str, tree_sitter.Node]]:
    name = words.name(resolver, trait.path, trait.node.parent)
    for path in resolver.files.holding(name) if name else ():
        lexical = resolver.files.lexical(path) if path.endswith(".rs") else None
        for block in lexical.syntax.of_type("impl_item") if lexical is not None else ():
            said = block.child_by_field_name("trait")
            if said is not None and trait in resolver.values(path, said):
                yield path, block


def _fitted(
    resolver: Resolver, path: str, form: tree_sitter.Node | None, where: str, own: tree_sitter.Node
) -> _Bound | None:
    """What each parameter of a form of types is for one; None: it is not of that form."""
    if form is None:
        return None
    values = resolver.values(path, form)
    is_named = form.type == "type_identifier" and len(values) == 1
    if is_named and isinstance(values[0], Class) and values[0].node.type == "type_parameter":
        return {words.text(resolver, path, form): own}
    if form.type != own.type or form.named_child_count != own.named_child_count:
        return None
    if not form.named_children:
        is_one = words.text(resolver, path, form) == words.text(resolver, where, own)
        return {} if is_one and values == resolver.values(where, own) else None
    found: _Bound = {}
    for mine, its in zip(form.named_children, own.named_children, strict=True):
        bound = _fitted(resolver, path, mine, where, its)
        if bound is None or any(
            words.text(resolver, where, found[each]) != words.text(resolver, where, bound[each])
            for each in found.keys() & bound.keys()
        ):
            return None
        found |= bound
    return found
