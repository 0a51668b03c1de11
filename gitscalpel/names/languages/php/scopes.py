"""Scope rules of PHP."""

from __future__ import annotations

from gitscalpel.names.scope_rules import TYPE, Scoping

_MEMBERS = frozenset({"property", "method", "constant"})
_PROTOCOL = """
__call __callStatic __clone __construct __debugInfo __destruct __get __invoke __isset __serialize __set
__set_state __sleep __toString __unserialize __unset __wakeup
"""
SCOPES = Scoping(
    protocol=frozenset(_PROTOCOL.split()),
    only={"class": _MEMBERS, "function": frozenset({"variable"})},
    never=dict.fromkeys(("module", "namespace"), frozenset({"property", "method"})),
    spaces={
        **dict.fromkeys(("class", "type"), TYPE),
        **dict.fromkeys(("import", "alias"), frozenset({"import"})),
        **{each: frozenset({each}) for each in (*_MEMBERS, "variable", "function", "prefix", "trait")},
    },
    hides={"function": frozenset({"variable"})},
    filed=frozenset({"class"}),
    reserved=frozenset(
        {"this", "self", "static", "parent", "class", "function", "fn", "new", "array", "list", "GLOBALS"}
        | {"_SERVER", "_GET", "_POST", "_FILES", "_COOKIE", "_SESSION", "_REQUEST", "_ENV"}
    ),
    linked=True,
    reached=frozenset({"class", "module", "namespace"}),
)
