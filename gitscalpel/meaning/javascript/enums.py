"""Members of enums whose names are read as text: ``Color[1]``, ``Object.keys(Color)``, ``for (x in Color)``.

https://www.typescriptlang.org/docs/handbook/enums.html#reverse-mappings
"""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.javascript import words
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Class

_LISTING = frozenset({f"Object.{does}" for does in ("keys", "entries", "getOwnPropertyNames")})
_TYPED = ("typescript", "tsx")


def find_reader(resolver: Resolver, place: Place) -> str:
    """Return where the name of a member of an enum is read as text; "" if it is not."""
    body = words.around(place.mention.node, "enum_body") if place.mention.kind == "enumerator" else None
    enum = body.parent if body is not None else None
    if body is None or enum is None or any(each.type == "const" for each in enum.children):
        return ""
    name = words.text(resolver, place.path, enum.child_by_field_name("name"))
    key = ("enum readers", place.path, body.start_byte)
    found = resolver.once(key, lambda: _readers(resolver, Class(place.path, body), name), ())
    return f"{found[0]} reads its name as text" if found else ""


def _readers(resolver: Resolver, enum: Class, name: str) -> Iterator[str]:
    for path in resolver.files.holding(name):
        lexical = resolver.files.lexical(path)
        if lexical is None or lexical.syntax.language.name not in _TYPED:
            continue
        for node in _read(resolver, path):
            if any(isinstance(v, Class) and (v.path, v.scope) == (enum.path, enum.scope)
                   for v in resolver.values(path, node)):  # fmt: skip
                yield f"{path}:{resolver.line(path, node.start_byte)}"


def _read(resolver: Resolver, path: str) -> Iterator[tree_sitter.Node]:
    """Yield the expressions of a file of which the names of all members may be read."""
    syntax = resolver.lexical(path).syntax
    for node in syntax.of_type("subscript_expression"):
        read, index = node.child_by_field_name("object"), node.child_by_field_name("index")
        if read is not None and index is not None and index.type != "string":
            yield read
    for node in syntax.of_type("call_expression"):
        given = node.child_by_field_name("arguments")
        called = words.text(resolver, path, node.child_by_field_name("function"))
        if called in _LISTING and given is not None:
            yield from given.named_children[:1]
    for node in syntax.of_type("for_in_statement"):
        read = node.child_by_field_name("right")
        if read is not None and any(each.type == "in" for each in node.children):
            yield read
