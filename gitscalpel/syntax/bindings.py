"""What a binding is: a name for a function or class is that, a name for a type shares its body."""

from __future__ import annotations

import msgspec
import tree_sitter

from gitscalpel.syntax.definition import Definition
from gitscalpel.syntax.query import Captures
from gitscalpel.syntax.symbols import BINDINGS, TYPES

ASSIGNED = "assigned"


class Bindings:
    """The functions, classes and blocks of one tree, by which its bindings are judged."""

    def __init__(self, captures: Captures) -> None:
        self._is = captures.holds
        self._kinds = captures.kinds
        named = (captures.ids.get(name, set[int]()) for name in ("function", "class", "block"))
        self._told = set[int]().union(*named)

    def settled(self, definition: Definition) -> Definition | None:
        """The definition with its real kind and body; None for what defines nothing."""
        value = definition.value
        if definition.body is None and self._is("complete", definition.node):
            return None
        if definition.body is None and value is not None:
            definition = self._bound(definition, value)
        return None if definition.kind == ASSIGNED else self._typed(definition)

    def _bound(self, definition: Definition, value: tree_sitter.Node) -> Definition:
        """The function or class that ``value`` is, or with its block as body, and the kind that block has."""
        value = self._unwrapped(value)
        if self._is("block", value):
            kind = self._kinds.get(value.id, definition.kind)
            return msgspec.structs.replace(definition, kind=kind, body=value, value=None)
        if self._is("function", value) or self._is("class", value):
            kind = "function" if self._is("function", value) else "class"
            inner = value.child_by_field_name("body")
            is_block = inner is not None and self._is("block", inner)
            return msgspec.structs.replace(
                definition, kind=kind, body=inner if is_block else None, value=inner or value
            )
        block = self._block_of(value) if definition.kind in TYPES else None
        return msgspec.structs.replace(definition, body=block, value=None) if block else definition

    def _unwrapped(self, value: tree_sitter.Node) -> tree_sitter.Node:
        """The value without the nodes that some grammars wrap around every expression."""
        inner = value
        while inner.id not in self._told:
            child = inner.named_child(0) if inner.named_child_count == 1 else None
            if child is None or (child.start_byte, child.end_byte) != (inner.start_byte, inner.end_byte):
                return value
            inner = child
        return inner

    def _block_of(self, value: tree_sitter.Node) -> tree_sitter.Node | None:
        """The block of a call that makes a type (``Struct.new do … end``)."""
        inner: tree_sitter.Node | None = value
        while inner is not None and not self._is("block", inner):
            inner = inner.child_by_field_name("body") or inner.child_by_field_name("block")
        return inner

    def _typed(self, definition: Definition) -> Definition:
        """With the body and kind of the type that it names, or the body of its own nameless type."""
        type_node = definition.node.child_by_field_name("type")
        if type_node is None or type_node.id not in self._kinds or definition.kind not in TYPES | BINDINGS:
            return definition
        body = type_node.child_by_field_name("body")
        if definition.kind in TYPES:
            kind = definition.kind if body is None else self._kinds[type_node.id]
            return msgspec.structs.replace(definition, kind=kind, body=body, declared=body is None)
        return (
            definition
            if type_node.child_by_field_name("name")
            else msgspec.structs.replace(definition, body=body)
        )
