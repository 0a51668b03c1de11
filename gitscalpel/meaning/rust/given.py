"""What traits give to types: which type's a member is, an associated type where it is chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.rust import classes, generic, words
from gitscalpel.meaning.things import Binding, Class, Elsewhere, Instance, Meaning, Unknown, Value
from gitscalpel.syntax.occurrences import Mention

_FORMS = ("tuple_type", "array_type", "reference_type")
"""Types that are written out, for which traits may be implemented by their form."""
_BARE = ("unit_type", "tuple_type")
"""Types of the language that have nothing but what traits give them."""


def by_traits(resolver: Resolver, path: str, mention: Mention, receiver: tree_sitter.Node) -> list[Meaning]:
    """What a trait of the tree may give to what stands before a member."""
    found = resolver.once(("traits", mention.name), lambda: _defined(resolver, mention.name), ())
    bare = _inner(receiver)
    if bare.type in _BARE and all(_impls(resolver, each) for each in found):
        said = _text(resolver, path, bare)
        kinds = {each: list(_impls(resolver, each)) for each in found}
        has = [each for each, those in kinds.items() if said in those]
        if len(has) == 1 and not any(None in those for those in kinds.values()):
            return [*has]
    return [Unknown("a trait may give it to this type")] if found else []


def holder(resolver: Resolver, path: str, mention: Mention, receiver: tree_sitter.Node | None) -> object:
    """The type whose function or constant of a trait is meant; None: of whatever type has it."""
    block = classes.implements(mention)
    node = block.child_by_field_name("type") if block is not None else receiver
    bindings = [each for each in resolver.meanings(path, mention) if isinstance(each, Binding)]
    if (
        node is None
        or (mention.role, mention.kind) != ("member", "value")
        or not any(_of_trait(resolver, each) for each in bindings)
    ):
        return None
    found = resolver.values(path, node)
    of = found[0].of if len(found) == 1 and isinstance(found[0], Instance) else found[0] if found else None
    if isinstance(of, Class):
        return (of.path, of.scope) if of.node.type in classes.ITEMS else None
    return _text(resolver, path, _inner(node)) if of == Elsewhere("the language") else None


def chosen(resolver: Resolver, path: str, node: tree_sitter.Node, associated: Class) -> Iterator[Value]:
    """What an associated type is in ``<S as Trait>::Type`` or ``S::Type``, where ``S`` implements it."""
    before = node.child_by_field_name("path")
    inner = _inner(before) if before is not None else None
    is_said = inner is not None and inner.type == "qualified_type"
    own = inner.child_by_field_name("type") if inner is not None and is_said else before
    name, body = words.name(resolver, associated.path, associated.node), associated.node.parent
    if own is None or body is None:
        return
    trait = Class(associated.path, body)
    if own.type in _FORMS:
        yield from generic.chosen(resolver, path, own, trait, name)
    for value in resolver.values(path, own):
        for where, block in _blocks(resolver, value):
            said = block.child_by_field_name("trait")
            if said is not None and trait in resolver.values(where, said):
                yield from _item(resolver, where, block, name)


def _blocks(resolver: Resolver, value: Value) -> Iterable[tuple[str, tree_sitter.Node]]:
    """The ``impl`` blocks of a type; none of anything else."""
    is_type = isinstance(value, Class) and value.node.type in classes.ITEMS
    return classes.implementations(resolver, value) if isinstance(value, Class) and is_type else ()


def _item(resolver: Resolver, path: str, block: tree_sitter.Node, name: str) -> Iterator[Value]:
    body = block.child_by_field_name("body")
    for item in body.named_children if body is not None else ():
        kind = item.child_by_field_name("type")
        if item.type == "type_item" and kind is not None and words.name(resolver, path, item) == name:
            yield from resolver.values(path, kind)


def _defined(resolver: Resolver, name: str) -> Iterator[Binding]:
    """What traits of the tree define under a name."""
    for path in resolver.files.holding(name):
        lexical = resolver.files.lexical(path) if path.endswith(".rs") else None
        for mentions in lexical.bound(name).values() if lexical is not None else ():
            for each in mentions:
                block = words.around(each.node, "declaration_list")
                is_of_trait = (
                    block is not None and block.parent is not None and block.parent.type == "trait_item"
                )
                if each.kind == "member" and each.scopes[0].kind != "item" and is_of_trait:
                    yield from (m for m in resolver.written(path, each) if isinstance(m, Binding))


def _impls(resolver: Resolver, binding: Binding) -> Iterable[str | None]:
    """The types that a trait is implemented for, as they are written; None: for a parameter."""
    return resolver.once(("implementing", binding.path, binding.scope), lambda: _types(resolver, binding), ())


def _types(resolver: Resolver, binding: Binding) -> Iterator[str | None]:
    body = resolver.lexical(binding.path).syntax.root.descendant_for_byte_range(
        binding.scope[0], binding.scope[1] - 1
    )
    trait = body.parent if body is not None else None
    for path in (
        resolver.files.holding(words.name(resolver, binding.path, trait)) if trait is not None else ()
    ):
        lexical = resolver.files.lexical(path) if path.endswith(".rs") else None
        for block in lexical.syntax.of_type("impl_item") if lexical is not None else ():
            said, kind = block.child_by_field_name("trait"), block.child_by_field_name("type")
            if said is None or kind is None:
                continue
            if any(isinstance(v, Class) and v.scope == binding.scope for v in resolver.values(path, said)):
                yield _text(resolver, path, kind) if kind.type in _BARE else _other(resolver, path, kind)


def _other(resolver: Resolver, path: str, kind: tree_sitter.Node) -> str | None:
    """Another type as it is written; None: a parameter, which may be any type."""
    open_ = [
        v for v in resolver.values(path, kind) if isinstance(v, Class) and v.node.type == "type_parameter"
    ]
    return None if open_ else _text(resolver, path, kind)


def _of_trait(resolver: Resolver, binding: Binding) -> bool:
    return any(_in_trait(place.mention.node) for place in resolver.binders(binding))


def _in_trait(node: tree_sitter.Node) -> bool:
    item = words.around(node, "trait_item", "impl_item")
    return item is not None and item.type == "trait_item"


def _inner(node: tree_sitter.Node) -> tree_sitter.Node:
    """What stands in ``<`` and ``>``."""
    return node.named_children[0] if node.type == "bracketed_type" and node.named_children else node


def _text(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    return "".join(words.text(resolver, path, node).split())
