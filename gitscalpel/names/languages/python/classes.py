"""Members of classes: mangled names, protocols, and attributes of functions.

A class has names with two leading underscores for itself: other code says ``_A__x`` for the ``__x`` of
``A``. Any object with all members of a protocol (PEP 544) may be passed where the protocol is expected,
though its class does not name the protocol. Functions have attributes as well: ``counter.calls = 0``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.names import class_hierarchy
from gitscalpel.names.entities import (
    WHOLE,
    Binding,
    Class,
    Elsewhere,
    Function,
    Instance,
    Meaning,
    Unknown,
    Value,
)
from gitscalpel.names.language import PassedValue
from gitscalpel.names.languages.python import name_nodes, parameters
from gitscalpel.names.nodes import children_of
from gitscalpel.names.resolver import Place, Resolver

_PRIVATE = re.compile(rb"(?<![\w\x80-\xff])__[\w\x80-\xff]+")


def is_private(name: str) -> bool:
    """Whether a class has a name for itself."""
    return name.startswith("__") and not name.endswith("__")


def private_name_error(resolver: Resolver, places: Iterable[Place], to: str) -> str:
    """Why a name may not become its class's own, or be so no longer: its places are in several classes."""
    named = [each for each in places if each.mention.role not in ("comment", "string", "text")]
    if (
        not named
        or name_nodes.is_special(named[0].mention.name)
        or is_private(to) == is_private(old := named[0].mention.name)
    ):
        return ""
    first, around = named[0], _around(resolver, named[0])
    other = next((each for each in named[1:] if _around(resolver, each) != around), None)
    if other is None:
        return ""
    here, there = (f"{path}:{resolver.line(path, mention.start)}" for path, mention in (first, other))
    if is_private(to):
        return f"{to} would be another name in {there} than in {here}, as each class has it for itself"
    return f"{old} is another name in {there} than in {here}, as each class has it for itself"


def mangled_names(resolver: Resolver, binding: Binding) -> Iterator[tuple[str, str]]:
    """By which words others say what a class has for itself: a member, or all that they say by its name.

    Before each, a part of it by which the files that hold it are looked for at once.
    """
    if binding.scope == WHOLE:
        return
    source = resolver.files.source(binding.path)  # which nobody has to parse for that
    if not is_private(binding.name) and (source is None or not _private(source.text)):
        return
    for path, mention in resolver.binders(binding):
        if binding.kind == "class" and is_private(binding.name):
            yield from _said(_around(resolver, Place(path, mention)), [binding.name], binding.name)
        elif mention.kind == "class" and mention.node.parent is not None:
            body = mention.node.parent.child_by_field_name("body")
            text = b"" if body is None else resolver.lexical(path).text[body.start_byte : body.end_byte]
            yield from _said(binding.name, _private(text), f"_{binding.name.lstrip('_')}__")


def _private(text: bytes) -> set[str]:
    """Such names in a text."""
    names = {each.decode("utf-8", "surrogateescape") for each in _PRIVATE.findall(text)}
    return {*filter(is_private, names)}


def _said(owner: str, names: Iterable[str], part: str) -> Iterator[tuple[str, str]]:
    bare = owner.lstrip("_")
    yield from ((part, f"_{bare}{name}") for name in names if bare)


def _around(resolver: Resolver, place: Place) -> str:
    """The name of the class that a place is in, as far as it matters; nothing where it is in none."""
    scope = next((each for each in place.mention.scopes if each.kind == "class"), None)
    name = None if scope is None else scope.node.child_by_field_name("name")
    return "" if name is None else name_nodes.text(resolver, place.path, name).lstrip("_")


_WORD = "Protocol"


def may_define_protocols(resolver: Resolver, path: str) -> bool:
    """Whether a file may define protocols."""
    return path in resolver.once(("protocols",), lambda: resolver.files.naming(_WORD, "python"), ())


def fits_protocol(resolver: Resolver, given: Class, asked: Class) -> bool:
    """Whether a class, or an heir of it, has all that a protocol asks for which it does not name."""
    if not is_protocol(resolver, asked) or _key(asked) in map(_key, resolver.ancestry(given)):
        return False
    needed = [*_asked(resolver, asked)]
    return any(
        all(_has(resolver, each, name) for name in needed)
        for each in (given, *class_hierarchy.hierarchy_of(resolver).of(given))
    )


def protocol_objects(resolver: Resolver, asked: Class) -> Iterator[PassedValue]:
    """Whatever fits."""
    name = asked.node.child_by_field_name("name")
    if name is not None and is_protocol(resolver, asked):
        said = name_nodes.text(resolver, asked.path, name)
        yield PassedValue(
            Unknown(f"what has all that the protocol {said} asks for is of it"), asked.path, name.start_byte
        )


def is_protocol(resolver: Resolver, of: Class) -> bool:
    """Whether a class says that it is a protocol."""
    given = of.node.child_by_field_name("superclasses")
    return any(
        name_nodes.last_name(resolver, of.path, each.named_children[0] if each.type == "subscript" else each)
        == _WORD
        for each in children_of(given)
    )


def _asked(resolver: Resolver, protocol: Class) -> Iterator[str]:
    """What a protocol asks for, with what it inherits from others."""
    for each in resolver.ancestry(protocol):
        body = each.node.child_by_field_name("body") if isinstance(each, Class) else None
        for statement in children_of(body):
            name = _defined(statement)
            if name is not None and isinstance(each, Class):
                yield name_nodes.text(resolver, each.path, name)


def _defined(statement: tree_sitter.Node) -> tree_sitter.Node | None:
    """The name that a statement of a class's body defines."""
    node = statement.child_by_field_name("definition") or statement
    if node.type == "assignment":
        left = node.child_by_field_name("left")
        return left if left is not None and left.type == "identifier" else None
    return node.child_by_field_name("name") if node.type == "function_definition" else None


def _has(resolver: Resolver, given: Class, name: str) -> bool:
    """Whether the objects of a class have something, or may have it from outside."""
    found = resolver.members(Instance(given), name)
    return name_nodes.is_special(name) or any(each != Elsewhere("builtins") for each in found)


def _key(value: Value) -> object:
    return (value.path, value.scope) if isinstance(value, Class) else value


_KEEPING = frozenset({b"wraps", b"final", b"override", b"staticmethod", b"abstractmethod", b"overload"})
"""Decorators that give back the function itself."""
_OF_LIBRARY = frozenset({"cache_info", "cache_clear", "cache_parameters", "register", "dispatch", "registry"})
"""Attributes that decorators of ``functools`` set."""


def find_function_class(function: Function) -> Class | None:
    """Return what holds the attributes of a function. None if a decorator may make another object of it."""
    node = function.node
    held = node.child_by_field_name("parameters")
    if held is None or node.type != "function_definition" or _is_replaced(node):
        return None
    return Class(function.path, held)


def find_missing_attribute(function: Function, name: str) -> Meaning:
    """Return what a function has under a name that nothing sets on it in its file."""
    if name in _OF_LIBRARY or (name.startswith("__") and name.endswith("__")):
        return Elsewhere("a function")
    if _is_replaced(function.node):
        return Unknown("a decorator may make something else of the function")
    return Unknown("nothing sets it on the function where that is defined")


def _is_replaced(node: tree_sitter.Node) -> bool:
    return any(_last_word(each) not in _KEEPING for each in parameters.decorators(node))


def _last_word(decorator: tree_sitter.Node) -> bytes:
    return (decorator.text or b"").rpartition(b".")[2]
