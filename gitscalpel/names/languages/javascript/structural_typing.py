"""Find the objects that arrive where a type is expected.

TypeScript compares types by their members, so an object need not be of the type that it is passed as. An
expected type (`ExpectedType`) is followed through the uses of each name that has it to the values that
arrive there. Objects from outside the tree have the members too, and no rename changes their names.
https://www.typescriptlang.org/docs/handbook/type-compatibility.html
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias, cast

from tree_sitter import Node

from gitscalpel.names import class_hierarchy, nodes
from gitscalpel.names.entities import (
    OUTSIDE,
    Binding,
    Class,
    Elsewhere,
    Function,
    Instance,
    Meaning,
    Unknown,
    Value,
)
from gitscalpel.names.language import PassedValue
from gitscalpel.names.languages.javascript import calls, classes, imports, modules, types
from gitscalpel.names.nodes import children_of, find_part
from gitscalpel.names.resolver import Place, Resolver
from gitscalpel.syntax.occurrences import Mention


class ItemStep(NamedTuple):
    """Step to the items of a list, or to the values of all keys."""


class MemberStep(NamedTuple):
    """Step to a member of an object."""

    name: str


class ParameterStep(NamedTuple):
    """Step to a parameter of a function, by its index."""

    at: int


class ResultStep(NamedTuple):
    """Step to the result of a function."""


Step: TypeAlias = ItemStep | MemberStep | ParameterStep | ResultStep
Steps: TypeAlias = tuple[Step, ...]
_CHOICES = ("ternary_expression", "binary_expression")
_AROUND = ("parenthesized_expression", "satisfies_expression", "non_null_expression", "await_expression")
_WRITTEN = ("object", "array")
_SAME = frozenset({"filter", "slice", "concat", "sort", "reverse", "splice", "toSorted", "toReversed"})
"""Methods of lists that return lists of the same items."""
_THROUGH = frozenset(
    {"Object.freeze", "Object.seal", "Object.assign", "structuredClone", "Promise.resolve", "Array.from"}
)
"""Nodes that have the value of their operand."""


def infer_part(resolver: Resolver, path: str, node: Node, steps: Steps) -> Iterator[Value]:
    read = _STEP_READERS.get(node.type)
    found = list(read(resolver, path, node, steps)) if read is not None else []
    if found:
        yield from found
    elif node.type in _WRITTEN:  # what it is, is said by what asks for it
        return
    elif steps and isinstance(steps[0], ItemStep):
        yield from follow_steps(resolver, types.infer_items(resolver, path, node), steps[1:])
    else:
        yield from follow_steps(resolver, resolver.values(path, node), steps)


def follow_steps(resolver: Resolver, found: Iterable[Value], steps: Steps) -> Iterator[Value]:
    """Yield the parts of some values to which steps lead; unknown values stay unknown."""
    for value in found:
        if not steps or isinstance(value, Unknown):
            yield value
        elif isinstance(steps[0], MemberStep) and isinstance(value, Instance):
            yield from _follow_member(resolver, value, steps[0].name, steps[1:])
        elif isinstance(steps[0], ParameterStep) and isinstance(value, Function):
            yield from _follow_parameter(resolver, value, steps[0].at, steps[1:])
        elif isinstance(steps[0], ResultStep) and isinstance(value, Function):
            yield from _follow_result(resolver, value, steps[1:])


def _follow_member(resolver: Resolver, value: Value, name: str, steps: Steps) -> Iterator[Value]:
    for meaning in resolver.members(value, name):
        if steps and isinstance(steps[0], ItemStep):
            for each in types.item_types(resolver, tuple(types.declared_types(resolver, [meaning]))):
                yield from follow_steps(resolver, types.allowed_objects(resolver, *each), steps[1:])
        else:
            yield from follow_steps(resolver, resolver.values_of(meaning), steps)


def _follow_parameter(resolver: Resolver, function: Function, at: int, steps: Steps) -> Iterator[Value]:
    kind = _type_annotation(nth_parameter(function.node, at))
    if kind is not None:
        yield from infer_part_of_type(resolver, function.path, kind, steps)


def _follow_result(resolver: Resolver, function: Function, steps: Steps) -> Iterator[Value]:
    kind = function.node.child_by_field_name("return_type")
    if kind is not None:
        yield from infer_part_of_type(resolver, function.path, kind, steps)
    elif not (steps and isinstance(steps[0], ItemStep)):
        yield from follow_steps(resolver, calls.infer_result(resolver, function), steps)


def infer_part_of_type(resolver: Resolver, path: str, type_node: Node, steps: Steps) -> Iterator[Value]:
    if steps and isinstance(steps[0], ItemStep):
        for each in types.item_types(resolver, (types.WrittenType(path, type_node),)):
            yield from follow_steps(resolver, types.allowed_objects(resolver, *each), steps[1:])
    else:
        yield from follow_steps(resolver, types.allowed_objects(resolver, path, type_node), steps)


def nth_parameter(function: Node, at: int) -> Node | None:
    """Return a parameter by its index; a function without parentheses has one."""
    parameter_list = function.child_by_field_name("parameters")
    parameters = (
        [each for each in parameter_list.named_children if _is_passed_parameter(each)]
        if parameter_list is not None
        else []
    )
    return parameters[at] if at < len(parameters) else None


def parameter_number(parameter: Node) -> int:
    """Return the index of a parameter in its function."""
    parameter_list = parameter.parent
    parameters = (
        [each for each in parameter_list.named_children if _is_passed_parameter(each)]
        if parameter_list is not None
        else []
    )
    return next((at for at, each in enumerate(parameters) if each.id == parameter.id), 0)


def _is_passed_parameter(node: Node) -> bool:
    """Return True for a parameter that callers pass: not for ``this``."""
    pattern = node.child_by_field_name("pattern")
    return node.type != "comment" and (pattern is None or pattern.type != "this")


def _type_annotation(parameter: Node | None) -> Node | None:
    return None if parameter is None else parameter.child_by_field_name("type")


def _part_of_child(resolver: Resolver, path: str, node: Node, steps: Steps) -> Iterator[Value]:
    yield from infer_part(resolver, path, node.named_children[0], steps)


def _part_of_choice(resolver: Resolver, path: str, node: Node, steps: Steps) -> Iterator[Value]:
    operator = node.child_by_field_name("operator")
    if operator is None or operator.type in ("||", "&&", "??"):
        for field in ("consequence", "alternative", "left", "right"):
            part = node.child_by_field_name(field)
            yield from infer_part(resolver, path, part, steps) if part is not None else ()


def _part_of_object(resolver: Resolver, path: str, node: Node, steps: Steps) -> Iterator[Value]:
    """Yield the parts of spread objects, and of the values under a key or under any key."""
    for each in node.named_children:
        if each.type == "spread_element":
            yield from infer_part(resolver, path, each.named_children[0], steps)
        elif steps and isinstance(steps[0], (ItemStep, MemberStep)):
            key = each if each.type.startswith("shorthand") else each.child_by_field_name("key")
            key_text = modules.text(resolver, path, key).strip("\"'`")
            if isinstance(steps[0], ItemStep) or key_text == steps[0].name:
                value = each if each.type.startswith("shorthand") else each.child_by_field_name("value")
                yield from infer_part(resolver, path, value, steps[1:]) if value is not None else ()


def _part_of_array(resolver: Resolver, path: str, node: Node, steps: Steps) -> Iterator[Value]:
    for each in node.named_children if steps and isinstance(steps[0], ItemStep) else ():
        is_spread = each.type == "spread_element"
        inner = each.named_children[0] if is_spread else each
        yield from infer_part(resolver, path, inner, steps if is_spread else steps[1:])


def _part_of_call(resolver: Resolver, path: str, node: Node, steps: Steps) -> Iterator[Value]:
    """Yield the part of a call that returns its argument."""
    callee, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if callee is None or arguments is None:
        return
    method = modules.text(resolver, path, callee.child_by_field_name("property"))
    receiver = callee.child_by_field_name("object")
    is_list = bool(steps) and isinstance(steps[0], ItemStep)
    if modules.text(resolver, path, callee) in _THROUGH:
        for each in arguments.named_children:
            yield from infer_part(resolver, path, each, steps)
    elif is_list and method in _SAME and receiver is not None:
        yield from infer_part(resolver, path, receiver, steps)
    elif is_list and method == "map" and arguments.named_children:
        yield from infer_part(resolver, path, arguments.named_children[0], (ResultStep(), *steps[1:]))
    else:
        yield from _part_of_generic_call(resolver, path, callee, arguments, steps)


def _part_of_generic_call(
    resolver: Resolver, path: str, callee: Node, arguments: Node, steps: Steps
) -> Iterator[Value]:
    """Yield the part of a result whose type is a type parameter that the call chooses."""
    for value in resolver.values(path, callee):
        if not isinstance(value, Function):
            continue
        chosen, kind = chosen_types(resolver, value), value.node.child_by_field_name("return_type")
        result_type = modules.text(resolver, value.path, kind).lstrip(": ")
        for at, each in enumerate(arguments.named_children if result_type in chosen else ()):
            parameter_type = _type_annotation(nth_parameter(value.node, at))
            if modules.text(resolver, value.path, parameter_type).lstrip(": ") == result_type:
                yield from infer_part(resolver, path, each, steps)


def chosen_types(resolver: Resolver, function: Function) -> set[str]:
    """Return the type parameters that callers of a function choose."""
    parameters = function.node.child_by_field_name("type_parameters")
    return {
        modules.text(resolver, function.path, each.child_by_field_name("name"))
        for each in children_of(parameters)
    }


_STEP_READERS = {
    **dict.fromkeys(_AROUND, _part_of_child),
    **dict.fromkeys(_CHOICES, _part_of_choice),
    "object": _part_of_object,
    "array": _part_of_array,
    "call_expression": _part_of_call,
}
"""By node type: reader of parts that say more than the value of the expression."""


_CHOICE_FIELDS = ("consequence", "alternative", "left", "right")
_FUNCTIONS = ("arrow_function", "function_expression")
_NON_OBJECTS = frozenset(
    {"undefined", "NaN", "Infinity", "arguments", "Date", "RegExp", "Error", "TypeError", "Array", "Promise"}
)
"""Global names that are not objects, and alternatives in types that need no members: ``string | Date |
T``."""


def outside_objects(resolver: Resolver, path: str, node: Node, steps: Steps) -> Iterator[Node]:
    """Yield the expressions in a passed value that are objects from outside the tree, after some steps."""
    if node.type in _AROUND and node.named_children:
        yield from outside_objects(resolver, path, node.named_children[0], steps)
    elif node.type in ("ternary_expression", "binary_expression"):
        parts = [node.child_by_field_name(field) for field in _CHOICE_FIELDS]
        if node.type == "ternary_expression" or _is_choice(node):
            for each in parts:
                yield from outside_objects(resolver, path, each, steps) if each is not None else ()
    elif node.type in _FUNCTIONS and steps and isinstance(steps[0], ResultStep):
        body = node.child_by_field_name("body")
        is_block = body is not None and body.type == "statement_block"
        for each in classes.returned_nodes(body) if is_block and body is not None else [body]:
            yield from outside_objects(resolver, path, each, steps[1:]) if each is not None else ()
    elif not steps and _is_outside_object(resolver, path, node):
        yield node


def _is_choice(node: Node) -> bool:
    operator = node.child_by_field_name("operator")
    return operator is not None and operator.type in ("||", "&&", "??")


def _is_outside_object(resolver: Resolver, path: str, node: Node) -> bool:
    """Return True for a global object, a member of one, or a result of its constructor."""
    if node.type == "new_expression":
        constructor = node.child_by_field_name("constructor")
        return (
            constructor is not None
            and constructor.type == "identifier"
            and _is_global(resolver, path, constructor)
        )
    while node.type == "member_expression":
        inner = node.child_by_field_name("object")
        if inner is None:
            return False
        node = inner
    return node.type == "identifier" and _is_global(resolver, path, node)


def _is_global(resolver: Resolver, path: str, name: Node) -> bool:
    """Return True if nothing in the tree defines a name."""
    mention = nodes.mention(resolver, path, name)
    meant = resolver.meanings(path, mention)
    return mention.name not in _NON_OBJECTS and [*meant] == [Elsewhere("globals")]


_ADDING = frozenset({"push", "unshift", "add", "set", "splice", "fill", "concat", "includes", "indexOf"})
_NODES_AROUND_USE = ("parenthesized_expression", "non_null_expression", "await_expression")
_ELEMENTS = ("jsx_opening_element", "jsx_self_closing_element")


def call_arguments(call: Node) -> list[Node]:
    arguments = call.child_by_field_name("arguments")
    return [] if arguments is None else [each for each in arguments.named_children if each.type != "comment"]


def assigned_nodes(mention: Mention) -> Iterator[Node]:
    """Yield the values that are assigned to a variable or member: by assignment, key or attribute."""
    node, above = _expression_and_parent(mention)
    if mention.node.type == "shorthand_property_identifier":
        yield mention.node
    elif above is None:
        return
    elif above.type == "pair" and _is_field(above, "key", node):
        yield from _iter_field(above, "value")
    elif above.type == "assignment_expression" and _is_field(above, "left", node):
        yield from _iter_field(above, "right")
    elif above.type == "jsx_attribute":
        yield from (child for each in above.named_children[1:] for child in each.named_children[:1])


def added_items(mention: Mention) -> Iterator[Node]:
    """Yield the values that are added to the list at an occurrence."""
    node, above = _expression_and_parent(mention)
    if above is None:
        return
    call = above.parent
    if above.type == "member_expression" and _is_field(above, "object", node) and call is not None:
        method = above.child_by_field_name("property")
        is_adding = method is not None and (method.text or b"").decode() in _ADDING
        yield from call_arguments(call) if is_adding and call.type == "call_expression" else ()
    elif above.type == "subscript_expression" and _is_field(above, "object", node) and call is not None:
        yield from _iter_field(call, "right") if _is_field(call, "left", above) else ()


def type_positions(mention: Mention) -> Iterator[Node]:
    node, above = mention.node, mention.node.parent
    if mention.role == "bind" or node.type not in ("type_identifier", "identifier"):
        return
    if above is not None and above.type == "nested_type_identifier":
        node, above = above, above.parent
    is_generic = above is not None and above.type == "generic_type"
    if above is not None and is_generic and _is_field(above, "name", node):
        yield above
    elif above is not None and (node.type != "identifier" or above.type == "extends_clause"):
        yield node


def function_positions(mention: Mention) -> Iterator[Node]:
    """Yield the places that call, render or pass on a function."""
    yield from called_at(mention)
    yield from spread_props(mention)
    above = mention.node.parent
    if above is not None and above.type == "arguments":
        yield mention.node


def called_at(mention: Mention) -> Iterator[Node]:
    node, above = _expression_and_parent(mention)
    while above is not None and above.type in _NODES_AROUND_USE:
        node, above = above, above.parent
    if above is not None and (_is_field(above, "function", node) or _is_field(above, "constructor", node)):
        yield above


def spread_props(mention: Mention) -> Iterator[Node]:
    """Yield the spread arguments of elements whose component is at an occurrence."""
    node, above = _expression_and_parent(mention)
    if above is not None and above.type in _ELEMENTS and _is_field(above, "name", node):
        for each in above.named_children:
            spread = each.named_children[0] if each.type == "jsx_expression" and each.named_children else None
            if spread is not None and spread.type == "spread_element":
                yield from spread.named_children[:1]


def _expression_and_parent(mention: Mention) -> tuple[Node, Node | None]:
    """Return the expression of an occurrence with its receiver, and the node around it."""
    node, above = mention.node, mention.node.parent
    while above is not None and above.type in ("string", "computed_property_name"):
        node, above = above, above.parent
    if above is not None and above.type == "member_expression" and _is_field(above, "property", node):
        node, above = above, above.parent
    return node, above


def _is_field(above: Node, field: str, node: Node) -> bool:
    found = above.child_by_field_name(field)
    return found is not None and found.id == node.id


def _iter_field(node: Node, field: str) -> Iterator[Node]:
    found = node.child_by_field_name(field)
    if found is not None:
        yield found


FindUse: TypeAlias = Callable[[Mention], Iterable[Node]]
"""Function that returns the relevant node for a use of one kind; empty for other occurrences."""
_SPECIFIERS = ("import_specifier", "export_specifier")


def find_uses(resolver: Resolver, path: str, name: Node, use: FindUse) -> tuple[Place, ...]:
    """Return the places that refer to a name and use it in a way; for members, also possible references."""
    key = ("used", path, name.start_byte, use)
    found = resolver.get(key)
    if found is None:  # not with `once`: what is asked for on the way is as much as it may be
        found = tuple(_find_uses_of(resolver, path, name, use))
        resolver.put(key, found)
    return cast("tuple[Place, ...]", found)


def _find_uses_of(resolver: Resolver, path: str, name: Node, use: FindUse) -> Iterator[Place]:
    mention = nodes.mention(resolver, path, name)
    declared = {each for each in resolver.meanings(path, mention) if isinstance(each, Binding)}
    pending, seen = [mention.name], {mention.name}
    is_local = bool(declared) and all(each.kind not in ("class", "module", "namespace") for each in declared)
    while pending:
        word = pending.pop()
        paths = [path] if is_local else resolver.files.naming(word, resolver.files.language(path))
        for each in paths:
            lexical = resolver.files.lexical(each)
            places = (
                [Place(each, mention_of_word) for mention_of_word in lexical.occurrences_of(word)]
                if lexical is not None
                else []
            )
            yield from (
                place
                for place in places
                if _may_be_use(use, place.mention) and _leads_to(resolver, place, declared)
            )
            others = (
                {*class_hierarchy.other_names(resolver, each, word)} - seen
                if places and not is_local
                else set[str]()
            )
            if others and any(_leads_to(resolver, place, declared) for place in places):
                seen |= others
                pending += sorted(others)


def _may_be_use(use: FindUse, mention: Mention) -> bool:
    """Return True if an occurrence may be a use of a kind. This is cheaper than its resolution."""
    if mention.role not in ("use", "member", "keyword", "bind"):
        return False
    return any(True for _ in use(mention))


def _leads_to(resolver: Resolver, place: Place, declared: set[Binding]) -> bool:
    meant = list(_meanings_at(resolver, place))
    if any(
        isinstance(each, Binding) and not declared.isdisjoint(reached_bindings(resolver, each))
        for each in meant
    ):
        return True
    is_member = place.mention.role == "member" and any(each.kind == "class" for each in declared)
    return is_member and bool(meant) and all(isinstance(each, Unknown) for each in meant)


def _meanings_at(resolver: Resolver, place: Place) -> Iterator[Meaning]:
    yield from resolver.meanings(*place)
    if place.mention.key:
        yield from resolver.dialect(place.path).key(resolver, *place)


def reached_bindings(resolver: Resolver, binding: Binding) -> tuple[Binding, ...]:
    """Return a name, and all names that imports of it lead to."""
    return resolver.once(("led", binding), lambda: _find_reached(resolver, binding), (binding,))


def _find_reached(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    pending, seen = [binding], {binding}
    while pending:
        reached = pending.pop()
        yield reached
        for place in resolver.binders(reached):
            if place.mention.kind in ("import", "export", "passed"):
                for each in _imported_meanings(resolver, place):
                    if isinstance(each, Binding) and each not in seen:
                        seen.add(each)
                        pending.append(each)


def _imported_meanings(resolver: Resolver, place: Place) -> Iterator[Meaning]:
    above = place.mention.node.parent
    name = above.child_by_field_name("name") if above is not None and above.type in _SPECIFIERS else None
    if name is not None and name.id == place.mention.node.id and place.mention.kind == "export":
        yield from imports.resolve_export(resolver, *place)
    elif name is not None and place.mention.kind == "export":
        yield from resolver.meanings(place.path, nodes.mention(resolver, place.path, name))
    elif name is not None:
        yield from imports.import_target(resolver, *place, modules.text(resolver, place.path, name))
    elif imports.is_default(place.mention):
        yield from imports.import_target(resolver, *place, "default")
    else:
        yield from imports.import_target(resolver, *place)


_DEEP = 3
"""Maximum number of steps into containers of a type."""
_MOST = 200
"""Maximum number of places that are examined, nearest first."""
_UNKNOWN = Unknown("the one type is asked for in more places than are looked at")
_TRANSPARENT_NODES = (
    *("type_annotation", "parenthesized_type", "readonly_type", "optional_type", "rest_type"),
    *("union_type", "intersection_type", "constraint", "default_type"),
)
_OF_ITEMS = frozenset(
    {"Array", "ReadonlyArray", "Set", "ReadonlySet", "Iterable", "AsyncIterable", "Iterator", "ArrayLike"}
    | {"IterableIterator", "Generator", "AsyncGenerator", "Record", "Map", "ReadonlyMap", "WeakMap"}
)
_OF_THEIR_PART = frozenset(
    {"Promise", "PromiseLike", "Awaited", "Readonly", "Partial", "Required", "NonNullable"}
    | {"Pick", "Omit", "Exclude", "Extract"}
)
_CALLED = (
    *("method_definition", "method_signature", "abstract_method_signature"),
    *("function_declaration", "generator_function_declaration", "function_signature"),
)
_HELD = ("variable_declarator", "public_field_definition", "pair", "assignment_expression")


class ExpectedType:
    """Search for the values that are passed where a class is expected."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._heirs = class_hierarchy.hierarchy_of(resolver)
        self._seen: set[tuple[object, ...]] = set()
        self._waiting: deque[tuple[str, Node, Steps]] = deque()

    def passed_values(self, expected: Class) -> Iterator[PassedValue]:
        """Yield the known passed values with their places; unknown at the end if there may be more."""
        yield from self._passed_part(expected, ())
        while self._waiting:
            path, node, into = self._waiting.popleft()
            if len(self._seen) > _MOST:
                yield PassedValue(_UNKNOWN, path, node.start_byte)
                return
            above = node.parent
            key = (path, node.start_byte, node.end_byte, into)
            if above is None or key in self._seen or len(into) > _DEEP:
                continue
            self._seen.add(key)
            read = _POSITION_READERS.get(above.type)
            if above.child_by_field_name("return_type") == node:
                read = ExpectedType._returned_values
            found = read(self, path, node, above, into) if read is not None else None
            for each in found or ():
                if not isinstance(each.value, Unknown):
                    yield each

    def _passed_part(self, expected: Class, into: Steps) -> Iterator[PassedValue]:
        """Yield the values at the end of the steps, from the values passed where a class is expected."""
        key = (expected.path, expected.scope, into)
        if key in self._seen or len(into) > _DEEP:
            return
        self._seen.add(key)
        above = expected.node.parent
        if expected.node.type in ("interface_body", "class_body") and above is not None:
            self._follow_name(expected.path, above, into)
        else:
            self._follow_type(expected.path, expected.node, into)
        for heir in self._heirs.subclasses_of(expected) if into else ():
            for value in follow_steps(self._resolver, [Instance(heir)], into):
                yield PassedValue(value, heir.path, heir.node.start_byte)

    def _follow_name(self, path: str, declaration: Node, into: Steps) -> None:
        name = declaration.child_by_field_name("name")
        for place in find_uses(self._resolver, path, name, type_positions) if name is not None else ():
            for each in type_positions(place.mention):
                self._follow_type(place.path, each, into)

    def _follow_type(self, path: str, node: Node, into: Steps) -> None:
        self._waiting.append((path, node, into))

    def _follow_parent(self, path: str, _node: Node, above: Node, into: Steps) -> None:
        self._follow_type(path, above, into)

    def _follow_item(self, path: str, _node: Node, above: Node, into: Steps) -> None:
        self._follow_type(path, above, (ItemStep(), *into))

    def _follow_index_signature(
        self, path: str, _node: Node, above: Node, into: Steps
    ) -> Iterator[PassedValue]:
        if above.parent is not None:
            yield from self._passed_part(Class(path, above.parent), (ItemStep(), *into))

    def _follow_type_argument(
        self, path: str, _node: Node, above: Node, into: Steps
    ) -> Iterator[PassedValue]:
        """Yield the values for ``F<A>``."""
        holder = above.parent
        if holder is None:
            return
        type_name = modules.text(self._resolver, path, holder.child_by_field_name("name"))
        if holder.type in ("call_expression", "new_expression"):
            for each in call_arguments(holder):
                yield from self._passed_value(path, each, into)
                yield from self._passed_value(path, each, (ItemStep(), *into)) if each.type == "array" else ()
            yield from self._items_added(path, holder, (ItemStep(), *into))
        elif holder.type == "type_assertion":
            yield from self._passed_value(path, holder.named_children[-1], into)
        elif calls.is_component(type_name):
            yield from self._spread_into_elements(path, holder, into)
        elif type_name in _OF_ITEMS:
            self._follow_type(path, holder, (ItemStep(), *into))
        elif type_name in _OF_THEIR_PART:
            self._follow_type(path, holder, into)

    def _spread_into_elements(self, path: str, kind: Node, into: Steps) -> Iterator[PassedValue]:
        """Yield the values that are spread into elements of a component with the type."""
        holder = nodes.ancestor(kind, "variable_declarator", "statement_block", "program")
        name = find_part(holder, "name")
        for place in find_uses(self._resolver, path, name, spread_props) if name is not None else ():
            for each in spread_props(place.mention):
                yield from self._passed_value(place.path, each, into)

    def _items_added(self, path: str, value: Node, into: Steps) -> Iterator[PassedValue]:
        """Yield the values that are added to a list which is constructed here: ``const a = new Set<A>()``."""
        above = value.parent
        if above is not None and above.type in ("variable_declarator", "public_field_definition"):
            yield from self._assigned_values(path, above, into)

    def _follow_declaration(self, path: str, _node: Node, above: Node, into: Steps) -> Iterator[PassedValue]:
        value = above.child_by_field_name("value")
        yield from self._passed_value(path, value, into) if value is not None else ()
        yield from self._assigned_values(path, above, into)
        if above.type in ("property_signature", "public_field_definition") and above.parent is not None:
            name = modules.text(self._resolver, path, above.child_by_field_name("name"))
            yield from self._passed_part(Class(path, above.parent), (MemberStep(name.strip("\"'")), *into))

    def _assigned_values(self, path: str, above: Node, into: Steps) -> Iterator[PassedValue]:
        """Yield the values that are assigned to a variable or property or added to it."""
        name = find_part(above, "name", "pattern")
        if name is None or not _is_identifier(name):
            return
        for place in find_uses(self._resolver, path, name, assigned_nodes):
            for each in assigned_nodes(place.mention):
                yield from self._passed_value(place.path, each, into)
        if into and isinstance(into[0], ItemStep):
            for place in find_uses(self._resolver, path, name, added_items):
                for each in added_items(place.mention):
                    yield from self._passed_value(place.path, each, into[1:])

    def _follow_function_parameter(
        self, path: str, _node: Node, above: Node, into: Steps
    ) -> Iterator[PassedValue]:
        value, pattern = above.child_by_field_name("value"), above.child_by_field_name("pattern")
        function = above.parent.parent if above.parent is not None else None
        yield from self._passed_value(path, value, into) if value is not None else ()
        yield from self._assigned_values(path, above, into)
        if function is None or pattern is None:
            return
        if any(each.type == "accessibility_modifier" for each in above.children):
            body = nodes.ancestor(above, "class_body")
            name = modules.text(self._resolver, path, pattern)
            yield from (
                self._passed_part(Class(path, body), (MemberStep(name), *into)) if body is not None else ()
            )
        is_rest = pattern.type == "rest_pattern"
        yield from self._arguments_of_calls(path, function, parameter_number(above), into, is_rest=is_rest)

    def _arguments_of_calls(
        self, path: str, function: Node, at: int, into: Steps, *, is_rest: bool
    ) -> Iterator[PassedValue]:
        if function.type in ("function_type", "constructor_type"):
            self._follow_type(path, function, (ParameterStep(at), *into))
            return
        name, holder = self._name_of_function(function), function.parent
        for place in find_uses(self._resolver, path, name, function_positions) if name is not None else ():
            for each in called_at(place.mention):
                arguments = call_arguments(each)[at:]
                for argument in arguments if is_rest else arguments[:1]:
                    yield from self._passed_value(place.path, argument, into[1:] if is_rest else into)
            for each in spread_props(place.mention) if at == 0 else ():
                yield from self._passed_value(place.path, each, into)
            yield from self._arguments_of_callback(place.path, place.mention.node, at, into)
        if holder is not None and holder.type == "arguments":
            yield from self._arguments_of_callback(path, function, at, into)
        if function.type.endswith("method_signature") and holder is not None and name is not None:
            inside = (MemberStep(modules.text(self._resolver, path, name)), ParameterStep(at), *into)
            yield from self._passed_part(Class(path, holder), inside)

    def _name_of_function(self, function: Node) -> Node | None:
        """Return the name by which a function is called; for a constructor, the name of its class."""
        above, name = function.parent, function.child_by_field_name("name")
        if (
            name is not None
            and name.text == b"constructor"
            and above is not None
            and above.parent is not None
        ):
            return above.parent.child_by_field_name("name")
        if function.type in _CALLED or above is None or above.type not in _HELD:
            return name
        if above.type == "assignment_expression":
            left = above.child_by_field_name("left")
            return None if left is None else (left.child_by_field_name("property") or left)
        return find_part(above, "name", "key")

    def _arguments_of_callback(self, path: str, node: Node, at: int, into: Steps) -> Iterator[PassedValue]:
        if node.parent is None or node.parent.type != "arguments" or (into and isinstance(into[0], ItemStep)):
            return
        for value in follow_steps(
            self._resolver, calls.infer_callback_parameter(self._resolver, path, node, at), into
        ):
            yield PassedValue(value, path, node.start_byte)

    def _returned_values(self, path: str, _node: Node, function: Node, into: Steps) -> Iterator[PassedValue]:
        if function.type in ("function_type", "constructor_type"):
            self._follow_type(path, function, (ResultStep(), *into))
            return
        body, holder = function.child_by_field_name("body"), function.parent
        if body is not None and body.type != "statement_block":
            yield from self._passed_value(path, body, into)
        for each in classes.returned_nodes(body) if body is not None else ():
            yield from self._passed_value(path, each, into)
        name = function.child_by_field_name("name")
        if "method" in function.type and holder is not None and name is not None:
            inside = (MemberStep(modules.text(self._resolver, path, name)), ResultStep(), *into)
            yield from self._passed_part(Class(path, holder), inside)

    def _follow_alias(self, path: str, _node: Node, above: Node, into: Steps) -> None:
        self._follow_name(path, above, into)

    def _follow_subtype(self, path: str, _node: Node, above: Node, into: Steps) -> None:
        declaration = nodes.ancestor(
            above, "interface_declaration", "class_declaration", "abstract_class_declaration"
        )
        if declaration is not None:
            self._follow_name(path, declaration, into)

    def _asserted_values(self, path: str, node: Node, above: Node, into: Steps) -> Iterator[PassedValue]:
        value = above.named_children[0]
        yield from self._passed_value(path, value, into) if value.id != node.id else ()

    def _passed_value(self, path: str, node: Node, into: Steps) -> Iterator[PassedValue]:
        for each in outside_objects(self._resolver, path, node, into):
            yield PassedValue(OUTSIDE, path, each.start_byte)
        for value in infer_part(self._resolver, path, node, into):
            yield PassedValue(value, path, node.start_byte)


def _is_identifier(node: Node) -> bool:
    return node.type.endswith("identifier") or node.type in ("string", "computed_property_name")


_Read = Callable[[ExpectedType, str, Node, Node, Steps], Iterator[PassedValue] | None]
# The methods below are this module's own.
_POSITION_READERS: Mapping[str, _Read] = {
    **dict.fromkeys(_TRANSPARENT_NODES, ExpectedType._follow_parent),
    **dict.fromkeys(("array_type", "tuple_type"), ExpectedType._follow_item),
    "index_signature": ExpectedType._follow_index_signature,
    "type_arguments": ExpectedType._follow_type_argument,
    **dict.fromkeys(
        ("variable_declarator", "public_field_definition", "property_signature"),
        ExpectedType._follow_declaration,
    ),
    **dict.fromkeys(("required_parameter", "optional_parameter"), ExpectedType._follow_function_parameter),
    **dict.fromkeys(("type_alias_declaration", "type_parameter"), ExpectedType._follow_alias),
    **dict.fromkeys(("extends_type_clause", "extends_clause"), ExpectedType._follow_subtype),
    **dict.fromkeys(("as_expression", "satisfies_expression"), ExpectedType._asserted_values),
}
"""By the type of the node around a type: reader of the values that are passed there."""
