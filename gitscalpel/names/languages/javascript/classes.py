"""Classes, constructor functions and prototypes, their members, and the values of this.

A class, interface or object is identified by the node that contains its members. A function that ``new``
calls is a class as well, identified by the node of its parameters, which bind no member. An object or
function that is passed to a call, or filled by computed keys (``app[key] = x``), may have any member.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from tree_sitter import Node

from gitscalpel.names import nodes
from gitscalpel.names.entities import (
    WHOLE,
    Binding,
    Class,
    Elsewhere,
    Function,
    Instance,
    Meaning,
    Module,
    Unknown,
    Value,
    bindings_in,
    object_of,
    type_of,
)
from gitscalpel.names.languages.javascript import imports, modules, types
from gitscalpel.names.nodes import children_of, find_part
from gitscalpel.names.resolver import Place, Resolver, cache_value
from gitscalpel.syntax.occurrences import Mention

CONSTRUCTOR_TYPES = ("function_declaration", "function_expression", "generator_function_declaration")
_FUNCTION_TYPES = (*CONSTRUCTOR_TYPES, "arrow_function", "generator_function", "method_definition")
_EXTENDING = re.compile(r"(?i)inherit|extend|mixin|assign|merge|defaults|setprototypeof|subclass")
"""Names of functions that copy the members of other objects into an object."""
_READING = frozenset(
    f"Object.{does}"
    for does in (
        *("create", "keys", "freeze", "seal", "getOwnPropertyNames", "getPrototypeOf", "entries"),
        *("defineProperty", "defineProperties", "getOwnPropertyDescriptor"),
    )
)
_OPEN = Unknown("it may inherit from what it is handed to")


def function_class(function: Function) -> Class | None:
    parameters = find_part(function.node, "parameters", "parameter")
    is_class = parameters is not None and function.node.type in _FUNCTION_TYPES
    return Class(function.path, parameters) if parameters is not None and is_class else None


def constructor_of(of: Class) -> Node | None:
    """Return the function that a class is; None for a class declaration."""
    return of.node.parent if nodes.is_part(of.node, "parameters", "parameter") else None


def constructed_objects(resolver: Resolver, function: Function) -> Iterator[Value]:
    own = function_class(function)
    if own is None or function.node.type not in CONSTRUCTOR_TYPES or not _is_script(resolver, function.path):
        yield Unknown("it creates an object without a class")
        return
    yield Instance(own)
    body = function.node.child_by_field_name("body")
    if body is not None and any(each.type != "this" for each in returned_nodes(body)):
        yield Unknown("it gives something else than what it makes")


def returned_nodes(body: Node) -> Iterator[Node]:
    for node in _iter_own_nodes(body):
        if node.type == "return_statement":
            yield from node.named_children[:1]


def result_nodes(body: Node) -> Iterator[Node]:
    """Yield the expressions that a function with this body returns; of an arrow function, the body."""
    return returned_nodes(body) if body.type == "statement_block" else iter((body,))


def is_constructor(resolver: Resolver, path: str, function: Node) -> bool:
    """Return True if ``new`` makes ``this`` of a function, by the function's name or its uses in the file."""
    is_one = function.type in CONSTRUCTOR_TYPES and _is_script(resolver, path)
    handle = _find_function_name(function) if is_one else None
    if handle is None:
        return False
    word = modules.text(resolver, path, handle).rpartition(".")[2]
    return word[:1].isupper() or any(
        nodes.is_part(each, "constructor")
        if nodes.type_of(each.parent) == "new_expression"
        else _is_prototype(resolver, path, each.parent)
        for each in handle_uses(resolver, path, handle)
    )


def prototype_values(values: tuple[Value, ...]) -> Iterator[Value]:
    """Yield the ``prototype`` of some values: the same as any of their instances."""
    for value in values:
        own = function_class(value) if isinstance(value, Function) else value
        yield Instance(own) if isinstance(own, Class) else Unknown("it is a prototype of no class")


def constructor_bases(resolver: Resolver, own: Class, function: Node) -> Iterator[Value]:
    """Yield the bases of a constructor function, by calls on ``this`` and calls that pass the function."""
    path, body = own.path, find_part(function, "body")
    for node in _iter_own_nodes(body) if body is not None else ():
        called = find_part(node, "function") if node.type == "call_expression" else None
        method = modules.text(resolver, path, find_part(called, "property"))
        arguments = nodes.arguments_of(node) if method in ("call", "apply") else []
        if arguments and arguments[0].type == "this":
            yield from _infer_classes(resolver, path, find_part(called, "object"))
    handle = _find_function_name(function)
    for each in handle_uses(resolver, path, handle):
        yield from _infer_passed_bases(resolver, path, each)
        above = each.parent
        if above is not None and _is_prototype(resolver, path, above):
            yield from _infer_passed_bases(resolver, path, above)
            yield from _infer_assigned_prototypes(resolver, path, above)


