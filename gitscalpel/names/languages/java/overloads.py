"""Choose the overloads that a call in Java may mean, by the static types of its arguments.

The rules are those of https://docs.oracle.com/javase/specs/jls/se21/html/jls-15.html#jls-15.12.2. An unknown
type fits everywhere, so several overloads may be meant. Library types that are not listed here are unknown:
they may inherit anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple, cast

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import WHOLE, Binding, Class, Elsewhere, Function, Module, Unknown
from gitscalpel.names.languages.java import types
from gitscalpel.names.nodes import find_part
from gitscalpel.names.readings import reading_table
from gitscalpel.names.resolver import Place, Resolver


class Kind(NamedTuple):
    """A static type of Java."""

    form: str  # a key of _FIT_READERS, or "unknown"; "class" is of the tree, "outside" is not
    name: str = ""  # without its package
    of: Class | None = None  # class of the tree
    element: Kind | None = None  # type of an array's elements
    is_library: bool = False  # True for a type of the Java library


UNKNOWN, GENERIC, NULL, FUNCTION = Kind("unknown"), Kind("generic"), Kind("null"), Kind("function")
BOXED: Mapping[str, str] = {
    "int": "Integer",
    "char": "Character",
    **{each: each.title() for each in ("byte", "short", "long", "float", "double", "boolean")},
}
UNBOXED: Mapping[str, str] = {boxed: plain for plain, boxed in BOXED.items()}
_LIBRARY_WORDS = """
Object String Number CharSequence Comparable Class Iterable Runnable Enum Throwable Exception RuntimeException
Error Void Record Appendable Readable StringBuilder StringBuffer Thread Cloneable AutoCloseable
"""
_LIBRARY = frozenset({*_LIBRARY_WORDS.split(), *BOXED.values()})
"""Types of ``java.lang``, which need no import."""
_PROMOTED = ("double", "float", "long")
STRING = Kind("outside", "String", is_library=True)
_BOOLEAN, _INT = Kind("primitive", "boolean"), Kind("primitive", "int")


def kind_of_type(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> Kind:
    while node is not None and node.type in ("generic_type", "annotated_type"):
        node = node.named_children[0 if node.type == "generic_type" else -1]
    if node is None:
        return UNKNOWN
    if node.type in ("integral_type", "floating_point_type", "boolean_type"):
        return Kind("primitive", nodes.text(resolver, path, node))
    if node.type == "array_type":
        sizes = node.child_by_field_name("dimensions")
        inner = kind_of_type(resolver, path, node.child_by_field_name("element"))
        return _array_of(inner, nodes.text(resolver, path, sizes).count("["))
    is_name = node.type in ("type_identifier", "scoped_type_identifier")
    return _kind_of_name(resolver, path, node) if is_name else UNKNOWN


def _kind_of_name(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    last = node if node.type == "type_identifier" else node.named_children[-1]
    mention = nodes.mention(resolver, path, last)
    meanings = resolver.meanings(path, mention)
    bindings = [each for each in meanings if isinstance(each, Binding) and each.scope != WHOLE]
    if any(place.mention.kind == "generic" for each in bindings for place in resolver.binders(each)):
        return GENERIC
    if mention.name == "var":
        return UNKNOWN
    values = resolver.values(path, last)
    if len(values) == 1 and isinstance(values[0], Class):
        return Kind("class", mention.name, values[0])
    if not all(isinstance(each, (Elsewhere, Module)) for each in values):
        return UNKNOWN
    qualified = nodes.text(resolver, path, node) if node != last else ""
    return Kind("outside", mention.name, is_library=_is_library(resolver, path, mention.name, qualified))


def _is_library(resolver: Resolver, path: str, name: str, qualified: str) -> bool:
    imports = [
        nodes.text(resolver, path, each.named_children[-1])
        for each in types.import_declarations(resolver, path)
    ]
    spelled = [qualified] if qualified else [each for each in imports if each.rpartition(".")[2] == name]
    if spelled:
        return spelled[0].startswith(("java.", "javax."))
    return name in _LIBRARY


def _array_of(kind: Kind, often: int) -> Kind:
    for _ in range(often):
        kind = Kind("array", element=kind)
    return kind


def kind_of_declaration(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
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
    return _array_of(kind_of_type(resolver, path, kind), nodes.text(resolver, path, sizes).count("["))


def kind_of_value(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> Kind:
    if node is None or node.type in _LITERALS:
        return UNKNOWN if node is None else _LITERALS[node.type]
    read = _KIND_READERS.get(node.type)
    return read(resolver, path, node) if read is not None else UNKNOWN


def _kind_of_part(*parts: str | int) -> Callable[[Resolver, str, tree_sitter.Node], Kind]:
    return lambda resolver, path, node: kind_of_value(resolver, path, find_part(node, *parts))


def _kind_of_number(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    literal = nodes.text(resolver, path, node).lower()
    is_real = "floating" in node.type
    if is_real:
        return Kind(
            "primitive", "float" if literal.endswith("f") and not literal.startswith("0x") else "double"
        )
    return Kind("primitive", "long" if literal.endswith("l") else "int")


def _kind_of_variable(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    name = node.child_by_field_name("field") if node.type == "field_access" else node
    if name is None or name.type != "identifier":
        return UNKNOWN
    meanings = resolver.meanings(path, nodes.mention(resolver, path, name))
    bound = [each for each in meanings if isinstance(each, Binding) and each.scope != WHOLE]
    kinds = {_kind_of_place(resolver, place) for each in bound for place in resolver.binders(each)}
    return kinds.pop() if len(kinds) == 1 and len(bound) == len(meanings) else UNKNOWN


def _kind_of_place(resolver: Resolver, place: Place) -> Kind:
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


def _kind_of_this(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    body = nodes.ancestor(node, "class_body", "interface_body", "enum_body", "annotation_type_body")
    return UNKNOWN if body is None else Kind("class", of=Class(path, body))


def _kind_by_type(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    return kind_of_type(resolver, path, node.child_by_field_name("type"))


def _kind_of_array(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    sizes = [each for each in node.named_children if each.type in ("dimensions", "dimensions_expr")]
    often = sum(nodes.text(resolver, path, each).count("[") or 1 for each in sizes)
    return _array_of(_kind_by_type(resolver, path, node), often)


def _kind_of_conditional(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    parts = [node.child_by_field_name(each) for each in ("consequence", "alternative")]
    branches = {kind_of_value(resolver, path, each) for each in parts if each is not None}
    return branches.pop() if len(branches) == 1 else UNKNOWN


def _kind_of_item(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    return kind_of_value(resolver, path, find_part(node, "array")).element or UNKNOWN


def _kind_of_binary(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    sign = nodes.text(resolver, path, node.child_by_field_name("operator"))
    if sign in ("==", "!=", "<", ">", "<=", ">=", "&&", "||"):
        return _BOOLEAN
    parts = [node.child_by_field_name(each) for each in ("left", "right")]
    operands = [kind_of_value(resolver, path, each) for each in parts if each is not None]
    if sign == "+" and STRING in operands:
        return STRING
    plain = [UNBOXED.get(each.name, "") if each.is_library else each.name for each in operands]
    is_known = all(each in BOXED for each in plain)
    if not is_known or "boolean" in plain:
        return _BOOLEAN if is_known and {*plain} == {"boolean"} else UNKNOWN
    if sign in ("<<", ">>", ">>>"):
        return Kind("primitive", "long" if plain[0] == "long" else "int")
    return Kind("primitive", next((each for each in _PROMOTED if each in plain), "int"))


def _kind_of_unary(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    kind = kind_of_value(resolver, path, find_part(node, "operand"))
    if kind.form != "primitive" or kind.name in ("boolean", *_PROMOTED):
        return kind if kind.form == "primitive" else UNKNOWN
    return _INT


def _kind_of_call(resolver: Resolver, path: str, node: tree_sitter.Node) -> Kind:
    """Return the static type of a method's result; unknown for type parameters, which calls choose."""
    name, arguments = node.child_by_field_name("name"), node.child_by_field_name("arguments")
    values = resolver.values(path, name)
    functions = [each for each in values if isinstance(each, Function)]
    if functions and len(functions) == len(values):
        types = [(each.path, each.node.child_by_field_name("type")) for each in functions]
        returned = [
            declared_type
            for declared_type in types
            if declared_type[1] is None or declared_type[1].type != "void_type"
        ]
        kinds = {kind_of_type(resolver, *declared_type) for declared_type in returned}
        return kinds.pop() if len(kinds) == 1 and GENERIC not in kinds else UNKNOWN
    method_name = nodes.text(resolver, path, name)
    is_bare = arguments is not None and not arguments.named_children
    return _OBJECT_METHODS.get(method_name, UNKNOWN) if is_bare else UNKNOWN


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
_OBJECT_METHODS: Mapping[str, Kind] = {
    "toString": STRING,
    "hashCode": _INT,
    "getClass": Kind("outside", "Class", is_library=True),
}
"""Results of methods that every object has."""
_KIND_READERS: Mapping[str, Callable[[Resolver, str, tree_sitter.Node], Kind]] = reading_table(
    ("decimal_integer_literal hex_integer_literal octal_integer_literal", _kind_of_number),
    ("binary_integer_literal", _kind_of_number),
    ("decimal_floating_point_literal hex_floating_point_literal", _kind_of_number),
    ("identifier field_access", _kind_of_variable),
    ("this", _kind_of_this),
    ("object_creation_expression cast_expression", _kind_by_type),
    ("array_creation_expression", _kind_of_array),
    ("parenthesized_expression update_expression", _kind_of_part(0)),
    ("ternary_expression", _kind_of_conditional),
    ("assignment_expression", _kind_of_part("left")),
    ("array_access", _kind_of_item),
    ("binary_expression", _kind_of_binary),
    ("unary_expression", _kind_of_unary),
    ("method_invocation", _kind_of_call),
)
"""By node type: reader of the kind of an expression."""


