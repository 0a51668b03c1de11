"""Infer the values of expressions, bindings and types of Rust.

References and boxes have the values of their contents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import Class, Elsewhere, Function, Instance, Unknown, Value
from gitscalpel.names.languages.rust import items
from gitscalpel.names.nodes import find_part
from gitscalpel.names.readings import (
    OF_LANGUAGE,
    as_instances,
    class_itself,
    function_itself,
    instance_of,
    instances_of,
    read_expressions,
    reading_table,
    value_of,
)
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention

_HOLDERS = frozenset({"Box", "Rc", "Arc"})
_CHOSEN = ("type_parameter", "const_parameter")


def without_type_arguments(value: Value) -> Value:
    """Return a value, unknown if its type is chosen by a type argument."""
    of = value.of if isinstance(value, Instance) else value
    is_open = isinstance(of, Class) and of.node.type in ("type_parameter", "associated_type")
    return Unknown("its type is chosen elsewhere") if is_open else value


def _values_of_generic(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    arguments = node.child_by_field_name("type_arguments")
    kind = node.child_by_field_name("type")
    if nodes.text(resolver, path, kind) in _HOLDERS and arguments is not None and arguments.named_children:
        yield from resolver.values(path, arguments.named_children[0])
    elif kind is not None:
        for value in resolver.values(path, kind):
            argument = _argument_of_alias(value, arguments) if arguments is not None else None
            yield from (
                (without_type_arguments(value),) if argument is None else resolver.values(path, argument)
            )


def _argument_of_alias(value: Value, given: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the argument for the parameter that an alias stands for (``type Of<T> = T``)."""
    node = value.node if isinstance(value, Class) else None
    declared = node.parent if node is not None and node.type == "type_parameter" else None
    if node is None or declared is None or declared.parent is None or declared.parent.type != "type_item":
        return None
    names = [each.id for each in declared.named_children if each.type in _CHOSEN]
    types = [each for each in given.named_children if each.type != "lifetime"]
    at = names.index(node.id)
    return types[at] if at < len(types) else None


