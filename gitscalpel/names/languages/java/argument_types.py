"""Static types of declarations and arguments in Java, as far as overload resolution needs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import WHOLE, Binding, Class, Elsewhere, Function, Module
from gitscalpel.names.languages.java import classes
from gitscalpel.names.resolver import Place, Resolver


class Kind(NamedTuple):
    """A static type.

    Attributes:
        form: ``primitive``, ``class`` (of the tree), ``outside`` (another one), ``array``, ``generic``,
            ``null``, ``function`` (a lambda, or a method reference) or ``unknown``.
        name: of the type, without its package.
        of: the class of the tree.
        element: of an array.
        is_library: the type is one of the Java library.
    """

    form: str
    name: str = ""
    of: Class | None = None
    element: Kind | None = None
    is_library: bool = False


UNKNOWN, GENERIC, NULL, FUNCTION = Kind("unknown"), Kind("generic"), Kind("null"), Kind("function")
BOXED: Mapping[str, str] = {
    "int": "Integer",
    "char": "Character",
    **{each: each.title() for each in ("byte", "short", "long", "float", "double", "boolean")},
}
UNBOXED: Mapping[str, str] = {boxed: plain for plain, boxed in BOXED.items()}
_LIBRARY = frozenset(
    {
        *(
            "Object",
            "String",
            "Number",
            "CharSequence",
            "Comparable",
            "Class",
            "Iterable",
            "Runnable",
            "Enum",
        ),
        *("Throwable", "Exception", "RuntimeException", "Error", "Void", "Record", "Appendable", "Readable"),
        *("StringBuilder", "StringBuffer", "Thread", "Cloneable", "AutoCloseable", *BOXED.values()),
    }
)
"""Types of ``java.lang``, which are there without an import."""
_PROMOTED = ("double", "float", "long")
STRING = Kind("outside", "String", is_library=True)
_BOOLEAN, _INT = Kind("primitive", "boolean"), Kind("primitive", "int")


def kind_of_type(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> Kind:
    """Return the kind of a type as it is written."""
    while node is not None and node.type in ("generic_type", "annotated_type"):
        node = node.named_children[0 if node.type == "generic_type" else -1]
    if node is None:
        return UNKNOWN
    if node.type in ("integral_type", "floating_point_type", "boolean_type"):
        return Kind("primitive", nodes.text(resolver, path, node))
    if node.type == "array_type":
        sizes = node.child_by_field_name("dimensions")
        inner = kind_of_type(resolver, path, node.child_by_field_name("element"))
        return _arrays(inner, nodes.text(resolver, path, sizes).count("["))
    is_name = node.type in ("type_identifier", "scoped_type_identifier")
    return _named(resolver, path, node) if is_name else UNKNOWN


def _named(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    last = node if node.type == "type_identifier" else node.named_children[-1]
    mention = nodes.mention(resolver, path, last)
    meanings = resolver.meanings(path, mention)
    found = [each for each in meanings if isinstance(each, Binding) and each.scope != WHOLE]
    if any(place.mention.kind == "generic" for each in found for place in resolver.binders(each)):
        return GENERIC
    if mention.name == "var":
        return UNKNOWN
    values = resolver.values(path, last)
    if len(values) == 1 and isinstance(values[0], Class):
        return Kind("class", mention.name, values[0])
    if not all(isinstance(each, (Elsewhere, Module)) for each in values):
        return UNKNOWN
    whole = nodes.text(resolver, path, node) if node != last else ""
    return Kind("outside", mention.name, is_library=_is_library(resolver, path, mention.name, whole))


def _is_library(resolver: Resolver, path: str, name: str, whole: str) -> bool:
    """Return True if a type is certainly one of the Java library."""
    said = [
        nodes.text(resolver, path, each.named_children[-1])
        for each in classes.import_declarations(resolver, path)
    ]
    spelled = [whole] if whole else [each for each in said if each.rpartition(".")[2] == name]
    if spelled:
        return spelled[0].startswith(("java.", "javax."))
    return name in _LIBRARY


def _arrays(kind: Kind, often: int) -> Kind:
    for _ in range(often):
        kind = Kind("array", element=kind)
    return kind


def kind_of_declaration(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    """Return the kind of a variable or parameter by the node that declares it."""
    if node.type == "spread_parameter":
        kinds = [
            each for each in node.named_children if each.type not in ("modifiers", "variable_declarator")
        ]
        return Kind("array", element=kind_of_type(resolver, path, kinds[0] if kinds else None))
    holder = node.parent if node.type == "variable_declarator" else node
    if holder is None:
        return UNKNOWN
    if holder.type == "spread_parameter":
        return kind_of_declaration(resolver, path, holder)
    kind, value = holder.child_by_field_name("type"), node.child_by_field_name("value")
    if kind is not None and nodes.text(resolver, path, kind) == "var":
        is_loop = node.type == "enhanced_for_statement" or value is None
        return UNKNOWN if is_loop or value is None else kind_of_value(resolver, path, value)
    sizes = node.child_by_field_name("dimensions")
    return _arrays(kind_of_type(resolver, path, kind), nodes.text(resolver, path, sizes).count("["))


def kind_of_value(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    """Return the kind of an expression."""
    read = _READ.get(node.type)
    if node.type in _LITERALS:
        return _LITERALS[node.type]
    return read(resolver, path, node) if read is not None else UNKNOWN


def _number(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    said = nodes.text(resolver, path, node).lower()
    is_real = "floating" in node.type
    if is_real:
        return Kind("primitive", "float" if said.endswith("f") and not said.startswith("0x") else "double")
    return Kind("primitive", "long" if said.endswith("l") else "int")


def _variable(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    name = node.child_by_field_name("field") if node.type == "field_access" else node
    if name is None or name.type != "identifier":
        return UNKNOWN
    found = resolver.meanings(path, nodes.mention(resolver, path, name))
    bound = [each for each in found if isinstance(each, Binding) and each.scope != WHOLE]
    kinds = {_declared(resolver, place) for each in bound for place in resolver.binders(each)}
    return kinds.pop() if len(kinds) == 1 and len(bound) == len(found) else UNKNOWN


def _declared(resolver: Resolver, place: Place) -> Kind:
    above = place.mention.node.parent
    if above is None:
        return UNKNOWN
    if above.type in ("variable_declarator", "formal_parameter", "enhanced_for_statement", "resource"):
        return kind_of_declaration(resolver, place.path, above)
    if above.type == "instanceof_expression":
        return kind_of_type(resolver, place.path, above.child_by_field_name("right"))
    if above.type in ("type_pattern", "record_pattern_component"):
        return kind_of_type(resolver, place.path, above.named_children[0])
    if above.type == "enum_constant" and above.parent is not None:
        return Kind("class", of=Class(place.path, above.parent))
    return UNKNOWN


def _this(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    body = nodes.ancestor(node, "class_body", "interface_body", "enum_body", "annotation_type_body")
    return UNKNOWN if body is None else Kind("class", of=Class(path, body))


def _typed(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    return kind_of_type(resolver, path, node.child_by_field_name("type"))


def _array(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    sizes = [each for each in node.named_children if each.type in ("dimensions", "dimensions_expr")]
    often = sum(nodes.text(resolver, path, each).count("[") or 1 for each in sizes)
    return _arrays(_typed(resolver, path, node), often)


def _inner(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    return kind_of_value(resolver, path, node.named_children[0]) if node.named_children else UNKNOWN


def _either(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    parts = [node.child_by_field_name(each) for each in ("consequence", "alternative")]
    found = {kind_of_value(resolver, path, each) for each in parts if each is not None}
    return found.pop() if len(found) == 1 else UNKNOWN


def _left(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    left = node.child_by_field_name("left")
    return UNKNOWN if left is None else kind_of_value(resolver, path, left)


def _item(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    array = node.child_by_field_name("array")
    found = kind_of_value(resolver, path, array) if array is not None else UNKNOWN
    return found.element or UNKNOWN


def _binary(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    sign = nodes.text(resolver, path, node.child_by_field_name("operator"))
    if sign in ("==", "!=", "<", ">", "<=", ">=", "&&", "||"):
        return _BOOLEAN
    parts = [node.child_by_field_name(each) for each in ("left", "right")]
    found = [kind_of_value(resolver, path, each) for each in parts if each is not None]
    if sign == "+" and STRING in found:
        return STRING
    plain = [UNBOXED.get(each.name, "") if each.is_library else each.name for each in found]
    is_known = all(each in BOXED for each in plain)
    if not is_known or "boolean" in plain:
        return _BOOLEAN if is_known and {*plain} == {"boolean"} else UNKNOWN
    if sign in ("<<", ">>", ">>>"):
        return Kind("primitive", "long" if plain[0] == "long" else "int")
    return Kind("primitive", next((each for each in _PROMOTED if each in plain), "int"))


def _unary(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    operand = node.child_by_field_name("operand")
    found = kind_of_value(resolver, path, operand) if operand is not None else UNKNOWN
    if found.form != "primitive" or found.name in ("boolean", *_PROMOTED):
        return found if found.form == "primitive" else UNKNOWN
    return _INT


def _called(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    """Return the kind of what a method returns; type parameters are chosen where it is called."""
    name, given = node.child_by_field_name("name"), node.child_by_field_name("arguments")
    values = resolver.values(path, name) if name is not None else ()
    functions = [each for each in values if isinstance(each, Function)]
    if functions and len(functions) == len(values):
        types = [(each.path, each.node.child_by_field_name("type")) for each in functions]
        returned = [both for both in types if both[1] is None or both[1].type != "void_type"]
        found = {kind_of_type(resolver, *both) for both in returned}
        return found.pop() if len(found) == 1 and GENERIC not in found else UNKNOWN
    said = nodes.text(resolver, path, name)
    is_bare = given is not None and not given.named_children
    return _OF_ALL.get(said, UNKNOWN) if is_bare else UNKNOWN


_LITERALS: Mapping[str, Kind] = {
    "string_literal": STRING,
    "text_block": STRING,
    "character_literal": Kind("primitive", "char"),
    "true": _BOOLEAN,
    "false": _BOOLEAN,
    "instanceof_expression": _BOOLEAN,
    "null_literal": NULL,
    "class_literal": Kind("outside", "Class", is_library=True),
    "lambda_expression": FUNCTION,
    "method_reference": FUNCTION,
}
_OF_ALL: Mapping[str, Kind] = {
    "toString": STRING,
    "hashCode": _INT,
    "getClass": Kind("outside", "Class", is_library=True),
}
"""Results of methods that every object has."""
_READ: Mapping[str, Callable[[Resolver, str, tree_sitter.Node], Kind]] = {
    **dict.fromkeys(
        (
            *("decimal_integer_literal", "hex_integer_literal", "octal_integer_literal"),
            *("binary_integer_literal", "decimal_floating_point_literal", "hex_floating_point_literal"),
        ),
        _number,
    ),
    **dict.fromkeys(("identifier", "field_access"), _variable),
    "this": _this,
    **dict.fromkeys(("object_creation_expression", "cast_expression"), _typed),
    "array_creation_expression": _array,
    "parenthesized_expression": _inner,
    "ternary_expression": _either,
    "assignment_expression": _left,
    "array_access": _item,
    "binary_expression": _binary,
    "unary_expression": _unary,
    "update_expression": _inner,
    "method_invocation": _called,
}
"""How the kind of an expression is found."""
