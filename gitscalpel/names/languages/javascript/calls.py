"""Results of calls, and the parameters, callbacks and component properties that take their arguments.

``new`` and ``super()`` call the constructor of the class, or that of the nearest base that has one. The
attributes of a JSX element are properties that its component takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from gitscalpel.names import nodes
from gitscalpel.names.entities import (
    Class,
    Elsewhere,
    Function,
    Instance,
    Meaning,
    Module,
    Unknown,
    Value,
    bindings_in,
    type_of,
)
from gitscalpel.names.languages.javascript import classes, imports, modules, types
from gitscalpel.names.languages.javascript.types import WrittenType
from gitscalpel.names.nodes import children_of, find_part
from gitscalpel.names.readings import result_of
from gitscalpel.names.resolver import Place, Resolver, cache_answers
from gitscalpel.syntax.occurrences import Mention

_LOADING = frozenset(
    {"require", "import"}
    | {f"{tool}.{does}" for tool in ("jest", "vi") for does in ("requireActual", "importActual")}
)
"""Functions that return the module with a name."""
IDENTITY_FUNCTIONS = frozenset({"Object.freeze", "Object.seal", "Object.preventExtensions"})
"""Functions of ECMA-262 that return the passed object, to which no members are added afterwards."""


def infer_call(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    callee = node.child_by_field_name("function")
    if callee is None:
        return
    inner = callee.named_children[0] if callee.type == "await_expression" else callee
    found = _infer_callee_result(resolver, path, node, inner)
    yield from types.infer_awaited(resolver, found) if types.is_awaited(node) else found


def _infer_callee_result(resolver: Resolver, path: str, node: Node, callee: Node) -> Iterator[Value]:
    called = modules.text(resolver, path, callee)
    first = find_part(find_part(node, "arguments"), 0)
    if called in _LOADING:
        is_import = called.endswith(("import", "importActual"))
        yield from _infer_loaded(resolver, path, first, is_import=is_import)
    elif called in IDENTITY_FUNCTIONS and first is not None:
        yield from resolver.values(path, first)
    else:
        yield from _call_results(resolver, path, callee)


def find_misread_import(node: Node) -> Node | None:
    """Return the ``import()`` in ``f<typeof import("./a")>("./a")``, which the grammar misreads."""
    left = find_part(node, "left")
    inner = find_part(left, "right") if nodes.type_of(left) == "binary_expression" else None
    loaded = find_part(inner, "argument") if nodes.type_of(inner) == "unary_expression" else None
    if nodes.type_of(loaded) != "call_expression":
        return None
    misread = ((node, 1, ">"), (left, 1, "<"), (inner, 0, "typeof"), (loaded, 0, "import"))
    return loaded if all(part and part.children[at].type == word for part, at, word in misread) else None


def infer_new(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    for value in resolver.values(path, node.child_by_field_name("constructor")):
        if isinstance(value, Class):
            yield Instance(value)
        elif isinstance(value, (Unknown, Elsewhere)):
            yield value
        elif isinstance(value, Function):
            yield from classes.constructed_objects(resolver, value)
        else:
            yield Unknown("it creates an object without a class")


def infer_result(resolver: Resolver, function: Function) -> Iterator[Value]:
    """Yield the results of a function: by its type, or else by its return statements."""
    node, path = function.node, function.path
    body = find_part(node, "body")
    declared = list(types.declared_results(resolver, path, node))
    if declared or find_part(node, "return_type") is not None:
        yield from declared
    elif body is None or "generator" in node.type:
        yield Unknown("its result is not declared")
    elif body.type != "statement_block":
        yield from resolver.values(path, body)
    else:
        results = list(classes.returned_nodes(body))
        for result in results:
            yield from resolver.values(path, result)
        if not results:
            yield Elsewhere("nothing")


_call_results = result_of(
    lambda resolver, path, callee: resolver.values(path, callee),
    infer_result,
    Unknown("the called function is defined outside, or is not a function"),
)


def _infer_loaded(resolver: Resolver, path: str, name: Node | None, *, is_import: bool) -> Iterable[Value]:
    specifier = modules.literal(resolver, path, name)
    if not specifier:
        return (Unknown("the module is chosen at run time"),)
    module = modules.find_module(resolver, path, specifier)
    is_itself = is_import and isinstance(module, Module)
    return (module,) if is_itself else imports.infer_required(resolver, module)


_CONSTRUCTORS = ("method_definition", "method_signature")


class TakingParameter(NamedTuple):
    """A parameter that takes an argument, with its file and function."""

    path: str
    function: Node
    node: Node

    def types(self, resolver: Resolver) -> tuple[WrittenType, ...]:
        """Return the types that are declared for the parameter's arguments; empty if none are."""
        written = types.written_type(self.path, self.node, "type")
        return tuple(types.item_types(resolver, written)) if _is_rest(self.node) else written


