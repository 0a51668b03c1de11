"""Infer the values of expressions, bindings, patterns and object literals.

The keys of an object literal are members of the type that is declared for it, or else of the literal
itself. `GLOBALS` are the names that the language or its hosts define (ECMA-262, DOM, Node).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tree_sitter import Node

from gitscalpel.names import nodes
from gitscalpel.names.entities import (
    Binding,
    Class,
    Elsewhere,
    Function,
    Instance,
    Module,
    Unknown,
    Value,
    bindings_in,
)
from gitscalpel.names.languages.javascript import calls, classes, imports, modules, types
from gitscalpel.names.nodes import find_part
from gitscalpel.names.readings import (
    BindingReading,
    always,
    function_itself,
    object_itself,
    of_declaration,
    read_expressions,
    reading_table,
    value_of,
    value_of_each,
    values_of_name,
)
from gitscalpel.names.resolver import Place, Resolver
from gitscalpel.syntax.occurrences import Mention

_VALUED = {"variable_declarator": "value", "assignment_expression": "right"}
_PLAIN = Elsewhere("builtins")
"""Type of primitive values, which no object has."""
_PARAMETERS = ("required_parameter", "optional_parameter")


def infer_pattern(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    """Yield the values that a pattern or name is bound to."""
    above = node.parent
    if above is None:
        return
    kind = find_part(above, "type")
    if kind is not None and above.type in (*_PARAMETERS, "variable_declarator"):
        yield from types.allowed_objects(resolver, path, kind)
    elif above.type == "variable_declarator" and (
        documented := list(types.declared_objects(resolver, path, above))
    ):
        yield from documented
    elif above.type in _VALUED:
        yield from resolver.values(path, find_part(above, _VALUED[above.type]))
        yield from _infer_later_values(resolver, path, node)
    elif above.type in _PATTERN_READERS:
        yield from _PATTERN_READERS[above.type](resolver, path, node)
    elif above.type == "rest_pattern" and nodes.parent_of(above, "object_pattern") is not None:
        yield from resolver.values(path, above.parent)
    else:
        function = above if above.type == "arrow_function" else above.parent
        name = modules.text(resolver, path, node)
        documented = list(types.declared_objects(resolver, path, function, name)) if function else []
        yield from documented or calls.infer_parameter(resolver, path, node)


def _infer_with_default(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    read = _infer_member_of_pattern if node.type.startswith("short") else infer_pattern
    return read(resolver, path, node.parent) if node.parent is not None else iter(())


def _infer_loop_variable(resolver: Resolver, path: str, node: Node) -> Iterable[Value]:
    right = find_part(node.parent, "right")
    return types.infer_items(resolver, path, right) if types.is_over_items(node.parent) else (_PLAIN,)


def _infer_array_item(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    pattern = node.parent
    at = nodes.children_of(pattern).index(node)
    return types.infer_pattern_item(resolver, path, pattern, at) if pattern is not None else iter(())


def _infer_later_values(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    if node.type != "identifier":
        return
    lexical = resolver.lexical(path)
    own = lexical.scope_of(nodes.mention(resolver, path, node))
    for mention in lexical.occurrences_of(modules.text(resolver, path, node)):
        above = mention.node.parent
        # The left side of a binary expression is read.
        is_set = mention.role == "use" and nodes.is_part(mention.node, "left")
        if above is None or not is_set or above.type == "binary_expression":
            continue
        scope, right = lexical.scope_of(mention), find_part(above, "right")
        if scope is not None and own is not None and scope.span == own.span and right is not None:
            is_plain = above.type == "assignment_expression"
            yield from resolver.values(path, right) if is_plain else (Unknown("code sets it at run time"),)


def _infer_member_of_pattern(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    """Yield the values of the member that a name in a destructuring pattern ``{ ... }`` is bound to."""
    pattern = nodes.ancestor(node, "object_pattern") if node.type != "object_pattern" else node.parent
    key = node
    if node.type == "object_assignment_pattern":
        key = find_part(node, "left") or node
    pair = nodes.parent_of(node, "pair_pattern")
    if pair is not None:
        key, pattern = find_part(pair, "key") or node, pair.parent
    if pattern is None or node.type == "rest_pattern":
        yield Unknown("it is what is left")
        return
    name = modules.text(resolver, path, key).strip("\"'")
    for value in resolver.values(path, pattern):
        if name == imports.DEFAULT and isinstance(value, Module):  # which the module need not name
            yield from imports.infer_default(resolver, value)
        else:
            yield from resolver.member_values(value, name)


_PATTERN_READERS = reading_table(
    ("assignment_pattern object_assignment_pattern", _infer_with_default),
    ("pair_pattern object_pattern", _infer_member_of_pattern),
    ("for_in_statement", _infer_loop_variable),
    ("array_pattern", _infer_array_item),
)
"""By the type of the node around a pattern or name: reading of its values."""


def infer_binding(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    """Return the values of a name at a binding."""
    above = modules.find_named_node(mention.node)
    if above is None:
        return (Unknown("nothing binds it"),)
    if mention.role == "member" or (mention.role == "use" and mention.key):
        return _infer_assignment(resolver, path, mention, above)
    read = _BINDING_READERS.get(mention.kind)
    return read(resolver, path, mention, above) if read else (Unknown("it is bound by what runs"),)


def _infer_class(_resolver: Resolver, path: str, node: Node) -> Iterable[Value]:
    body = find_part(node, "body")
    return (Class(path, body),) if body is not None else ()


def _infer_own_module(resolver: Resolver, path: str, _node: Node) -> Iterable[Value]:
    return (Module(path, resolver.lexical(path).syntax.language.name),)


def _infer_alias(resolver: Resolver, path: str, node: Node) -> Iterable[Value]:
    return types.allowed_objects(resolver, path, find_part(node, "value"))


def _infer_type_parameter(resolver: Resolver, path: str, node: Node) -> Iterable[Value]:
    limit = find_part(find_part(node, "constraint"), 0)
    if limit is None:
        return (Unknown("it is a type that is chosen later"),)
    return types.allowed_objects(resolver, path, limit)


def _infer_export(resolver: Resolver, path: str, mention: Mention, above: Node) -> Iterable[Value]:
    name = find_part(above, "name")
    if name is None or mention.kind == "passed":
        return imports.infer_import(resolver, path, mention)
    if mention.node != name:
        return values_of_name(resolver, path, name)
    return resolver.values_of_each(imports.resolve_export(resolver, path, mention))


def _infer_property(resolver: Resolver, path: str, node: Node) -> Iterable[Value]:
    if "method" in node.type:
        own = Function(path, node)
        return calls.infer_result(resolver, own) if nodes.has_child(node, "get", "set") else (own,)
    kind, value = find_part(node, "type"), find_part(node, "value")
    documented = list(types.declared_objects(resolver, path, node)) if kind is None else []
    if documented:
        return documented
    is_assigned = kind is None and value is not None
    return resolver.values(path, value) if is_assigned else types.allowed_objects(resolver, path, kind)


def _infer_assignment(resolver: Resolver, path: str, mention: Mention, above: Node) -> Iterable[Value]:
    """Return the values assigned to ``mention``, a key of an object or the ``b`` of ``a.b = value``."""
    if mention.role == "use":
        return resolver.values_of_each(resolver.meanings(path, mention))
    if above.type == "method_definition":
        return _infer_property(resolver, path, above)
    pair_value = find_part(above, "value") if above.type == "pair" else None
    value = pair_value or find_part(above.parent, "right")
    return resolver.values(path, value) if value is not None else (Unknown("code sets it at run time"),)


_BINDING_READERS: Mapping[str, BindingReading] = reading_table(
    ("class self interface enum", of_declaration(_infer_class)),
    ("namespace", imports.infer_namespace),
    ("umd", of_declaration(_infer_own_module)),
    ("function", of_declaration(function_itself)),
    ("alias", of_declaration(_infer_alias)),
    ("generic", of_declaration(_infer_type_parameter)),
    ("import", lambda resolver, path, mention, _above: imports.infer_import(resolver, path, mention)),
    ("export passed", _infer_export),
    (
        "variable var parameter",
        lambda resolver, path, mention, _above: infer_pattern(resolver, path, mention.node),
    ),
    ("member static private", of_declaration(_infer_property)),
    ("enumerator", of_declaration(always(_PLAIN))),
)
"""By kind of binding: reading of the bound value."""


_KEPT = ("parenthesized_expression", "ternary_expression")
_TYPED = (
    *("variable_declarator", "public_field_definition", "field_definition"),
    *("required_parameter", "optional_parameter"),
)
_FREE = ("export_statement", "expression_statement", "member_expression", "assignment_pattern")
_COPYING = frozenset({"Object.assign", "Object.defineProperties"})
"""Functions that add the members of other arguments to the first one and return it."""


def infer_literal(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    """Yield the types that an object literal is an instance of."""
    own = Instance(Class(path, node))
    node, above = _find_outermost(resolver, path, node)
    is_given = any(each == node for each in modules.amd_export(resolver.lexical(path).syntax.root))
    found = list(_infer_expected(resolver, path, node, above)) if above is not None and not is_given else []
    if not found:
        yield own
    elif all(isinstance(value, (Unknown, Elsewhere)) for value in found):
        yield own
        yield Unknown("the object's type is not known")
    else:
        yield from (value for value in found if value != _PLAIN)


def _find_outermost(resolver: Resolver, path: str, node: Node) -> tuple[Node, Node | None]:
    """Return the outermost expression with the value of another one, and the node around it."""
    above = node.parent
    while above is not None:
        is_first = above.type == "arguments" and above.named_children[0] == node
        called = find_part(above.parent, "function") if is_first else None
        if above.parent is not None and modules.text(resolver, path, called) in calls.IDENTITY_FUNCTIONS:
            node = above.parent
        elif above.type in _KEPT:
            node = above
        else:
            break
        above = node.parent
    return node, above


def _infer_expected(resolver: Resolver, path: str, node: Node, above: Node) -> Iterator[Value]:
    """Yield the objects that an expression has to be; empty if no declaration requires any."""
    if above.type in _TYPED:
        kind = above.child_by_field_name("type")
        if kind is not None:
            yield from types.allowed_objects(resolver, path, kind)
        else:
            yield from types.declared_objects(resolver, path, above)
    elif above.type in ("as_expression", "satisfies_expression"):
        if len(above.named_children) > 1:
            yield from types.allowed_objects(resolver, path, above.named_children[1])
    elif above.type == "pair":
        yield from _infer_expected_in_object(resolver, path, above)
    elif above.type in ("return_statement", "arrow_function"):
        yield from _infer_expected_result(resolver, path, above)
    elif above.type == "assignment_expression":
        yield from _infer_expected_by_target(resolver, path, node, above)
    elif above.type == "arguments":
        yield from _infer_expected_argument(resolver, path, node, above)
    elif above.type not in _FREE:
        yield Unknown("nothing declares its type")


def _infer_expected_argument(resolver: Resolver, path: str, node: Node, arguments: Node) -> Iterator[Value]:
    first = arguments.named_children[0]
    callee = modules.text(resolver, path, find_part(arguments.parent, "function"))
    if first.id != node.id and callee in _COPYING:
        yield from resolver.values(path, first)
        return
    for parameter in calls.find_parameter(resolver, path, node):
        found = list(_infer_expected_by_parameter(resolver, parameter)) if parameter is not None else []
        yield from found or (Unknown("its target declares no type"),)


def _infer_expected_by_parameter(resolver: Resolver, parameter: calls.TakingParameter) -> Iterator[Value]:
    """Yield the declared objects of a parameter, by its file or a comment there."""
    for each in parameter.types(resolver):
        yield from types.allowed_objects(resolver, *each)
    name = find_part(parameter.node, "left") or parameter.node
    if find_part(parameter.node, "type") is None and name.type == "identifier":
        parameter_name = modules.text(resolver, parameter.path, name)
        yield from types.declared_objects(resolver, parameter.path, parameter.function, parameter_name)


def _infer_expected_in_object(resolver: Resolver, path: str, pair: Node) -> Iterator[Value]:
    """Yield the member of the object around a pair."""
    outer, key = pair.parent, find_part(pair, "key")
    if outer is None or key is None:
        return
    for value in resolver.values(path, outer):
        if not isinstance(value, Instance):
            yield Unknown("it is a part of what is not known")
        elif value.of.node.id != outer.id:
            yield from resolver.member_values(value, modules.text(resolver, path, key))


def _infer_expected_result(resolver: Resolver, path: str, above: Node) -> Iterator[Value]:
    function = above if above.type == "arrow_function" else nodes.ancestor(above, *modules.FUNCTIONS)
    declared = list(types.declared_results(resolver, path, function)) if function is not None else []
    if declared or find_part(function, "return_type") is not None:
        yield from declared
    elif (call := _find_immediate_call(function)) is not None:
        node, around = _find_outermost(resolver, path, call)
        yield from _infer_expected(resolver, path, node, around) if around is not None else ()
    elif function is None or not _has_no_expected_result(function):
        yield Unknown("nothing declares the function's result")


def _find_immediate_call(function: Node | None) -> Node | None:
    """Return the call of a function expression that is called at once and whose result the call gives."""
    node = function
    while nodes.parent_of(node, "parenthesized_expression") is not None:
        node = nodes.parent_of(node)
    call = nodes.parent_of(node, "call_expression")
    if function is None or node is None or not nodes.is_part(node, "function"):
        return None
    is_expression = function.type in ("arrow_function", "function_expression")
    return call if is_expression and function.children[0].type != "async" else None


def _has_no_expected_result(function: Node) -> bool:
    """Return True if nothing around a function requires a result."""
    above = nodes.type_of(function.parent)
    if function.type == "function_declaration" or above in ("", "class_body"):
        return True
    return above == "variable_declarator" and find_part(function.parent, "type") is None


def _infer_expected_by_target(resolver: Resolver, path: str, node: Node, above: Node) -> Iterator[Value]:
    """Yield the objects that an assigned value has to be: by the target's type, or its earlier values."""
    left = find_part(above, "left")
    target = modules.text(resolver, path, left)
    if left is None or target in ("module.exports", "exports") or target.endswith(".prototype"):
        return
    written = types.expression_types(resolver, path, left)
    for each in written:
        yield from types.allowed_objects(resolver, *each)
    if not written:
        at, first = next(_find_assigned_nodes(resolver, path, left), (path, None))
        if first is None:
            yield Unknown("its target may have a type of its own")
        elif (at, first.id) != (path, node.id):
            yield from resolver.values(at, first)


