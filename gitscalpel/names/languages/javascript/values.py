"""Infer the values of expressions, bindings, patterns and object literals.

The keys of an object literal are members of the type that is declared for it, or else of the literal
itself. `GLOBALS` are the names that the language or its hosts define (ECMA-262, DOM, Node).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from tree_sitter import Node

from gitscalpel.names import nodes
from gitscalpel.names.entities import Binding, Class, Elsewhere, Function, Instance, Module, Unknown, Value
from gitscalpel.names.languages.javascript import calls, classes, imports, modules, types
from gitscalpel.names.nodes import find_part
from gitscalpel.names.resolver import Place, Resolver
from gitscalpel.syntax.occurrences import Mention

_VALUED = {"variable_declarator": "value", "assignment_expression": "right"}
_PARAMETERS = ("required_parameter", "optional_parameter")


def infer_pattern(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    above = node.parent
    if above is None:
        return
    kind = above.child_by_field_name("type")
    if kind is not None and above.type in (*_PARAMETERS, "variable_declarator"):
        yield from types.allowed_objects(resolver, path, kind)
    elif above.type == "variable_declarator" and (
        documented := list(types.declared_objects(resolver, path, above))
    ):
        yield from documented
    elif above.type in _VALUED:
        yield from resolver.values(path, above.child_by_field_name(_VALUED[above.type]))
        yield from _assigned_later(resolver, path, node)
    elif above.type in ("assignment_pattern", "object_assignment_pattern"):
        yield from (
            _member_of_pattern(resolver, path, above)
            if node.type.startswith("short")
            else infer_pattern(resolver, path, above)
        )
    elif above.type in ("pair_pattern", "object_pattern"):
        yield from _member_of_pattern(resolver, path, node)
    elif above.type == "for_in_statement":
        is_item = types.is_over_items(above)
        right = above.child_by_field_name("right")
        yield from types.infer_items(resolver, path, right) if is_item else (Elsewhere("builtins"),)
    elif above.type == "array_pattern":
        at = next(at for at, each in enumerate(above.named_children) if each.id == node.id)
        yield from types.infer_pattern_item(resolver, path, above, at)
    elif above.type == "rest_pattern" and above.parent is not None and above.parent.type == "object_pattern":
        yield from resolver.values(path, above.parent)
    else:
        function = above if above.type == "arrow_function" else above.parent
        name = modules.text(resolver, path, node)
        documented = (
            list(types.declared_objects(resolver, path, function, name)) if function is not None else []
        )
        yield from documented or calls.infer_parameter(resolver, path, node)


def _assigned_later(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    if node.type != "identifier":
        return
    lexical = resolver.lexical(path)
    own = lexical.scope_of(nodes.mention(resolver, path, node))
    for mention in lexical.occurrences_of(modules.text(resolver, path, node)):
        above = mention.node.parent
        left = find_part(above, "left")
        if mention.role != "use" or above is None or left is None or left.id != mention.node.id:
            continue
        if above.type == "binary_expression":
            continue  # its left side is read
        scope, right = lexical.scope_of(mention), above.child_by_field_name("right")
        if scope is not None and own is not None and scope.span == own.span and right is not None:
            is_set = above.type == "assignment_expression"
            yield from resolver.values(path, right) if is_set else (Unknown("it is set by what runs"),)


def _member_of_pattern(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    """Yield the member that a name in ``{ ... }`` binds."""
    pattern = nodes.ancestor(node, "object_pattern") if node.type != "object_pattern" else node.parent
    key = node
    if node.type == "object_assignment_pattern":
        key = node.child_by_field_name("left") or node
    if node.parent is not None and node.parent.type == "pair_pattern":
        key = node.parent.child_by_field_name("key") or node
        pattern = node.parent.parent
    if pattern is None or node.type in ("rest_pattern",):
        yield Unknown("it is what is left")
        return
    name = modules.text(resolver, path, key).strip("\"'")
    for value in resolver.values(path, pattern):
        if name == imports.DEFAULT and isinstance(value, Module):  # which the module need not name
            yield from imports.infer_default(resolver, value)
            continue
        for member in resolver.members(value, name):
            yield from resolver.values_of(member)


_Bound = Callable[[Resolver, str, Mention, Node], Iterable[Value]]


def infer_binding(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    above = modules.find_named_node(mention.node)
    if above is None:
        return (Unknown("it is bound by nothing"),)
    if mention.role == "member" or (mention.role == "use" and mention.key):
        return _bound_assignment(resolver, path, mention, above)
    read = _BINDING_READERS.get(mention.kind)
    return read(resolver, path, mention, above) if read else (Unknown("it is bound by what runs"),)


def _bound_class(_resolver: Resolver, path: str, _mention: Mention, above: Node) -> Iterator[Value]:
    body = above.child_by_field_name("body")
    if body is not None:
        yield Class(path, body)


def _bound_umd_global(resolver: Resolver, path: str, _mention: Mention, _above: Node) -> Iterator[Value]:
    yield Module(path, resolver.lexical(path).syntax.language.name)


def _bound_function(_resolver: Resolver, path: str, _mention: Mention, above: Node) -> Iterator[Value]:
    yield Function(path, above)


def _bound_alias(resolver: Resolver, path: str, _mention: Mention, above: Node) -> Iterator[Value]:
    yield from types.allowed_objects(resolver, path, above.child_by_field_name("value"))


def _bound_type_parameter(resolver: Resolver, path: str, _mention: Mention, above: Node) -> Iterator[Value]:
    limit = above.child_by_field_name("constraint")
    if limit is None or not limit.named_children:
        yield Unknown("it is a type that is chosen later")
    else:
        yield from types.allowed_objects(resolver, path, limit.named_children[0])


def _bound_import(resolver: Resolver, path: str, mention: Mention, _above: Node) -> Iterable[Value]:
    return imports.infer_import(resolver, path, mention)


def _bound_export(resolver: Resolver, path: str, mention: Mention, above: Node) -> Iterator[Value]:
    name = above.child_by_field_name("name")
    if name is None or mention.kind == "passed":
        yield from imports.infer_import(resolver, path, mention)
        return
    own = mention.node.id == name.id
    meant = (
        imports.resolve_export(resolver, path, mention)
        if own
        else resolver.meanings(path, nodes.mention(resolver, path, name))
    )
    for meaning in meant:
        yield from resolver.values_of(meaning)


def _bound_pattern(resolver: Resolver, path: str, mention: Mention, _above: Node) -> Iterable[Value]:
    return infer_pattern(resolver, path, mention.node)


def _bound_member(resolver: Resolver, path: str, _mention: Mention, above: Node) -> Iterator[Value]:
    if "method" in above.type:
        if any(child.type in ("get", "set") for child in above.children):
            yield from calls.infer_result(resolver, Function(path, above))
        else:
            yield Function(path, above)
        return
    kind, value = above.child_by_field_name("type"), above.child_by_field_name("value")
    documented = list(types.declared_objects(resolver, path, above)) if kind is None else []
    if documented:
        yield from documented
    elif kind is None and value is not None:
        yield from resolver.values(path, value)
    else:
        yield from types.allowed_objects(resolver, path, kind)


def _bound_enumerator(_resolver: Resolver, _path: str, _mention: Mention, _above: Node) -> Iterator[Value]:
    yield Elsewhere("builtins")


def _bound_assignment(resolver: Resolver, path: str, mention: Mention, above: Node) -> Iterable[Value]:
    """Return the values of a key of an object, or of ``a.b = value``."""
    if mention.role == "use":
        return [worth for each in resolver.meanings(path, mention) for worth in resolver.values_of(each)]
    if above.type == "method_definition":
        return _bound_member(resolver, path, mention, above)
    value = above.child_by_field_name("value")
    if above.type == "pair" and value is not None:
        return resolver.values(path, value)
    statement = above.parent
    right = find_part(statement, "right")
    return resolver.values(path, right) if right is not None else (Unknown("it is set by what runs"),)


_BINDING_READERS: Mapping[str, _Bound] = {
    **dict.fromkeys(("class", "self", "interface", "enum"), _bound_class),
    "namespace": imports.infer_namespace,
    "umd": _bound_umd_global,
    "function": _bound_function,
    "alias": _bound_alias,
    "generic": _bound_type_parameter,
    "import": _bound_import,
    **dict.fromkeys(("export", "passed"), _bound_export),
    **dict.fromkeys(("variable", "var", "parameter"), _bound_pattern),
    **dict.fromkeys(("member", "static", "private"), _bound_member),
    "enumerator": _bound_enumerator,
}
"""By kind of binding: reader of the bound value."""


_KEPT = ("parenthesized_expression", "ternary_expression")
_TYPED = (
    *("variable_declarator", "public_field_definition", "field_definition"),
    *("required_parameter", "optional_parameter"),
)
_FREE = ("export_statement", "expression_statement", "member_expression", "assignment_pattern")
_PLAIN = Elsewhere("builtins")
"""Types of primitive values, which no object has."""
_COPYING = frozenset({"Object.assign", "Object.defineProperties"})
"""Functions that add the members of other arguments to the first one and return it."""


def infer_literal(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    """Yield the types that an object literal is an instance of."""
    own = Instance(Class(path, node))
    node, above = _outermost(resolver, path, node)
    is_given = any(each.id == node.id for each in modules.amd_export(resolver.lexical(path).syntax.root))
    found = list(_expected_objects(resolver, path, node, above)) if above is not None and not is_given else []
    if not found:
        yield own
        return
    known = [value for value in found if not isinstance(value, (Unknown, Elsewhere))]
    if known:
        yield from (value for value in found if value != _PLAIN)
    else:
        yield own
        yield Unknown("the object's type is not known")


def _outermost(resolver: Resolver, path: str, node: Node) -> tuple[Node, Node | None]:
    """Return the outermost expression with the value of another one, and the node around it."""
    above = node.parent
    while above is not None:
        call = above.parent if above.type == "arguments" and above.named_children[0] == node else None
        called = find_part(call, "function")
        if call is not None and modules.text(resolver, path, called) in calls.IDENTITY_FUNCTIONS:
            node = call
        elif above.type in _KEPT:
            node = above
        else:
            break
        above = node.parent
    return node, above


def _expected_objects(resolver: Resolver, path: str, node: Node, above: Node) -> Iterator[Value]:
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
        yield from _expected_in_object(resolver, path, above)
    elif above.type in ("return_statement", "arrow_function"):
        yield from _expected_result(resolver, path, above)
    elif above.type == "assignment_expression":
        yield from _expected_by_target(resolver, path, node, above)
    elif above.type == "arguments":
        yield from _expected_argument(resolver, path, node, above)
    elif above.type not in _FREE:
        yield Unknown("it goes where nobody says what it has to be")


def _expected_argument(resolver: Resolver, path: str, node: Node, arguments: Node) -> Iterator[Value]:
    call = arguments.parent
    callee = find_part(call, "function")
    if arguments.named_children[0].id != node.id and modules.text(resolver, path, callee) in _COPYING:
        yield from resolver.values(path, arguments.named_children[0])
        return
    for parameter in calls.find_parameter(resolver, path, node):
        found = list(_expected_by_parameter(resolver, parameter)) if parameter is not None else []
        yield from found or (Unknown("what it is given to says no type"),)


def _expected_by_parameter(resolver: Resolver, parameter: calls.TakingParameter) -> Iterator[Value]:
    """Yield the declared objects of a parameter, by its file or a comment there."""
    for each in parameter.types(resolver):
        yield from types.allowed_objects(resolver, *each)
    if parameter.node.child_by_field_name("type") is None:
        name = parameter.node.child_by_field_name("left") or parameter.node
        parameter_name = modules.text(resolver, parameter.path, name) if name.type == "identifier" else ""
        yield from (
            types.declared_objects(resolver, parameter.path, parameter.function, parameter_name)
            if parameter_name
            else ()
        )


def _expected_in_object(resolver: Resolver, path: str, pair: Node) -> Iterator[Value]:
    outer, key = pair.parent, pair.child_by_field_name("key")
    if outer is None or key is None:
        return
    for value in resolver.values(path, outer):
        if isinstance(value, Instance) and value.of.node.id != outer.id:
            for member in resolver.members(value, modules.text(resolver, path, key)):
                yield from resolver.values_of(member)
        elif not isinstance(value, Instance):
            yield Unknown("it is a part of what is not known")


def _expected_result(resolver: Resolver, path: str, above: Node) -> Iterator[Value]:
    function = above if above.type == "arrow_function" else nodes.ancestor(above, *modules.FUNCTIONS)
    kind = find_part(function, "return_type")
    documented = (
        list(types.returned_objects(resolver, path, function))
        if function is not None and kind is None
        else []
    )
    if kind is not None:
        yield from types.allowed_objects(resolver, path, kind)
    elif documented:
        yield from documented
    elif (call := _immediate_call(function)) is not None:
        node, around = _outermost(resolver, path, call)
        yield from _expected_objects(resolver, path, node, around) if around is not None else ()
    elif function is None or not _has_no_expected_result(function):
        yield Unknown("the function goes where nobody says what it has to give")


def _immediate_call(function: Node | None) -> Node | None:
    """Return the call of a function expression that is called at once and whose result the call gives."""
    node = function
    while node is not None and node.parent is not None and node.parent.type == "parenthesized_expression":
        node = node.parent
    call = node.parent if node is not None else None
    if function is None or call is None or call.type != "call_expression":
        return None
    is_plain = (
        function.type in ("arrow_function", "function_expression") and function.children[0].type != "async"
    )
    return call if is_plain and call.child_by_field_name("function") == node else None


def _has_no_expected_result(function: Node) -> bool:
    """Return True if nothing around a function requires a result."""
    if function.type == "function_declaration":
        return True
    above = function.parent
    if above is None or above.type == "class_body":
        return True
    return above.type == "variable_declarator" and above.child_by_field_name("type") is None


def _expected_by_target(resolver: Resolver, path: str, node: Node, above: Node) -> Iterator[Value]:
    """Yield the objects that an assigned value has to be: by the target's type, or its earlier values."""
    left = above.child_by_field_name("left")
    target = modules.text(resolver, path, left)
    if left is None or target in ("module.exports", "exports") or target.endswith(".prototype"):
        return
    written = types.expression_types(resolver, path, left)
    for each in written:
        yield from types.allowed_objects(resolver, *each)
    if not written:
        at, first = next(_assigned_nodes(resolver, path, left), (path, None))
        if first is None:
            yield Unknown("what it is given to may have a type of its own")
        elif (at, first.id) != (path, node.id):
            yield from resolver.values(at, first)