def find_parameter(resolver: Resolver, path: str, argument: Node) -> Iterator[TakingParameter | None]:
    """Yield the parameters that may take an argument of a call; None if there may be unknown ones."""
    call = nodes.parent_of(argument.parent)
    arguments = nodes.without_comments(argument.parent)
    at = arguments.index(argument)
    if call is None or any(each.type == "spread_element" for each in arguments[: at + 1]):
        yield None
        return
    constructor, called = find_part(call, "constructor"), find_part(call, "function")
    is_construction = constructor is not None or nodes.type_of(called) == "super"
    for value in resolver.values(path, constructor or called):
        for function in _find_called(resolver, value, is_construction=is_construction):
            yield None if function is None else _find_taking_parameter(function, at)


def _find_called(resolver: Resolver, value: Value, *, is_construction: bool) -> Iterable[Function | None]:
    of = type_of(value)
    if is_construction and isinstance(of, Class):
        return _find_constructors(resolver, of)
    return (value if isinstance(value, Function) else None,)


def _find_constructors(resolver: Resolver, of: Class) -> Iterator[Function | None]:
    for each in resolver.ancestry(of):
        if not isinstance(each, Class):
            yield None
            return
        own = [node for node in each.node.named_children if _is_constructor(node)]
        signed = [node for node in own if node.child_by_field_name("body") is None]
        if own:  # of several, callers see those without a body
            yield from (Function(each.path, node) for node in signed or own)
            return


def _is_constructor(node: Node) -> bool:
    name = find_part(node, "name")
    is_named = name is not None and name.text == b"constructor"
    return node.type == "construct_signature" or (is_named and node.type in _CONSTRUCTORS)


def _find_taking_parameter(function: Function, at: int) -> TakingParameter | None:
    parameters = nodes.without_comments(find_part(function.node, "parameters"))
    if parameters and at >= len(parameters) - 1 and _is_rest(parameters[-1]):
        at = len(parameters) - 1
    return TakingParameter(function.path, function.node, parameters[at]) if at < len(parameters) else None


def _is_rest(parameter: Node) -> bool:
    pattern = parameter.child_by_field_name("pattern") or parameter
    return pattern.type == "rest_pattern"


def passed_parameters(function: Node) -> list[Node]:
    """Return the parameters that callers pass: not ``this``."""
    found = nodes.without_comments(find_part(function, "parameters"))
    return [each for each in found if nodes.type_of(find_part(each, "pattern")) != "this"]


def nth_parameter(function: Node, at: int) -> Node | None:
    """Return a parameter that callers pass, by its index."""
    return next(iter(passed_parameters(function)[at : at + 1]), None)


_FUNCTIONS = ("arrow_function", "function_expression")
_OF_LISTS = frozenset(
    {"map", "forEach", "filter", "find", "findLast", "findIndex", "some", "every", "flatMap"}
)
_UNKNOWN = Unknown("it is bound by a pattern, or by a caller")