def _infer_assigned_prototypes(resolver: Resolver, path: str, prototype: Node) -> Iterable[Value]:
    statement = nodes.parent_of(prototype, "assignment_expression")
    if statement is None:
        member = modules.text(resolver, path, find_part(prototype.parent, "property"))
        return (_OPEN,) if member == "__proto__" else ()
    right = find_part(statement, "right")
    if right is None or right.id == prototype.id:
        return ()
    if right.type == "object":
        return (Class(path, right),)
    if modules.text(resolver, path, find_part(right, "function")) == "Object.create":
        return _infer_classes(resolver, path, next(iter(nodes.arguments_of(right)), None))
    return _infer_classes(resolver, path, right)


def _infer_passed_bases(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    """Yield the values that a call adds to its first argument."""
    call = nodes.parent_of(nodes.parent_of(node, "arguments"))
    arguments = nodes.arguments_of(call)
    called = modules.text(resolver, path, find_part(call, "function"))
    if arguments[:1] == [node] and called not in _READING and _EXTENDING.search(called):
        for each in arguments[1:]:
            if each.type != "object":  # whose keys are set on it
                yield from _infer_classes(resolver, path, each)


def _infer_classes(resolver: Resolver, path: str, node: Node | None) -> Iterator[Value]:
    for value in resolver.values(path, node):
        if isinstance(value, Instance):
            yield value.of
        elif isinstance(value, Function):
            yield function_class(value) or _OPEN
        elif isinstance(value, Module) and value.within is None:
            yield from _infer_exported_classes(resolver, value.path)
        else:
            yield value if isinstance(value, (Class, Elsewhere, Unknown)) else _OPEN


def _infer_exported_classes(resolver: Resolver, path: str) -> Iterator[Value]:
    assigned = imports.assigned_exports(resolver, path)
    for node in assigned:
        yield from _infer_classes(resolver, path, node)
    if not assigned:
        yield Class(path, resolver.lexical(path).syntax.root)


def _find_function_name(function: Node) -> Node | None:
    above = nodes.type_of(function.parent) if function.type != "function_declaration" else ""
    field = {"variable_declarator": "name", "assignment_expression": "left", "pair": "key"}.get(above)
    return find_part(function.parent, field) if field else find_part(function, "name")


def handle_uses(resolver: Resolver, path: str, handle: Node | None) -> Iterator[Node]:
    """Yield the expressions of the file with the text of a function's or object's name: ``F``, ``a.F``."""
    handle_text = modules.text(resolver, path, handle)
    word = handle_text.rpartition(".")[2]
    for mention in resolver.lexical(path).occurrences_of(word) if handle is not None else ():
        node = mention.node
        if mention.role == "member" and node.parent is not None:
            node = node.parent
        is_use = mention.role in ("use", "member") and node != handle
        if is_use and modules.text(resolver, path, node) == handle_text:
            yield node


def _iter_own_nodes(body: Node) -> Iterator[Node]:
    """Yield the nodes of a body whose ``this`` and ``return`` belong to its function."""
    pending = [*body.named_children]
    while pending:
        node = pending.pop()
        yield node
        if node.type not in (*_FUNCTION_TYPES, "class_body"):
            pending += node.named_children


def _is_script(resolver: Resolver, path: str) -> bool:
    return resolver.lexical(path).syntax.language.name == "javascript"


def bases_of(resolver: Resolver, of: Class) -> Iterator[Value]:
    """Yield the bases, implemented interfaces and merged declarations of a class."""
    if of.node.type == "object":
        for child in of.node.named_children:
            spread = find_part(child, 0) if child.type == "spread_element" else None
            for value in _convert_to_classes(resolver, resolver.values(of.path, spread)):
                known = isinstance(value, (Class, Elsewhere))
                yield value if known else Unknown("other objects are spread into it")
    elif of.node.type == "intersection_type":
        for part in of.node.named_children:
            yield from _infer_named_type(resolver, of.path, part)
    elif (function := constructor_of(of)) is not None:
        yield from constructor_bases(resolver, of, function)
    elif of.node.type in ("class_body", "interface_body") and of.node.parent is not None:
        yield from _find_merged_declarations(resolver, of, of.node.parent)
        for value in extended_values(resolver, of):
            if not (isinstance(value, Class) and _is_circular(resolver, value, of)):
                yield value
        yield from _infer_implemented_types(resolver, of)


def has_sibling_parts(resolver: Resolver, binding: Binding) -> bool:
    """Return True if a member is in a part of a type (``{ ... } & Request``) and other parts may have it."""
    if binding.kind != "class" or binding.scope == WHOLE:
        return False
    start, end = binding.scope
    node = resolver.lexical(binding.path).syntax.root.descendant_for_byte_range(start, end)
    while node is not None and node.end_byte == end and node.type != "intersection_type":
        node = node.parent
    if node is None or node.type != "intersection_type":
        return False
    parts = resolver.ancestry(Class(binding.path, node))
    return any(isinstance(each, (Elsewhere, Unknown)) and each != Elsewhere("builtins") for each in parts)


def extended_values(resolver: Resolver, of: Class) -> Iterator[Value]:
    """Yield the values in the ``extends`` clause of a declaration."""
    for clause in _find_heritage_clauses(of):
        for node in clause.named_children:
            if clause.type == "extends_type_clause" and node.type != "extends_clause":
                yield from _infer_named_type(resolver, of.path, node)
            elif node.type != "implements_clause":
                value = find_part(node, "value") if node.type == "extends_clause" else node
                yield from _convert_to_classes(resolver, resolver.values(of.path, value))


def _infer_named_type(resolver: Resolver, path: str, node: Node) -> Iterable[Value]:
    """Return the values of a named part or base of a type. A promise is itself here, not its result."""
    if types.promised_type(resolver, path, node) is not None:
        return (Elsewhere("builtins"),)
    return _convert_to_classes(resolver, types.allowed_objects(resolver, path, node))


def _infer_implemented_types(resolver: Resolver, of: Class) -> Iterator[Value]:
    for clause in _find_heritage_clauses(of):
        for node in clause.named_children:
            for each in node.named_children if node.type == "implements_clause" else ():
                yield from _convert_to_classes(resolver, types.allowed_objects(resolver, of.path, each))


def _find_heritage_clauses(of: Class) -> list[Node]:
    found = children_of(of.node.parent)
    return [each for each in found if each.type in ("class_heritage", "extends_type_clause")]


def _is_circular(resolver: Resolver, base: Class, of: Class) -> bool:
    """Return True if a base extends the class that extends it, so that nothing is inherited."""
    pending, seen = [base], {(base.path, base.scope)}
    while pending:
        for value in extended_values(resolver, pending.pop()):
            key = (value.path, value.scope) if isinstance(value, Class) else None
            if key == (of.path, of.scope):
                return True
            if isinstance(value, Class) and key is not None and key not in seen:
                seen.add(key)
                pending.append(value)
    return False


def _find_merged_declarations(resolver: Resolver, of: Class, declaration: Node) -> Iterator[Value]:
    for meaning in bindings_in(nodes.meanings_of(resolver, of.path, find_part(declaration, "name"))):
        own = (meaning, *imports.augmented_names(resolver, meaning))
        for place in resolver.binders_of_each(own):
            body = find_part(place.mention.node.parent, "body")
            is_other = body is not None and body.id != of.node.id
            if body is not None and is_other and body.type in ("class_body", "interface_body"):
                yield Class(place.path, body)


def _convert_to_classes(resolver: Resolver, values: Iterable[Value]) -> Iterator[Value]:
    for value in values:
        yield resolver.class_of(value) or value


_HOLDERS = ("class_body", "object", "program", *CONSTRUCTOR_TYPES, "generator_function")


def infer_this(resolver: Resolver, path: str, node: Node) -> Iterable[Value]:
    holder = nodes.ancestor(node, *_HOLDERS)
    if holder is None or holder.type == "program":
        return (Unknown("this depends on how the file is run"),)
    if holder.type == "object":
        is_method = nodes.type_of(nodes.ancestor(node, "method_definition", "object")) == "method_definition"
        return (
            _infer_this_in_object(resolver, path, node, holder)
            if is_method
            else infer_this(resolver, path, holder)
        )
    if holder.type == "class_body":
        own = Class(path, holder)
        return (own if _is_static(node, holder) else Instance(own),)
    return _infer_this_in_function(resolver, path, node, holder)


def _infer_this_in_function(resolver: Resolver, path: str, node: Node, function: Node) -> Iterable[Value]:
    """Return the object that a function constructs, or whose method it is."""
    own, pair = function_class(Function(path, function)), nodes.parent_of(function, "pair")
    if own is not None and is_constructor(resolver, path, function):
        return (Instance(own),)
    if pair is not None and pair.parent is not None:
        return _infer_this_in_object(resolver, path, node, pair.parent)
    holder = find_part(find_part(function.parent, "left"), "object")
    is_known = holder is not None
    return resolver.values(path, holder) if is_known else (Unknown("this is what the function is called on"),)


def _infer_this_in_object(resolver: Resolver, path: str, node: Node, holder: Node) -> Iterator[Value]:
    """Yield the object of a method, or the object whose prototype it is."""
    left = find_part(holder.parent, "left")
    other = left if _is_prototype(resolver, path, left) else _find_described_object(holder)
    if other is not None:
        yield from resolver.values(path, other)
        return
    for value in resolver.values(path, holder):
        of = value.of if isinstance(value, Instance) else None
        if of is None or of.node.id != holder.id or _has_member(resolver, path, of, node):
            yield value
        else:
            yield Unknown("other code may add members to the object")


def _find_described_object(holder: Node) -> Node | None:
    """Return the object that ``Object.defineProperty`` or a similar call defines this property on."""
    outer = nodes.parent_of(nodes.parent_of(holder, "pair"))
    suffix = b".defineProperty" if outer is None else b".defineProperties"
    arguments = nodes.parent_of(outer or holder, "arguments")
    called = find_part(nodes.parent_of(arguments), "function")
    is_definition = called is not None and (called.text or b"").endswith(suffix)
    return find_part(arguments, 0) if is_definition else None


def _has_member(resolver: Resolver, path: str, of: Class, this: Node) -> bool:
    """Return True if an object has the accessed member, or has only the members that its file sets."""
    if nodes.parent_of(of.node, "variable_declarator", "assignment_expression") is not None:
        return True
    name = modules.text(resolver, path, find_part(this.parent, "property"))
    return bool(resolver.own_members(of, name))


def _is_static(node: Node, body: Node) -> bool:
    member = node
    while member.parent is not None and member.parent.id != body.id:
        member = member.parent
    return member.type == "class_static_block" or nodes.has_child(member, "static")


def infer_super(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    body = nodes.ancestor(node, "class_body", "object")
    if body is None or body.type != "class_body" or body.parent is None:
        yield Unknown("super is outside of any class")
        return
    for value in extended_values(resolver, Class(path, body)):
        yield value if _is_static(node, body) else object_of(value)


def member_holder(mention: Mention) -> Node | None:
    """Return the expression, object or pattern of a member; for a class property, the class body."""
    above = modules.find_named_node(mention.node)
    kind = nodes.type_of(above)
    if kind in ("required_parameter", "optional_parameter"):
        return nodes.ancestor(above, "class_body")
    if kind in ("object", "object_pattern"):
        return above
    if kind in ("pair", "pair_pattern", "method_definition", "object_assignment_pattern"):
        return nodes.parent_of(above)
    if kind in ("arguments", "literal_type"):  # ``Object.defineProperty(o, "x", …)``
        return find_part(above, 0) if kind == "arguments" else None
    return find_part(above, "object", "module")


def is_member_set(mention: Mention) -> bool:
    """Return True for a key of an object, a property, or the target of an assignment."""
    above = modules.find_named_node(mention.node)
    if above is None:
        return False
    if above.type in ("pair", "object", "method_definition", "required_parameter", "optional_parameter"):
        return True
    if above.type == "arguments" and above.parent is not None:
        called = find_part(above.parent, "function")
        return called is not None and (called.text or b"").endswith((b".defineProperty", b".set"))
    return nodes.type_of(above.parent) == "assignment_expression" and nodes.is_part(above, "left")


def resolve_key(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """Return the meanings of a word as a key where it is also a name."""
    found: list[Meaning] = []
    for value in resolver.values(path, member_holder(mention)):
        members, of = resolver.members(value, mention.name), type_of(value)
        found += members or ([resolver.class_member(of, mention.name)] if isinstance(of, Class) else [])
    return found or (Unknown("the value that has it is unknown"),)


def property_redeclarations(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """Yield the parameter that makes a property, and the same global name in other files."""
    if binding.kind == "module" and not imports.is_module(resolver, binding.path):
        others = list(imports.shared_globals(resolver, binding.path, binding.name))
        yield from [min(others)] if others else ()  # through which all of them are one
    yield from imports.namespace_redeclarations(resolver, binding)
    declaration = types.find_declaring_class(resolver, binding)
    if declaration is not None:
        declarations = (declaration, *property_redeclarations(resolver, declaration))
        yield from types.type_parameter_redeclarations(resolver, binding, declarations)
    if binding.kind != "class" or binding.space == "static":
        return
    for mention in resolver.lexical(binding.path).occurrences_of(binding.name):
        node = member_holder(mention) if mention.kind == "parameter" and mention.key else None
        if node is not None and nodes.span_of(node) == binding.scope:
            yield from bindings_in(resolver.meanings(binding.path, mention))


_OWN = frozenset(
    {"apply", "arguments", "bind", "call", "caller", "length", "name", "prototype"}
    | {"constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString"}
    | {"toString", "valueOf", "__proto__"}
)
"""Members of every function and object (ECMA-262)."""
_HARMLESS = frozenset(
    {f"Object.{does}" for does in ("keys", "values", "entries", "freeze", "seal", "isFrozen", "is")}
    | {f"JSON.{does}" for does in ("stringify", "parse")}
    | {f"console.{does}" for does in ("log", "error", "warn", "info", "debug", "dir", "table")}
    | {"require", "String", "Boolean", "Array.isArray", "structuredClone", "clearTimeout", "clearInterval"}
)
"""Calls that add nothing to their arguments."""
_ADDED = Unknown("the function that it is passed to may add it")


def added_members(resolver: Resolver, value: Value, name: str) -> Iterable[Meaning]:
    """Return the members that code may add to a function or instance and that no declaration gives it."""
    if isinstance(value, Function):
        return (Elsewhere("a function") if name in _OWN else _ADDED,)
    if isinstance(value, Instance) and name not in _OWN and _is_filled(resolver, value.of):
        return (_ADDED,)
    return ()


def _is_filled(resolver: Resolver, of: Class) -> bool:
    return _is_script(resolver, of.path) and _may_add_members(resolver, of)  # types would have to say so


@cache_value(otherwise=False)
def _may_add_members(resolver: Resolver, of: Class) -> bool:
    node, path = of.node, of.path
    if node.type == "object":
        return _has_prototype(resolver, of) or any(
            _is_extended(resolver, path, each) for each in _find_expressions(resolver, path, node)
        )
    handle = find_part(node.parent, "name") if node.type == "class_body" else None
    prototypes = (nodes.parent_of(each) for each in handle_uses(resolver, path, handle))
    return any(
        _is_prototype(resolver, path, each) and _is_extended(resolver, path, each) for each in prototypes
    )


def _is_prototype(resolver: Resolver, path: str, node: Node | None) -> bool:
    return modules.text(resolver, path, find_part(node, "property")) == "prototype"


def _has_prototype(resolver: Resolver, of: Class) -> bool:
    """Return True for ``{ __proto__: x }``."""
    keys = (find_part(each, "key") for each in of.node.named_children if each.type == "pair")
    return any(modules.text(resolver, of.path, each).strip("\"'") == "__proto__" for each in keys)


def _find_expressions(resolver: Resolver, path: str, node: Node) -> Iterable[Node]:
    """Yield the object itself, and the expressions that name it in its file."""
    yield node
    above = node.parent
    while above is not None and above.type == "assignment_expression":
        yield from handle_uses(resolver, path, find_part(above, "left"))
        above = above.parent
    name = find_part(above, "name") if nodes.type_of(above) == "variable_declarator" else None
    if name is not None and name.type == "identifier":
        yield from handle_uses(resolver, path, name)


def _is_extended(resolver: Resolver, path: str, node: Node | None) -> bool:
    above = nodes.parent_of(node)
    if node is None or above is None:
        return False
    if above.type == "arguments":
        called = find_part(above.parent, "function")
        return modules.text(resolver, path, called) not in _HARMLESS
    if above.type == "subscript_expression" and nodes.is_part(node, "object"):
        return nodes.is_part(above, "left") and nodes.type_of(find_part(above, "index")) not in ("", "string")
    if above.type == "member_expression" and nodes.is_part(node, "object"):
        return modules.text(resolver, path, find_part(above, "property")) == "__proto__"
    return False


_ITERATOR = frozenset({"next", "return", "throw"})
_RESULT = frozenset({"done", "value"})
_TRAPS = frozenset(
    {
        *("apply", "construct", "defineProperty", "deleteProperty", "get", "getOwnPropertyDescriptor"),
        *("getPrototypeOf", "has", "isExtensible", "ownKeys", "preventExtensions", "set", "setPrototypeOf"),
    }
)
_ALWAYS: Mapping[str, str] = {
    "handleEvent": "events are handed to it by this name",
    **dict.fromkeys(
        (
            *("connectedCallback", "disconnectedCallback", "adoptedCallback", "attributeChangedCallback"),
            *("observedAttributes", "formAssociatedCallback", "formResetCallback"),
        ),
        "the page calls it by this name in custom elements",
    ),
}
_MEMBERS = ("member", "static", "")


def language_call_reason(resolver: Resolver, place: Place) -> str:
    """Return the language feature or host that calls a definition by its name; empty if none does."""
    mention, text = place.mention, resolver.lexical(place.path).text
    name, above = mention.name, modules.find_named_node(mention.node)
    if above is None or mention.kind not in _MEMBERS or (mention.role == "bind" and not mention.kind):
        return ""
    if name in _ALWAYS:
        return _ALWAYS[name]
    is_function = nodes.type_of(find_part(above, "value")) in modules.FUNCTIONS
    is_method = above.type == "method_definition" or is_function
    if name in _ITERATOR and is_method and b"terator]" in text:
        return "loops call it by this name where it is that of an iterator"
    if name in _RESULT and above.parent is not None and above.parent.type == "object":
        keys = {
            modules.text(resolver, place.path, _find_member_name(each))
            for each in above.parent.named_children
        }
        return (
            "loops read it by this name where it is that of an iterator's result" if keys >= _RESULT else ""
        )
    if name in _TRAPS and is_method and b"new Proxy(" in text:
        return "a proxy calls it by this name where it is that of its handler"
    return ""


_PARAMETERS = ("required_parameter", "optional_parameter")
_MODIFIERS = ("accessibility_modifier", "readonly", "override_modifier")
_CLOSED = frozenset({b"private", b"protected"})


class TypeShape(NamedTuple):
    """Members of a type; ``is_own`` if only declared subtypes fit, since some members are ``private``."""

    has: frozenset[str]
    needs: frozenset[str]
    is_whole: bool
    is_own: bool


def is_assignable(resolver: Resolver, source: Class, target: Class) -> bool:
    """Return True if an object of one type may be assigned where another is expected."""
    source_shape, target_shape = type_shape(resolver, source), type_shape(resolver, target)
    return (
        bool(target_shape.has)
        and not target_shape.is_own
        and (not source_shape.is_whole or target_shape.needs <= source_shape.has)
    )


@cache_value(otherwise=TypeShape(frozenset(), frozenset(), is_whole=False, is_own=False))
def type_shape(resolver: Resolver, of: Class) -> TypeShape:
    """Return the members of a type, with inherited ones."""
    has: set[str] = set()
    needs: set[str] = set()
    is_whole, is_own = True, False
    for each in resolver.ancestry(of):
        if not isinstance(each, Class):
            is_whole = is_whole and each == Elsewhere("builtins")
            continue
        for member in _find_members(each.node):
            name = modules.text(resolver, each.path, _find_member_name(member)).strip("\"'`[]")
            has.add(name)
            if not _is_optional(member):
                needs.add(name)
            is_own = is_own or name.startswith("#") or _is_nominal(member)
    return TypeShape(frozenset(has), frozenset(needs), is_whole, is_own)


def _find_members(body: Node) -> list[Node]:
    found = []
    for each in body.named_children:
        name = None if nodes.has_child(each, "static") else _find_member_name(each)
        if name is not None and name.text == b"constructor":
            parameters = children_of(find_part(each, "parameters"))
            found += [
                one for one in parameters if one.type in _PARAMETERS and nodes.has_child(one, *_MODIFIERS)
            ]
        elif name is not None:
            found.append(each)
    return found


def _find_member_name(member: Node) -> Node | None:
    if member.type.startswith("shorthand"):
        return member
    return find_part(member, *(("pattern",) if member.type in _PARAMETERS else ("name", "key")))


def _is_nominal(member: Node) -> bool:
    return any(each.type == "accessibility_modifier" and each.text in _CLOSED for each in member.children)


def _is_optional(member: Node) -> bool:
    return member.type == "optional_parameter" or nodes.has_child(member, "?")
