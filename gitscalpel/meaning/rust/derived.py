"""Fields and variants whose names derived code reads or writes (``derive(Serialize)``)."""

from __future__ import annotations

import re

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.resolve import Place

_DERIVED = re.compile(rb"\bderive\s*\(([^)]*)\)")
_WORD = re.compile(rb"\w+(?=\s*(?:,|\Z))")
_RENAMED = re.compile(rb"\brename\s*=|\bskip\b|\bflatten\b|\bname\s*=|\blong\s*=")
_BY_NAME = frozenset(
    {
        *(b"Serialize", b"Deserialize", b"JsonSchema", b"ToSchema", b"FromRow", b"Encode", b"Decode"),
        *(b"Parser", b"Args", b"Subcommand", b"ValueEnum", b"StructOpt", b"EnumString", b"AsRefStr"),
    }
)
"""Derived traits of common libraries (serde, schemars, utoipa, sqlx, clap, strum) that use such names."""


def why(place: Place) -> str:
    """Return why derived code knows a field or a variant by its name; "" if it does not."""
    member = place.mention.node.parent
    if member is None or member.type not in ("field_declaration", "enum_variant"):
        return ""
    item = nodes.around(member, "struct_item", "enum_item")
    if item is None or any(_RENAMED.search(each) for each in _attributes(member)):
        return ""
    for each in _attributes(item):
        for found in _DERIVED.finditer(each):
            known = [word for word in _WORD.findall(found[1]) if word in _BY_NAME]
            if known:
                return f"derive({known[0].decode()}) knows it by this name"
    return ""


def derives(item: tree_sitter.Node, trait: bytes) -> bool:
    """Return True if ``derive`` on an item names a trait."""
    derived = (found[1] for each in _attributes(item) for found in _DERIVED.finditer(each))
    return any(trait in _WORD.findall(each) for each in derived)


def _attributes(node: tree_sitter.Node) -> list[bytes]:
    """Return the text of the attributes before a node."""
    found: list[bytes] = []
    before = node.prev_named_sibling
    while before is not None and before.type in ("attribute_item", "line_comment", "block_comment"):
        found += [before.text or b""] if before.type == "attribute_item" else []
        before = before.prev_named_sibling
    return found
