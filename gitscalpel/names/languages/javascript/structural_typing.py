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
    bindings_in,
    functions_in,
)
from gitscalpel.names.language import PassedValue
from gitscalpel.names.languages.javascript import calls, classes, imports, modules, types
from gitscalpel.names.nodes import children_of, find_part
from gitscalpel.names.readings import reading_table
from gitscalpel.names.resolver import Place, Resolver, find_reachable
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
_AROUND = ("parenthesized_expression", "satisfies_expression", "non_null_expression", "await_expression")
"""Nodes that have the value of their operand."""
_WRITTEN = ("object", "array")
_SAME = frozenset({"filter", "slice", "concat", "sort", "reverse", "splice", "toSorted", "toReversed"})
"""Methods of lists that return lists of the same items."""
_THROUGH = frozenset(
    {"Object.freeze", "Object.seal", "Object.assign", "structuredClone", "Promise.resolve", "Array.from"}
)
"""Functions whose result has the members of their arguments."""


def infer_part(resolver: Resolver, path: str, node: Node, steps: Steps) -> Iterator[Value]:
    read = _STEP_READERS.get(node.type)
    found = list(read(resolver, path, node, steps)) if read is not None else []
    if found:
        yield from found
    elif node.type in _WRITTEN:  # what it is, is said by what asks for it
        return
    elif _is_to_items(steps):
        yield from follow_steps(resolver, types.infer_items(resolver, path, node), steps[1:])
    else:
        yield from follow_steps(resolver, resolver.values(path, node), steps)


def _is_to_items(steps: Steps) -> bool:
    return bool(steps) and isinstance(steps[0], ItemStep)


def follow_steps(resolver: Resolver, found: Iterable[Value], steps: Steps) -> Iterator[Value]:
    """Yield the parts of some values to which steps lead; unknown values stay unknown."""
    for value in found:
        if not steps or isinstance(value, Unknown):
            yield value
        elif isinstance(steps[0], MemberStep) and isinstance(value, Instance):
            yield from _follow_member(resolver, value, steps[0].name, steps[1:])
        elif isinstance(steps[0], ParameterStep) and isinstance(value, Function):
            kind = find_part(calls.nth_parameter(value.node, steps[0].at), "type")
            yield from infer_part_of_type(resolver, value.path, kind, steps[1:])
        elif isinstance(steps[0], ResultStep) and isinstance(value, Function):
            yield from _follow_result(resolver, value, steps[1:])


def _follow_member(resolver: Resolver, value: Value, name: str, steps: Steps) -> Iterator[Value]:
    for meaning in resolver.members(value, name):
        if _is_to_items(steps):
            declared = tuple(types.declared_types(resolver, [meaning]))
            yield from _follow_items(resolver, declared, steps[1:])
        else:
            yield from follow_steps(resolver, resolver.values_of(meaning), steps)


def _follow_items(
    resolver: Resolver, written: tuple[types.WrittenType, ...], steps: Steps
) -> Iterator[Value]:
    for each in types.item_types(resolver, written):
        yield from follow_steps(resolver, types.allowed_objects(resolver, *each), steps)


def _follow_result(resolver: Resolver, function: Function, steps: Steps) -> Iterator[Value]:
    kind = find_part(function.node, "return_type")
    yield from infer_part_of_type(resolver, function.path, kind, steps)
    if kind is None and not _is_to_items(steps):
        yield from follow_steps(resolver, calls.infer_result(resolver, function), steps)


def infer_part_of_type(resolver: Resolver, path: str, kind: Node | None, steps: Steps) -> Iterator[Value]:
    """Yield the values of a part of a type; none without a type."""
    if kind is not None and _is_to_items(steps):
        yield from _follow_items(resolver, (types.WrittenType(path, kind),), steps[1:])
    elif kind is not None:
        yield from follow_steps(resolver, types.allowed_objects(resolver, path, kind), steps)


def _infer_part_of_child(resolver: Resolver, path: str, node: Node, steps: Steps) -> Iterator[Value]:
    yield from infer_part(resolver, path, node.named_children[0], steps)


def _infer_part_of_choice(resolver: Resolver, path: str, node: Node, steps: Steps) -> Iterator[Value]:
    for part in _find_choices(node):
        yield from infer_part(resolver, path, part, steps)


def _find_choices(node: Node) -> list[Node]:
    """Return the operands that may be the value of an expression; empty if it computes another one."""
    is_choice = node.type == "ternary_expression" or types.is_choice(node)
    found = [find_part(node, field) for field in _CHOICE_FIELDS] if is_choice else []
    return [each for each in found if each is not None]


