"""Whether a call fits what it calls: how many arguments by place, which by name, and which are missing.

https://docs.python.org/3/reference/expressions.html#calls
"""

from __future__ import annotations

from typing import NamedTuple

import tree_sitter

from gitscalpel.meaning.python import words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Class, Instance


class Parameters(NamedTuple):
    """What a function takes.

    Attributes:
        by_place: the names that may be given by their place, in order.
        by_name: the names that may be given by name.
        needed: those without a default.
        takes_more: whether it takes further ones by place (``*args``), and by name (``**kwargs``).
    """

    by_place: tuple[str, ...]
    by_name: frozenset[str]
    needed: frozenset[str]
    takes_more: tuple[bool, bool]


def misfit(resolver: Resolver, path: str, name: tree_sitter.Node, binding: Binding) -> str | None:
    """Why a call does not fit the one function that its name means; None: it does, or nobody can tell.

    Args:
        resolver: of the tree.
        path: of the file.
        name: what is called, or the last part of that.
        binding: the function's name.
    """
    called = name.parent if name.parent is not None and name.parent.type == "attribute" else name
    call = called.parent
    if call is None or call.type != "call" or call.child_by_field_name("function") != called:
        return None
    functions = [place.mention.node.parent for place in resolver.binders(binding)]
    if len(functions) != 1 or functions[0] is None or functions[0].type != "function_definition":
        return None
    takes = parameters(resolver, binding.path, functions[0])
    given = _given(resolver, path, call)
    if takes is None or given is None:
        return None
    ways = _bound(resolver, path, called, takes) if binding.kind == "class" else [takes]
    why = [_why(way, *given) for way in ways]
    return why[0] if all(why) else None


def _bound(resolver: Resolver, path: str, called: tree_sitter.Node, takes: Parameters) -> list[Parameters]:
    """What a method takes of its caller: on an instance the first one is given, on its class it is not."""
    receiver = called.child_by_field_name("object")
    values = () if receiver is None else resolver.values(path, receiver)
    less = Parameters(
        takes.by_place[1:],
        takes.by_name - set(takes.by_place[:1]),
        takes.needed - set(takes.by_place[:1]),
        takes.takes_more,
    )
    if values and all(isinstance(value, Instance) for value in values):
        return [less]
    return [takes] if values and all(isinstance(value, Class) for value in values) else [less, takes]


def _why(takes: Parameters, count: int, named: frozenset[str]) -> str | None:
    most = len(takes.by_place)
    if count > most and not takes.takes_more[0]:
        return f"it takes {most} by place, and is given {count}"
    unknown = named - takes.by_name
    if unknown and not takes.takes_more[1]:
        return f"it has no {', '.join(sorted(unknown))}"
    missing = takes.needed - named - set(takes.by_place[:count])
    return f"{', '.join(sorted(missing))} is not given" if missing else None


def _given(resolver: Resolver, path: str, call: tree_sitter.Node) -> tuple[int, frozenset[str]] | None:
    """How many by place, and which by name; None where that is known only when it runs."""
    arguments = call.child_by_field_name("arguments")
    if arguments is None or arguments.type != "argument_list":
        return None
    nodes = [node for node in arguments.named_children if node.type != "comment"]
    if any(node.type in ("list_splat", "dictionary_splat") for node in nodes):
        return None
    named = [node.child_by_field_name("name") for node in nodes if node.type == "keyword_argument"]
    names = frozenset(words.text(resolver, path, node) for node in named if node is not None)
    return len(nodes) - len(named), names


def parameters(resolver: Resolver, path: str, function: tree_sitter.Node) -> Parameters | None:
    """What a function takes; None of one whose decorators may say otherwise."""
    above = function.parent
    if above is not None and above.type == "decorated_definition":
        return None
    by_place: list[str] = []
    by_name: set[str] = set()
    needed: set[str] = set()
    takes_more = [False, False]
    is_by_place = True
    given = function.child_by_field_name("parameters")
    for node in given.named_children if given is not None else ():
        inner = node.named_children[0] if node.type == "typed_parameter" else node
        if inner.type == "positional_separator":
            by_name.clear()
        elif inner.type in ("keyword_separator", "list_splat_pattern"):
            is_by_place = False
            takes_more[0] = takes_more[0] or inner.type == "list_splat_pattern"
        elif inner.type == "dictionary_splat_pattern":
            takes_more[1] = True
        elif inner.type != "comment":
            name = words.text(resolver, path, node.child_by_field_name("name") or inner)
            by_name.add(name)
            by_place += [name] if is_by_place else []
            needed |= set() if node.type.endswith("default_parameter") else {name}
    return Parameters(tuple(by_place), frozenset(by_name), frozenset(needed), (takes_more[0], takes_more[1]))
