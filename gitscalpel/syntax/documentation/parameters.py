"""Parameters and accepted arguments of a definition, as its header says, in any language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

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
_SEPARATORS = frozenset({"keyword_separator", "positional_separator"})
_PARTED = frozenset(
    {"required_parameter", "formal_parameter", "object_pattern", "array_pattern", "identifier"}
)
"""Nodes of which only a child of their own is the sign before a default value."""
_VARIADIC = re.compile(r"splat|variadic|spread|rest_|block_parameter|vararg|\.\.\.")
_DEPTH = 6
"""Nodes from a definition's down to its list of parameters (``const f = async (a) => …``)."""


def parameters(symbol: Symbol) -> tuple[str, ...] | None:
    """The names of its parameters without a receiver's, in order; None: it takes none, or nobody can tell."""
    listed = _list(symbol.own, symbol.header_end)
    if listed is None:
        return None
    found = (_name(child) for child in listed.named_children)
    return tuple(name for name in found if name and name not in _RECEIVERS)


class Parameter(NamedTuple):
    """A parameter of a header, with its type and default value as they are written; "" without."""

    name: str
    type: str
    default: str


def typed_parameters(symbol: Symbol) -> list[Parameter]:
    """Return the parameters that have a name, without a receiver, in order."""
    listed = _list(symbol.own, symbol.header_end)
    found = []
    for child in () if listed is None else listed.named_children:
        kind, default = _text_of(child, "type"), _text_of(child, "value") or _text_of(child, "right")
        if child.type == "typed_parameter" and not kind:
            kind = _text(child.named_children[-1])
        for name in _names_of(child, 0):
            if name.isidentifier() and name not in _RECEIVERS and child.type not in _SEPARATORS:
                found.append(Parameter(name, kind.lstrip(": "), default))
    return found


def _text_of(node: tree_sitter.Node, field: str) -> str:
    child = node.child_by_field_name(field)
    return "" if child is None else _text(child)


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


class Arity(NamedTuple):
    """Arguments that a definition accepts.

    Attributes:
        names: of the parameters, in order; ``#2`` for the third one if it has no name.
        by_place: number of leading parameters that may be given by place.
        required: names of the parameters without a default value.
        is_variadic: any number of further arguments may be given by place.
        takes_any_name: any further argument may be given by name.
        has_receiver: the object comes first where the definition is called on its class.
    """

    names: tuple[str, ...]
    by_place: int
    required: frozenset[str]
    is_variadic: bool
    takes_any_name: bool
    has_receiver: bool

    def accepts(self, by_place: int, by_name: frozenset[str]) -> bool:
        """Return True if a call with this many arguments by place, and these by name, fits."""
        if by_place > self.by_place and not self.is_variadic:
            return False
        if not self.takes_any_name and not by_name <= {*self.names}:
            return False
        return self.required <= by_name.union(self.names[:by_place])


def arity(symbol: Symbol) -> Arity | None:
    """Return the arguments that a definition accepts. None if its header does not tell."""
    listed = _list(symbol.own, symbol.header_end)
    if listed is None:
        return None
    names: list[str] = []
    required: set[str] = set()
    by_place: int | None = None
    is_variadic = takes_any_name = has_receiver = False
    has_loose_defaults = any(child.type == "=" for child in listed.children)  # as Kotlin's grammar has them
    for child in listed.named_children:
        text = child.text or b""
        if child.is_extra or child.type in _SEPARATORS or text == b"void":
            by_place = len(names) if child.type == "keyword_separator" else by_place
        elif child.type == "self_parameter" or (not names and _name(child) in _RECEIVERS):
            has_receiver = True
        elif text.startswith(b"**") or "hash_splat" in child.type:
            takes_any_name = True
        elif text.startswith((b"*", b"...")) or _VARIADIC.search(child.type + _inner(child)):
            is_variadic, by_place = True, len(names) if by_place is None else by_place
        else:
            own = _names_of(child, len(names))
            names += own
            if not (has_loose_defaults or _is_optional(child)):
                required.update(own)
    return Arity(
        tuple(names),
        len(names) if by_place is None else by_place,
        frozenset(required),
        is_variadic,
        takes_any_name,
        has_receiver,
    )


def _is_optional(node: tree_sitter.Node) -> bool:
    """Return True if a parameter has a default value, or may be left out."""
    if "optional" in node.type or "default" in node.type:
        return True
    if node.type in _PARTED:
        return any(child.type == "=" for child in node.children)
    return b"=" in (node.text or b"")


def _inner(node: tree_sitter.Node) -> str:
    """Return the types of the nodes directly in a parameter (``*args: int``, ``...rest: A[]``)."""
    return " ".join(["", *(child.type for child in node.children)])


def _names_of(node: tree_sitter.Node, at: int) -> list[str]:
    """Return the names that one node of a list declares: several in Go (``a, b int``)."""
    named = node.children_by_field_name("name")
    if len(named) > 1:
        return [(each.text or b"").decode("utf-8", "replace") for each in named]
    return [_name(node) or f"#{at}"]


def _list(node: tree_sitter.Node, end: int) -> tree_sitter.Node | None:
    """The node that holds the parameters, in a header that ends at a byte."""
    level = [node]
    for _ in range(_DEPTH):
        # By field first: in Go, the list before a method's name holds its receiver.
        listed = (each.child_by_field_name("parameters") for each in level)
        found = next((each for each in (*listed, *level) if each is not None and each.type in _LISTS), None)
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
