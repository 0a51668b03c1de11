"""Packages and classes of Java, and the values of its expressions, bindings and types.

A package, or the beginning of its name, is a module whose path is the name
(https://docs.oracle.com/javase/specs/jls/se21/html/jls-7.html). A type is identified by its body.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import (
    WHOLE,
    Binding,
    Class,
    Elsewhere,
    Function,
    Instance,
    Meaning,
    Unknown,
    Value,
)
from gitscalpel.names.nodes import child_of_type, children_of, find_part
from gitscalpel.names.readings import (
    base_objects,
    class_itself,
    element_by_type,
    elements_of,
    function_itself,
    instance_of,
    instances_of,
    object_around,
    object_itself,
    read_expressions,
    reading_table,
    result_of,
    value_of,
    value_of_each,
    values_of_name,
)
from gitscalpel.names.resolver import Place, Resolver, cache_answers, cache_value
from gitscalpel.syntax.occurrences import Mention


@cache_value("")
def package_of(resolver: Resolver, path: str) -> str:
    clause = child_of_type(resolver.lexical(path).syntax.root, "package_declaration")
    return "".join(nodes.text(resolver, path, find_part(clause, -1)).split())


@cache_answers
def package_types(resolver: Resolver, package: str, name: str) -> Iterator[Binding]:
    for path, lexical in resolver.parsed_files(name, ".java"):
        for mention in lexical.top_bindings(name) if package_of(resolver, path) == package else ():
            if mention.kind == "class":
                yield from resolver.own_bindings(path, mention)


def package_member(resolver: Resolver, package: str, name: str) -> tuple[Meaning, ...]:
    """Return the meanings after a package and a dot: a type, or a package in it."""
    types = package_types(resolver, package, name)
    return types or (Binding(f"{package}.{name}", WHOLE, "java", name),)


def import_declarations(resolver: Resolver, path: str) -> list[tree_sitter.Node]:
    root = resolver.lexical(path).syntax.root
    return [node for node in root.named_children if node.type == "import_declaration"]


def is_static_import(statement: tree_sitter.Node) -> bool:
    return any(child.type == "static" for child in statement.children)


def import_origin(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    above = mention.node.parent
    if above is None or above.type != "scoped_identifier":
        return package_types(resolver, "", mention.name) or (Elsewhere("another library"),)
    members = [
        each
        for value in resolver.values(path, above.child_by_field_name("scope"))
        for each in resolver.members(value, mention.name)
    ]
    known = [each for each in members if not (isinstance(each, Binding) and each.scope == WHOLE)]
    return known or (Elsewhere("another library"),)


def wildcard_imports(resolver: Resolver, path: str) -> Iterator[tuple[tree_sitter.Node, bool]]:
    """Yield the targets of ``import a.*`` in a file, each with True if it brings static members."""
    for statement in import_declarations(resolver, path):
        if statement.named_children[-1].type == "asterisk":
            yield statement.named_children[0], is_static_import(statement)


BODIES = ("class_body", "interface_body", "enum_body", "annotation_type_body")
_OF_OBJECT = {"toString": 0, "hashCode": 0, "clone": 0, "finalize": 0, "equals": 1}
"""Methods of ``java.lang.Object`` that may be overridden, with their numbers of parameters."""
_PARENTS = ("superclass", "super_interfaces", "extends_interfaces", "type_list")


def class_of_declaration(path: str, declaration: tree_sitter.Node) -> Iterator[Class]:
    body = declaration.child_by_field_name("body")
    if body is not None:
        yield Class(path, body)


def base_types(resolver: Resolver, of: Class) -> Iterator[Value]:
    holder = of.node.parent
    if holder is None:
        return
    if holder.type == "object_creation_expression":
        kind = holder.child_by_field_name("type")
        yield from resolver.values(of.path, kind)
    elif holder.type == "enum_constant":
        enum = nodes.ancestor(holder, "enum_body")
        yield from (Class(of.path, enum),) if enum is not None else ()
    else:
        for kind in named_bases(holder):
            yield from resolver.values(of.path, kind)


def named_bases(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    for child in node.named_children:
        if child.type in _PARENTS:
            yield from named_bases(child)
        elif node.type in _PARENTS:
            yield child


def record_component(resolver: Resolver, of: Class, name: str) -> Binding | None:
    record = of.node.parent
    if record is None or record.type != "record_declaration":
        return None
    mentions = resolver.lexical(of.path).bindings_by_scope(name).get(record.id, ())
    bindings = (each for mention in mentions for each in resolver.own_bindings(of.path, mention))
    return next((each for each in bindings if each.kind == "item"), None)


def record_accessors(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """Yield the methods that read a record's component: its accessor, or those that it implements."""
    for path, mention in resolver.binders(binding) if binding.kind == "item" else ():
        record = nodes.ancestor(mention.node, "record_declaration") if mention.kind == "component" else None
        for record_body in class_of_declaration(path, record) if record is not None else ():
            for member in resolver.members(Instance(record_body), binding.name):
                if isinstance(member, Binding) and any(
                    each.mention.kind == "method" for each in resolver.binders(member)
                ):
                    yield member


