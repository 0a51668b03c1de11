"""Resolve the attributes of JSX elements to the properties that the component takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.names.entities import Binding, Class, Elsewhere, Function, Instance, Meaning, Unknown, Value
from gitscalpel.names.languages.javascript import imports, name_nodes, types
from gitscalpel.names.resolver import Place, Resolver
from gitscalpel.syntax.occurrences import Mention

_ELEMENTS = ("jsx_opening_element", "jsx_closing_element", "jsx_self_closing_element")
_ALL = "IntrinsicElements"
_SPACE = "JSX"
_COMPONENTS = frozenset(
    {"FC", "VFC", "SFC", "FunctionComponent", "VoidFunctionComponent", "StatelessComponent"}
    | {"Component", "ParentComponent", "ComponentType", "ComponentClass", "NamedExoticComponent"}
)


def resolve_attribute(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """The property of the component's parameter; an element of the page, or what such a one has."""
    if mention.node.type == "identifier":
        yield from intrinsic_element(resolver, mention.name)
        return
    given = mention.node.parent
    element = given.parent if given is not None else None
    name = element.child_by_field_name("name") if element is not None else None
    if name is None:
        yield Unknown("it is an attribute of nothing")
    elif name.type == "identifier" and name_nodes.mention(resolver, path, name).role == "keyword":
        for each in intrinsic_element(resolver, name_nodes.text(resolver, path, name)):
            for taken in resolver.worth(each):
                had = resolver.members(taken, mention.name)
                yield from had or (Unknown("the element is not known to take it"),)
    else:
        yield from _property(resolver, path, mention.name, name)


def _property(
    resolver: Resolver, path: str, attribute: str, component: tree_sitter.Node
) -> Iterator[Meaning]:
    """What any of the ways to call the component has; a name that none of them has is that of all."""
    found: list[Meaning] = []
    without: list[Meaning] = []
    for taken in _taken(resolver, path, component):
        holder = taken.of if isinstance(taken, Instance) else taken
        had = resolver.members(taken, attribute)
        found += had
        if not had:
            without.append(
                resolver.of_class(holder, attribute)
                if isinstance(holder, Class)
                else Unknown("it takes no such thing")
            )
    yield from dict.fromkeys(found or without) or (Unknown("what the component takes is not known"),)


def _taken(resolver: Resolver, path: str, component: tree_sitter.Node) -> Iterator[Value]:
    """What a component takes: the first parameter of a function, the ``props`` of a class, or as it says."""
    said = [v for each in _typed(resolver, path, component) for v in types.allowed_objects(resolver, *each)]
    yield from said
    for value in () if said else resolver.values(path, component):
        pattern = _first(value.node) if isinstance(value, Function) else None
        if isinstance(value, Function) and pattern is not None:
            yield from resolver.values(value.path, pattern)
        elif isinstance(value, Class):
            held = [m for m in resolver.members(Instance(value), "props") if isinstance(m, Binding)]
            yield from (v for each in held for v in resolver.worth(each))
            yield from () if held else _given(resolver, value)
        else:
            yield Unknown("what the component takes is not known")


def _typed(resolver: Resolver, path: str, component: tree_sitter.Node) -> Iterator[types.WrittenType]:
    """``const A: FC<Props>``, wherever that is imported from."""
    last = component.child_by_field_name("property") or component
    waiting = [*resolver.meanings(path, name_nodes.mention(resolver, path, last))]
    for meaning in waiting:
        for place in resolver.binders(meaning) if isinstance(meaning, Binding) else ():
            if place.mention.kind == "import":
                waiting += (e for e in _origin(resolver, place) if e not in waiting)
        for at, node in types.declared_types(resolver, [meaning]):
            for kind in (each for each in types.resolve_alias(resolver, at, node)):
                given = kind.node.child_by_field_name("type_arguments")
                name = name_nodes.text(resolver, kind.path, kind.node.child_by_field_name("name"))
                if given is not None and given.named_children and is_component(name):
                    yield types.WrittenType(kind.path, given.named_children[0])


def _origin(resolver: Resolver, place: Place) -> Iterable[Meaning]:
    """What a name that an import binds is where it comes from, also under another one."""
    above = place.mention.node.parent
    name = above.child_by_field_name("name") if above is not None else None
    said = name_nodes.text(resolver, place.path, name) if name is not None else ""
    return imports.import_target(resolver, place.path, place.mention, said)


def is_component(said: str) -> bool:
    """Whether a type says of what it is given that a component takes it (React, Preact, Solid)."""
    return said.rpartition(".")[2] in _COMPONENTS


def _given(resolver: Resolver, of: Class) -> Iterator[Value]:
    """``extends Component<Props>``."""
    for clause in of.node.parent.named_children if of.node.parent is not None else ():
        for node in clause.named_children if clause.type == "class_heritage" else ():
            given = node.child_by_field_name("type_arguments")
            if given is not None and given.named_children:
                yield from types.allowed_objects(resolver, of.path, given.named_children[0])
                return
    yield Unknown("what the component takes is not known")


def component_name_error(resolver: Resolver, places: Iterable[Place], to: str) -> str:
    """Why a component may not be called so; nothing where it may."""
    for path, mention in places:
        above = mention.node.parent
        is_name = (
            above is not None
            and above.type in _ELEMENTS
            and above.child_by_field_name("name") == mention.node
        )
        if is_name and mention.role == "use" and to[:1].islower():
            where = f"{path}:{resolver.line(path, mention.start)}"
            return (
                f"{to} in {where} would be an element of the page, as all are that begin with a small letter"
            )
    return ""


def intrinsic_element(resolver: Resolver, name: str) -> tuple[Meaning, ...]:
    """What an element of the page is: declared among all (``JSX.IntrinsicElements``), or outside."""
    return resolver.once(
        ("element", name), lambda: list(_declared(resolver, name)) or [Elsewhere("elements of the page")], ()
    )


def infer_element(resolver: Resolver) -> Iterator[Value]:
    """Yield what an element in an expression is worth: a `JSX.Element` that the tree declares."""
    yield from resolver.once(("elements",), lambda: _of_tree(resolver), ()) or (Elsewhere("builtins"),)


def _of_tree(resolver: Resolver) -> Iterator[Value]:
    for path in resolver.files.holding(_SPACE):
        lexical = resolver.files.lexical(path)
        for mention in lexical.of("Element") if lexical is not None and lexical.of(_SPACE) else ():
            above = mention.node.parent
            body = above.child_by_field_name("body") if above is not None else None
            around = [scope.node.child_by_field_name("name") for scope in mention.scopes]
            is_of_space = any(name is not None and name.text == _SPACE.encode() for name in around)
            if mention.kind == "interface" and body is not None and is_of_space:
                yield Instance(Class(path, body))


def _declared(resolver: Resolver, name: str) -> Iterator[Meaning]:
    for path in resolver.files.holding(_ALL):
        lexical = resolver.files.lexical(path)
        for mention in lexical.of(_ALL) if lexical is not None else ():
            above = mention.node.parent
            body = above.child_by_field_name("body") if above is not None else None
            if mention.kind == "interface" and body is not None:
                members = resolver.members(Class(path, body), name)
                yield from (each for each in members if isinstance(each, Binding))


def _first(function: tree_sitter.Node) -> tree_sitter.Node | None:
    """The pattern of a function's first parameter."""
    parameters = function.child_by_field_name("parameters")
    first = next(iter(parameters.named_children), None) if parameters is not None else None
    return None if first is None else (first.child_by_field_name("pattern") or first)
