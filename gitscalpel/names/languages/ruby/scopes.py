"""Scope rules of Ruby."""

from __future__ import annotations

from gitscalpel.names.scope_rules import Scoping

_LOCAL = frozenset({"local", "parameter"})
_MEMBERS = frozenset({"constant", "static", "method", "attribute", "instance", "shared"})
_WORDS = """
alias and begin break case class def defined? do else elsif end ensure false for if in module next nil not
or redo rescue retry return self super then true undef unless until when while yield
"""
_PROTOCOL = """
coerce const_missing extended hash included inherited initialize initialize_copy inspect method_added
method_missing prepended respond_to_missing to_a to_ary to_hash to_proc to_s to_str to_sym
"""
SCOPES = Scoping(
    protocol=frozenset(_PROTOCOL.split()),
    only={"class": _MEMBERS | _LOCAL},
    never=dict.fromkeys(("function", "block"), _MEMBERS | {"global"}),
    spaces={
        **{
            each: frozenset({each})
            for each in ("static", "instance", "shared", "global", "constant", "symbol")
        },
        **dict.fromkeys(("local", "parameter"), frozenset({"local"})),
        **dict.fromkeys(("method", "own"), frozenset({"method"})),
        "attribute": frozenset({"method", "instance"}),
        "value": frozenset({"local", "method"}),
        "call": frozenset({"method", "static"}),
    },
    hides=dict.fromkeys(("function", "class"), _LOCAL),
    hiding=frozenset({"constant"}),
    reserved=frozenset(_WORDS.split()),
    keyworded=frozenset({"keyword_parameter"}),
    linked=True,
    reached=frozenset({"class", "module"}),
)