def _assigned_nodes(resolver: Resolver, path: str, left: Node) -> Iterator[tuple[str, Node]]:
    """Yield the values other than ``null`` that a variable or member is assigned in any file."""
    named = left.child_by_field_name("property") or left
    for meaning in resolver.meanings(path, nodes.mention(resolver, path, named)):
        if not isinstance(meaning, Binding):
            continue
        for place in (*resolver.binders(meaning), *_later_assignments(resolver, meaning)):
            above = modules.find_named_node(place.mention.node)
            if above is not None and above.type == "member_expression":
                above = above.parent
            value = find_part(above, "value", "right") if above else None
            if value is not None and value.type not in ("null", "undefined"):
                yield place.path, value
            elif place.mention.kind == "parameter":
                return


def _later_assignments(resolver: Resolver, variable: Binding) -> Iterator[Place]:
    if variable.kind != "class":
        for mention in resolver.lexical(variable.path).occurrences_of(variable.name):
            above = mention.node.parent
            left = find_part(above, "left")
            is_set = above is not None and above.type == "assignment_expression" and left == mention.node
            if is_set and mention.role == "use" and variable in resolver.meanings(variable.path, mention):
                yield Place(variable.path, mention)


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


_LITERALS = frozenset(
    {
        *("string", "template_string", "number", "regex", "true", "false", "array"),
        *("unary_expression", "update_expression"),
    }
)
_ELEMENTS = frozenset({"jsx_element", "jsx_self_closing_element", "jsx_fragment"})
_FUNCTIONS = frozenset({"function_expression", "arrow_function", "generator_function"})
_Read = Callable[[Resolver, str, Node], Iterator[Value]]