def _find_assigned_nodes(resolver: Resolver, path: str, left: Node) -> Iterator[tuple[str, Node]]:
    """Yield the values other than ``null`` that a variable or member is assigned in any file."""
    named = find_part(left, "property") or left
    for meaning in bindings_in(nodes.meanings_of(resolver, path, named)):
        for place in (*resolver.binders(meaning), *_find_later_assignments(resolver, meaning)):
            above = modules.find_named_node(place.mention.node)
            above = nodes.parent_of(above) if nodes.type_of(above) == "member_expression" else above
            value = find_part(above, "value", "right")
            if value is not None and value.type not in ("null", "undefined"):
                yield place.path, value
            elif place.mention.kind == "parameter":
                return


def _find_later_assignments(resolver: Resolver, variable: Binding) -> Iterator[Place]:
    path = variable.path
    occurrences = resolver.lexical(path).occurrences_of(variable.name) if variable.kind != "class" else ()
    for mention in occurrences:
        is_set = nodes.type_of(mention.node.parent) == "assignment_expression" and mention.role == "use"
        is_target = is_set and nodes.is_part(mention.node, "left")
        if is_target and variable in resolver.meanings(path, mention):
            yield Place(path, mention)


_NAMES = """
AbortController AggregateError Array ArrayBuffer Atomics BigInt Boolean Buffer DataView Date Error
EvalError Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Intl Iterator
JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set
SharedArrayBuffer String Symbol SyntaxError TypeError URIError URL URLSearchParams Uint16Array
Uint32Array Uint8Array WeakMap WeakRef WeakSet alert arguments atob btoa clearInterval clearTimeout
console decodeURI decodeURIComponent document encodeURI encodeURIComponent escape eval fetch history
isFinite isNaN localStorage location navigator parseFloat parseInt performance process
queueMicrotask require sessionStorage setImmediate setInterval setTimeout structuredClone undefined
unescape __dirname __filename ArrayLike Awaited AsyncIterable Capitalize ConstructorParameters
Element Event Exclude Extract HTMLElement InstanceType Iterable Lowercase Node NonNullable Omit
Parameters Partial Pick PromiseLike Readonly ReadonlyArray ReadonlyMap ReadonlySet Record Required
ReturnType Uncapitalize Uppercase
"""
GLOBALS = frozenset(_NAMES.split())


