"""Scope rules of JavaScript and TypeScript."""

from __future__ import annotations

from gitscalpel.names.scope_rules import BOTH, TYPE, VALUE, Scoping

_NAMESPACE = BOTH | {"namespace"}
_OF_CLASSES = frozenset({"member", "static", "private", "enumerator"})
_EXPORTS = frozenset({"export", "passed"})
_NOT_OF_BLOCKS = _OF_CLASSES | _EXPORTS | {"umd", "label", "generic", "infer", "self"}
SCOPES = Scoping(
    apart=True,
    static="static",
    hiding=frozenset({"private"}),
    protocol=frozenset({"constructor", "toString", "toLocaleString", "valueOf", "hasOwnProperty"}),
    unreached=frozenset(
        {
            "variable",
            "var",
            "parameter",
            "function",
            "class",
            "import",
            "generic",
            "label",
            "alias",
            "interface",
            "enum",
            "namespace",
            "self",
            "infer",
            "private",
            "static",
        }
    ),
    entries=frozenset({"then", "toJSON"}),
    reached=frozenset({"class", "module"}),
    commented=True,
    reserved=frozenset({"default"}),
    single=frozenset({"import"}),
    barred={"variable": frozenset({"parameter"}), "class": frozenset({"parameter"})},
    only={
        "class": _OF_CLASSES,
        "generic": frozenset({"generic", "self"}),
        "conditional": frozenset({"infer"}),
        "label": frozenset({"label"}),
        "with": frozenset(),
    },
    open=frozenset({"with"}),
    never={
        "module": _NOT_OF_BLOCKS - _EXPORTS - {"umd"},
        "namespace": _NOT_OF_BLOCKS - _EXPORTS - {"umd"},
        "function": _NOT_OF_BLOCKS - {"generic"},
        "block": _NOT_OF_BLOCKS | {"var", "parameter"},
    },
    spaces={
        **dict.fromkeys(("", "value", "variable", "var", "parameter", "function"), VALUE),
        **dict.fromkeys(("type", "interface", "alias", "generic", "infer"), TYPE),
        **dict.fromkeys(("class", "self", "any"), BOTH),
        **dict.fromkeys(("import", "enum", "namespace", "umd"), _NAMESPACE),
        "member": frozenset({"member"}),
        "static": frozenset({"static"}),
        "private": frozenset({"private"}),
        "enumerator": frozenset({"member", "value"}),
        "label": frozenset({"label"}),
        **dict.fromkeys(_EXPORTS, frozenset({"export"})),
    },
)