def infer_expression(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    """Yield the possible values of an expression; empty for values without members (``null``)."""
    read = _EXPRESSION_READERS.get(node.type)
    if node.type in _LITERALS:
        yield Elsewhere("builtins")
    elif node.type in _ELEMENTS:
        yield from calls.infer_element(resolver)
    elif node.type in _FUNCTIONS:
        yield Function(path, node)
    elif node.type in ("class_body", "interface_body"):
        yield Instance(Class(path, node))
    elif read is None and node.type not in ("null", "undefined"):
        yield Unknown(f"nobody can tell what a {node.type.replace('_', ' ')} gives")
    elif read is not None:
        yield from read(resolver, path, node)


def _values_of_name(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    mention = nodes.mention(resolver, path, node)
    if mention.name == "exports" and resolver.lexical(path).scope_of(mention) is None:
        yield Instance(Class(path, resolver.lexical(path).syntax.root))
        return
    for meaning in resolver.meanings(path, mention):
        if meaning == Elsewhere("globals") and mention.name not in GLOBALS:
            yield Unknown("nothing here defines what it is taken of")
        else:
            yield from resolver.values_of(meaning)


def _values_of_property(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    if modules.text(resolver, path, node) == "module.exports":
        yield Instance(Class(path, resolver.lexical(path).syntax.root))
        return
    named = find_part(node, "property", "name")
    holder = node.child_by_field_name("object")
    if holder is not None and modules.text(resolver, path, named) == "prototype":
        yield from classes.prototype_values(resolver.values(path, holder))
        return
    if holder is not None and modules.text(resolver, path, named) == imports.DEFAULT:
        values = resolver.values(path, holder)
        if values and all(isinstance(each, Module) for each in values):  # which need not name it
            for each in values:
                yield from imports.infer_default(resolver, each) if isinstance(each, Module) else ()
            return
    for value in _values_of_name(resolver, path, named) if named is not None else ():
        # What is outside may hold what is of the tree: ``ref.current``, where its type is generic.
        yield Unknown("it is a part of what is defined outside") if _is_outside(value) else value


def _is_outside(value: Value) -> bool:
    return isinstance(value, Elsewhere) and value != Elsewhere("builtins")


def _values_of_subscript(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    index = node.child_by_field_name("index")
    if index is not None and index.type in ("string", "template_string") and index.named_child_count == 1:
        yield from _values_of_name(resolver, path, index.named_children[0])
    else:
        yield from types.infer_items(resolver, path, node.child_by_field_name("object"))


def _values_of_child(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    for child in node.named_children[:1]:
        yield from resolver.values(path, child)


def _values_of_await(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    yield from types.infer_awaited(resolver, _values_of_child(resolver, path, node))


def _values_of_sequence(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    yield from resolver.values(path, node.named_children[-1])


def _values_of_branches(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    for field in ("consequence", "alternative", "left", "right"):
        yield from resolver.values(path, node.child_by_field_name(field))


def _values_of_binary(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    operator = node.child_by_field_name("operator")
    if operator is not None and operator.type in ("||", "&&", "??"):
        yield from _values_of_branches(resolver, path, node)
        return
    typed = calls.find_misread_import(node)
    yield from calls.infer_call(resolver, path, typed) if typed is not None else (Elsewhere("builtins"),)


def _values_of_right(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    yield from resolver.values(path, node.child_by_field_name("right"))


def _values_of_cast(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    if len(node.named_children) < 2:  # ``as const``
        yield from _values_of_child(resolver, path, node)
    else:
        yield from types.allowed_objects(resolver, path, node.named_children[1])


def _values_of_assertion(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    """Yield the values of ``<T>x``."""
    yield from types.allowed_objects(resolver, path, node.named_children[0].named_children[0])


def _values_of_class(_resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    body = node.child_by_field_name("body")
    if body is not None:
        yield Class(path, body)


def _values_of_root(_resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    yield Instance(Class(path, node))


_EXPRESSION_READERS: Mapping[str, _Read] = {
    **dict.fromkeys(
        (
            *("identifier", "type_identifier", "shorthand_property_identifier"),
            *("property_identifier", "private_property_identifier"),
        ),
        _values_of_name,
    ),
    **dict.fromkeys(
        ("member_expression", "nested_type_identifier", "nested_identifier"), _values_of_property
    ),
    "subscript_expression": _values_of_subscript,
    "call_expression": calls.infer_call,
    "new_expression": calls.infer_new,
    **dict.fromkeys(("parenthesized_expression", "non_null_expression"), _values_of_child),
    "await_expression": _values_of_await,
    "satisfies_expression": _values_of_child,
    "sequence_expression": _values_of_sequence,
    "ternary_expression": _values_of_branches,
    "binary_expression": _values_of_binary,
    "assignment_expression": _values_of_right,
    "as_expression": _values_of_cast,
    "type_assertion": _values_of_assertion,
    "class": _values_of_class,
    "object": infer_literal,
    "object_pattern": infer_pattern,
    "this": classes.infer_this,
    "this_type": classes.infer_this,
    "super": classes.infer_super,
    "program": _values_of_root,
}
"""By node type: reader of an expression."""