_VALUE = ("Comparable", "Serializable")
_CONSTANT = (*_VALUE, "Constable", "ConstantDesc")
_LIBRARY_SUBTYPES: Mapping[str, tuple[str, ...]] = {
    "": ("AutoCloseable", "Comparable", "Serializable", "Cloneable", "Runnable", "Iterable", "CharSequence"),
    "Appendable": ("StringBuilder", "StringBuffer", "Writer"),
    "AutoCloseable": ("Closeable",),
    "CharSequence": ("String", "StringBuilder", "StringBuffer"),
    "Closeable": ("Reader", "Writer", "InputStream", "OutputStream"),
    "Exception": ("RuntimeException", "IOException"),
    "Flushable": ("Writer", "OutputStream"),
    "InputStream": ("ByteArrayInputStream", "FileInputStream"),
    "InputStreamReader": ("FileReader",),
    "Iterable": ("Path",),
    "Number": (
        *("Byte", "Short", "Integer", "Long", "Float", "Double", "BigInteger", "BigDecimal"),
        *("AtomicInteger", "AtomicLong"),
    ),
    "OutputStream": ("ByteArrayOutputStream", "FileOutputStream"),
    "Readable": ("Reader",),
    "Reader": ("BufferedReader", "CharArrayReader", "InputStreamReader", "StringReader"),
    "RuntimeException": ("IllegalArgumentException", "IllegalStateException"),
    "Throwable": ("Exception", "Error"),
    "Type": ("Class", "ParameterizedType", "GenericArrayType", "WildcardType", "TypeVariable"),
    "Writer": ("BufferedWriter", "CharArrayWriter", "OutputStreamWriter", "PrintWriter", "StringWriter"),
}
"""By library type: some types that inherit from it."""
_LIBRARY_BASES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("String", "Integer", "Long", "Float", "Double"), _CONSTANT),
    **dict.fromkeys(("Byte", "Short", "Character", "Boolean"), (*_VALUE, "Constable")),
    **dict.fromkeys(("StringBuilder", "BigInteger", "BigDecimal", "File", "URI", "UUID"), _VALUE),
    **dict.fromkeys(("StringBuffer",), _VALUE),
    **dict.fromkeys(("Number", "Throwable", "URL", "Locale", "Pattern"), ("Serializable",)),
    "Date": (*_VALUE, "Cloneable"),
    "Path": ("Comparable", "Watchable"),
    "Class": ("Serializable", "GenericDeclaration", "AnnotatedElement", "OfField", "Constable"),
    "TypeVariable": ("AnnotatedElement",),
    "Enum": (*_VALUE, "Constable"),
    "Record": (),
}
"""Further bases, or all bases, of library types."""