def _infer_name(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    mention = nodes.mention(resolver, path, node)
    if mention.name == "exports" and resolver.lexical(path).scope_of(mention) is None:
        yield Instance(Class(path, resolver.lexical(path).syntax.root))
        return
    for meaning in resolver.meanings(path, mention):
        if meaning == Elsewhere("globals") and mention.name not in GLOBALS:
            yield Unknown("nothing here defines what it is taken of")
        else:
            yield from resolver.values_of(meaning)


def _infer_member(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    if modules.text(resolver, path, node) == "module.exports":
        yield Instance(Class(path, resolver.lexical(path).syntax.root))
        return
    named, holder = find_part(node, "property", "name"), find_part(node, "object")
    name = modules.text(resolver, path, named) if holder is not None else ""
    if name == "prototype":
        yield from classes.prototype_values(resolver.values(path, holder))
        return
    values = resolver.values(path, holder) if name == imports.DEFAULT else ()
    exporting = [each for each in values if isinstance(each, Module)]
    if exporting and len(exporting) == len(values):  # which need not name it
        for each in exporting:
            yield from imports.infer_default(resolver, each)
        return
    for value in _infer_name(resolver, path, named) if named is not None else ():
        # What is outside may hold what is of the tree: ``ref.current``, where its type is generic.
        is_outside = isinstance(value, Elsewhere) and value != _PLAIN
        yield Unknown("it is a part of what is defined outside") if is_outside else value


def _infer_subscript(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    index = find_part(node, "index")
    if index is not None and index.type in ("string", "template_string") and index.named_child_count == 1:
        return _infer_name(resolver, path, index.named_children[0])
    return types.infer_items(resolver, path, find_part(node, "object"))


def _infer_await(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    return types.infer_awaited(resolver, resolver.values(path, find_part(node, 0)))


_branches = value_of_each("consequence", "alternative", "left", "right")


def _infer_binary(resolver: Resolver, path: str, node: Node) -> Iterable[Value]:
    if types.is_choice(node):
        return _branches(resolver, path, node)
    typed = calls.find_misread_import(node)
    return calls.infer_call(resolver, path, typed) if typed is not None else (_PLAIN,)


def _infer_cast(resolver: Resolver, path: str, node: Node) -> Iterable[Value]:
    if len(node.named_children) < 2:  # ``as const``
        return resolver.values(path, find_part(node, 0))
    return types.allowed_objects(resolver, path, node.named_children[1])


def _infer_assertion(resolver: Resolver, path: str, node: Node) -> Iterable[Value]:
    """Yield the values of ``<T>x``."""
    return types.allowed_objects(resolver, path, node.named_children[0].named_children[0])


infer_expression = read_expressions(
    "string template_string number regex true false array unary_expression update_expression",
    ("null undefined", always()),  # which have no members
    ("jsx_element jsx_self_closing_element jsx_fragment", calls.infer_element),
    ("function_expression arrow_function generator_function", function_itself),
    ("class_body interface_body program", object_itself),
    (
        "identifier type_identifier shorthand_property_identifier property_identifier "
        "private_property_identifier",
        _infer_name,
    ),
    ("member_expression nested_type_identifier nested_identifier", _infer_member),
    ("subscript_expression", _infer_subscript),
    ("call_expression", calls.infer_call),
    ("new_expression", calls.infer_new),
    ("parenthesized_expression non_null_expression satisfies_expression", value_of(0)),
    ("await_expression", _infer_await),
    ("sequence_expression", value_of(-1)),
    ("ternary_expression", _branches),
    ("binary_expression", _infer_binary),
    ("assignment_expression", value_of("right")),
    ("as_expression", _infer_cast),
    ("type_assertion", _infer_assertion),
    ("class", _infer_class),
    ("object", infer_literal),
    ("object_pattern", infer_pattern),
    ("this this_type", classes.infer_this),
    ("super", classes.infer_super),
    literal=_PLAIN,
)