def _infer_part_of_object(resolver: Resolver, path: str, node: Node, steps: Steps) -> Iterator[Value]:
    """Yield the parts of spread objects, and of the values under a key or under any key."""
    for each in node.named_children:
        if each.type == "spread_element":
            yield from infer_part(resolver, path, each.named_children[0], steps)
        elif steps and isinstance(steps[0], (ItemStep, MemberStep)):
            is_short = each.type.startswith("shorthand")
            key, value = (each, each) if is_short else (find_part(each, "key"), find_part(each, "value"))
            key_text = modules.text(resolver, path, key).strip("\"'`")
            if value is not None and (isinstance(steps[0], ItemStep) or key_text == steps[0].name):
                yield from infer_part(resolver, path, value, steps[1:])


def _infer_part_of_array(resolver: Resolver, path: str, node: Node, steps: Steps) -> Iterator[Value]:
    for each in node.named_children if _is_to_items(steps) else ():
        if each.type == "spread_element":
            yield from infer_part(resolver, path, each.named_children[0], steps)
        else:
            yield from infer_part(resolver, path, each, steps[1:])


def _infer_part_of_call(resolver: Resolver, path: str, node: Node, steps: Steps) -> Iterator[Value]:
    """Yield the values of a part of a call's result that come from its receiver or arguments."""
    callee, arguments = find_part(node, "function"), find_part(node, "arguments")
    if callee is None or arguments is None:
        return
    method = modules.text(resolver, path, find_part(callee, "property"))
    receiver = find_part(callee, "object")
    if modules.text(resolver, path, callee) in _THROUGH:
        for each in arguments.named_children:
            yield from infer_part(resolver, path, each, steps)
    elif _is_to_items(steps) and method in _SAME and receiver is not None:
        yield from infer_part(resolver, path, receiver, steps)
    elif _is_to_items(steps) and method == "map" and arguments.named_children:
        yield from infer_part(resolver, path, arguments.named_children[0], (ResultStep(), *steps[1:]))
    else:
        yield from _infer_part_of_generic_call(resolver, path, callee, arguments, steps)


def _infer_part_of_generic_call(
    resolver: Resolver, path: str, callee: Node, arguments: Node, steps: Steps
) -> Iterator[Value]:
    """Yield the part of a result whose type is a type parameter that the call chooses."""
    for function in functions_in(resolver.values(path, callee)):
        at, node = function.path, function.node
        chosen = [find_part(each, "name") for each in children_of(find_part(node, "type_parameters"))]
        result_type = modules.text(resolver, at, find_part(node, "return_type")).lstrip(": ")
        if result_type not in {modules.text(resolver, at, each) for each in chosen}:
            continue
        for number, each in enumerate(arguments.named_children):
            taken = find_part(calls.nth_parameter(node, number), "type")
            if modules.text(resolver, at, taken).lstrip(": ") == result_type:
                yield from infer_part(resolver, path, each, steps)


_STEP_READERS = reading_table(
    (" ".join(_AROUND), _infer_part_of_child),
    ("ternary_expression binary_expression", _infer_part_of_choice),
    ("object", _infer_part_of_object),
    ("array", _infer_part_of_array),
    ("call_expression", _infer_part_of_call),
)
"""By node type: reading of parts that say more than the value of the expression."""


_CHOICE_FIELDS = ("consequence", "alternative", "left", "right")
_FUNCTIONS = ("arrow_function", "function_expression")
_NON_OBJECTS = frozenset(
    {"undefined", "NaN", "Infinity", "arguments", "Date", "RegExp", "Error", "TypeError", "Array", "Promise"}
)
"""Global names that are not objects, or whose objects are certainly not of a type of the tree."""


def outside_objects(resolver: Resolver, path: str, node: Node, steps: Steps) -> Iterator[Node]:
    """Yield the expressions in a passed value that are objects from outside the tree, after some steps."""
    if node.type in _AROUND and node.named_children:
        yield from outside_objects(resolver, path, node.named_children[0], steps)
    elif node.type in ("ternary_expression", "binary_expression"):
        for each in _find_choices(node):
            yield from outside_objects(resolver, path, each, steps)
    elif node.type in _FUNCTIONS and steps and isinstance(steps[0], ResultStep):
        body = find_part(node, "body")
        for each in classes.result_nodes(body) if body is not None else ():
            yield from outside_objects(resolver, path, each, steps[1:])
    elif not steps and _is_outside_object(resolver, path, node):
        yield node


