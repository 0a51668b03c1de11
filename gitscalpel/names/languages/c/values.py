"""Infer the values of expressions, bindings and types of C and C++.

Pointers, references and arrays have the values that they lead to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import Binding, Class, Elsewhere, Function, Instance, Unknown, Value
from gitscalpel.names.languages.c import classes
from gitscalpel.names.nodes import find_part, node_text
from gitscalpel.names.readings import (
    elements_of,
    instance_of,
    instances_of,
    read_expressions,
    result_of,
    value_of,
    value_of_each,
    values_of_name,
)
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention

_POINTERS = frozenset({"unique_ptr", "shared_ptr", "optional", "reference_wrapper"})
_HOLDERS = frozenset(
    {
        *("vector", "array", "deque", "list", "forward_list", "span", "set", "multiset", "unordered_set"),
        *("initializer_list", "queue", "stack"),
    }
)


def pointed_value(resolver: Resolver, value: Value) -> Iterator[Value]:
    """Yield the values that ``->`` and ``*`` lead to."""
    yield from _template_argument(resolver, value, _POINTERS, "operator->")


def element_of(resolver: Resolver, value: Value) -> Iterator[Value]:
    yield from _template_argument(resolver, value, _HOLDERS, "operator[]")


def _template_argument(resolver: Resolver, value: Value, known: frozenset[str], by: str) -> Iterator[Value]:
    of = value.of if isinstance(value, Instance) else value
    if isinstance(of, Class) and of.node.type == "template_type":
        arguments = of.node.child_by_field_name("arguments")
        if (
            node_text(of.node.child_by_field_name("name")) in known
            and arguments is not None
            and arguments.named_children
        ):
            yield from instances_of(resolver, of.path, arguments.named_children[0])
        else:
            yield Unknown("its target is unknown")
    elif isinstance(of, Class) and any(_has_operator(each, by) for each in resolver.ancestry(of)):
        yield Unknown(f"{by} decides its target")
    else:
        yield Unknown("its target is unknown") if isinstance(of, Elsewhere) else value


def _has_operator(of: Value, by: str) -> bool:
    return isinstance(of, Class) and by in node_text(of.node).replace(" ", "")


def _values_of_template(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    name = node.child_by_field_name("name")
    values = list(resolver.values(path, name)) if name is not None else []
    if values and all(isinstance(each, Elsewhere) for each in values):
        yield Class(path, node)
    else:
        yield from classes.choose_specialization(resolver, node, values)


def _values_of_specifier(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """Yield the class of ``struct S``, with or without a body."""
    body, name = node.child_by_field_name("body"), node.child_by_field_name("name")
    if body is not None:
        yield Class(path, body)
    elif name is not None:
        yield from resolver.values(path, name)


_CASTS = ("static_cast", "const_cast", "reinterpret_cast", "dynamic_cast")


def _values_of_call(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    called = node.child_by_field_name("function")
    if called is None:
        return
    if called.type == "template_function" and node_text(called.child_by_field_name("name")) in _CASTS:
        yield from instances_of(resolver, path, find_part(find_part(called, "arguments"), 0))
        return
    if called.type == "template_function":
        yield from _values_of_template_call(resolver, path, called)
        return
    yield from _results_of_callee(resolver, path, node)


def _values_of_template_call(resolver: Resolver, path: str, called: tree_sitter.Node) -> Iterator[Value]:
    """Yield the object or result of ``Name<arguments>(...)``."""
    name = called.child_by_field_name("name")
    values = list(resolver.values(path, name)) if name is not None else []
    for value in classes.choose_specialization(resolver, called, values):
        if isinstance(value, Function):
            yield from returned_values(resolver, value)
        else:
            yield Instance(value) if isinstance(value, Class) else Unknown("the called function is unknown")


def returned_values(resolver: Resolver, function: Function) -> Iterator[Value]:
    """Yield the results of a function, which is identified by its declarator."""
    behind = next((c for c in function.node.named_children if c.type == "trailing_return_type"), None)
    holder = function.node.parent
    while (
        holder is not None
        and holder.child_by_field_name("type") is None
        and holder.type.endswith("declarator")
    ):
        holder = holder.parent
    kind = behind or (find_part(holder, "type"))
    if kind is None or kind.type == "placeholder_type_specifier":
        yield Unknown("it does not say what it gives")
    else:
        yield from instances_of(resolver, function.path, kind)


_results_of_callee = result_of(
    value_of("function"), returned_values, Unknown("the called function is unknown"), creates=True
)
_operand = value_of("argument", 0)


def _values_of_pointer(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for value in _operand(resolver, path, node):
        yield from pointed_value(resolver, value) if node_text(node.children[0]) == "*" else (value,)


def _values_of_initializer(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """Yield the object that ``{ .x = 1 }`` makes, by its target."""
    above = node.parent
    if above is None:
        return
    kind = above.child_by_field_name("type")
    if above.type == "initializer_pair":
        last = above.children_by_field_name("designator")[-1]
        yield from resolver.values(path, last)
    elif above.type == "initializer_list":
        yield from _values_of_nested_list(resolver, path, above)
    elif above.type == "init_declarator":
        holder = above.parent
        yield from instances_of(resolver, path, holder and holder.child_by_field_name("type"))
    elif kind is not None:
        yield from instances_of(resolver, path, kind)
    else:
        yield Unknown("the created value is unknown")


def _values_of_receiver(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    holder = node.parent
    for value in resolver.values(path, find_part(holder, "argument")):
        yield from pointed_value(resolver, value) if node.type == "->" else (value,)


def _values_of_index(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """Yield the elements that ``[n]`` in an initializer designates."""
    before = node.prev_named_sibling
    holder = (
        before
        if before is not None and before.type.endswith("designator")
        else node.parent and node.parent.parent
    )
    for value in resolver.values(path, holder):
        yield from element_of(resolver, value)


def _values_of_nested_list(resolver: Resolver, path: str, around: tree_sitter.Node) -> Iterator[Value]:
    holder = around.parent
    declarator = find_part(holder, "declarator")
    is_array = declarator is not None and declarator.type == "array_declarator"
    for value in resolver.values(path, around):
        if is_array or (isinstance(value, Instance) and value.of.node.type == "template_type"):
            yield from element_of(resolver, value)
        else:
            yield Unknown("the designated part is unknown")


expression_values = read_expressions(
    "number_literal string_literal char_literal raw_string_literal true false null nullptr "
    "concatenated_string sizeof_expression user_defined_literal offsetof_expression primitive_type "
    "sized_type_specifier",
    (". ->", _values_of_receiver),
    ("::", lambda _resolver, _path, _node: (classes.namespace_module(""),)),
    ("field_designator update_expression", _operand),
    ("subscript_designator", _values_of_index),
    ("this field_initializer_list", classes.type_of_this),
    ("identifier field_identifier type_identifier namespace_identifier", values_of_name),
    ("field_expression", value_of("field")),
    ("template_function template_method dependent_name parenthesized_expression", value_of("name", 0)),
    ("call_expression", _values_of_call),
    ("new_expression cast_expression compound_literal_expression", instance_of("type")),
    ("pointer_expression", _values_of_pointer),
    ("subscript_expression", elements_of(_operand, element_of)),
    ("conditional_expression", value_of_each("consequence", "alternative")),
    ("assignment_expression", value_of("left")),
    ("initializer_list", _values_of_initializer),
    ("qualified_identifier", value_of("name")),
    ("template_type", _values_of_template),
    (" ".join(classes.SPECIFIERS), _values_of_specifier),
    ("type_descriptor dependent_type decltype trailing_return_type", value_of("type", -1)),
    ("nested_namespace_specifier", value_of("type", -1)),
)


_TYPED = ("declaration", "field_declaration", "parameter_declaration", "optional_parameter_declaration")
_DECLARATION_HOLDERS = (
    *_TYPED,
    "for_range_loop",
    "type_definition",
    "variadic_parameter_declaration",
    "function_definition",
)


def binding_values(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    above = mention.node.parent
    if above is None:
        return (Unknown("nothing binds it"),)
    kind = "alias_declaration" if above.type == "alias_declaration" else mention.kind
    read = _BINDING_READERS.get(kind, _bound_declaration)
    return read(resolver, path, mention, above)


def _bound_tag(resolver: Resolver, path: str, mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    body = above.child_by_field_name("body")
    if body is not None:
        yield Class(path, body)
        return
    bodies: tuple[Class, ...] = ()
    for each in resolver.own_scope_meanings(path, mention):
        bodies = (*bodies, *classes.class_bodies(resolver, each)) if isinstance(each, Binding) else bodies
    yield from dict.fromkeys(bodies) or (Unknown("its body is not known"),)


def _bound_namespace(
    resolver: Resolver, path: str, mention: Mention, _above: tree_sitter.Node
) -> Iterator[Value]:
    around = classes.namespace_of_mention(resolver, path, mention) or ""
    definition = nodes.ancestor(mention.node, "namespace_definition")
    is_inline = definition is not None and any(each.type == "inline" for each in definition.children)
    yield classes.namespace_module(around if is_inline else classes.join_namespaces(around, mention.name))


def _bound_function(
    resolver: Resolver, path: str, mention: Mention, above: tree_sitter.Node
) -> Iterator[Value]:
    declarator = classes.declarator_of(mention.node)
    if declarator is None:
        yield Unknown("it is no function")
    elif (
        mention.scopes
        and resolver.lexical(path).holder(mention).kind in ("block", "let")
        and _is_object_definition(resolver, path, declarator)
    ):
        yield from _bound_declaration(resolver, path, mention, above)
    else:
        yield Function(path, declarator)


def _is_object_definition(resolver: Resolver, path: str, declarator: tree_sitter.Node) -> bool:
    """Return True if ``A a(b)`` defines an object, though ``b`` looks like a parameter type."""
    for each in classes.parameters_of(declarator):
        for value in resolver.values(path, each.child_by_field_name("type")):
            if isinstance(value, (Instance, Function)):
                return True
    return False


def _bound_declaration(
    resolver: Resolver, path: str, mention: Mention, holder: tree_sitter.Node
) -> Iterator[Value]:
    above: tree_sitter.Node | None = holder
    while above is not None and above.type not in _DECLARATION_HOLDERS:
        if above.type == "lambda_capture_initializer":
            yield from resolver.values(path, above.child_by_field_name("right"))
            return
        if above.type == "structured_binding_declarator":
            yield Unknown("it is bound by a pattern")
            return
        above = above.parent
    kind = find_part(above, "type")
    if above is None or kind is None:
        yield Unknown("its value is unknown")
    elif above.type == "type_definition":
        yield from _bound_typedef(resolver, path, mention, kind)
    elif kind.type == "placeholder_type_specifier":
        yield from _bound_by_default(resolver, path, mention, above)
    else:
        yield from instances_of(resolver, path, kind)


def _bound_typedef(
    resolver: Resolver, path: str, mention: Mention, kind: tree_sitter.Node
) -> Iterator[Value]:
    """Yield the target of a typedef; for a function type, a value from outside the tree."""
    above = mention.node.parent
    while above is not None and above.type != "type_definition":
        if above.type == "function_declarator":
            yield Elsewhere("a type of functions")
            return
        above = above.parent
    yield from resolver.values(path, kind)


def _bound_by_default(
    resolver: Resolver, path: str, mention: Mention, above: tree_sitter.Node
) -> Iterator[Value]:
    """Yield the values of ``auto`` by the assigned value."""
    if above.type == "for_range_loop":
        for value in resolver.values(path, above.child_by_field_name("right")):
            yield from (
                element_of(resolver, value)
                if isinstance(value, Instance) and (value.of.node.type == "template_type")
                else (Unknown("the iterated value is unknown"),)
            )
        return
    holder = mention.node.parent
    while holder is not None and holder.type != "init_declarator" and holder != above:
        holder = holder.parent
    assigned = find_part(holder, "value")
    if assigned is None:
        assigned = above.child_by_field_name("value")
    if assigned is None or assigned.type in ("initializer_list", "argument_list"):
        yield Unknown("the assigned value is unknown")
    else:
        yield from resolver.values(path, assigned)


_BINDING_READERS: Mapping[str, Callable[[Resolver, str, Mention, tree_sitter.Node], Iterable[Value]]] = {
    "tag": _bound_tag,
    "namespace": _bound_namespace,
    **dict.fromkeys(("function", "method"), _bound_function),
    "enumerator": lambda _resolver, path, _mention, above: [
        Instance(Class(path, each)) for each in (above.parent,) if each is not None
    ],
    **dict.fromkeys(
        ("alias", "alias_declaration"),
        lambda resolver, path, _mention, above: resolver.values(path, find_part(above, "type", -1)),
    ),
    "generic": lambda *_: (Unknown("its type is chosen elsewhere"),),
}
"""By kind of name: reader of the bound values."""
