"""Whose members the keys of an object are: those of its type where one is said, else its own."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.javascript import amd, calls, jsdoc, taking, typed, types, words
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Binding, Class, Elsewhere, Instance, Unknown, Value

_KEPT = ("parenthesized_expression", "ternary_expression")
_TYPED = (
    *("variable_declarator", "public_field_definition", "field_definition"),
    *("required_parameter", "optional_parameter"),
)
_FREE = ("export_statement", "expression_statement", "member_expression", "assignment_pattern")
_PLAIN = Elsewhere("builtins")
"""Strings, numbers and the like, which no object is."""
_GIVING = frozenset({"Object.assign", "Object.defineProperties"})
"""What gives what it is handed first what all others have."""


def of(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What an object is an instance of."""
    own = Instance(Class(path, node))
    node, above = _outermost(resolver, path, node)
    is_given = any(each.id == node.id for each in amd.given(resolver.lexical(path).syntax.root))
    found = list(_expected(resolver, path, node, above)) if above is not None and not is_given else []
    if not found:
        yield own
        return
    known = [value for value in found if not isinstance(value, (Unknown, Elsewhere))]
    if known:
        yield from (value for value in found if value != _PLAIN)
    else:
        yield own
        yield Unknown("the object's type is not known")


def _outermost(
    resolver: Resolver, path: str, node: tree_sitter.Node
) -> tuple[tree_sitter.Node, tree_sitter.Node | None]:
    """Return the outermost expression that has the value of another one, and what is around it."""
    above = node.parent
    while above is not None:
        call = above.parent if above.type == "arguments" and above.named_children[0] == node else None
        called = call.child_by_field_name("function") if call is not None else None
        if call is not None and words.text(resolver, path, called) in calls.PASSING:
            node = call
        elif above.type in _KEPT:
            node = above
        else:
            break
        above = node.parent
    return node, above


def _expected(
    resolver: Resolver, path: str, node: tree_sitter.Node, above: tree_sitter.Node
) -> Iterator[Value]:
    """What it has to be; nothing where nothing says so."""
    if above.type in _TYPED:
        kind = above.child_by_field_name("type")
        if kind is not None:
            yield from types.objects(resolver, path, kind)
        else:
            yield from jsdoc.said(resolver, path, above)
    elif above.type in ("as_expression", "satisfies_expression"):
        if len(above.named_children) > 1:
            yield from types.objects(resolver, path, above.named_children[1])
    elif above.type == "pair":
        yield from _inside(resolver, path, above)
    elif above.type in ("return_statement", "arrow_function"):
        yield from _returned(resolver, path, above)
    elif above.type == "assignment_expression":
        yield from _set(resolver, path, node, above)
    elif above.type == "arguments":
        yield from _argument(resolver, path, node, above)
    elif above.type not in _FREE:
        yield Unknown("it goes where nobody says what it has to be")


def _argument(
    resolver: Resolver, path: str, node: tree_sitter.Node, given: tree_sitter.Node
) -> Iterator[Value]:
    """What the parameter that it is given for has to be."""
    call = given.parent
    callee = call.child_by_field_name("function") if call is not None else None
    if given.named_children[0].id != node.id and words.text(resolver, path, callee) in _GIVING:
        yield from resolver.values(path, given.named_children[0])
        return
    for taken in taking.of(resolver, path, node):
        found = list(_taken(resolver, taken)) if taken is not None else []
        yield from found or (Unknown("what it is given to says no type"),)


def _taken(resolver: Resolver, taken: taking.Parameter) -> Iterator[Value]:
    """What is said of a parameter, in its file or in a comment of that."""
    for each in taken.types(resolver):
        yield from types.objects(resolver, *each)
    if taken.node.child_by_field_name("type") is None:
        name = taken.node.child_by_field_name("left") or taken.node
        said = words.text(resolver, taken.path, name) if name.type == "identifier" else ""
        yield from jsdoc.said(resolver, taken.path, taken.function, said) if said else ()


def _inside(resolver: Resolver, path: str, pair: tree_sitter.Node) -> Iterator[Value]:
    """The member of the object around it."""
    outer, key = pair.parent, pair.child_by_field_name("key")
    if outer is None or key is None:
        return
    for value in resolver.values(path, outer):
        if isinstance(value, Instance) and value.of.node.id != outer.id:
            for member in resolver.members(value, words.text(resolver, path, key)):
                yield from resolver.worth(member)
        elif not isinstance(value, Instance):
            yield Unknown("it is a part of what is not known")


def _returned(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    function = above if above.type == "arrow_function" else words.around(above, *words.FUNCTIONS)
    kind = function.child_by_field_name("return_type") if function is not None else None
    told = list(jsdoc.given(resolver, path, function)) if function is not None and kind is None else []
    if kind is not None:
        yield from types.objects(resolver, path, kind)
    elif told:
        yield from told
    elif (call := _call_at_once(function)) is not None:
        node, around = _outermost(resolver, path, call)
        yield from _expected(resolver, path, node, around) if around is not None else ()
    elif function is None or not _is_alone(function):
        yield Unknown("the function goes where nobody says what it has to give")


def _call_at_once(function: tree_sitter.Node | None) -> tree_sitter.Node | None:
    """Return the call of a function that is called where it stands, and gives what it returns."""
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


def _is_alone(function: tree_sitter.Node) -> bool:
    """Whether nothing around a function says what it has to give."""
    if function.type == "function_declaration":
        return True
    above = function.parent
    if above is None or above.type == "class_body":
        return True
    return above.type == "variable_declarator" and above.child_by_field_name("type") is None


def _set(resolver: Resolver, path: str, node: tree_sitter.Node, above: tree_sitter.Node) -> Iterator[Value]:
    """What is set has to be: by its type, else what it was before."""
    left = above.child_by_field_name("left")
    said = words.text(resolver, path, left)
    if left is None or said in ("module.exports", "exports") or said.endswith(".prototype"):
        return
    written = typed.of(resolver, path, left)
    for each in written:
        yield from types.objects(resolver, *each)
    if not written:
        at, first = next(_given(resolver, path, left), (path, None))
        if first is None:
            yield Unknown("what it is given to may have a type of its own")
        elif (at, first.id) != (path, node.id):
            yield from resolver.values(at, first)


def _given(resolver: Resolver, path: str, left: tree_sitter.Node) -> Iterator[tuple[str, tree_sitter.Node]]:
    """What a variable or member is given, from file to file, but for ``null``."""
    named = left.child_by_field_name("property") or left
    for meaning in resolver.meanings(path, words.mention(resolver, path, named)):
        if not isinstance(meaning, Binding):
            continue
        for place in (*resolver.binders(meaning), *_later(resolver, meaning)):
            above = words.owner(place.mention.node)
            if above is not None and above.type == "member_expression":
                above = above.parent
            value = (
                above.child_by_field_name("value") or above.child_by_field_name("right") if above else None
            )
            if value is not None and value.type not in ("null", "undefined"):
                yield place.path, value
            elif place.mention.kind == "parameter":
                return


def _later(resolver: Resolver, variable: Binding) -> Iterator[Place]:
    """Where a variable is set after it is declared."""
    if variable.kind != "class":
        for mention in resolver.lexical(variable.path).of(variable.name):
            above = mention.node.parent
            left = above.child_by_field_name("left") if above is not None else None
            is_set = above is not None and above.type == "assignment_expression" and left == mention.node
            if is_set and mention.role == "use" and variable in resolver.meanings(variable.path, mention):
                yield Place(variable.path, mention)
