"""Whether an object of one type has all that another type asks for: by names, whatever types these have.

https://www.typescriptlang.org/docs/handbook/type-compatibility.html
"""

from __future__ import annotations

from typing import NamedTuple

import tree_sitter

from gitscalpel.meaning.javascript import words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Elsewhere

_PARAMETERS = ("required_parameter", "optional_parameter")
_CLOSED = frozenset({b"private", b"protected"})


class Shape(NamedTuple):
    """What a type consists of.

    Attributes:
        has: the names of its members.
        needs: those without which nothing is of it.
        is_whole: there are no others.
        is_own: nothing is of it but what says so, as some members are its own (``private``).
    """

    has: frozenset[str]
    needs: frozenset[str]
    is_whole: bool
    is_own: bool


def fits(resolver: Resolver, given: Class, asked: Class) -> bool:
    """Whether an object of one type may be had where another is asked for."""
    one, other = shape(resolver, given), shape(resolver, asked)
    return bool(other.has) and not other.is_own and (not one.is_whole or other.needs <= one.has)


def shape(resolver: Resolver, of: Class) -> Shape:
    """What a type consists of, with what it inherits."""
    return resolver.once(("shape", of.path, of.scope), lambda: [_shape(resolver, of)], ())[0]


def _shape(resolver: Resolver, of: Class) -> Shape:
    has: set[str] = set()
    needs: set[str] = set()
    is_whole, is_own = True, False
    for each in resolver.ancestry(of):
        if not isinstance(each, Class):
            is_whole = is_whole and each == Elsewhere("builtins")
            continue
        for member in _members(each.node):
            name = words.text(resolver, each.path, _name(member)).strip("\"'`[]")
            has.add(name)
            if not _is_optional(member):
                needs.add(name)
            is_own = is_own or name.startswith("#") or _is_closed(member)
    return Shape(frozenset(has), frozenset(needs), is_whole, is_own)


def _members(body: tree_sitter.Node) -> list[tree_sitter.Node]:
    found = []
    for each in body.named_children:
        if any(child.type == "static" for child in each.children):
            continue
        name = _name(each)
        if name is not None and name.text == b"constructor":
            held = each.child_by_field_name("parameters")
            parameters = held.named_children if held is not None else []
            found += [one for one in parameters if one.type in _PARAMETERS and _access(one) is not None]
        elif name is not None:
            found.append(each)
    return found


def _name(member: tree_sitter.Node) -> tree_sitter.Node | None:
    if member.type.startswith("shorthand"):
        return member
    fields = ("pattern",) if member.type in _PARAMETERS else ("name", "key")
    found = (member.child_by_field_name(field) for field in fields)
    return next((each for each in found if each is not None), None)


def _access(member: tree_sitter.Node) -> tree_sitter.Node | None:
    kinds = ("accessibility_modifier", "readonly", "override_modifier")
    return next((each for each in member.children if each.type in kinds), None)


def _is_closed(member: tree_sitter.Node) -> bool:
    return any(each.type == "accessibility_modifier" and each.text in _CLOSED for each in member.children)


def _is_optional(member: tree_sitter.Node) -> bool:
    return member.type == "optional_parameter" or any(each.type == "?" for each in member.children)