def inherited_types(name: str) -> frozenset[str] | None:
    """Return the library types that a library type inherits, without ``Object``; None if unknown."""
    is_known = (
        name in _LIBRARY_BASES
        or any(name in subtypes for subtypes in _LIBRARY_SUBTYPES.values())
        or name in _LIBRARY_SUBTYPES
    )
    return frozenset(_find_bases(name)) if is_known else None


def _find_bases(name: str) -> Iterator[str]:
    bases = [base for base, subtypes in _LIBRARY_SUBTYPES.items() if base and name in subtypes]
    for each in (*bases, *_LIBRARY_BASES.get(name, ())):
        yield each
        yield from _find_bases(each)


class Fit(IntEnum):
    """Fit of an argument to a parameter. Java prefers smaller values."""

    EXACT = 0
    STRICT = 1
    LOOSE = 2
    VARIADIC = 3
    UNSURE = 4
    NOT = 5


class Parameters(NamedTuple):
    """Parameters of a method."""

    kinds: tuple[Kind, ...]  # the last one of a variadic method is an array
    is_variadic: bool  # True if the last one takes any number of arguments


_WIDER: Mapping[str, tuple[str, ...]] = {
    "byte": ("short", "int", "long", "float", "double"),
    "short": ("int", "long", "float", "double"),
    "char": ("int", "long", "float", "double"),
    "int": ("long", "float", "double"),
    "long": ("float", "double"),
    "float": ("double",),
}
_VALUE_TYPES = frozenset({"Object", "Comparable", "Serializable", "Constable", "ConstantDesc"})
"""Types of the Java library that all boxed numbers and strings have."""
_IMPLIED_BASES = {"enum_declaration": "Enum", "record_declaration": "Record"}
"""By kind of declaration: the type of the Java library that it extends implicitly."""
_OF_ARRAYS = frozenset({"Object", "Cloneable", "Serializable"})
_NON_FUNCTIONAL = frozenset({"Object", "String", "Number", "Class", "CharSequence", *BOXED.values()})
"""Types of the Java library that a lambda cannot have."""


