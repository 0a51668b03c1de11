"""Which parameter or field a keyword names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning.python import class_keywords, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Class, Elsewhere, Function, Instance, Meaning, Unknown, Value
from gitscalpel.syntax.mentions import Mention

_COPYING = ("replace", "evolve")
"""What of others copies its first argument, with what keywords give for fields: ``dataclasses.replace``."""
_COPIES = "_replace"
"""The same, of a named tuple, which has it itself."""

_DECLARED = frozenset({"function", "class", "import"})


def meant(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """The parameter of the function, or the field of the class, that is called or matched."""
    around = mention.node.parent
    while around is not None and around.type not in ("call", "class_pattern", "class_definition"):
        around = around.parent
    if around is None:
        return ()
    if around.type == "class_definition":
        return list(class_keywords.meant(resolver, path, around, mention.name, _of_function))
    callee: tree_sitter.Node | None = around.child_by_field_name("function") or around.named_child(0)
    said = "" if callee is None else words.last(resolver, path, callee)
    if said == "partial" and around.type == "call":
        given = around.child_by_field_name("arguments")
        callee = given.named_child(0) if given is not None else None
        said = "" if callee is None else words.last(resolver, path, callee)
    if callee is not None and _is_variable(resolver, path, callee):
        said = ""
    values = () if callee is None else resolver.values(path, callee)
    if said in _COPYING and all(isinstance(value, Elsewhere) for value in values):
        return list(_of_copied(resolver, path, around, mention.name))
    copied = callee.child_by_field_name("object") if callee is not None and said == _COPIES else None
    if copied is not None and not any(isinstance(value, Function) for value in values):
        return list(_of_value(resolver, path, copied, mention.name))
    if around.type == "class_pattern":
        return [found for value in values for found in _field(resolver, value, mention.name)]
    found = [each for value in values for each in _parameter(resolver, value, mention.name)]
    return [
        each._replace(called=_called(each, said)) if isinstance(each, Unknown) else each for each in found
    ]


def _is_variable(resolver: Resolver, path: str, callee: tree_sitter.Node) -> bool:
    """Whether a name is bound by nothing but what is given to it: then it says nothing of what is called."""
    name = callee.child_by_field_name("attribute") or callee
    if name.type != "identifier":
        return False
    found = resolver.meanings(path, words.mention(resolver, path, name))
    bound = [place for each in found if isinstance(each, Binding) for place in resolver.binders(each)]
    return bool(bound) and all(place.mention.kind not in _DECLARED for place in bound)


def _called(each: Unknown, said: str) -> str:
    """The name of what may take the keyword."""
    return each.called if each.called is not None else said


def _of_copied(resolver: Resolver, path: str, call: tree_sitter.Node, name: str) -> Iterator[Meaning]:
    """The field of what a call is given to copy."""
    given = call.child_by_field_name("arguments")
    first = given.named_child(0) if given is not None else None
    return iter(()) if first is None else _of_value(resolver, path, first, name)


def _of_value(resolver: Resolver, path: str, node: tree_sitter.Node, name: str) -> Iterator[Meaning]:
    """The field of what an expression is worth, as what makes such a thing takes it."""
    for value in resolver.values(path, node):
        yield from _parameter(resolver, value.of if isinstance(value, Instance) else value, name)


def _parameter(resolver: Resolver, value: Value, name: str) -> Iterator[Meaning]:
    if isinstance(value, Function):
        yield _of_function(resolver, value, name)
    elif isinstance(value, (Class, Instance)):
        made = "__init__" if isinstance(value, Class) else "__call__"
        functions = list(_functions(resolver, value, made))
        for function in functions:
            yield _of_function(resolver, function, name)
        if not functions:
            yield from _field(resolver, value, name)
    elif isinstance(value, (Elsewhere, Unknown)):
        yield value


def _functions(resolver: Resolver, value: Value, name: str) -> Iterator[Function]:
    for meaning in resolver.members(value, name):
        yield from (each for each in resolver.worth(meaning) if isinstance(each, Function))


def _of_function(resolver: Resolver, function: Function, name: str) -> Meaning:
    bound = resolver.lexical(function.path).bound(name).get(function.node.id, ())
    if any(mention.kind == "parameter" for mention in bound):
        return Binding(function.path, _span(function.node), "function", name)
    given = function.node.child_by_field_name("parameters")
    parts = [
        node
        for each in (given.named_children if given is not None else ())
        for node in (each, *each.children)
    ]
    goes_on = any(node.type == "dictionary_splat_pattern" for node in parts)
    return Unknown("it goes on to what is not known here (**)", called="" if goes_on else None)


def _field(resolver: Resolver, value: Value, name: str) -> Iterator[Meaning]:
    """What a data class, a named tuple or a pattern calls a field."""
    if isinstance(value, (Elsewhere, Unknown)):
        yield value
        return
    yield from resolver.members(value, name) or (Unknown("no such field is known"),)


def _span(node: tree_sitter.Node) -> tuple[int, int]:
    return node.start_byte, node.end_byte
