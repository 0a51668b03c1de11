"""Scope rules of Python."""

from __future__ import annotations

import builtins

from gitscalpel.names.scope_rules import Scoping

SCOPES = Scoping(
    only={"comprehension": frozenset({"target"})},
    classes_enclose=False,
    own=frozenset(dir(builtins)),
    reached=frozenset({"class", "module"}),
)
