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
    Binding,
    Class,
    Elsewhere,
    Function,
    Instance,
    Meaning,
    Module,
    Unknown,
    Value,
)
from gitscalpel.names.languages.javascript import classes, imports, modules, types
from gitscalpel.names.languages.javascript.types import WrittenType
from gitscalpel.names.nodes import children_of, find_part
from gitscalpel.names.resolver import Place, Resolver
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
    found = _result_of_callee(resolver, path, node, inner)
    yield from types.infer_awaited(resolver, found) if types.is_awaited(node) else found


def _result_of_callee(resolver: Resolver, path: str, node: Node, callee: Node) -> Iterator[Value]:
    called = modules.text(resolver, path, callee)
    if called in _LOADING:
        yield from _loaded_module(resolver, path, node, is_import=called.endswith(("import", "importActual")))
        return
    first = _first_argument(node)
    if called in IDENTITY_FUNCTIONS and first is not None:
        yield from resolver.values(path, first)
        return
    for value in resolver.values(path, callee):
        if isinstance(value, Function):
            yield from infer_result(resolver, value)
        else:
            known = isinstance(value, Unknown)
            yield value if known else Unknown("what it calls is defined outside, or is no function")


def find_misread_import(node: Node) -> Node | None:
    """Return the ``import()`` in ``f<typeof import("./a")>("./a")``, which the grammar misreads."""
    left = node.child_by_field_name("left")
    inner = (
        left.child_by_field_name("right") if left is not None and left.type == "binary_expression" else None
    )
    if left is None or inner is None or inner.type != "unary_expression" or node.children[1].type != ">":
        return None
    loaded = inner.child_by_field_name("argument")
    is_type = left.children[1].type == "<" and inner.children[0].type == "typeof"
    is_import = (
        loaded is not None and loaded.type == "call_expression" and loaded.children[0].type == "import"
    )
    return loaded if is_type and is_import else None