def read_parameters(resolver: Resolver, method: Place) -> Parameters:
    """Return the parameters of a method; the accessor of a record's component has none."""
    key = ("java parameters", method.path, method.mention.start)
    cached = cast("tuple[Parameters] | None", resolver.get(key))
    if cached is not None:
        return cached[0]
    empty = Parameters((), is_variadic=False)
    return resolver.compute_once(key, lambda: (_find_parameters(resolver, method),), (empty,))[0]


def _find_parameters(resolver: Resolver, method: Place) -> Parameters:
    above = method.mention.node.parent
    parameters = find_part(above, "parameters")
    if parameters is None or method.mention.kind != "method":
        return Parameters((), is_variadic=False)
    declared = [
        each for each in parameters.named_children if each.type in ("formal_parameter", "spread_parameter")
    ]
    kinds = tuple(kind_of_declaration(resolver, method.path, each) for each in declared)
    return Parameters(kinds, is_variadic=bool(declared) and declared[-1].type == "spread_parameter")


def may_override(resolver: Resolver, one: Place, other: Place, *, exactly: bool) -> bool:
    """Return True if a method may override another one of its name by its parameters.

    With ``exactly``, types are equal only if both are known and the same.
    """
    own_kinds, other_kinds = read_parameters(resolver, one).kinds, read_parameters(resolver, other).kinds
    if exactly:
        return own_kinds == other_kinds and all(map(_is_known, own_kinds))
    return len(own_kinds) == len(other_kinds) and all(map(_may_be_equal, own_kinds, other_kinds))


def _may_be_equal(one: Kind, other: Kind) -> bool:
    forms = {one.form, other.form}
    if "primitive" in forms:
        return one == other
    if not forms.isdisjoint({"generic", "unknown"}):
        return True
    if one.element is not None and other.element is not None:
        return _may_be_equal(one.element, other.element)
    return "array" not in forms and one.name == other.name


def choose_methods(resolver: Resolver, use: Place, methods: Sequence[Place]) -> Sequence[Place]:
    """Return the methods of one name that a call may mean; empty if no method fits."""
    call = use.mention.node.parent
    given = find_part(call, "arguments")
    if call is None or call.type != "method_invocation" or given is None or given.has_error:
        return methods
    arguments = [each for each in given.named_children if "comment" not in each.type]
    signatures = [(each, read_parameters(resolver, each)) for each in methods]
    callable_methods = [
        (each, parameters) for each, parameters in signatures if _takes_count(parameters, len(arguments))
    ]
    if len(callable_methods) < 2:
        return [each for each, _ in callable_methods]
    return _choose_fitting(
        resolver, [kind_of_value(resolver, use.path, each) for each in arguments], callable_methods
    )


def _takes_count(parameters: Parameters, count: int) -> bool:
    least = len(parameters.kinds) - 1
    return count == len(parameters.kinds) or (parameters.is_variadic and count >= least)


