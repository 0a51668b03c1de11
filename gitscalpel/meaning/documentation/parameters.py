"""What a definition takes, by name: as its header says, in any language."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.syntax.symbols import Symbol

_LISTS = (
    "parameters",
    "formal_parameters",
    "parameter_list",
    "function_value_parameters",
    "method_parameters",
)
_FIELDS = ("name", "pattern", "declarator", "left")
_NAMES = ("identifier", "simple_identifier", "variable_name", "property_identifier")
_RECEIVERS = frozenset({"self", "cls", "this"})
_DEPTH = 6
"""Nodes from a definition's down to its list of parameters (``const f = async (a) => …``)."""


def parameters(symbol: Symbol) -> tuple[str, ...] | None:
    """The names of its parameters without a receiver's, in order; None: it takes none, or nobody can tell."""
    listed = _list(symbol.own, symbol.header_end)
    if listed is None:
        return None
    found = (_name(child) for child in listed.named_children)
    return tuple(name for name in found if name and name not in _RECEIVERS)


def _list(node: tree_sitter.Node, end: int) -> tree_sitter.Node | None:
    """The node that holds the parameters, in a header that ends at a byte."""
    level = [node]
    for _ in range(_DEPTH):
        found = next((each for each in level if each.type in _LISTS), None)
        if found is not None:
            return found
        level = [child for each in level for child in each.named_children if child.start_byte < end]
    return None


def _name(node: tree_sitter.Node) -> str | None:
    """The name that a parameter binds."""
    for each in _inwards(node):
        if each.type in _NAMES or (each.type.endswith("_identifier") and not each.type.startswith("type")):
            return (each.text or b"").decode("utf-8", "replace").lstrip("$")
    return None


def _inwards(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """A parameter, and what is within it on the way to its name."""
    while True:
        yield node
        fields = (node.child_by_field_name(field) for field in _FIELDS)
        inner = next((each for each in fields if each is not None), None)
        if inner is None:
            inner = next((each for each in node.named_children if "type" not in each.type), None)
        if inner is None:
            return
        node = inner
