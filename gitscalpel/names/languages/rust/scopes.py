"""Scope rules of Rust."""

from __future__ import annotations

from gitscalpel.names.scope_rules import BOTH, TYPE, VALUE, Scoping

_WORDS = """
_ r#_ self Self super crate r#self r#Self r#super r#crate as async await break const continue dyn else enum
extern false fn for if impl in let loop match mod move mut pub ref return static struct trait true type unsafe
use where while
"""
_OF_ITEMS = frozenset({"generic", "number", "lifetime"})
_LOCAL = frozenset({"let", "parameter", "pattern", "label", "self"})
_SPACES = {
    **dict.fromkeys(("let", "parameter", "pattern", "self", "function"), VALUE),
    **dict.fromkeys(("const", "number"), VALUE | {"given"}),
    **dict.fromkeys(("struct", "mod", "generic"), TYPE),
    "tuple": BOTH,
    "value": VALUE | {"import"},
    **dict.fromkeys(("type", "path"), TYPE | {"import"}),
    "argument": TYPE | {"import", "given"},
    "any": BOTH | {"import", "macro"},
    "import": frozenset({"import"}),
    "macro": frozenset({"macro"}),
    "called": frozenset({"macro", "import"}),
    "attribute": frozenset({"import"}),
    "member": frozenset({"member"}),
    "lifetime": frozenset({"lifetime"}),
    "label": frozenset({"label"}),
}
_ANY = frozenset[str]()
SCOPES = Scoping(
    unreached=frozenset(
        {
            "let",
            "parameter",
            "pattern",
            "label",
            "self",
            "struct",
            "mod",
            "generic",
            "tuple",
            "lifetime",
            "const",
            "number",
        }
    ),
    entries=frozenset({"main"}),
    declared=True,
    only={
        "class": frozenset({"member"}),
        "item": _OF_ITEMS,
        "generic": _OF_ITEMS,
        "let": frozenset({"let"}),
        "use": frozenset(),
    },
    never={
        "module": frozenset({"member"}),
        "mod": frozenset({"member"}),
        "function": frozenset({"member"}),
        "block": frozenset({"member"}),
    },
    spaces=_SPACES,
    sequels=frozenset({"let"}),
    hides={
        "function": _LOCAL,
        "item": _LOCAL,
        "mod": frozenset(_SPACES) - {"macro", "called", "attribute"},
    },
    open=frozenset({"use", "block", "mod", "module"}),
    overrides=False,
    fulfils=False,
    reserved=frozenset(_WORDS.split()),
    kinds=frozenset({"module", "mod"}),
    given={"self": _ANY, "Self": _ANY, "_": frozenset({"lifetime"})},
    alone=frozenset({"elided"}),
    never_members=_OF_ITEMS,
)