def _choose_fitting(
    resolver: Resolver, arguments: Sequence[Kind], callable_methods: Sequence[tuple[Place, Parameters]]
) -> Sequence[Place]:
    fits = [
        (each, parameters, _find_fits(resolver, arguments, parameters))
        for each, parameters in callable_methods
    ]
    fits = [each for each in fits if Fit.NOT not in each[2]]
    exact = [each for each, parameters, fit_list in fits if {*fit_list} == {Fit.EXACT}]
    if exact:
        return exact
    if any(max(fit_list) <= Fit.STRICT for _, _, fit_list in fits):
        fits = [each for each in fits if not _needs_boxing(arguments, each[1], each[2])]
    differing = [
        at
        for at in range(len(arguments))
        if not _has_same_type([parameters.kinds for _, parameters, _ in fits], at)
    ]
    if any(fit_list[at] is Fit.UNSURE for _, _, fit_list in fits for at in differing):
        return [each for each, _, _ in fits]
    phases = [
        max((_phase(fit_list[at]) for at in (*differing, len(arguments))), default=0)
        for _, _, fit_list in fits
    ]
    best = [each for each, phase in zip(fits, phases, strict=True) if phase == min(phases)]
    closest = [
        each
        for each, parameters, _ in best
        if _is_most_specific(resolver, parameters, [other for _, other, _ in best])
    ]
    return closest or [each for each, _, _ in best]


def _needs_boxing(arguments: Sequence[Kind], parameters: Parameters, fit_list: Sequence[Fit]) -> bool:
    """Return True if Java tries a method only after those that fit without boxing."""
    pairs = zip(arguments, parameters.kinds, strict=False)
    is_boxing = any(
        argument.form == "primitive" and parameter.form != "primitive" for argument, parameter in pairs
    )
    return is_boxing or fit_list[-1] is Fit.VARIADIC


def _has_same_type(kinds_of: Sequence[tuple[Kind, ...]], at: int) -> bool:
    kinds_at = {each[at : at + 1] for each in kinds_of}
    return len(kinds_at) == 1 and all(_is_known(kind) for each in kinds_at for kind in each)


def _is_known(kind: Kind) -> bool:
    return kind.form not in ("unknown", "generic") and (kind.element is None or _is_known(kind.element))


def _phase(fit: Fit) -> int:
    """Return 0 for a fit without boxing, which Java tries first."""
    return 0 if fit <= Fit.STRICT else int(fit)


def _is_most_specific(resolver: Resolver, parameters: Parameters, others: Iterable[Parameters]) -> bool:
    """Return True if all other methods accept every argument list that a method accepts."""
    return all(
        len(parameters.kinds) == len(other.kinds)
        and all(
            find_fit(resolver, *pair) <= Fit.STRICT
            for pair in zip(parameters.kinds, other.kinds, strict=True)
        )
        for other in others
        if other != parameters
    )


def _find_fits(resolver: Resolver, arguments: Sequence[Kind], parameters: Parameters) -> list[Fit]:
    """Return how each argument fits, and how their number fits at the end."""
    if not parameters.is_variadic:
        return [
            *(find_fit(resolver, *pair) for pair in zip(arguments, parameters.kinds, strict=True)),
            Fit.EXACT,
        ]
    last = len(parameters.kinds) - 1
    fits = [
        find_fit(resolver, argument, parameter)
        for argument, parameter in zip(arguments, parameters.kinds[:last], strict=False)
    ]
    element = parameters.kinds[last].element or UNKNOWN
    rest = [find_fit(resolver, argument, element) for argument in arguments[last:]]
    if len(arguments) == last + 1:
        array_fit = find_fit(resolver, arguments[last], parameters.kinds[last])
        if array_fit is not Fit.NOT:
            return [*fits, array_fit if rest[0] is Fit.NOT else Fit.UNSURE, Fit.EXACT]
    return [*fits, *rest, Fit.VARIADIC]


def find_fit(resolver: Resolver, argument: Kind, parameter: Kind) -> Fit:
    """Return how a value of one static type fits another."""
    if argument.form == "unknown" or parameter.form in ("unknown", "generic"):
        return Fit.UNSURE
    return _FIT_READERS[argument.form](resolver, argument, parameter)


def _fit_primitive(_resolver: Resolver, argument: Kind, parameter: Kind) -> Fit:
    if parameter.form == "primitive":
        is_wider = parameter.name in _WIDER.get(argument.name, ())
        return Fit.EXACT if argument == parameter else Fit.STRICT if is_wider else Fit.NOT
    if parameter.form != "outside":
        return Fit.NOT
    own = BOXED.get(argument.name)
    has_it = parameter.name in (own, *_VALUE_TYPES) or (
        parameter.name == "Number" and argument.name not in ("boolean", "char")
    )
    return Fit.LOOSE if has_it else Fit.NOT if parameter.is_library else Fit.UNSURE


