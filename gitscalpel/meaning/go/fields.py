"""Fields of structs: which types are the same, and what encoders call a field.

Two struct types that are written out alike are one type (https://go.dev/ref/spec#Type_identity). Encoders
call an exported field as its tag says, else by its name (https://pkg.go.dev/encoding/json#Marshal).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Binding

_ENCODERS = ("json", "xml", "yaml", "toml", "bson", "msgpack")
_KEY = re.compile(rb'(\w+):"([^",]*)')
_IMPORT = re.compile(rb'"encoding/(?:json|xml|gob|asn1)"')


def twins(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """Yield the same field of a struct type that is written out alike, inside of a struct or for one."""
    struct = _struct(resolver, binding)
    if struct is None:
        return
    text = _text(resolver, binding.path, struct)
    for path, other in resolver.once(("fields", binding.name), lambda: _having(resolver, binding.name), ()):
        is_other = (path, other.start_byte) != (binding.path, struct.start_byte)
        if is_other and (_is_inside(struct) or _is_inside(other)) and _text(resolver, path, other) == text:
            fields = other.named_children[0]
            yield Binding(path, (fields.start_byte, fields.end_byte), "class", binding.name)


def _struct(resolver: Resolver, binding: Binding) -> tree_sitter.Node | None:
    """Return the struct type without a name that has a field."""
    places = resolver.binders(binding) if binding.kind == "class" else ()
    return next((each for place in places if (each := _around(place.mention.node)) is not None), None)


def _around(node: tree_sitter.Node) -> tree_sitter.Node | None:
    field = node.parent
    struct = field.parent.parent if field is not None and field.parent is not None else None
    is_field = field is not None and field.type == "field_declaration" and struct is not None
    above = struct.parent if struct is not None else None
    return struct if is_field and (above is None or above.type != "type_spec") else None


def _is_inside(struct: tree_sitter.Node) -> bool:
    """Return True if a struct type is that of a field: only another one like it makes a value for that."""
    above = struct.parent
    while above is not None and above.type.endswith("_type") and above.type != "struct_type":
        above = above.parent
    return above is not None and above.type == "field_declaration"


def _having(resolver: Resolver, name: str) -> Iterator[tuple[str, tree_sitter.Node]]:
    """Yield the struct types without a name that have a field of a name."""
    for path in resolver.files.naming(name, "go"):
        lexical = resolver.files.lexical(path)
        for mention in lexical.of(name) if lexical is not None else ():
            struct = _around(mention.node) if mention.role == "bind" and mention.kind == "member" else None
            if struct is not None:
                yield path, struct


def _text(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    return " ".join(nodes.text(resolver, path, node).split())


def encoded(resolver: Resolver, place: Place) -> str:
    """Return why encoders know a field by its name; empty if they do not."""
    field = place.mention.node.parent
    if field is None or field.type != "field_declaration" or not place.mention.name[:1].isupper():
        return ""
    text = resolver.lexical(place.path).text
    said = _tags(text, field)
    is_named = {key for key, name in said if name}
    around = {
        key for each in (field.parent.named_children if field.parent else ()) for key, _ in _tags(text, each)
    }
    unnamed = sorted(({key for key, _ in said} | around) & {*_ENCODERS} - is_named)
    if unnamed:
        return f"{unnamed[0]} calls it by this name, as its tag gives no other"
    return "" if said or not _IMPORT.search(text) else "encoders call it by this name, as it has no tag"


def _tags(text: bytes, field: tree_sitter.Node) -> list[tuple[str, str]]:
    """Return the keys and names in the tag of a field."""
    tag = field.child_by_field_name("tag")
    said = text[tag.start_byte : tag.end_byte] if tag is not None else b""
    return [(key[1].decode(), key[2].decode("utf-8", "replace")) for key in _KEY.finditer(said)]
