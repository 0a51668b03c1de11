"""Scope rules of Java."""

from __future__ import annotations

from gitscalpel.names.scope_rules import BOTH, TYPE, VALUE, Scoping

_WORDS = """
_ abstract assert boolean break byte case catch char class const continue default do double else enum extends
false final finally float for goto if implements import instanceof int interface long native new null package
private protected public return short static strictfp super switch synchronized this throw throws transient
true try void volatile while
"""
_MEMBERS = frozenset({"field", "method"})
SCOPES = Scoping(
    unreached=frozenset({"parameter", "local", "field", "class", "generic", "label", "component"}),
    entries=frozenset({"main"}),
    declared=True,
    unaliased=True,
    reached=frozenset({"class", "item"}),
    only={
        "class": _MEMBERS | {"class"},
        "item": frozenset({"generic", "component"}),
        "let": frozenset({"local"}),
    },
    never={
        "block": _MEMBERS | {"label", "generic", "component"},
        "function": _MEMBERS | {"component"},
    },
    spaces={
        **dict.fromkeys(("class", "generic", "type"), TYPE),
        **dict.fromkeys(("field", "parameter", "local", "component", "value"), VALUE),
        "method": frozenset({"method"}),
        "any": BOTH,
        "import": BOTH | {"method"},
        "label": frozenset({"label"}),
    },
    sequels=frozenset({"let"}),
    open=frozenset({"class"}),
    hiding=frozenset({"field", "class"}),
    filed=frozenset({"class"}),
    file_follows=True,
    overloads=frozenset({"method"}),
    overloads_apart=True,
    reserved=frozenset(_WORDS.split()),
)
