"""Scope rules of C#."""

from __future__ import annotations

from gitscalpel.names.scope_rules import BOTH, TYPE, VALUE, Scoping

_WORDS = """
abstract as base bool break byte case catch char checked class const continue decimal default delegate do
double else enum event explicit extern false finally fixed float for foreach goto if implicit in int
interface internal is lock long namespace new null object operator out override params private protected
public readonly ref return sbyte sealed short sizeof stackalloc static string struct switch this throw true
try typeof uint ulong unchecked unsafe ushort using virtual void volatile while
"""
_MEMBERS = frozenset({"field", "method", "property", "component"})
_NOT_OF_FUNCTIONS = _MEMBERS | {"class", "import"}
SCOPES = Scoping(
    entries=frozenset({"Main"}),
    declared=True,
    only={
        "class": _MEMBERS | {"class", "generic"},
        "arm": frozenset({"pattern"}),
    },
    never={
        **dict.fromkeys(("module", "namespace"), _MEMBERS | {"generic", "parameter"}),
        "block": _NOT_OF_FUNCTIONS | {"generic"},
        "function": _NOT_OF_FUNCTIONS,
    },
    spaces={
        **dict.fromkeys(("class", "generic", "type"), TYPE),
        **dict.fromkeys((*_MEMBERS, "local", "pattern", "parameter", "value"), VALUE),
        "any": BOTH,
        "import": TYPE,
    },
    hiding=frozenset({"field", "class", "generic"}),
    filed=frozenset({"class"}),
    reserved=frozenset(_WORDS.split()),
    linked=True,
    overloads=frozenset({"method"}),
    reached=frozenset({"class", "module", "namespace"}),
)