def infer_parameter(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    """Yield the possible arguments of a parameter without a type."""
    function, at = _find_function_and_index(node)
    yield from infer_callback_parameter(resolver, path, function, at) if function is not None else (_UNKNOWN,)


def infer_callback_parameter(resolver: Resolver, path: str, function: Node, at: int) -> Iterable[Value]:
    """Return the values that the callee passes to a parameter of a callback."""
    arguments = nodes.parent_of(function, "arguments")
    call = nodes.parent_of(arguments)
    callee = find_part(call, "function")
    if arguments is None or call is None or callee is None:
        return (_UNKNOWN,)
    dependencies = modules.amd_dependencies(call)
    if at < len(dependencies):
        module = modules.find_module(resolver, path, modules.literal(resolver, path, dependencies[at]))
        return imports.infer_required(resolver, module)
    number = arguments.named_children.index(function)
    method, receiver = (
        modules.text(resolver, path, find_part(callee, "property")),
        find_part(callee, "object"),
    )
    if method == "then" and (number, at) == (0, 0) and receiver is not None:
        return resolver.values(path, receiver)
    if method in _OF_LISTS and (number, at) == (0, 0):
        items = [*types.infer_items(resolver, path, receiver)]
        if not all(isinstance(each, Unknown) for each in items):
            return items
    return _infer_callback_by_type(resolver, path, callee, (number, at))


def _find_function_and_index(node: Node) -> tuple[Node | None, int]:
    arrow = nodes.parent_of(node, *_FUNCTIONS)
    if arrow is not None:
        return arrow, 0
    node = nodes.parent_of(node, "required_parameter", "optional_parameter") or node
    parameters = nodes.parent_of(node, "formal_parameters")
    at = nodes.children_of(parameters).index(node) if parameters is not None else 0
    return nodes.parent_of(parameters, *_FUNCTIONS), at


def _infer_callback_by_type(
    resolver: Resolver, path: str, callee: Node, indices: tuple[int, int]
) -> Iterator[Value]:
    for value in resolver.values(path, callee):
        parameter = nth_parameter(value.node, indices[0]) if isinstance(value, Function) else None
        kind = find_part(parameter, "type")
        if not isinstance(value, Function) or kind is None:
            yield _UNKNOWN
            continue
        for at, node in types.resolve_alias(resolver, value.path, kind):
            inner = nth_parameter(node, indices[1]) if node.type == "function_type" else None
            argument_type = find_part(inner, "type")
            is_known = argument_type is not None
            yield from types.allowed_objects(resolver, at, argument_type) if is_known else (_UNKNOWN,)


_ELEMENTS = ("jsx_opening_element", "jsx_closing_element", "jsx_self_closing_element")
_ALL = "IntrinsicElements"
_SPACE = "JSX"
_COMPONENTS = frozenset(
    {"FC", "VFC", "SFC", "FunctionComponent", "VoidFunctionComponent", "StatelessComponent"}
    | {"Component", "ParentComponent", "ComponentType", "ComponentClass", "NamedExoticComponent"}
)


def resolve_attribute(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """Yield the property of the component's parameter, or an element of the page and its properties."""
    if mention.node.type == "identifier":
        yield from intrinsic_element(resolver, mention.name)
        return
    name = find_part(nodes.parent_of(mention.node.parent), "name")
    if name is None:
        yield Unknown("it is an attribute of nothing")
    elif name.type == "identifier" and nodes.mention(resolver, path, name).role == "keyword":
        element = intrinsic_element(resolver, modules.text(resolver, path, name))
        for props in resolver.values_of_each(element):
            properties = resolver.members(props, mention.name)
            yield from properties or (Unknown("the element is not known to take it"),)
    else:
        yield from _resolve_component_property(resolver, path, mention.name, name)


def _resolve_component_property(
    resolver: Resolver, path: str, attribute: str, component: Node
) -> Iterable[Meaning]:
    """Return the property in every call form of the component; a name that no form has may belong to any."""
    all_props = [*_infer_component_props(resolver, path, component)]
    found = [each for props in all_props for each in resolver.members(props, attribute)]
    holders = [type_of(props) for props in all_props if not resolver.members(props, attribute)]
    without = [
        resolver.class_member(holder, attribute)
        if isinstance(holder, Class)
        else Unknown("it has no such parameter")
        for holder in holders
    ]
    return dict.fromkeys(found or without) or (Unknown("the component's properties are unknown"),)


def _infer_component_props(resolver: Resolver, path: str, component: Node) -> Iterator[Value]:
    """Yield the properties object of a component: the first parameter, ``props`` of a class, or its type."""
    written = _find_component_types(resolver, path, component)
    declared = [typed for each in written for typed in types.allowed_objects(resolver, *each)]
    yield from declared
    for value in () if declared else resolver.values(path, component):
        first = find_part(find_part(value.node, "parameters"), 0) if isinstance(value, Function) else None
        if isinstance(value, Function) and first is not None:
            yield from resolver.values(value.path, find_part(first, "pattern") or first)
        elif isinstance(value, Class):
            props = bindings_in(resolver.members(Instance(value), "props"))
            yield from resolver.values_of_each(props) if props else _infer_base_props(resolver, value)
        else:
            yield Unknown("the component's properties are unknown")


def _find_component_types(resolver: Resolver, path: str, component: Node) -> Iterator[WrittenType]:
    """Yield the type in ``const A: FC<Props>``, wherever it is imported from."""
    pending = [*nodes.meanings_of(resolver, path, find_part(component, "property") or component)]
    for meaning in pending:
        for place in resolver.binders_of_each([meaning]):
            if place.mention.kind == "import":
                pending += (origin for origin in _resolve_origin(resolver, place) if origin not in pending)
        for declared in types.declared_types(resolver, [meaning]):
            for at, node in types.resolve_alias(resolver, *declared):
                argument = find_part(find_part(node, "type_arguments"), 0)
                name = modules.text(resolver, at, find_part(node, "name"))
                if argument is not None and is_component(name):
                    yield WrittenType(at, argument)


def _resolve_origin(resolver: Resolver, place: Place) -> Iterable[Meaning]:
    """Return the origin of an imported name, also under an alias."""
    original = modules.text(resolver, place.path, find_part(place.mention.node.parent, "name"))
    return imports.import_target(resolver, place.path, place.mention, original)


def is_component(type_name: str) -> bool:
    """Return True if a type describes components by their properties (React, Preact, Solid)."""
    return type_name.rpartition(".")[2] in _COMPONENTS


def _infer_base_props(resolver: Resolver, of: Class) -> Iterable[Value]:
    """Return the properties of ``extends Component<Props>``."""
    for clause in children_of(of.node.parent):
        for node in clause.named_children if clause.type == "class_heritage" else ():
            argument = find_part(find_part(node, "type_arguments"), 0)
            if argument is not None:
                return types.allowed_objects(resolver, of.path, argument)
    return (Unknown("the component's properties are unknown"),)


def component_name_error(resolver: Resolver, places: Iterable[Place], to: str) -> str:
    """Return why a component may not have a name; empty if it may."""
    for path, mention in places if to[:1].islower() else ():
        is_tag = nodes.parent_of(mention.node, *_ELEMENTS) is not None and nodes.is_part(mention.node, "name")
        if is_tag and mention.role == "use":
            place = f"{path}:{resolver.line(path, mention.start)}"
            return (
                f"{to} in {place} would be an element of the page, as all are that begin with a small letter"
            )
    return ""


@cache_answers
def intrinsic_element(resolver: Resolver, name: str) -> Iterable[Meaning]:
    """Return the meaning of a page element: one in ``JSX.IntrinsicElements``, or one outside the tree."""
    return list(_find_in_jsx(resolver, name)) or [Elsewhere("elements of the page")]


def infer_element(resolver: Resolver, _path: str, _node: Node) -> Iterable[Value]:
    """Return the value of an element in an expression: a `JSX.Element` that the tree declares."""
    return _find_declared_elements(resolver) or (Elsewhere("builtins"),)


@cache_answers
def _find_declared_elements(resolver: Resolver) -> Iterator[Value]:
    for path, mention, body in _find_interfaces(resolver, _SPACE, "Element"):
        around = [find_part(scope.node, "name") for scope in mention.scopes]
        if any(name is not None and name.text == _SPACE.encode() for name in around):
            yield Instance(Class(path, body))


def _find_interfaces(resolver: Resolver, word: str, name: str) -> Iterator[tuple[str, Mention, Node]]:
    for path, lexical in resolver.parsed_files(word):
        for mention in lexical.occurrences_of(name) if lexical.occurrences_of(word) else ():
            body = find_part(mention.node.parent, "body")
            if mention.kind == "interface" and body is not None:
                yield path, mention, body


def _find_in_jsx(resolver: Resolver, name: str) -> Iterator[Meaning]:
    for path, _, body in _find_interfaces(resolver, _ALL, _ALL):
        yield from bindings_in(resolver.members(Class(path, body), name))