def _is_outside_object(resolver: Resolver, path: str, node: Node) -> bool:
    """Return True for a global object, a member of one, or a result of its constructor."""
    if node.type == "new_expression":
        name = find_part(node, "constructor")
    else:
        name = node
        while nodes.type_of(name) == "member_expression":
            name = find_part(name, "object")
    return name is not None and name.type == "identifier" and _is_global(resolver, path, name)


def _is_global(resolver: Resolver, path: str, name: Node) -> bool:
    """Return True if nothing in the tree defines a name."""
    mention = nodes.mention(resolver, path, name)
    meant = resolver.meanings(path, mention)
    return mention.name not in _NON_OBJECTS and [*meant] == [Elsewhere("globals")]


_ADDING = frozenset({"push", "unshift", "add", "set", "splice", "fill", "concat", "includes", "indexOf"})
_NODES_AROUND_USE = ("parenthesized_expression", "non_null_expression", "await_expression")
_ELEMENTS = ("jsx_opening_element", "jsx_self_closing_element")


def assigned_nodes(mention: Mention) -> Iterator[Node]:
    """Yield the values that are assigned to a variable or member: by assignment, key or attribute."""
    node, above = _find_expression_and_parent(mention)
    if mention.node.type == "shorthand_property_identifier":
        yield mention.node
    elif above is None:
        return
    elif above.type == "pair" and nodes.is_part(node, "key"):
        yield from _iter_field(above, "value")
    elif above.type == "assignment_expression" and nodes.is_part(node, "left"):
        yield from _iter_field(above, "right")
    elif above.type == "jsx_attribute":
        yield from (child for each in above.named_children[1:] for child in each.named_children[:1])


def added_items(mention: Mention) -> Iterator[Node]:
    """Yield the values that are added to the list at an occurrence."""
    node, above = _find_expression_and_parent(mention)
    if above is None or above.parent is None or not nodes.is_part(node, "object"):
        return
    if above.type == "member_expression" and above.parent.type == "call_expression":
        method = find_part(above, "property")
        is_adding = method is not None and (method.text or b"").decode() in _ADDING
        yield from nodes.arguments_of(above.parent) if is_adding else ()
    elif above.type == "subscript_expression" and nodes.is_part(above, "left"):
        yield from _iter_field(above.parent, "right")


def type_positions(mention: Mention) -> Iterator[Node]:
    node = mention.node
    if mention.role == "bind" or node.type not in ("type_identifier", "identifier"):
        return
    node = nodes.parent_of(node, "nested_type_identifier") or node
    above = node.parent
    if above is not None and above.type == "generic_type" and nodes.is_part(node, "name"):
        yield above
    elif above is not None and (node.type != "identifier" or above.type == "extends_clause"):
        yield node


def function_positions(mention: Mention) -> Iterator[Node]:
    """Yield the places that call, render or pass on a function."""
    yield from called_at(mention)
    yield from spread_props(mention)
    if nodes.parent_of(mention.node, "arguments") is not None:
        yield mention.node


def called_at(mention: Mention) -> Iterator[Node]:
    node, above = _find_expression_and_parent(mention)
    while above is not None and above.type in _NODES_AROUND_USE:
        node, above = above, above.parent
    if above is not None and nodes.is_part(node, "function", "constructor"):
        yield above


def spread_props(mention: Mention) -> Iterator[Node]:
    """Yield the spread arguments of elements whose component is at an occurrence."""
    node, above = _find_expression_and_parent(mention)
    is_component = nodes.type_of(above) in _ELEMENTS and nodes.is_part(node, "name")
    for each in children_of(above) if is_component else ():
        spread = find_part(each, 0) if each.type == "jsx_expression" else None
        if spread is not None and spread.type == "spread_element":
            yield from spread.named_children[:1]


def _find_expression_and_parent(mention: Mention) -> tuple[Node, Node | None]:
    node = mention.node
    while (above := nodes.parent_of(node, "string", "computed_property_name")) is not None:
        node = above
    if nodes.is_part(node, "property"):
        node = nodes.parent_of(node, "member_expression") or node
    return node, node.parent


def _iter_field(node: Node, field: str) -> Iterator[Node]:
    found = node.child_by_field_name(field)
    if found is not None:
        yield found


