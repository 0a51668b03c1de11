"""Scope rules of Kotlin."""

from __future__ import annotations

from gitscalpel.names.scope_rules import BOTH, TYPE, VALUE, Scoping

_WORDS = """
as break class continue do else false for fun if in interface is null object package return super this throw
true try typealias typeof val var when while
"""
_OF_CLASSES = frozenset({"member", "property", "class", "function", "generic"})
SCOPES = Scoping(
    entries=frozenset({"main"}),
    declared=True,
    only={
        "class": _OF_CLASSES,
        "item": frozenset({"generic"}),
        "let": frozenset({"local"}),
    },
    never={
        "module": frozenset({"member", "generic", "parameter"}),
        "block": frozenset({"member", "property", "generic", "import", "alias"}),
        "function": frozenset({"member", "property", "import", "alias"}),
    },
    spaces={
        **dict.fromkeys(("generic", "type"), TYPE),
        **dict.fromkeys(("member", "property", "function", "local", "parameter", "value"), VALUE),
        **dict.fromkeys(("class", "import", "alias"), BOTH),
    },
    sequels=frozenset({"let"}),
    hiding=frozenset({"class", "generic"}),
    filed=frozenset({"class"}),
    reserved=frozenset(_WORDS.split()),
    linked=True,
    overloads=frozenset({"member", "function"}),
    reached=frozenset({"class", "module"}),
)