def infer_new(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    for value in resolver.values(path, node.child_by_field_name("constructor")):
        if isinstance(value, Class):
            yield Instance(value)
        elif isinstance(value, (Unknown, Elsewhere)):
            yield value
        elif isinstance(value, Function):
            yield from classes.constructed_objects(resolver, value)
        else:
            yield Unknown("it makes an object of no class")


def infer_result(resolver: Resolver, function: Function) -> Iterator[Value]:
    """Yield the results of a function: by its type, or else by its return statements."""
    node, path = function.node, function.path
    kind = node.child_by_field_name("return_type")
    body = node.child_by_field_name("body")
    documented = list(types.returned_objects(resolver, path, node)) if kind is None else []
    if kind is not None:
        yield from types.allowed_objects(resolver, path, kind)
    elif documented:
        yield from documented
    elif body is None or "generator" in node.type:
        yield Unknown("nobody says what it gives")
    elif body.type != "statement_block":
        yield from resolver.values(path, body)
    else:
        results = list(classes.returned_nodes(body))
        for result in results:
            yield from resolver.values(path, result)
        if not results:
            yield Elsewhere("nothing")


def _loaded_module(resolver: Resolver, path: str, node: Node, *, is_import: bool) -> Iterator[Value]:
    specifier = modules.literal(resolver, path, _first_argument(node))
    if not specifier:
        yield Unknown("which module it is turns out when it runs")
        return
    module = modules.find_module(resolver, path, specifier)
    yield from (
        (module,) if is_import and isinstance(module, Module) else imports.infer_required(resolver, module)
    )


def _first_argument(call: Node) -> Node | None:
    arguments = call.child_by_field_name("arguments")
    return next(iter(arguments.named_children), None) if arguments is not None else None


_CONSTRUCTORS = ("method_definition", "method_signature", "construct_signature")


class TakingParameter(NamedTuple):
    """A parameter that takes an argument, with its file and function."""

    path: str
    function: Node
    node: Node

    def types(self, resolver: Resolver) -> tuple[WrittenType, ...]:
        """Return the types that are declared for the parameter's arguments; empty if none are."""
        kind = self.node.child_by_field_name("type")
        if kind is None:
            return ()
        written = (WrittenType(self.path, kind),)
        return tuple(types.item_types(resolver, written)) if _is_rest(self.node) else written


def find_parameter(resolver: Resolver, path: str, argument: Node) -> Iterator[TakingParameter | None]:
    """Yield the parameters that may take an argument of a call; None if there may be unknown ones."""
    holder = argument.parent
    call = holder.parent if holder is not None else None
    arguments = _without_comments(holder) if holder is not None else []
    at = next(n for n, each in enumerate(arguments) if each.id == argument.id)
    if call is None or any(each.type == "spread_element" for each in arguments[: at + 1]):
        yield None
        return
    called, constructor = (call.child_by_field_name(field) for field in ("function", "constructor"))
    is_construction = constructor is not None or (called is not None and called.type == "super")
    for value in resolver.values(path, node) if (node := constructor or called) is not None else ():
        for function in _called_functions(resolver, value, is_construction=is_construction):
            yield None if function is None else _nth_taking(function, at)


def _called_functions(
    resolver: Resolver, value: Value, *, is_construction: bool
) -> Iterator[Function | None]:
    """Yield the functions that a call or construction of a value runs; None for unknown ones."""
    if isinstance(value, Function):
        yield value
    elif is_construction and isinstance(value, (Class, Instance)):
        yield from _constructors(resolver, value if isinstance(value, Class) else value.of)
    else:
        yield None


def _constructors(resolver: Resolver, of: Class) -> Iterator[Function | None]:
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
    name = node.child_by_field_name("name")
    is_named = name is not None and name.text == b"constructor"
    return node.type in _CONSTRUCTORS and (is_named or node.type == "construct_signature")


def _nth_taking(function: Function, at: int) -> TakingParameter | None:
    parameter_list = function.node.child_by_field_name("parameters")
    parameters = _without_comments(parameter_list) if parameter_list is not None else []
    if parameters and at >= len(parameters) - 1 and _is_rest(parameters[-1]):
        at = len(parameters) - 1
    return TakingParameter(function.path, function.node, parameters[at]) if at < len(parameters) else None


def _is_rest(parameter: Node) -> bool:
    pattern = parameter.child_by_field_name("pattern") or parameter
    return pattern.type == "rest_pattern"


def _without_comments(node: Node) -> list[Node]:
    return [each for each in node.named_children if each.type != "comment"]


_FUNCTIONS = ("arrow_function", "function_expression")
_OF_LISTS = frozenset(
    {"map", "forEach", "filter", "find", "findLast", "findIndex", "some", "every", "flatMap"}
)
_UNKNOWN = Unknown("it is bound by what is taken apart, or by a caller")


def infer_parameter(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    """Yield the possible arguments of a parameter without a type."""
    function, at = _function_and_index(node)
    yield from infer_callback_parameter(resolver, path, function, at) if function is not None else (_UNKNOWN,)


def infer_callback_parameter(resolver: Resolver, path: str, function: Node, at: int) -> Iterator[Value]:
    """Yield the values that the callee passes to a parameter of a callback."""
    arguments = function.parent
    call = arguments.parent if arguments is not None and arguments.type == "arguments" else None
    callee = find_part(call, "function")
    if arguments is None or callee is None:
        yield _UNKNOWN
        return
    dependencies = modules.amd_dependencies(call) if call is not None else []
    if at < len(dependencies):
        module = modules.find_module(resolver, path, modules.literal(resolver, path, dependencies[at]))
        yield from imports.infer_required(resolver, module)
        return
    number = next(n for n, each in enumerate(arguments.named_children) if each.id == function.id)
    method = modules.text(resolver, path, callee.child_by_field_name("property"))
    receiver = callee.child_by_field_name("object")
    if method == "then" and (number, at) == (0, 0) and receiver is not None:
        yield from resolver.values(path, receiver)
    elif method in _OF_LISTS and (number, at) == (0, 0) and _is_list(resolver, path, receiver):
        yield from types.infer_items(resolver, path, receiver)
    else:
        yield from _callback_values_by_type(resolver, path, callee, (number, at))


def _is_list(resolver: Resolver, path: str, receiver: Node | None) -> bool:
    return not all(isinstance(each, Unknown) for each in types.infer_items(resolver, path, receiver))


def _function_and_index(node: Node) -> tuple[Node | None, int]:
    above = node.parent
    if above is not None and above.type in _FUNCTIONS:
        return above, 0
    if above is not None and above.type in ("required_parameter", "optional_parameter"):
        node, above = above, above.parent
    if above is None or above.type != "formal_parameters" or above.parent is None:
        return None, 0
    at = next(n for n, each in enumerate(above.named_children) if each.id == node.id)
    return (above.parent if above.parent.type in _FUNCTIONS else None), at


def _callback_values_by_type(
    resolver: Resolver, path: str, callee: Node, indices: tuple[int, int]
) -> Iterator[Value]:
    """Yield the values by the type that the callee declares for the callback."""
    for value in resolver.values(path, callee):
        parameter = _nth_parameter(value.node, indices[0]) if isinstance(value, Function) else None
        kind = find_part(parameter, "type")
        if not isinstance(value, Function) or kind is None:
            yield _UNKNOWN
            continue
        for at, node in types.resolve_alias(resolver, value.path, kind):
            inner = _nth_parameter(node, indices[1]) if node.type == "function_type" else None
            argument_type = find_part(inner, "type")
            yield from (
                types.allowed_objects(resolver, at, argument_type)
                if argument_type is not None
                else (_UNKNOWN,)
            )


def _nth_parameter(function: Node, at: int) -> Node | None:
    parameters = function.child_by_field_name("parameters")
    return (
        parameters.named_child(at) if parameters is not None and at < parameters.named_child_count else None
    )


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
    attribute = mention.node.parent
    element = attribute.parent if attribute is not None else None
    name = find_part(element, "name")
    if name is None:
        yield Unknown("it is an attribute of nothing")
    elif name.type == "identifier" and nodes.mention(resolver, path, name).role == "keyword":
        for each in intrinsic_element(resolver, modules.text(resolver, path, name)):
            for props in resolver.values_of(each):
                properties = resolver.members(props, mention.name)
                yield from properties or (Unknown("the element is not known to take it"),)
    else:
        yield from _component_property(resolver, path, mention.name, name)


def _component_property(resolver: Resolver, path: str, attribute: str, component: Node) -> Iterator[Meaning]:
    """Yield the property in every call form of the component; a name that no form has may belong to any."""
    found: list[Meaning] = []
    without: list[Meaning] = []
    for props in _component_props(resolver, path, component):
        holder = props.of if isinstance(props, Instance) else props
        properties = resolver.members(props, attribute)
        found += properties
        if not properties:
            without.append(
                resolver.class_member(holder, attribute)
                if isinstance(holder, Class)
                else Unknown("it takes no such thing")
            )
    yield from dict.fromkeys(found or without) or (Unknown("what the component takes is not known"),)


def _component_props(resolver: Resolver, path: str, component: Node) -> Iterator[Value]:
    """Yield the properties object of a component: the first parameter, ``props`` of a class, or its type."""
    typed = [
        v
        for each in _component_types(resolver, path, component)
        for v in types.allowed_objects(resolver, *each)
    ]
    yield from typed
    for value in () if typed else resolver.values(path, component):
        pattern = _first_parameter(value.node) if isinstance(value, Function) else None
        if isinstance(value, Function) and pattern is not None:
            yield from resolver.values(value.path, pattern)
        elif isinstance(value, Class):
            declared = [m for m in resolver.members(Instance(value), "props") if isinstance(m, Binding)]
            yield from (v for each in declared for v in resolver.values_of(each))
            yield from () if declared else _props_of_base(resolver, value)
        else:
            yield Unknown("what the component takes is not known")


def _component_types(resolver: Resolver, path: str, component: Node) -> Iterator[types.WrittenType]:
    """Yield the type in ``const A: FC<Props>``, wherever it is imported from."""
    last = component.child_by_field_name("property") or component
    pending = [*resolver.meanings(path, nodes.mention(resolver, path, last))]
    for meaning in pending:
        for place in resolver.binders(meaning) if isinstance(meaning, Binding) else ():
            if place.mention.kind == "import":
                pending += (origin for origin in _origin(resolver, place) if origin not in pending)
        for at, node in types.declared_types(resolver, [meaning]):
            for kind in (each for each in types.resolve_alias(resolver, at, node)):
                arguments = kind.node.child_by_field_name("type_arguments")
                name = modules.text(resolver, kind.path, kind.node.child_by_field_name("name"))
                if arguments is not None and arguments.named_children and is_component(name):
                    yield types.WrittenType(kind.path, arguments.named_children[0])


def _origin(resolver: Resolver, place: Place) -> Iterable[Meaning]:
    """Return the origin of an imported name, also under an alias."""
    above = place.mention.node.parent
    name = find_part(above, "name")
    original = modules.text(resolver, place.path, name) if name is not None else ""
    return imports.import_target(resolver, place.path, place.mention, original)


def is_component(type_name: str) -> bool:
    """Return True if a type describes components by their properties (React, Preact, Solid)."""
    return type_name.rpartition(".")[2] in _COMPONENTS


def _props_of_base(resolver: Resolver, of: Class) -> Iterator[Value]:
    """Yield the properties of ``extends Component<Props>``."""
    for clause in children_of(of.node.parent):
        for node in clause.named_children if clause.type == "class_heritage" else ():
            arguments = node.child_by_field_name("type_arguments")
            if arguments is not None and arguments.named_children:
                yield from types.allowed_objects(resolver, of.path, arguments.named_children[0])
                return
    yield Unknown("what the component takes is not known")


def component_name_error(resolver: Resolver, places: Iterable[Place], to: str) -> str:
    """Return why a component may not have a name; empty if it may."""
    for path, mention in places:
        above = mention.node.parent
        is_name = (
            above is not None
            and above.type in _ELEMENTS
            and above.child_by_field_name("name") == mention.node
        )
        if is_name and mention.role == "use" and to[:1].islower():
            place = f"{path}:{resolver.line(path, mention.start)}"
            return (
                f"{to} in {place} would be an element of the page, as all are that begin with a small letter"
            )
    return ""


def intrinsic_element(resolver: Resolver, name: str) -> tuple[Meaning, ...]:
    """Return the meaning of a page element: one in ``JSX.IntrinsicElements``, or one outside the tree."""
    return resolver.once(
        ("element", name),
        lambda: list(_declared_in_jsx(resolver, name)) or [Elsewhere("elements of the page")],
        (),
    )


def infer_element(resolver: Resolver) -> Iterator[Value]:
    """Yield the value of an element in an expression: a `JSX.Element` that the tree declares."""
    yield from resolver.once(("elements",), lambda: _declared_elements(resolver), ()) or (
        Elsewhere("builtins"),
    )


def _declared_elements(resolver: Resolver) -> Iterator[Value]:
    for path in resolver.files.holding(_SPACE):
        lexical = resolver.files.lexical(path)
        for mention in (
            lexical.occurrences_of("Element")
            if lexical is not None and lexical.occurrences_of(_SPACE)
            else ()
        ):
            above = mention.node.parent
            body = find_part(above, "body")
            around = [scope.node.child_by_field_name("name") for scope in mention.scopes]
            is_of_space = any(name is not None and name.text == _SPACE.encode() for name in around)
            if mention.kind == "interface" and body is not None and is_of_space:
                yield Instance(Class(path, body))


def _declared_in_jsx(resolver: Resolver, name: str) -> Iterator[Meaning]:
    for path in resolver.files.holding(_ALL):
        lexical = resolver.files.lexical(path)
        for mention in lexical.occurrences_of(_ALL) if lexical is not None else ():
            above = mention.node.parent
            body = find_part(above, "body")
            if mention.kind == "interface" and body is not None:
                members = resolver.members(Class(path, body), name)
                yield from (each for each in members if isinstance(each, Binding))


def _first_parameter(function: Node) -> Node | None:
    parameters = function.child_by_field_name("parameters")
    first = next(iter(parameters.named_children), None) if parameters is not None else None
    return None if first is None else (first.child_by_field_name("pattern") or first)