FindUse: TypeAlias = Callable[[Mention], Iterable[Node]]
"""Function that returns the relevant node for a use of one kind; empty for other occurrences."""
_SPECIFIERS = ("import_specifier", "export_specifier")


def find_uses(resolver: Resolver, path: str, name: Node | None, use: FindUse) -> tuple[Place, ...]:
    """Return the places that refer to a name and use it in a way; for members, also possible references."""
    if name is None:
        return ()
    key = ("used", path, name.start_byte, use)
    found = resolver.get(key)
    if found is None:  # not with `once`: what is asked for on the way is as much as it may be
        found = tuple(_find_uses_of(resolver, path, name, use))
        resolver.put(key, found)
    return cast("tuple[Place, ...]", found)


def _find_uses_of(resolver: Resolver, path: str, name: Node, use: FindUse) -> Iterator[Place]:
    mention = nodes.mention(resolver, path, name)
    declared = {*bindings_in(resolver.meanings(path, mention))}
    pending, seen = [mention.name], {mention.name}
    is_local = bool(declared) and all(each.kind not in ("class", "module", "namespace") for each in declared)
    while pending:
        word = pending.pop()
        paths = [path] if is_local else resolver.files.naming(word, resolver.files.language(path))
        for each in paths:
            lexical = resolver.files.lexical(each)
            occurrences = lexical.occurrences_of(word) if lexical is not None else ()
            places = [Place(each, other) for other in occurrences]
            yield from (
                place
                for place in places
                if _may_be_use(use, place.mention) and _is_use_of(resolver, place, declared)
            )
            others = set[str]()
            if places and not is_local:
                others = {*class_hierarchy.other_names(resolver, each, word)} - seen
            if others and any(_is_use_of(resolver, place, declared) for place in places):
                seen |= others
                pending += sorted(others)


def _may_be_use(use: FindUse, mention: Mention) -> bool:
    """Return True if an occurrence may be a use of a kind. This is cheaper than its resolution."""
    if mention.role not in ("use", "member", "keyword", "bind"):
        return False
    return any(True for _ in use(mention))


def _is_use_of(resolver: Resolver, place: Place, declared: set[Binding]) -> bool:
    keys = resolver.dialect(place.path).key(resolver, *place) if place.mention.key else ()
    meant = [*resolver.meanings(*place), *keys]
    if any(not declared.isdisjoint(reached_bindings(resolver, each)) for each in bindings_in(meant)):
        return True
    is_member = place.mention.role == "member" and any(each.kind == "class" for each in declared)
    return is_member and bool(meant) and all(isinstance(each, Unknown) for each in meant)


def reached_bindings(resolver: Resolver, binding: Binding) -> tuple[Binding, ...]:
    """Return a name, and all names that imports of it lead to."""

    def find_all() -> Iterable[Binding]:
        return find_reachable([binding], lambda each: _find_origins(resolver, each))

    return resolver.compute_once(("led", binding), find_all, (binding,))