def is_marked_override(place: Place) -> bool:
    """Return True if a method has ``@Override`` or the name of a method of ``Object``."""
    method = place.mention.node.parent
    if method is None or method.type != "method_declaration":
        return False
    if nodes.has_modifier(place.mention.node, "@Override"):
        return True
    parameters = children_of(find_part(method, "parameters"))
    count = sum(each.type.endswith("parameter") for each in parameters)
    is_static = nodes.has_modifier(place.mention.node, "static")
    return not is_static and _OF_OBJECT.get(place.mention.name) == count


def has_main(name: tree_sitter.Node) -> bool:
    """Return True if the class with this name at the top level of a file has a static ``main``."""
    declaration = name.parent
    body = find_part(declaration, "body")
    if (
        body is None
        or declaration is None
        or declaration.parent is None
        or declaration.parent.parent is not None
    ):
        return False
    return any(
        member.type == "method_declaration"
        and (method := member.child_by_field_name("name")) is not None
        and method.text == b"main"
        and nodes.has_modifier(method, "static")
        for member in body.named_children
    )


_element = element_by_type("array_type spread_parameter", "element", 0)


def _values_of_field(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    """Return the values of ``a.b`` and ``Outer.this``."""
    last = find_part(node, "field")
    is_this = last is not None and last.type == "this"
    return (instance_of("object") if is_this else value_of("field"))(resolver, path, node)


def _results_of(resolver: Resolver, of: Function) -> Iterable[Value]:
    type_parameters, kind = find_part(of.node, "type_parameters"), find_part(of.node, "type")
    names = [
        nodes.text(resolver, of.path, each).split()[0]
        for each in (type_parameters.named_children if type_parameters else ())
    ]
    if kind is not None and nodes.text(resolver, of.path, kind) in names:
        return (Unknown("its type is chosen where it is called"),)
    return instances_of(resolver, of.path, kind)


expression_values = read_expressions(
    "string_literal character_literal true false null_literal decimal_integer_literal hex_integer_literal "
    "octal_integer_literal binary_integer_literal class_literal decimal_floating_point_literal "
    "binary_expression unary_expression update_expression instanceof_expression lambda_expression "
    "method_reference integral_type floating_point_type boolean_type void_type",
    ("identifier type_identifier", values_of_name),
    ("this", object_around("this is outside of any class", *BODIES)),
    ("super", base_objects(base_types, "Object", *BODIES)),
    ("field_access", _values_of_field),
    ("scoped_identifier", value_of("name")),
    (
        "method_invocation",
        result_of(value_of("name"), _results_of, Unknown("the called function is defined outside")),
    ),
    ("object_creation_expression cast_expression", instance_of("type")),
    ("array_access", elements_of(value_of("array"), _element)),
    ("parenthesized_expression generic_type", value_of(0)),
    ("ternary_expression", value_of_each("consequence", "alternative")),
    ("assignment_expression", value_of("right")),
    ("scoped_type_identifier annotated_type", value_of(-1)),
    ("array_type", class_itself),
)


def binding_values(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    if mention.kind == "import":
        origins = import_origin(resolver, path, mention)
        return [value for each in origins for value in resolver.values_of(each)]
    above = mention.node.parent
    read = _BINDING_READERS.get(above.type) if above is not None else None
    return read(resolver, path, above) if read and above is not None else (Unknown("it is bound"),)


def _bound_class(_resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    yield from class_of_declaration(path, above)


def _bound_declaration(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterable[Value]:
    """Return the values by the declared type; for ``var``, by the assigned value."""
    holder = above.parent if above.type == "variable_declarator" else above
    if holder is None or holder.type == "spread_parameter":
        return () if holder is None else object_itself(resolver, path, holder)
    kind, value = find_part(holder, "type"), find_part(above, "value")
    if nodes.text(resolver, path, kind) != "var" or (value is None and holder is above):
        return instances_of(resolver, path, kind)
    if above.type == "enhanced_for_statement":
        return elements_of(value_of("value"), _element)(resolver, path, above)
    return value_of("value")(resolver, path, above)


def _bound_by_catch(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    for child in above.named_children:
        for kind in child.named_children if child.type == "catch_type" else ():
            yield from instances_of(resolver, path, kind)


def _bound_by_pattern(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    kind = find_part(above, "right", 0)
    if nodes.text(resolver, path, kind) == "var":
        yield Unknown("it is bound by a pattern")
    else:
        yield from instances_of(resolver, path, kind)


def _bound_constant(_resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    own = above.child_by_field_name("body") or above.parent
    yield from () if own is None else (Instance(Class(path, own)),)


def _bound_type_parameter(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    bounds = [
        kind for child in above.named_children if child.type == "type_bound" for kind in child.named_children
    ]
    for kind in bounds:
        yield from resolver.values(path, kind)
    if not bounds:
        yield Unknown("its type is chosen elsewhere")


_BINDING_READERS = reading_table(
    ("class_declaration interface_declaration enum_declaration record_declaration", _bound_class),
    ("annotation_type_declaration", _bound_class),
    ("method_declaration annotation_type_element_declaration", function_itself),
    ("variable_declarator formal_parameter enhanced_for_statement resource", _bound_declaration),
    ("catch_formal_parameter", _bound_by_catch),
    ("instanceof_expression type_pattern record_pattern_component", _bound_by_pattern),
    ("enum_constant", _bound_constant),
    ("type_parameter", _bound_type_parameter),
)
"""By the type of the node around a bound name: reader of the value."""
