"""Which parameter or field a keyword names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.python import class_keywords, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Class, Elsewhere, Function, Instance, Meaning, Unknown, Value
from gitscalpel.syntax.occurrences import Mention

_COPYING = ("replace", "evolve")
"""What of others copies its first argument, with what keywords give for fields: ``dataclasses.replace``."""
_HANDING_ON = frozenset({"partial", "partialmethod", "submit", "to_thread", "register"})
"""Functions of others that call their first argument with the keywords that they are given."""
_SAME = frozenset({"__wrapped__", "__func__", "__call__"})
"""Attributes of a function that are the function, or what it was before it was decorated."""
_COPIES = "_replace"
"""The same, of a named tuple, which has it itself."""

_DECLARED = frozenset({"function", "class", "import"})


def meant(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """The parameter of the function, or the field of the class, that is called or matched."""
    around = nodes.around(mention.node, "call", "class_pattern", "class_definition")
    if around is None:
        return ()
    if around.type == "class_definition":
        return list(class_keywords.meant(resolver, path, around, mention.name, _of_function))
    callee = around.child_by_field_name("function") or around.named_child(0)
    if callee is None:
        return ()
    if around.type == "class_pattern":
        values = resolver.values(path, callee)
        return [found for value in values for found in _field(resolver, value, mention.name)]
    return _of_call(resolver, path, around, _called_with(resolver, path, around, callee), mention)


def _of_call(
    resolver: Resolver, path: str, around: tree_sitter.Node, callee: tree_sitter.Node, mention: Mention
) -> Iterable[Meaning]:
    """Return the parameter that a keyword of a call names."""
    said, values = words.last(resolver, path, callee), resolver.values(path, callee)
    if said in _COPYING and all(isinstance(value, Elsewhere) for value in values):
        return list(_of_copied(resolver, path, around, mention.name))
    copied = callee.child_by_field_name("object") if said == _COPIES else None
    if copied is not None and not any(isinstance(value, Function) for value in values):
        return list(_of_value(resolver, path, copied, mention.name))
    found = [each for value in values for each in _parameter(resolver, value, mention.name)]
    if not any(isinstance(each, Binding) for each in found):
        found += _handed_on(resolver, path, around)
    name = "" if _has_another_name(resolver, path, callee) else said
    return [
        each._replace(called=_called(each, name)) if isinstance(each, Unknown) else each for each in found
    ]


def _called_with(
    resolver: Resolver, path: str, call: tree_sitter.Node, callee: tree_sitter.Node
) -> tree_sitter.Node:
    """Return what takes the keywords of a call: ``f`` of ``partial(f, x=1)`` and ``f.__wrapped__(x=1)``."""
    function = callee.child_by_field_name("object") if words.last(resolver, path, callee) in _SAME else None
    if function is not None:
        return function
    handed = _first(call) if words.last(resolver, path, callee) in _HANDING_ON else None
    return callee if handed is None or _is_own(resolver, path, callee) else handed


def _has_another_name(resolver: Resolver, path: str, callee: tree_sitter.Node) -> bool:
    """Return True if a function of any name may be called there: an item, a variable, a result."""
    is_name = callee.type in ("identifier", "attribute")
    last = words.last(resolver, path, callee)
    return not is_name or words.is_special(last) or _is_variable(resolver, path, callee)


def _first(call: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the first argument of a call that has no name."""
    given = call.child_by_field_name("arguments")
    plain = [
        e for e in (given.named_children if given else ()) if e.type not in ("comment", "keyword_argument")
    ]
    return plain[0] if plain else None


def _is_own(resolver: Resolver, path: str, callee: tree_sitter.Node | None) -> bool:
    """Return True if the tree defines what is called."""
    values = () if callee is None else resolver.values(path, callee)
    return any(isinstance(each, (Function, Class)) for each in values)


def _handed_on(resolver: Resolver, path: str, call: tree_sitter.Node) -> Iterator[Meaning]:
    """Yield what a keyword may name that a call of others may hand on to a function that it is given."""
    given = call.child_by_field_name("arguments")
    for at, each in enumerate(given.named_children if given is not None else ()):
        value = each.child_by_field_name("value") if each.type == "keyword_argument" else each
        said = "" if value is None else _function_named(resolver, path, value, is_first=at == 0)
        if said:
            yield Unknown("what is called may hand it on", called=said)
    decorated = call.parent.parent if call.parent is not None and call.parent.type == "decorator" else None
    function = decorated.child_by_field_name("definition") if decorated is not None else None
    named = function.child_by_field_name("name") if function is not None else None
    if named is not None:
        yield Unknown("what is decorated may be given it", called=words.text(resolver, path, named))


def _function_named(resolver: Resolver, path: str, node: tree_sitter.Node, *, is_first: bool) -> str:
    """Return the name of the function that an argument is, or names in a string; "" if it is none."""
    if node.type == "string":
        said = words.text(resolver, path, node).strip("'\"")
        return said if is_first and said.isidentifier() else ""
    is_name = node.type in ("identifier", "attribute") and _is_own(resolver, path, node)
    return words.last(resolver, path, node) if is_name else ""


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
        if taken := list(_of_metaclass(resolver, value, name)):
            yield from taken
            return
        made = "__init__" if isinstance(value, Class) else "__call__"
        functions = list(_functions(resolver, value, made))
        for function in functions:
            yield _of_function(resolver, function, name)
        if not functions:
            yield from _field(resolver, value, name)
    elif isinstance(value, (Elsewhere, Unknown)):
        yield value


def _of_metaclass(resolver: Resolver, value: Value, name: str) -> Iterator[Meaning]:
    """Yield the parameter that the metaclass' ``__call__`` keeps from the class itself."""
    if isinstance(value, Class):
        for function in class_keywords.metaclass_functions(resolver, resolver.ancestry(value), "__call__"):
            taken = _of_function(resolver, function, name)
            if isinstance(taken, Binding):
                yield taken


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
