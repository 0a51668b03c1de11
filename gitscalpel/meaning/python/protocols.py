"""Protocols (PEP 544): what has all their members is of them, though it names none of them.

Where such an object is handed over, nobody has to say so: so a class that has all that one asks for may be
handed to it, wherever.
"""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning import heirs
from gitscalpel.meaning.asked import Handed
from gitscalpel.meaning.python import words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Elsewhere, Instance, Unknown, Value

_WORD = "Protocol"


def named(resolver: Resolver, path: str) -> bool:
    """Whether a file may define protocols."""
    return path in resolver.once(("protocols",), lambda: resolver.files.naming(_WORD, "python"), ())


def fits(resolver: Resolver, given: Class, asked: Class) -> bool:
    """Whether a class, or an heir of it, has all that a protocol asks for which it does not name."""
    if not is_one(resolver, asked) or _key(asked) in map(_key, resolver.ancestry(given)):
        return False
    needed = [*_asked(resolver, asked)]
    return any(
        all(_has(resolver, each, name) for name in needed)
        for each in (given, *heirs.known(resolver).of(given))
    )


def handed(resolver: Resolver, asked: Class) -> Iterator[Handed]:
    """Whatever fits."""
    name = asked.node.child_by_field_name("name")
    if name is not None and is_one(resolver, asked):
        said = words.text(resolver, asked.path, name)
        yield Handed(
            Unknown(f"what has all that the protocol {said} asks for is of it"), asked.path, name.start_byte
        )


def is_one(resolver: Resolver, of: Class) -> bool:
    """Whether a class says that it is a protocol."""
    given = of.node.child_by_field_name("superclasses")
    return any(
        words.last(resolver, of.path, each.named_children[0] if each.type == "subscript" else each) == _WORD
        for each in (given.named_children if given is not None else ())
    )


def _asked(resolver: Resolver, protocol: Class) -> Iterator[str]:
    """What a protocol asks for, with what it inherits from others."""
    for each in resolver.ancestry(protocol):
        body = each.node.child_by_field_name("body") if isinstance(each, Class) else None
        for statement in body.named_children if body is not None else ():
            name = _defined(statement)
            if name is not None and isinstance(each, Class):
                yield words.text(resolver, each.path, name)


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
    return words.is_special(name) or any(each != Elsewhere("builtins") for each in found)


def _key(value: Value) -> object:
    return (value.path, value.scope) if isinstance(value, Class) else value