def _find_origins(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """Yield the names that the imports of a name bring."""
    for place in resolver.binders(binding):
        if place.mention.kind in ("import", "export", "passed"):
            yield from bindings_in(_resolve_imported(resolver, place))


def _resolve_imported(resolver: Resolver, place: Place) -> Iterable[Meaning]:
    name = find_part(nodes.parent_of(place.mention.node, *_SPECIFIERS), "name")
    if name is not None and place.mention.kind == "export":
        is_origin = name.id == place.mention.node.id
        return (
            imports.resolve_export(resolver, *place)
            if is_origin
            else nodes.meanings_of(resolver, place.path, name)
        )
    imported = modules.text(resolver, place.path, name)
    if name is None and imports.is_default(place.mention):
        imported = imports.DEFAULT
    return imports.import_target(resolver, *place, imported)


_DEEP = 3
"""Maximum number of steps into containers of a type."""
_MOST = 200
"""Maximum number of places that are examined, nearest first."""
_UNKNOWN = Unknown("the type is expected in more places than are searched")
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
        yield from self._find_passed_parts(expected, ())
        while self._waiting:
            path, node, into = self._waiting.popleft()
            if len(self._seen) > _MOST:
                yield PassedValue(_UNKNOWN, path, node.start_byte)
                return
            key = (path, *nodes.span_of(node), into)
            if node.parent is None or key in self._seen or len(into) > _DEEP:
                continue
            self._seen.add(key)
            read = _POSITION_READERS.get(node.parent.type)
            if nodes.is_part(node, "return_type"):
                read = ExpectedType._find_returned
            for each in (read(self, path, node, node.parent, into) if read is not None else None) or ():
                if not isinstance(each.value, Unknown):
                    yield each

    def _find_passed_parts(self, expected: Class | None, into: Steps) -> Iterator[PassedValue]:
        """Yield the values at the end of the steps, from the values passed where a class is expected."""
        key = (expected.path, expected.scope, into) if expected is not None else ()
        if expected is None or key in self._seen or len(into) > _DEEP:
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

    def _find_passed_members(
        self, path: str, holder: Node | None, name: Node | None, into: Steps
    ) -> Iterator[PassedValue]:
        """Yield the values of a member, from the values passed where its class is expected."""
        if holder is None or name is None:
            return iter(())
        member_name = modules.text(self._resolver, path, name).strip("\"'")
        return self._find_passed_parts(Class(path, holder), (MemberStep(member_name), *into))

    def _find_at_uses(self, path: str, name: Node | None, use: FindUse, into: Steps) -> Iterator[PassedValue]:
        for place in find_uses(self._resolver, path, name, use):
            for each in use(place.mention):
                yield from self._infer_passed_value(place.path, each, into)

    def _follow_name(self, path: str, declaration: Node, into: Steps) -> None:
        for place in find_uses(self._resolver, path, find_part(declaration, "name"), type_positions):
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
        holder = Class(path, above.parent) if above.parent is not None else None
        return self._find_passed_parts(holder, (ItemStep(), *into))

    def _follow_type_argument(
        self, path: str, _node: Node, above: Node, into: Steps
    ) -> Iterator[PassedValue]:
        """Yield the values for ``F<A>``."""
        holder = above.parent
        if holder is None:
            return
        type_name = modules.text(self._resolver, path, find_part(holder, "name"))
        if holder.type in ("call_expression", "new_expression"):
            for each in nodes.arguments_of(holder):
                yield from self._infer_passed_value(path, each, into)
                yield from (
                    self._infer_passed_value(path, each, (ItemStep(), *into)) if each.type == "array" else ()
                )
            # Values are added to a list which is constructed here: ``const a = new Set<A>()``.
            declaration = nodes.parent_of(holder, "variable_declarator", "public_field_definition")
            if declaration is not None:
                yield from self._find_assigned_values(path, declaration, (ItemStep(), *into))
        elif holder.type == "type_assertion":
            yield from self._infer_passed_value(path, holder.named_children[-1], into)
        elif calls.is_component(type_name):
            around = nodes.ancestor(holder, "variable_declarator", "statement_block", "program")
            yield from self._find_at_uses(path, find_part(around, "name"), spread_props, into)
        elif type_name in _OF_ITEMS:
            self._follow_type(path, holder, (ItemStep(), *into))
        elif type_name in _OF_THEIR_PART:
            self._follow_type(path, holder, into)

    def _follow_declaration(self, path: str, _node: Node, above: Node, into: Steps) -> Iterator[PassedValue]:
        value = find_part(above, "value")
        yield from self._infer_passed_value(path, value, into)
        yield from self._find_assigned_values(path, above, into)
        if above.type in ("property_signature", "public_field_definition"):
            yield from self._find_passed_members(path, above.parent, find_part(above, "name"), into)

    def _find_assigned_values(self, path: str, above: Node, into: Steps) -> Iterator[PassedValue]:
        """Yield the values that are assigned to a variable or property or added to it."""
        name = find_part(above, "name", "pattern")
        if name is not None and _is_identifier(name):
            yield from self._find_at_uses(path, name, assigned_nodes, into)
            if _is_to_items(into):
                yield from self._find_at_uses(path, name, added_items, into[1:])

    def _follow_function_parameter(
        self, path: str, _node: Node, above: Node, into: Steps
    ) -> Iterator[PassedValue]:
        pattern, function = find_part(above, "pattern"), nodes.parent_of(above.parent)
        yield from self._infer_passed_value(path, find_part(above, "value"), into)
        yield from self._find_assigned_values(path, above, into)
        if function is None or pattern is None:
            return
        if nodes.has_child(above, "accessibility_modifier"):
            yield from self._find_passed_members(path, nodes.ancestor(above, "class_body"), pattern, into)
        at = next((n for n, each in enumerate(calls.passed_parameters(function)) if each == above), 0)
        is_rest = pattern.type == "rest_pattern"
        yield from self._find_arguments_of_calls(path, function, at, into, is_rest=is_rest)

    def _find_arguments_of_calls(
        self, path: str, function: Node, at: int, into: Steps, *, is_rest: bool
    ) -> Iterator[PassedValue]:
        if function.type in ("function_type", "constructor_type"):
            self._follow_type(path, function, (ParameterStep(at), *into))
            return
        name, holder = self._find_function_name(function), function.parent
        for place in find_uses(self._resolver, path, name, function_positions):
            for each in called_at(place.mention):
                arguments = nodes.arguments_of(each)[at:]
                for argument in arguments if is_rest else arguments[:1]:
                    yield from self._infer_passed_value(place.path, argument, into[1:] if is_rest else into)
            for each in spread_props(place.mention) if at == 0 else ():
                yield from self._infer_passed_value(place.path, each, into)
            yield from self._infer_callback(place.path, place.mention.node, at, into)
        yield from self._infer_callback(path, function, at, into)
        if function.type.endswith("method_signature"):
            yield from self._find_passed_members(path, holder, name, (ParameterStep(at), *into))

    def _find_function_name(self, function: Node) -> Node | None:
        above, name = function.parent, find_part(function, "name")
        if name is not None and name.text == b"constructor" and nodes.parent_of(above) is not None:
            return find_part(nodes.parent_of(above), "name")
        if function.type in _CALLED or above is None or above.type not in _HELD:
            return name
        if above.type == "assignment_expression":
            left = find_part(above, "left")
            return find_part(left, "property") or left
        return find_part(above, "name", "key")

    def _infer_callback(self, path: str, node: Node, at: int, into: Steps) -> Iterator[PassedValue]:
        if nodes.parent_of(node, "arguments") is None or _is_to_items(into):
            return
        found = calls.infer_callback_parameter(self._resolver, path, node, at)
        for value in follow_steps(self._resolver, found, into):
            yield PassedValue(value, path, node.start_byte)

    def _find_returned(self, path: str, _node: Node, function: Node, into: Steps) -> Iterator[PassedValue]:
        if function.type in ("function_type", "constructor_type"):
            self._follow_type(path, function, (ResultStep(), *into))
            return
        body = find_part(function, "body")
        for each in classes.result_nodes(body) if body is not None else ():
            yield from self._infer_passed_value(path, each, into)
        if "method" in function.type:
            name = find_part(function, "name")
            yield from self._find_passed_members(path, function.parent, name, (ResultStep(), *into))

    def _follow_alias(self, path: str, _node: Node, above: Node, into: Steps) -> None:
        self._follow_name(path, above, into)

    def _follow_subtype(self, path: str, _node: Node, above: Node, into: Steps) -> None:
        kinds = ("interface_declaration", "class_declaration", "abstract_class_declaration")
        declaration = nodes.ancestor(above, *kinds)
        if declaration is not None:
            self._follow_name(path, declaration, into)

    def _find_asserted_values(self, path: str, node: Node, above: Node, into: Steps) -> Iterator[PassedValue]:
        value = above.named_children[0]
        return self._infer_passed_value(path, value if value.id != node.id else None, into)

    def _infer_passed_value(self, path: str, node: Node | None, into: Steps) -> Iterator[PassedValue]:
        if node is None:
            return
        for each in outside_objects(self._resolver, path, node, into):
            yield PassedValue(OUTSIDE, path, each.start_byte)
        for value in infer_part(self._resolver, path, node, into):
            yield PassedValue(value, path, node.start_byte)


def _is_identifier(node: Node) -> bool:
    return node.type.endswith("identifier") or node.type in ("string", "computed_property_name")


_Read = Callable[[ExpectedType, str, Node, Node, Steps], Iterator[PassedValue] | None]
# The methods below are this module's own.
_POSITION_READERS: Mapping[str, _Read] = reading_table(
    (" ".join(_TRANSPARENT_NODES), ExpectedType._follow_parent),
    ("array_type tuple_type", ExpectedType._follow_item),
    ("index_signature", ExpectedType._follow_index_signature),
    ("type_arguments", ExpectedType._follow_type_argument),
    ("variable_declarator public_field_definition property_signature", ExpectedType._follow_declaration),
    ("required_parameter optional_parameter", ExpectedType._follow_function_parameter),
    ("type_alias_declaration type_parameter", ExpectedType._follow_alias),
    ("extends_type_clause extends_clause", ExpectedType._follow_subtype),
    ("as_expression satisfies_expression", ExpectedType._find_asserted_values),
)
"""By the type of the node around a type: reading of the values that are passed there."""
