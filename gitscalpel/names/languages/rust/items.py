"""Structs, enums and traits, and the members that they have or are given by traits.

A type is identified by its item, and so are its methods and associated items, wherever they are
written. Fields and variants belong to its body. An item of ``impl Trait for Type`` belongs to the
trait. An associated type is looked up in the implementations, also in those for a form of types
(``impl<A, B> Trait for (A, B)``).

The prefix ``r#`` of a raw identifier is not part of the name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import tree_sitter

from gitscalpel.names.entities import Binding, Class, Elsewhere, Instance, Meaning, Unknown, Value
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention


def node_text(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> str:
    """What a node spells; nothing for none."""
    if node is None:
        return ""
    return resolver.lexical(path).text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")


def mention_of(resolver: Resolver, path: str, node: tree_sitter.Node) -> Mention:
    """What a name's node mentions."""
    word = node_text(resolver, path, node)
    bare = word.removeprefix("r#")
    return resolver.lexical(path).mentions.at(bare, node.start_byte + len(word) - len(bare))


def name_of(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> str:
    """The name that a definition has."""
    return node_text(resolver, path, node and node.child_by_field_name("name")).removeprefix("r#")


def ancestor(node: tree_sitter.Node, *types: str) -> tree_sitter.Node | None:
    """The innermost node of these types around another."""
    above = node.parent
    while above is not None and above.type not in types:
        above = above.parent
    return above


def is_field(node: tree_sitter.Node, of: tree_sitter.Node | None, field: str) -> bool:
    """Whether a node stands in a field of another."""
    found = of.child_by_field_name(field) if of is not None else None
    return found is not None and found.id == node.id


ITEMS = ("struct_item", "enum_item", "union_item")
_IN_IMPL = ("function_item", "const_item", "type_item")


def class_of_item(path: str, item: tree_sitter.Node) -> Class:
    """The class of a type's or trait's item."""
    body = item.child_by_field_name("body")
    return Class(path, body if item.type == "trait_item" and body is not None else item)


def fields_holder(value: Value) -> Value:
    """What holds the fields of a value."""
    of = value.of if isinstance(value, Instance) else value
    if not isinstance(of, Class):
        return value
    body = of.node.child_by_field_name("body")
    if of.node.type in (*ITEMS, "enum_variant") and body is not None:
        return Instance(Class(of.path, body))
    return Unknown("its fields are not known") if of.node.type not in ITEMS else Instance(of)


def type_of_self(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    """What ``Self`` is at a node."""
    item = ancestor(node, "impl_item", "trait_item", *ITEMS)
    if item is None:
        return (Unknown("Self stands in no type"),)
    if item.type != "impl_item":
        return (class_of_item(path, item),)
    kind = item.child_by_field_name("type")
    return resolver.values(path, kind) if kind is not None else ()


def impl_of(mention: Mention) -> tree_sitter.Node | None:
    """The ``impl`` that a mention defines an item of."""
    item = mention.node.parent
    block = item.parent if item is not None and item.type in _IN_IMPL else None
    above = block.parent if block is not None and block.type == "declaration_list" else None
    is_name = is_field(mention.node, item, "name")
    return above if above is not None and above.type == "impl_item" and is_name else None


def implementing_files(resolver: Resolver, binding: Binding) -> Iterator[str]:
    """The files that may implement a member of a type or trait."""
    node = resolver.lexical(binding.path).syntax.root.descendant_for_byte_range(
        binding.scope[0], binding.scope[1] - 1
    )
    if node is not None and (node.start_byte, node.end_byte) != binding.scope:
        return
    item = node if node is None or node.type in ITEMS else node.parent
    name = name_of(resolver, binding.path, item)
    if not name:
        return
    holding = {*resolver.files.holding(name)}
    for path in resolver.files.holding(binding.name):
        if path in holding and path.endswith(".rs") and resolver.files.lexical(path) is not None:
            yield path


def bases_of(resolver: Resolver, of: Class) -> Iterable[Value]:
    """What gives a type or trait its further members."""
    read = _READ.get(of.node.type)
    return read(resolver, of) if read is not None else ()


def _of_type(resolver: Resolver, of: Class) -> Iterator[Value]:
    body = of.node.child_by_field_name("body")
    if of.node.type == "enum_item" and body is not None:
        yield Class(of.path, body)
    for path, block in implementations(resolver, of):
        trait = block.child_by_field_name("trait")
        if trait is None:
            continue
        yield from resolver.values(path, trait)
        if node_text(resolver, path, trait) == "Deref":
            yield from _target(resolver, path, block)


def _target(resolver: Resolver, path: str, block: tree_sitter.Node) -> Iterator[Value]:
    body = block.child_by_field_name("body")
    for item in body.named_children if body is not None else ():
        kind = item.child_by_field_name("type")
        if item.type == "type_item" and kind is not None:
            yield from resolver.values(path, kind)


def implementations(resolver: Resolver, of: Class) -> Iterable[tuple[str, tree_sitter.Node]]:
    """The ``impl`` blocks of a type."""
    return resolver.once(("impls", of), lambda: _implementations(resolver, of), ())


def _implementations(resolver: Resolver, of: Class) -> Iterator[tuple[str, tree_sitter.Node]]:
    name = name_of(resolver, of.path, of.node)
    for path in resolver.files.holding(name) if name else ():
        lexical = resolver.files.lexical(path) if path.endswith(".rs") else None
        for block in lexical.syntax.of_type("impl_item") if lexical is not None else ():
            kind = block.child_by_field_name("type")
            if kind is not None and of in resolver.values(path, kind):
                yield path, block


def _of_fields(resolver: Resolver, of: Class) -> Iterator[Value]:
    """What is reached through ``Deref`` has fields as well."""
    item = of.node.parent
    if item is None or item.type not in ITEMS:
        return
    for path, block in implementations(resolver, Class(of.path, item)):
        if node_text(resolver, path, block.child_by_field_name("trait")) == "Deref":
            yield from map(fields_holder, _target(resolver, path, block))


def _of_trait(resolver: Resolver, of: Class) -> Iterator[Value]:
    item = of.node.parent
    if item is not None and item.type == "trait_item":
        yield from _bounds(resolver, of.path, item.child_by_field_name("bounds"))


def _of_variant(_resolver: Resolver, of: Class) -> Iterator[Value]:
    item = ancestor(of.node, "enum_item")
    if item is not None:
        yield Class(of.path, item)


def _of_parameter(resolver: Resolver, of: Class) -> Iterator[Value]:
    yield from _bounds(resolver, of.path, of.node.child_by_field_name("bounds"))
    name = name_of(resolver, of.path, of.node)
    holder = of.node.parent.parent if of.node.parent is not None else None
    for clause in holder.named_children if holder is not None else ():
        for each in clause.named_children if clause.type == "where_clause" else ():
            if node_text(resolver, of.path, each.child_by_field_name("left")) == name:
                yield from _bounds(resolver, of.path, each.child_by_field_name("bounds"))


def _of_some(resolver: Resolver, of: Class) -> Iterator[Value]:
    """``impl A + B``, ``dyn A``."""
    yield from _bounds(resolver, of.path, of.node)


def _bounds(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> Iterator[Value]:
    for each in node.named_children if node is not None else ():
        if each.type in ("bounded_type", "trait_bounds"):
            yield from _bounds(resolver, path, each)
        elif each.type not in ("lifetime", "removed_trait_bound", "line_comment", "block_comment"):
            yield from resolver.values(path, each)


_READ: Mapping[str, Callable[[Resolver, Class], Iterator[Value]]] = {
    **dict.fromkeys(ITEMS, _of_type),
    "field_declaration_list": _of_fields,
    "declaration_list": _of_trait,
    "enum_variant": _of_variant,
    "type_parameter": _of_parameter,
    "associated_type": _of_parameter,
    **dict.fromkeys(("abstract_type", "dynamic_type"), _of_some),
}


_Bound = dict[str, tree_sitter.Node]


def choose_associated_type(
    resolver: Resolver, path: str, own: tree_sitter.Node, trait: Class, name: str
) -> Iterator[Value]:
    """What the type of a name is for one that is written out at ``own``, if one ``impl`` fits it."""
    fitting = [
        (where, block, bound)
        for where, block in _impls_of_trait(resolver, trait)
        if (bound := _fitted(resolver, where, block.child_by_field_name("type"), path, own)) is not None
    ]
    if len(fitting) != 1:
        return
    ((where, block, bound),) = fitting
    body = block.child_by_field_name("body")
    for item in body.named_children if body is not None else ():
        kind = item.child_by_field_name("type")
        if item.type == "type_item" and kind is not None and name_of(resolver, where, item) == name:
            given = bound.get(node_text(resolver, where, kind))
            yield from resolver.values(where, kind) if given is None else resolver.values(path, given)


def _impls_of_trait(resolver: Resolver, trait: Class) -> Iterator[tuple[str, tree_sitter.Node]]:
    name = name_of(resolver, trait.path, trait.node.parent)
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
        return {node_text(resolver, path, form): own}
    if form.type != own.type or form.named_child_count != own.named_child_count:
        return None
    if not form.named_children:
        is_one = node_text(resolver, path, form) == node_text(resolver, where, own)
        return {} if is_one and values == resolver.values(where, own) else None
    found: _Bound = {}
    for mine, its in zip(form.named_children, own.named_children, strict=True):
        bound = _fitted(resolver, path, mine, where, its)
        if bound is None or any(
            node_text(resolver, where, found[each]) != node_text(resolver, where, bound[each])
            for each in found.keys() & bound.keys()
        ):
            return None
        found |= bound
    return found


_FORMS = ("tuple_type", "array_type", "reference_type")
"""Types that are written out, for which traits may be implemented by their form."""
_BARE = ("unit_type", "tuple_type")
"""Types of the language that have nothing but what traits give them."""


def members_by_traits(
    resolver: Resolver, path: str, mention: Mention, receiver: tree_sitter.Node
) -> list[Meaning]:
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


def implementing_type(
    resolver: Resolver, path: str, mention: Mention, receiver: tree_sitter.Node | None
) -> object:
    """The type whose function or constant of a trait is meant; None: of whatever type has it."""
    block = impl_of(mention)
    node = block.child_by_field_name("type") if block is not None else receiver
    bindings = [each for each in resolver.meanings(path, mention) if isinstance(each, Binding)]
    if (
        node is None
        or (mention.role, mention.kind) != ("member", "value")
        or not any(_member_of_trait(resolver, each) for each in bindings)
    ):
        return None
    found = resolver.values(path, node)
    of = found[0].of if len(found) == 1 and isinstance(found[0], Instance) else found[0] if found else None
    if isinstance(of, Class):
        return (of.path, of.scope) if of.node.type in ITEMS else None
    return _text(resolver, path, _inner(node)) if of == Elsewhere("the language") else None


def associated_types(
    resolver: Resolver, path: str, node: tree_sitter.Node, associated: Class
) -> Iterator[Value]:
    """What an associated type is in ``<S as Trait>::Type`` or ``S::Type``, where ``S`` implements it."""
    before = node.child_by_field_name("path")
    inner = _inner(before) if before is not None else None
    is_said = inner is not None and inner.type == "qualified_type"
    own = inner.child_by_field_name("type") if inner is not None and is_said else before
    name, body = name_of(resolver, associated.path, associated.node), associated.node.parent
    if own is None or body is None:
        return
    trait = Class(associated.path, body)
    if own.type in _FORMS:
        yield from choose_associated_type(resolver, path, own, trait, name)
    for value in resolver.values(path, own):
        for where, block in _blocks(resolver, value):
            said = block.child_by_field_name("trait")
            if said is not None and trait in resolver.values(where, said):
                yield from _item(resolver, where, block, name)


def _blocks(resolver: Resolver, value: Value) -> Iterable[tuple[str, tree_sitter.Node]]:
    """The ``impl`` blocks of a type; none of anything else."""
    is_type = isinstance(value, Class) and value.node.type in ITEMS
    return implementations(resolver, value) if isinstance(value, Class) and is_type else ()


def _item(resolver: Resolver, path: str, block: tree_sitter.Node, name: str) -> Iterator[Value]:
    body = block.child_by_field_name("body")
    for item in body.named_children if body is not None else ():
        kind = item.child_by_field_name("type")
        if item.type == "type_item" and kind is not None and name_of(resolver, path, item) == name:
            yield from resolver.values(path, kind)


def _defined(resolver: Resolver, name: str) -> Iterator[Binding]:
    """What traits of the tree define under a name."""
    for path in resolver.files.holding(name):
        lexical = resolver.files.lexical(path) if path.endswith(".rs") else None
        for mentions in lexical.bound(name).values() if lexical is not None else ():
            for each in mentions:
                block = ancestor(each.node, "declaration_list")
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
    for path in resolver.files.holding(name_of(resolver, binding.path, trait)) if trait is not None else ():
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


def _member_of_trait(resolver: Resolver, binding: Binding) -> bool:
    return any(_in_trait(place.mention.node) for place in resolver.binders(binding))


def _in_trait(node: tree_sitter.Node) -> bool:
    item = ancestor(node, "trait_item", "impl_item")
    return item is not None and item.type == "trait_item"


def _inner(node: tree_sitter.Node) -> tree_sitter.Node:
    """What stands in ``<`` and ``>``."""
    return node.named_children[0] if node.type == "bracketed_type" and node.named_children else node


def _text(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    return "".join(node_text(resolver, path, node).split())
