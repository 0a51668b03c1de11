"""Scope rules of Go."""

from __future__ import annotations

from gitscalpel.names.scope_rules import Scoping

_WORDS = """
_ break case chan const continue default defer else fallthrough for func go goto if import interface map
package range return select struct switch type var
"""
_NAMES = ("name", "import", "func", "type", "var", "const", "parameter", "early", "short")
_PROTOCOL = """
As Close Error Flush Format GoString Is Len Less MarshalBinary MarshalJSON MarshalText Read ReadByte ReadFrom
ReadRune Scan Seek ServeHTTP String Swap UnmarshalBinary UnmarshalJSON UnmarshalText UnreadByte Unwrap Write
WriteByte WriteString WriteTo init main
"""
SCOPES = Scoping(
    entries=frozenset(_PROTOCOL.split()),
    implies=True,
    declared=True,
    only={
        "class": frozenset({"member"}),
        "generic": frozenset({"early"}),
        "signature": frozenset({"parameter"}),
    },
    never={
        **dict.fromkeys(("let", "block"), frozenset({"label", "member"})),
        "function": frozenset({"member"}),
        "module": frozenset({"member"}),
    },
    spaces={
        **dict.fromkeys(_NAMES, frozenset({"name"})),
        "member": frozenset({"member"}),
        "label": frozenset({"label"}),
    },
    joins=frozenset({"short"}),
    sequels=frozenset({"let"}),
    overrides=False,
    fulfils=False,
    reserved=frozenset(_WORDS.split()),
)
