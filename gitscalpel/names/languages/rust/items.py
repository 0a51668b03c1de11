"""Items and modules of Rust: types, traits, their members, crates, and use declarations.

A type is identified by its item; fields and variants are identified by the body of the item. An item of
``impl Trait for Type`` belongs to the trait. An associated type is looked up in the implementations. A file
may be a module of several crates (``lib.rs`` and ``main.rs``):
https://doc.rust-lang.org/reference/items/modules.html.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec
import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import (
    WHOLE,
    Binding,
    Class,
    Elsewhere,
    Instance,
    Meaning,
    Module,
    Unknown,
    Value,
)
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.nodes import children_of, find_part
from gitscalpel.names.resolver import Resolver, cache_answers
from gitscalpel.syntax.occurrences import Mention, Scope


def mention_of(resolver: Resolver, path: str, node: tree_sitter.Node) -> Mention:
    """Return the occurrence at the node of a name, without the prefix ``r#`` of a raw identifier."""
    word = nodes.text(resolver, path, node)
    bare = word.removeprefix("r#")
    return resolver.lexical(path).mentions.at(bare, node.start_byte + len(word) - len(bare))


def name_of(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> str:
    return nodes.text(resolver, path, node and node.child_by_field_name("name")).removeprefix("r#")


def is_field(node: tree_sitter.Node, of: tree_sitter.Node | None, field: str) -> bool:
    part = find_part(of, field)
    return part is not None and part.id == node.id


ITEMS = ("struct_item", "enum_item", "union_item")
_IN_IMPL = ("function_item", "const_item", "type_item")


def class_of_item(path: str, item: tree_sitter.Node) -> Class:
    body = item.child_by_field_name("body")
    return Class(path, body if item.type == "trait_item" and body is not None else item)


def fields_holder(value: Value) -> Value:
    """Return the class with the fields of a value."""
    of = value.of if isinstance(value, Instance) else value
    if not isinstance(of, Class):
        return value
    body = of.node.child_by_field_name("body")
    if of.node.type in (*ITEMS, "enum_variant") and body is not None:
        return Instance(Class(of.path, body))
    return Unknown("its fields are not known") if of.node.type not in ITEMS else Instance(of)


def type_of_self(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    item = nodes.ancestor(node, "impl_item", "trait_item", *ITEMS)
    if item is None:
        return (Unknown("Self is outside of any type"),)
    if item.type != "impl_item":
        return (class_of_item(path, item),)
    return resolver.values(path, item.child_by_field_name("type"))


def impl_of(mention: Mention) -> tree_sitter.Node | None:
    item = mention.node.parent
    block = item.parent if item is not None and item.type in _IN_IMPL else None
    above = block.parent if block is not None and block.type == "declaration_list" else None
    is_name = is_field(mention.node, item, "name")
    return above if above is not None and above.type == "impl_item" and is_name else None


def implementing_files(resolver: Resolver, binding: Binding) -> Iterator[str]:
    """Yield the files that may implement a member of a type or trait."""
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
    """Return the types and traits that give a type or trait further members."""
    read = _BASE_READERS.get(of.node.type)
    return read(resolver, of) if read is not None else ()


def _bases_of_type(resolver: Resolver, of: Class) -> Iterator[Value]:
    body = of.node.child_by_field_name("body")
    if of.node.type == "enum_item" and body is not None:
        yield Class(of.path, body)
    for path, block in implementations(resolver, of):
        trait = block.child_by_field_name("trait")
        if trait is None:
            continue
        yield from resolver.values(path, trait)
        if nodes.text(resolver, path, trait) == "Deref":
            yield from _deref_target(resolver, path, block)


def _deref_target(resolver: Resolver, path: str, block: tree_sitter.Node) -> Iterator[Value]:
    for item in children_of(block.child_by_field_name("body")):
        kind = item.child_by_field_name("type")
        if item.type == "type_item" and kind is not None:
            yield from resolver.values(path, kind)


@cache_answers
def implementations(resolver: Resolver, of: Class) -> Iterator[tuple[str, tree_sitter.Node]]:
    name = name_of(resolver, of.path, of.node)
    for path, lexical in resolver.parsed_files(name, ".rs") if name else ():
        for block in lexical.syntax.of_type("impl_item"):
            kind = block.child_by_field_name("type")
            if kind is not None and of in resolver.values(path, kind):
                yield path, block


def _bases_of_fields(resolver: Resolver, of: Class) -> Iterator[Value]:
    """Yield the fields that are reached through ``Deref``."""
    item = of.node.parent
    if item is None or item.type not in ITEMS:
        return
    for path, block in implementations(resolver, Class(of.path, item)):
        if nodes.text(resolver, path, block.child_by_field_name("trait")) == "Deref":
            yield from map(fields_holder, _deref_target(resolver, path, block))


def _bases_of_trait(resolver: Resolver, of: Class) -> Iterator[Value]:
    item = of.node.parent
    if item is not None and item.type == "trait_item":
        yield from _bounds_in(resolver, of.path, item.child_by_field_name("bounds"))


def _bases_of_variant(_resolver: Resolver, of: Class) -> Iterator[Value]:
    item = nodes.ancestor(of.node, "enum_item")
    if item is not None:
        yield Class(of.path, item)


def _bases_of_parameter(resolver: Resolver, of: Class) -> Iterator[Value]:
    yield from _bounds_in(resolver, of.path, of.node.child_by_field_name("bounds"))
    name = name_of(resolver, of.path, of.node)
    holder = of.node.parent.parent if of.node.parent is not None else None
    for clause in children_of(holder):
        for each in clause.named_children if clause.type == "where_clause" else ():
            if nodes.text(resolver, of.path, each.child_by_field_name("left")) == name:
                yield from _bounds_in(resolver, of.path, each.child_by_field_name("bounds"))


def _bounds_in(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> Iterator[Value]:
    for each in children_of(node):
        if each.type in ("bounded_type", "trait_bounds"):
            yield from _bounds_in(resolver, path, each)
        elif each.type not in ("lifetime", "removed_trait_bound", "line_comment", "block_comment"):
            yield from resolver.values(path, each)


_BASE_READERS: Mapping[str, Callable[[Resolver, Class], Iterator[Value]]] = {
    **dict.fromkeys(ITEMS, _bases_of_type),
    "field_declaration_list": _bases_of_fields,
    "declaration_list": _bases_of_trait,
    "enum_variant": _bases_of_variant,
    "type_parameter": _bases_of_parameter,
    "associated_type": _bases_of_parameter,
    **dict.fromkeys(
        ("abstract_type", "dynamic_type"), lambda resolver, of: _bounds_in(resolver, of.path, of.node)
    ),
}


_Bound = dict[str, tree_sitter.Node]


def choose_associated_type(
    resolver: Resolver, path: str, own: tree_sitter.Node, trait: Class, name: str
) -> Iterator[Value]:
    """Yield the associated type with a name for the type at ``own``, if exactly one ``impl`` matches."""
    fitting = [
        (impl_path, block, bound)
        for impl_path, block in _impls_for_trait(resolver, trait)
        if (bound := _match_form(resolver, impl_path, block.child_by_field_name("type"), path, own))
        is not None
    ]
    if len(fitting) != 1:
        return
    ((impl_path, block, bound),) = fitting
    for item in children_of(block.child_by_field_name("body")):
        kind = item.child_by_field_name("type")
        if item.type == "type_item" and kind is not None and name_of(resolver, impl_path, item) == name:
            chosen = bound.get(nodes.text(resolver, impl_path, kind))
            yield from resolver.values(impl_path, kind) if chosen is None else resolver.values(path, chosen)


def _impls_for_trait(resolver: Resolver, trait: Class) -> Iterator[tuple[str, tree_sitter.Node]]:
    name = name_of(resolver, trait.path, trait.node.parent)
    for path, lexical in resolver.parsed_files(name, ".rs") if name else ():
        for block in lexical.syntax.of_type("impl_item"):
            trait_node = block.child_by_field_name("trait")
            if trait_node is not None and trait in resolver.values(path, trait_node):
                yield path, block


def _match_form(
    resolver: Resolver, path: str, form: tree_sitter.Node | None, own_path: str, own: tree_sitter.Node
) -> _Bound | None:
    """Return the types of a form's parameters for a type; None if the type does not have that form."""
    if form is None:
        return None
    values = resolver.values(path, form)
    is_named = form.type == "type_identifier" and len(values) == 1
    if is_named and isinstance(values[0], Class) and values[0].node.type == "type_parameter":
        return {nodes.text(resolver, path, form): own}
    if form.type != own.type or form.named_child_count != own.named_child_count:
        return None
    if not form.named_children:
        is_one = nodes.text(resolver, path, form) == nodes.text(resolver, own_path, own)
        return {} if is_one and values == resolver.values(own_path, own) else None
    types: _Bound = {}
    for part, own_part in zip(form.named_children, own.named_children, strict=True):
        bound = _match_form(resolver, path, part, own_path, own_part)
        if bound is None or any(
            nodes.text(resolver, own_path, types[each]) != nodes.text(resolver, own_path, bound[each])
            for each in types.keys() & bound.keys()
        ):
            return None
        types |= bound
    return types


_COMPOUND_TYPES = ("tuple_type", "array_type", "reference_type")
"""Compound types, for whose forms traits may be implemented."""
_BUILTIN_TYPES = ("unit_type", "tuple_type")
"""Built-in types that have members only from traits."""


def members_by_traits(
    resolver: Resolver, path: str, mention: Mention, receiver: tree_sitter.Node
) -> list[Meaning]:
    members = _trait_members(resolver, mention.name)
    bare = _inner_type(receiver)
    if bare.type in _BUILTIN_TYPES and all(_implementing_names(resolver, each) for each in members):
        type_text = _text(resolver, path, bare)
        kinds = {each: list(_implementing_names(resolver, each)) for each in members}
        matching = [each for each, type_names in kinds.items() if type_text in type_names]
        if len(matching) == 1 and not any(None in type_names for type_names in kinds.values()):
            return [*matching]
    return [Unknown("a trait may give it to this type")] if members else []


def implementing_type(
    resolver: Resolver, path: str, mention: Mention, receiver: tree_sitter.Node | None
) -> object:
    """Return the type whose trait member is meant; None for any type that has it."""
    block = impl_of(mention)
    node = block.child_by_field_name("type") if block is not None else receiver
    bindings = [each for each in resolver.meanings(path, mention) if isinstance(each, Binding)]
    if (
        node is None
        or (mention.role, mention.kind) != ("member", "value")
        or not any(_is_trait_member(resolver, each) for each in bindings)
    ):
        return None
    values = resolver.values(path, node)
    of = (
        values[0].of
        if len(values) == 1 and isinstance(values[0], Instance)
        else values[0]
        if values
        else None
    )
    if isinstance(of, Class):
        return (of.path, of.scope) if of.node.type in ITEMS else None
    return _text(resolver, path, _inner_type(node)) if of == Elsewhere("the language") else None


def associated_types(
    resolver: Resolver, path: str, node: tree_sitter.Node, associated: Class
) -> Iterator[Value]:
    """Yield the associated type of ``<S as Trait>::Type`` or ``S::Type``, where ``S`` implements it."""
    before = node.child_by_field_name("path")
    inner = _inner_type(before) if before is not None else None
    is_said = inner is not None and inner.type == "qualified_type"
    own = inner.child_by_field_name("type") if inner is not None and is_said else before
    name, body = name_of(resolver, associated.path, associated.node), associated.node.parent
    if own is None or body is None:
        return
    trait = Class(associated.path, body)
    if own.type in _COMPOUND_TYPES:
        yield from choose_associated_type(resolver, path, own, trait, name)
    for value in resolver.values(path, own):
        for impl_path, block in _impl_blocks(resolver, value):
            trait_node = block.child_by_field_name("trait")
            if trait_node is not None and trait in resolver.values(impl_path, trait_node):
                yield from _item_in_block(resolver, impl_path, block, name)


def _impl_blocks(resolver: Resolver, value: Value) -> Iterable[tuple[str, tree_sitter.Node]]:
    is_type = isinstance(value, Class) and value.node.type in ITEMS
    return implementations(resolver, value) if isinstance(value, Class) and is_type else ()


def _item_in_block(resolver: Resolver, path: str, block: tree_sitter.Node, name: str) -> Iterator[Value]:
    for item in children_of(block.child_by_field_name("body")):
        kind = item.child_by_field_name("type")
        if item.type == "type_item" and kind is not None and name_of(resolver, path, item) == name:
            yield from resolver.values(path, kind)


@cache_answers
def _trait_members(resolver: Resolver, name: str) -> Iterator[Binding]:
    for path, lexical in resolver.parsed_files(name, ".rs"):
        for mentions in lexical.bindings_by_scope(name).values():
            for each in mentions:
                block = nodes.ancestor(each.node, "declaration_list")
                is_of_trait = (
                    block is not None and block.parent is not None and block.parent.type == "trait_item"
                )
                if each.kind == "member" and each.scopes[0].kind != "item" and is_of_trait:
                    yield from (m for m in resolver.own_scope_meanings(path, each) if isinstance(m, Binding))


@cache_answers
def _implementing_names(resolver: Resolver, binding: Binding) -> Iterator[str | None]:
    """Return the types that a trait is implemented for, as written; None for a type parameter."""
    body = resolver.lexical(binding.path).syntax.root.descendant_for_byte_range(
        binding.scope[0], binding.scope[1] - 1
    )
    trait = body.parent if body is not None else None
    for path, lexical in (
        resolver.parsed_files(name_of(resolver, binding.path, trait), ".rs") if trait is not None else ()
    ):
        for block in lexical.syntax.of_type("impl_item"):
            trait_node, kind = block.child_by_field_name("trait"), block.child_by_field_name("type")
            if trait_node is None or kind is None:
                continue
            if any(
                isinstance(v, Class) and v.scope == binding.scope for v in resolver.values(path, trait_node)
            ):
                yield (
                    _text(resolver, path, kind)
                    if kind.type in _BUILTIN_TYPES
                    else _type_name(resolver, path, kind)
                )


def _type_name(resolver: Resolver, path: str, kind: tree_sitter.Node) -> str | None:
    open_ = [
        v for v in resolver.values(path, kind) if isinstance(v, Class) and v.node.type == "type_parameter"
    ]
    return None if open_ else _text(resolver, path, kind)


def _is_trait_member(resolver: Resolver, binding: Binding) -> bool:
    return any(_is_in_trait(place.mention.node) for place in resolver.binders(binding))


def _is_in_trait(node: tree_sitter.Node) -> bool:
    item = nodes.ancestor(node, "trait_item", "impl_item")
    return item is not None and item.type == "trait_item"


def _inner_type(node: tree_sitter.Node) -> tree_sitter.Node:
    return node.named_children[0] if node.type == "bracketed_type" and node.named_children else node


def _text(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    return "".join(nodes.text(resolver, path, node).split())


_ROOTS = ("lib.rs", "main.rs")


def module_at(path: str, node: tree_sitter.Node) -> Module:
    item = nodes.ancestor(node, "mod_item")
    body = find_part(item, "body")
    if item is not None and body is not None and body.start_byte <= node.start_byte:
        return Module(path, "rust", (body.start_byte, body.end_byte))
    return module_at(path, item) if item is not None else Module(path, "rust")


def module_body(resolver: Resolver, module: Module) -> tree_sitter.Node | None:
    lexical = resolver.files.lexical(module.path)
    if lexical is None or module.within is None:
        return lexical.syntax.root if lexical is not None else None
    return resolver.node_at(module.path, module.within)


def declared_module(resolver: Resolver, path: str, item: tree_sitter.Node) -> Module | None:
    """Return the module that a ``mod`` item declares or contains."""
    body = item.child_by_field_name("body")
    if body is not None:
        return Module(path, "rust", (body.start_byte, body.end_byte))
    path_attribute = _path_attribute(resolver, path, item)
    folder = posixpath.dirname(path)
    if path_attribute:
        return _first_file(resolver, [posixpath.normpath(posixpath.join(folder, path_attribute))])
    name, inner = name_of(resolver, path, item), _names_around(resolver, path, item)
    stem = posixpath.basename(path).removesuffix(".rs")
    folders = [posixpath.join(folder, *([] if f"{stem}.rs" in (*_ROOTS, "mod.rs") else [stem]), *inner)]
    if not _declaring_files(resolver, path):  # a crate of its own, whatever it is called
        folders.append(posixpath.join(folder, *inner))
    return _first_file(
        resolver, [f"{posixpath.join(f, name)}{end}" for f in folders for end in (".rs", "/mod.rs")]
    )


def parent_modules(resolver: Resolver, module: Module) -> Iterable[Module]:
    """Return the modules around a module: usually one, and none around a crate."""
    if module.within is not None:
        node = module_body(resolver, module)
        item = node.parent if node is not None else None
        return (module_at(module.path, item),) if item is not None else ()
    return _find_parents(resolver, module.path)


def crates_of(resolver: Resolver, module: Module) -> list[Module]:
    crates, waiting, seen = list[Module](), [module], set[Module]()
    while waiting:
        each = waiting.pop()
        above = list(parent_modules(resolver, each)) if each not in seen else []
        if not above and each not in seen:
            crates.append(Module(each.path, "rust"))
        seen.add(each)
        waiting += above
    return crates


@cache_answers
def crates_named(resolver: Resolver, name: str) -> Iterator[Module]:
    for path in resolver.files.holding(max(name.split("_"), key=len)):
        source = resolver.files.source(path) if posixpath.basename(path) == "Cargo.toml" else None
        match = re.search(rb'(?m)^name\s*=\s*"([\w-]+)"', source.text) if source is not None else None
        root = posixpath.join(posixpath.dirname(path), "src/lib.rs")
        if match and match[1].decode().replace("-", "_") == name and resolver.files.is_file(root):
            yield Module(root, "rust")


@cache_answers
def undeclared_files(resolver: Resolver, name: str) -> Iterator[str]:
    """Return the files with a name that no file declares as a module: each may be a crate with that name."""
    for path in resolver.files.overlay.under(""):
        if posixpath.basename(path) == f"{name}.rs" and not _declaring_files(resolver, path):
            yield path


@cache_answers
def _find_parents(resolver: Resolver, path: str) -> Iterator[Module]:
    for above in _declaring_files(resolver, path):
        for item in resolver.lexical(above).syntax.of_type("mod_item"):
            if item.child_by_field_name("body") is None and declared_module(resolver, above, item) == Module(
                path, "rust"
            ):
                yield module_at(above, item)


@cache_answers
def _declaring_files(resolver: Resolver, path: str) -> Iterator[str]:
    folder, _, base = path.rpartition("/")
    stem = base.removesuffix(".rs")
    if stem == "mod":
        folder, _, stem = folder.rpartition("/")
    if base in _ROOTS or not stem:
        return
    declaration = re.compile(rb'\bmod\s+(r#)?%s\s*;|#\[path\s*=\s*"[^"]*%s' % (stem.encode(), base.encode()))
    for each in resolver.files.holding(stem):
        directory = posixpath.dirname(each)
        if (
            each == path
            or not each.endswith(".rs")
            or not f"{folder}/".startswith(f"{directory}/" if directory else "")
        ):
            continue
        source = resolver.files.source(each)
        if (
            source is not None
            and declaration.search(source.text)
            and resolver.files.lexical(each) is not None
        ):
            yield each


def _path_attribute(resolver: Resolver, path: str, item: tree_sitter.Node) -> str:
    """Return the path in ``#[path = "..."]`` before an item."""
    matches = (re.match(r'#\[path\s*=\s*"([^"]+)"', each) for each in attributes_of(resolver, path, item))
    return next((match[1] for match in matches if match), "")


def attributes_of(resolver: Resolver, path: str, item: tree_sitter.Node) -> Iterator[str]:
    before = item.prev_named_sibling
    while before is not None and before.type in ("attribute_item", "line_comment"):
        if before.type == "attribute_item":
            yield nodes.text(resolver, path, before)
        before = before.prev_named_sibling


def _names_around(resolver: Resolver, path: str, item: tree_sitter.Node) -> list[str]:
    above = nodes.ancestor(item, "mod_item")
    return [] if above is None else [*_names_around(resolver, path, above), name_of(resolver, path, above)]


def _first_file(resolver: Resolver, places: list[str]) -> Module | None:
    return next((Module(place, "rust") for place in places if resolver.files.is_file(place)), None)


_LOCAL = ("let", "parameter", "pattern")
_USE_NODES = ("scoped_identifier", "use_as_clause", "use_wildcard", "scoped_use_list")


def import_origin(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    above = mention.node.parent
    if above is None:
        return ()
    if above.type == "use_as_clause":
        named = above.child_by_field_name("path")
        last = find_part(named, "name")
        source = last or named
        if source is None or source.type not in ("identifier", "scoped_identifier"):
            return _meanings_of_self(resolver, path, above)
        return resolver.meanings(path, mention_of(resolver, path, source))
    if above.type == "extern_crate_declaration":
        return crate_meanings(resolver, name_of(resolver, path, above))
    if above.type == "scoped_identifier" and is_field(mention.node, above, "name"):
        before = above.child_by_field_name("path")
        return (
            look_up_in_path(resolver, path, before, mention)
            if before is not None
            else crate_meanings(resolver, mention.name)
        )
    return first_of_path(resolver, path, mention, "any")


def is_alias(mention: Mention) -> bool:
    above = mention.node.parent
    return above is not None and above.child_by_field_name("alias") is not None


def first_of_path(resolver: Resolver, path: str, mention: Mention, kind: str) -> Iterable[Meaning]:
    before = use_prefix(mention.node)
    if before is not None:
        return look_up_in_path(resolver, path, before, msgspec.structs.replace(mention, kind=kind))
    statement = nodes.ancestor(mention.node, "use_declaration")
    lexical = resolver.lexical(path)
    outer = tuple(scope for scope in mention.scopes if not _is_hidden_from_use(lexical, mention.name, scope))
    use = msgspec.structs.replace(mention, role="use", kind=kind, scopes=outer)
    scope = lexical.scope_of(use)
    binders = lexical.bindings_by_scope(mention.name).get(scope.node.id, ()) if scope is not None else ()
    if any(
        statement is None or nodes.ancestor(each.node, "use_declaration") != statement for each in binders
    ):
        meanings = tuple(resolver.scope_meanings(path, use))
        others = tuple(each for each in meanings if not _is_import(each))
        return others if len({*meanings}) > 1 and len(others) == 1 else meanings
    outer_meanings = () if scope is not None else tuple(resolver.scope_meanings(path, use))
    return [each for each in outer_meanings if isinstance(each, Binding)] or crate_meanings(
        resolver, mention.name
    )


def _is_hidden_from_use(lexical: Lexical, name: str, scope: Scope) -> bool:
    """Return True if a path in a ``use`` does not see a scope, since local names are not visible there."""
    bound = lexical.bindings_by_scope(name).get(scope.node.id, ())
    return scope.kind == "use" or (bool(bound) and all(each.kind in _LOCAL for each in bound))


def crate_meanings(resolver: Resolver, name: str) -> Iterable[Meaning]:
    crates = [Binding(each.path, WHOLE, "rust", name) for each in crates_named(resolver, name)]
    undeclared = (
        [] if crates else [Binding(path, WHOLE, "rust", name) for path in undeclared_files(resolver, name)]
    )
    doubt = (Unknown("a crate of another name may be meant"),) if undeclared else ()
    return (*crates, *undeclared, *doubt) or (Elsewhere("another crate"),)


def look_up_in_path(
    resolver: Resolver, path: str, before: tree_sitter.Node, mention: Mention
) -> Iterable[Meaning]:
    members: list[Meaning] = []
    for value in resolver.values(path, before):
        members += resolver.members(value, mention.name)
    meet = resolver.lexical(path).rules.meet
    fitting = [
        each
        for each in members
        if not (isinstance(each, Binding) and each.space) or meet(each.space, mention.kind)
    ]
    return dict.fromkeys(fitting or members)


def use_prefix(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the path before the braces around a path."""
    each = node
    while each.parent is not None and each.parent.type in _USE_NODES:
        each = each.parent
    holder = each.parent.parent if each.parent is not None and each.parent.type == "use_list" else None
    if holder is None:
        return None
    return holder.child_by_field_name("path") or use_prefix(holder)


def glob_imports(resolver: Resolver, path: str, scope: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the targets of ``use ...::*`` in a scope."""
    for node in resolver.lexical(path).syntax.of_type("use_wildcard"):
        statement = nodes.ancestor(node, "use_declaration")
        if statement is not None and statement.parent is not None and statement.parent.id == scope.id:
            named = node.named_children[0] if node.named_children else use_prefix(node)
            if named is not None:
                yield named


def _meanings_of_self(resolver: Resolver, path: str, clause: tree_sitter.Node) -> Iterable[Meaning]:
    """Return the name before the braces for ``{self as x}``."""
    before = use_prefix(clause)
    last = before.child_by_field_name("name") or before if before is not None else None
    if last is None or last.type != "identifier":
        return (Elsewhere("a crate"),)
    return resolver.meanings(path, mention_of(resolver, path, last))


def _is_import(meaning: Meaning) -> bool:
    return isinstance(meaning, Binding) and meaning.space == "import"
