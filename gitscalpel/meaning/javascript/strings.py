"""Strings that are a type of their own (``type Mode = "read" | "write"``), and those that have to be of it.

A name of such a type is one of the union that it is written in, wherever a string certainly has to be one of
that. All other strings are text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

import tree_sitter

from gitscalpel.meaning.javascript import taking, typed, words
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Binding, Class, Instance
from gitscalpel.syntax.occurrences import Mention

_SIGNS = re.compile(r"[\"'`\\\n\r]|\$\{")
"""What begins or ends something in a string."""
_STRINGS = ("string", "template_string")
_COMPARING = frozenset({"==", "===", "!=", "!=="})
_THROUGH = (
    "parenthesized_expression",
    "ternary_expression",
    "jsx_expression",
    "as_expression",
    "satisfies_expression",
)
_Typed = Iterator[typed.Typed]


def meant(resolver: Resolver, path: str, mention: Mention) -> Iterator[Binding]:
    """The types that a string is a name of."""
    node = mention.node if mention.node.type in _STRINGS else mention.node.parent
    if node is None or node.type not in _STRINGS or words.said(resolver, path, node) != mention.name:
        return
    key = ("string", path, node.start_byte)
    yield from resolver.once(key, lambda: dict.fromkeys(_meant(resolver, path, node, mention.name)), ())


def unfit(resolver: Resolver, places: Iterable[Place], to: str) -> str:
    """Why strings cannot say so as it stands; nothing where they can."""
    for path, mention in places:
        is_said = mention.role == "string" and any(True for _ in meant(resolver, path, mention))
        if is_said and _SIGNS.search(to):
            return f"{to} is written otherwise in the string in {path}:{resolver.line(path, mention.start)}"
    return ""


def _meant(resolver: Resolver, path: str, node: tree_sitter.Node, name: str) -> Iterator[Binding]:
    above = node.parent
    if above is not None and above.type == "literal_type":
        yield resolver.of_class(Class(path, _union(above)), name)
        return
    for each in expected(resolver, path, node):
        yield from _of(resolver, each, name)


def _of(resolver: Resolver, kind: typed.Typed, name: str) -> Iterator[Binding]:
    """The unions of a type in which the name is written."""
    for path, node in typed.spelled(resolver, *kind):
        if node.type == "union_type":
            for part in node.named_children:
                yield from _of(resolver, typed.Typed(path, part), name)
        elif node.type == "literal_type" and words.said(resolver, path, node.named_children[0]) == name:
            yield resolver.of_class(Class(path, _union(node)), name)


def _union(node: tree_sitter.Node) -> tree_sitter.Node:
    """The whole of what a literal is written in."""
    while node.parent is not None and node.parent.type == "union_type":
        node = node.parent
    return node


def expected(resolver: Resolver, path: str, node: tree_sitter.Node) -> _Typed:
    """The types that say what an expression has to be."""
    above = node.parent
    while above is not None and above.type in _THROUGH:
        if above.type.startswith(("as_", "satisfies_")) and len(above.named_children) > 1:
            yield typed.Typed(path, above.named_children[1])
        node, above = above, above.parent
    read = _READ.get(above.type) if above is not None else None
    if above is not None and read is not None:
        yield from read(resolver, path, node, above)


def _declared(_resolver: Resolver, path: str, _node: tree_sitter.Node, above: tree_sitter.Node) -> _Typed:
    kind = above.child_by_field_name("type")
    if kind is not None:
        yield typed.Typed(path, kind)


def _assigned(resolver: Resolver, path: str, _node: tree_sitter.Node, above: tree_sitter.Node) -> _Typed:
    yield from typed.of(resolver, path, above.child_by_field_name("left"))


def _compared(resolver: Resolver, path: str, node: tree_sitter.Node, above: tree_sitter.Node) -> _Typed:
    operator = above.child_by_field_name("operator")
    if operator is not None and operator.type in _COMPARING:
        sides = (above.child_by_field_name("left"), above.child_by_field_name("right"))
        for side in sides:
            yield from typed.of(resolver, path, side) if side is not None and side.id != node.id else ()
    elif operator is not None and operator.type in ("||", "??"):
        yield from expected(resolver, path, above)


def _case(resolver: Resolver, path: str, _node: tree_sitter.Node, above: tree_sitter.Node) -> _Typed:
    switch = words.around(above, "switch_statement")
    yield from typed.of(resolver, path, switch.child_by_field_name("value")) if switch is not None else ()


def _returned(_resolver: Resolver, path: str, node: tree_sitter.Node, above: tree_sitter.Node) -> _Typed:
    function = words.around(node, *words.FUNCTIONS)
    if above.type == "arrow_function" and above.child_by_field_name("body") != node:
        return
    kind = function.child_by_field_name("return_type") if function is not None else None
    if kind is not None:
        yield typed.Typed(path, kind)


def _argument(resolver: Resolver, path: str, node: tree_sitter.Node, _above: tree_sitter.Node) -> _Typed:
    for taken in taking.of(resolver, path, node):
        yield from taken.types(resolver) if taken is not None else ()


def _member(resolver: Resolver, path: str, _node: tree_sitter.Node, above: tree_sitter.Node) -> _Typed:
    """A property of an object whose type is written elsewhere."""
    key, holder = above.child_by_field_name("key"), above.parent
    for value in resolver.values(path, holder) if key is not None and holder is not None else ():
        if isinstance(value, Instance) and value.of.node != holder:
            name = words.text(resolver, path, key).strip("\"'")
            yield from typed.declared(resolver, resolver.members(value, name))


def _attribute(resolver: Resolver, path: str, _node: tree_sitter.Node, above: tree_sitter.Node) -> _Typed:
    named = above.named_children[0]
    yield from typed.declared(resolver, resolver.meanings(path, words.mention(resolver, path, named)))


_READ: Mapping[str, Callable[[Resolver, str, tree_sitter.Node, tree_sitter.Node], _Typed]] = {
    **dict.fromkeys(
        ("variable_declarator", "public_field_definition", "required_parameter", "optional_parameter"),
        _declared,
    ),
    "assignment_expression": _assigned,
    "binary_expression": _compared,
    "switch_case": _case,
    **dict.fromkeys(("return_statement", "arrow_function"), _returned),
    "arguments": _argument,
    "pair": _member,
    "jsx_attribute": _attribute,
}
"""How a kind of node says what stands in it."""
