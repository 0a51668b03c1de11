"""What a binding is: a name that a function or class is bound to is that function or class."""

from __future__ import annotations

from gitscalpel.syntax.query import Captures, Definition

ASSIGNED = "assigned"


class Bindings:
    """The functions, classes and blocks of one tree, by which its bindings are judged."""

    def __init__(self, captures: Captures) -> None:
        self._is = captures.holds

    def settled(self, definition: Definition) -> Definition | None:
        """The definition with its real kind and body; None for an assignment that defines nothing."""
        value = definition.value
        if value is not None and (self._is("function", value) or self._is("class", value)):
            kind = "function" if self._is("function", value) else "class"
            inner = value.child_by_field_name("body")
            is_block = inner is not None and self._is("block", inner)
            return definition._replace(kind=kind, body=inner if is_block else None, value=inner or value)
        if definition.kind == ASSIGNED:
            return None
        if definition.body is None and value is not None and self._is("block", value):
            return definition._replace(body=value)
        return definition