def _fit_library_value(_resolver: Resolver, argument: Kind, parameter: Kind) -> Fit:
    plain = UNBOXED.get(argument.name) if argument.is_library else None
    if parameter.form == "primitive":
        within = plain is not None and parameter.name in (plain, *_WIDER.get(plain, ()))
        return Fit.LOOSE if within else Fit.NOT
    if parameter.form == "array":
        return Fit.NOT if argument.is_library else Fit.UNSURE
    if parameter.form == "class":
        return Fit.NOT if argument.is_library else Fit.UNSURE
    if argument.name == parameter.name:
        return Fit.EXACT
    is_top = argument.is_library and argument.name == "Object"
    return Fit.NOT if is_top else _fit_outside([argument], parameter)


def _fit_outside(arguments: Iterable[Kind], parameter: Kind) -> Fit:
    """Return how a value fits a type of another library, by the library types that the value has."""
    if parameter.is_library and parameter.name == "Object":
        return Fit.STRICT
    bases = [inherited_types(each.name) if each.is_library else None for each in arguments]
    names = {each.name for each in arguments}.union(*(each for each in bases if each is not None))
    if parameter.name in names:
        return Fit.STRICT
    is_final = parameter.is_library and (parameter.name in ("String", "Class") or parameter.name in UNBOXED)
    return Fit.NOT if is_final or None not in bases else Fit.UNSURE


def _fit_class(resolver: Resolver, argument: Kind, parameter: Kind) -> Fit:
    if parameter.form in ("primitive", "array"):
        return Fit.NOT
    above = resolver.ancestry(argument.of) if argument.of is not None else ()
    if parameter.of is None:
        return _fit_outside(
            _bases_outside(resolver, [each for each in above if isinstance(each, Class)]), parameter
        )
    keys = [each.key for each in above if isinstance(each, Class)]
    if parameter.of.key in keys:
        return Fit.EXACT if keys[0] == parameter.of.key else Fit.STRICT
    return Fit.UNSURE if any(isinstance(each, Unknown) for each in above) else Fit.NOT


def _bases_outside(resolver: Resolver, classes_of: Iterable[Class]) -> list[Kind]:
    kinds = []
    for of in classes_of:
        holder = of.node.parent
        implied = _IMPLIED_BASES.get(holder.type, "") if holder is not None else ""
        kinds += [Kind("outside", implied, is_library=True)] if implied else []
        named = types.named_bases(holder) if holder is not None else ()
        bases = [kind_of_type(resolver, of.path, each) for each in named]
        kinds += [each for each in bases if each.form != "class"]
    return kinds


def _fit_array(resolver: Resolver, argument: Kind, parameter: Kind) -> Fit:
    if argument.element is not None and parameter.element is not None:
        if argument.element == parameter.element:
            return Fit.EXACT
        inner = find_fit(resolver, argument.element, parameter.element)
        is_plain = "primitive" in (argument.element.form, parameter.element.form)
        return Fit.NOT if is_plain or inner is Fit.LOOSE else inner
    if parameter.form == "outside" and parameter.name in _OF_ARRAYS:
        return Fit.STRICT
    return Fit.NOT


def _fit_function(_resolver: Resolver, _argument: Kind, parameter: Kind) -> Fit:
    if parameter.form == "class" and parameter.of is not None:
        return Fit.UNSURE if parameter.of.node.type == "interface_body" else Fit.NOT
    is_none = parameter.form in ("primitive", "array") or (
        parameter.is_library and parameter.name in _NON_FUNCTIONAL
    )
    return Fit.NOT if is_none else Fit.UNSURE


def _fit_generic(_resolver: Resolver, _argument: Kind, parameter: Kind) -> Fit:
    if parameter.form == "outside" and parameter.name == "Object":
        return Fit.STRICT
    return Fit.UNSURE


_FIT_READERS: Mapping[str, Callable[[Resolver, Kind, Kind], Fit]] = {
    "primitive": _fit_primitive,
    "outside": _fit_library_value,
    "class": _fit_class,
    "array": _fit_array,
    NULL.form: lambda _resolver, _null, kind: Fit.NOT if kind.form == "primitive" else Fit.STRICT,
    FUNCTION.form: _fit_function,
    GENERIC.form: _fit_generic,
}
"""By form of a value: its fit to a kind."""