def _values_of_bracketed(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """Yield the values of ``<T>`` and of the trait in ``<T as Trait>``."""
    (inner, *_) = node.named_children
    trait = inner.child_by_field_name("alias") if inner.type == "qualified_type" else None
    yield from resolver.values(path, trait or inner)


_PATHS = ("scoped_identifier", "scoped_type_identifier", "scoped_use_list", "use_wildcard", "use_declaration")


def _values_of_identifier(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    mention = items.mention_of(resolver, path, node)
    if mention.name == "Self":
        yield from items.type_of_self(resolver, path, node)
        return
    for meaning in resolver.meanings(path, mention):
        yield from resolver.values_of(meaning)


def _values_of_path(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    values = resolver.values(path, node.child_by_field_name("name"))
    # Every implementation of the trait has its own associated type: choose that of the type before ``::``.
    chosen = [
        each
        for value in values
        if isinstance(value, Class) and value.node.type == "associated_type"
        for each in items.associated_types(resolver, path, node, value)
    ]
    yield from chosen or map(without_type_arguments, values)


def _values_of_self(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """Yield the values of ``self`` in ``self::x`` and ``self.x``."""
    if node.parent is not None and node.parent.type in (*_PATHS, "use_list"):
        yield items.module_at(path, node)
        return
    yield from as_instances(items.type_of_self(resolver, path, node))


def _values_of_super(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    above = node.parent
    before = find_part(above, "path")
    is_last = items.is_field(node, above, "name")
    if is_last and before is not None:
        starts = list(resolver.values(path, before))
    else:
        starts = [items.module_at(path, node)]
    for each in starts:
        if not isinstance(each, (Class, Instance, Function, Elsewhere, Unknown)):
            yield from items.parent_modules(resolver, each)


def _class_of_field(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    above = node.parent
    before = find_part(above, "value")
    yield from map(items.fields_holder, resolver.values(path, before))


def _class_of_literal(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """Yield the class with the fields of a struct literal or pattern."""
    above = node.parent if node.type == "field_initializer_list" else node
    kind = above and (find_part(above, "name", "type"))
    yield from map(items.fields_holder, resolver.values(path, kind))


def _values_of_field(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    named = node.child_by_field_name("field")
    for value in _values_of_identifier(resolver, path, named) if named is not None else ():
        yield without_type_arguments(value)


def _values_of_child(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    children = [child for child in node.named_children if child.type != "mutable_specifier"]
    yield from resolver.values(path, children[-1]) if children else ()


def _values_of_unary(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    if node.children[0].type == "*":
        yield from _values_of_child(resolver, path, node)
    else:
        yield Unknown("operators may return any value")


def _values_of_call(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    callees = resolver.values(path, node.child_by_field_name("function"))
    yield from _results_of_value(resolver, callees, is_awaited=False)


def _values_of_await(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    (inner, *_) = node.named_children
    if inner.type == "call_expression":
        callees = resolver.values(path, inner.child_by_field_name("function"))
        yield from _results_of_value(resolver, callees, is_awaited=True)
    else:
        yield Unknown("it is waited for")


def _results_of_value(resolver: Resolver, called: Iterable[Value], *, is_awaited: bool) -> Iterator[Value]:
    for value in called:
        if isinstance(value, Function):
            yield from _results_of_function(resolver, value, is_awaited=is_awaited)
        elif isinstance(value, Class) and not is_awaited:
            yield Instance(value)
        else:
            yield Unknown("the called function is defined outside the repository, or is not a function")


def _results_of_function(resolver: Resolver, function: Function, *, is_awaited: bool) -> Iterator[Value]:
    head = resolver.lexical(function.path).text[function.node.start_byte : function.node.end_byte]
    is_async = b"async" in head.partition(b"fn")[0]
    kind = function.node.child_by_field_name("return_type")
    if is_async != is_awaited or function.node.type == "closure_expression":
        yield Unknown("it is not waited for here")
    elif kind is None:
        yield Elsewhere("the language")
    else:
        for value in instances_of(resolver, function.path, kind):
            yield without_type_arguments(value)


def _call_in_token_tree(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """Yield the values of a call inside the arguments of a macro."""
    callee = node.prev_sibling
    if callee is None or callee.type != "identifier" or node.children[0].type != "(":
        yield Unknown("a macro decides what it gives")
    else:
        yield from _results_of_value(resolver, resolver.values(path, callee), is_awaited=False)


expression_values = read_expressions(
    "string_literal raw_string_literal char_literal boolean_literal integer_literal float_literal "
    "array_expression tuple_expression unit_expression binary_expression range_expression "
    "assignment_expression compound_assignment_expr primitive_type tuple_type unit_type array_type "
    "function_type never_type",
    ("identifier type_identifier", _values_of_identifier),
    ("scoped_identifier scoped_type_identifier", _values_of_path),
    ("crate", lambda resolver, path, node: items.crates_of(resolver, items.module_at(path, node))),
    ("self", _values_of_self),
    ("super", _values_of_super),
    ("field_identifier", _class_of_field),
    ("field_expression", _values_of_field),
    ("field_initializer_list struct_pattern", _class_of_literal),
    ("struct_expression", instance_of("name")),
    ("generic_function", value_of("function")),
    ("call_expression", _values_of_call),
    ("await_expression", _values_of_await),
    ("type_cast_expression", instance_of("type")),
    ("unary_expression", _values_of_unary),
    ("reference_expression parenthesized_expression", _values_of_child),
    ("closure_expression", function_itself),
    ("token_tree", _call_in_token_tree),
    ("reference_type pointer_type", value_of("type")),
    ("generic_type generic_type_with_turbofish", _values_of_generic),
    ("bracketed_type", _values_of_bracketed),
    ("abstract_type dynamic_type", class_itself),
)


def binding_values(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    above = mention.node.parent
    if above is None:
        return (Unknown("nothing binds it"),)
    if mention.kind == "import":
        return [v for each in items.import_origin(resolver, path, mention) for v in resolver.values_of(each)]
    if mention.kind in ("let", "parameter", "pattern"):
        return _bound_pattern(resolver, path, mention, above)
    read = _BINDING_READERS.get(above.type)
    return read(resolver, path, above) if read is not None else (OF_LANGUAGE,)


def _bound_module(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    yield items.declared_module(resolver, path, above) or Unknown("it has no file that is read here")


def _bound_pattern(
    resolver: Resolver, path: str, mention: Mention, above: tree_sitter.Node
) -> Iterator[Value]:
    kind, value = above.child_by_field_name("type"), above.child_by_field_name("value")
    if above.type == "parameter" or (above.type == "let_declaration" and kind is not None):
        yield from instances_of(resolver, path, kind)
    elif above.type in ("let_declaration", "let_condition") and value is not None:
        yield from as_instances(resolver.values(path, value))
    elif mention.key and above.parent is not None:
        for holder in resolver.values(path, above.parent):
            for meaning in resolver.members(holder, mention.name):
                yield from map(without_type_arguments, resolver.values_of(meaning))
    else:
        yield Unknown("it is bound by a pattern")


_BINDING_READERS = reading_table(
    (
        " ".join((*items.ITEMS, "trait_item")),
        lambda _resolver, path, above: (items.class_of_item(path, above),),
    ),
    ("type_item", value_of("type")),
    ("mod_item", _bound_module),
    ("function_item function_signature_item", function_itself),
    ("const_item static_item field_declaration", instance_of("type")),
    ("enum_variant type_parameter associated_type", class_itself),
)
"""By the type of the node around a bound name: reader of the value."""
