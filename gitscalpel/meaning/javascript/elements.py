"""What an attribute of a JSX element names: a property of what the component takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning.javascript import types, words
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Binding, Class, Elsewhere, Function, Instance, Meaning, Unknown, Value
from gitscalpel.syntax.mentions import Mention

_ELEMENTS = ("jsx_opening_element", "jsx_closing_element", "jsx_self_closing_element")
_ALL = "IntrinsicElements"


def meant(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """The property of the component's parameter; an element of the page, or what such a one has."""
    if mention.node.type == "identifier":
        yield from of_page(resolver, mention.name)
        return
    given = mention.node.parent
    element = given.parent if given is not None else None
    name = element.child_by_field_name("name") if element is not None else None
    if name is None:
        yield Unknown("it is an attribute of nothing")
    elif name.type == "identifier" and words.mention(resolver, path, name).role == "keyword":
        for each in of_page(resolver, words.text(resolver, path, name)):
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
    """What a component takes: the first parameter of a function, the ``props`` of a class."""
    for value in resolver.values(path, component):
        pattern = _first(value.node) if isinstance(value, Function) else None
        if isinstance(value, Function) and pattern is not None:
            yield from resolver.values(value.path, pattern)
        elif isinstance(value, Class):
            held = [m for m in resolver.members(Instance(value), "props") if isinstance(m, Binding)]
            yield from (v for each in held for v in resolver.worth(each))
            yield from () if held else _given(resolver, value)
        else:
            yield Unknown("what the component takes is not known")


def _given(resolver: Resolver, of: Class) -> Iterator[Value]:
    """``extends Component<Props>``."""
    for clause in of.node.parent.named_children if of.node.parent is not None else ():
        for node in clause.named_children if clause.type == "class_heritage" else ():
            given = node.child_by_field_name("type_arguments")
            if given is not None and given.named_children:
                yield from types.objects(resolver, of.path, given.named_children[0])
                return
    yield Unknown("what the component takes is not known")


def unfit(resolver: Resolver, places: Iterable[Place], to: str) -> str:
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


def of_page(resolver: Resolver, name: str) -> tuple[Meaning, ...]:
    """What an element of the page is: declared among all (``JSX.IntrinsicElements``), or outside."""
    return resolver.once(
        ("element", name), lambda: list(_declared(resolver, name)) or [Elsewhere("elements of the page")], ()
    )


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
