"""Name resolution of JavaScript and TypeScript, with names in strings.

A string names a literal type (``type Mode = "read" | "write"``) wherever it certainly has to be of the
union in which the type is written. Names of enum members may be read as text: ``Color[1]``.
https://www.typescriptlang.org/docs/handbook/enums.html#reverse-mappings
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from tree_sitter import Node

from gitscalpel.names import nodes, unresolved_notes
from gitscalpel.names.entities import Binding, Class, Elsewhere, Instance, Meaning, Module, Unknown, key_of
from gitscalpel.names.language import PassedValue
from gitscalpel.names.languages.javascript import calls, classes, imports, modules, types
from gitscalpel.names.languages.javascript.calls import resolve_attribute
from gitscalpel.names.languages.javascript.classes import (
    added_members,
    bases_of,
    function_class,
    is_assignable,
    is_member_set,
    member_holder,
    property_redeclarations,
)
from gitscalpel.names.languages.javascript.imports import default_names, import_target
from gitscalpel.names.languages.javascript.structural_typing import ExpectedType
from gitscalpel.names.languages.javascript.values import infer_binding, infer_expression
from gitscalpel.names.nodes import find_part
from gitscalpel.names.readings import reading_table
from gitscalpel.names.resolver import Language, Place, Resolver, cache_answers
from gitscalpel.names.scope_rules import BOTH, TYPE, VALUE, Scoping
from gitscalpel.syntax.occurrences import Mention, Scope
from gitscalpel.text.splice import Splice

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
        {"variable", "var", "parameter", "function", "class", "import", "generic", "label"}
        | {"alias", "interface", "enum", "namespace", "self", "infer", "private", "static"}
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


_SIGNS = re.compile(r"[\"'`\\\n\r]|\$\{")
"""Characters that begin or end a part of a string."""
_STRINGS = ("string", "template_string")
_COMPARING = frozenset({"==", "===", "!=", "!=="})
_THROUGH = (
    "parenthesized_expression",
    "ternary_expression",
    "jsx_expression",
    "as_expression",
    "satisfies_expression",
)
_Typed: TypeAlias = Iterable[types.WrittenType]


def resolve_string(resolver: Resolver, path: str, mention: Mention) -> Iterable[Binding]:
    node = mention.node if mention.node.type in _STRINGS else nodes.parent_of(mention.node, *_STRINGS)
    if node is None or modules.template_text(resolver, path, node) != mention.name:
        return ()
    key = ("string", path, node.start_byte)
    return resolver.compute_once(
        key, lambda: dict.fromkeys(_find_literal_types(resolver, path, node, mention.name)), ()
    )


def string_name_error(resolver: Resolver, places: Iterable[Place], to: str) -> str:
    """Return why strings at these places cannot have a name; empty if they can."""
    for path, mention in places:
        is_said = mention.role == "string" and any(True for _ in resolve_string(resolver, path, mention))
        if is_said and _SIGNS.search(to):
            return f"{to} is written otherwise in the string in {path}:{resolver.line(path, mention.start)}"
    return ""


def _find_literal_types(resolver: Resolver, path: str, node: Node, name: str) -> Iterator[Binding]:
    literal = nodes.parent_of(node, "literal_type")
    if literal is not None:
        yield resolver.class_member(Class(path, _find_union_around(literal)), name)
        return
    for each in expected_types(resolver, path, node):
        yield from _find_unions(resolver, each, name)


def _find_unions(resolver: Resolver, kind: types.WrittenType, name: str) -> Iterator[Binding]:
    for path, node in types.resolve_alias(resolver, *kind):
        if node.type == "union_type":
            for part in node.named_children:
                yield from _find_unions(resolver, types.WrittenType(path, part), name)
        elif (
            node.type == "literal_type"
            and modules.template_text(resolver, path, node.named_children[0]) == name
        ):
            yield resolver.class_member(Class(path, _find_union_around(node)), name)


def _find_union_around(node: Node) -> Node:
    while node.parent is not None and node.parent.type == "union_type":
        node = node.parent
    return node


def expected_types(resolver: Resolver, path: str, node: Node) -> Iterator[types.WrittenType]:
    above = node.parent
    while above is not None and above.type in _THROUGH:
        if above.type.startswith(("as_", "satisfies_")) and len(above.named_children) > 1:
            yield types.WrittenType(path, above.named_children[1])
        node, above = above, above.parent
    read = _TYPE_READERS.get(nodes.type_of(above))
    if above is not None and read is not None:
        yield from read(resolver, path, node, above)


def _find_types_of_declaration(_resolver: Resolver, path: str, _node: Node, above: Node) -> _Typed:
    return types.written_type(path, above, "type")


def _find_types_of_assignment(resolver: Resolver, path: str, _node: Node, above: Node) -> _Typed:
    return types.expression_types(resolver, path, find_part(above, "left"))


def _find_types_of_comparison(resolver: Resolver, path: str, node: Node, above: Node) -> _Typed:
    operator = nodes.type_of(find_part(above, "operator"))
    if operator in _COMPARING:
        sides = (find_part(above, side) for side in ("left", "right"))
        for side in (each for each in sides if each != node):
            yield from types.expression_types(resolver, path, side)
    elif operator in ("||", "??"):
        yield from expected_types(resolver, path, above)


def _find_types_of_case(resolver: Resolver, path: str, _node: Node, above: Node) -> _Typed:
    switch = nodes.ancestor(above, "switch_statement")
    return types.expression_types(resolver, path, find_part(switch, "value"))


def _find_types_of_return(_resolver: Resolver, path: str, node: Node, above: Node) -> _Typed:
    is_parameter = above.type == "arrow_function" and find_part(above, "body") != node
    function = None if is_parameter else nodes.ancestor(node, *modules.FUNCTIONS)
    return types.written_type(path, function, "return_type")


def _find_types_of_argument(resolver: Resolver, path: str, node: Node, _above: Node) -> _Typed:
    for parameter in calls.find_parameter(resolver, path, node):
        yield from parameter.types(resolver) if parameter is not None else ()


def _find_types_of_property(resolver: Resolver, path: str, _node: Node, above: Node) -> _Typed:
    """Yield the types of a property of an object whose type is declared elsewhere."""
    key, holder = find_part(above, "key"), above.parent
    name = modules.text(resolver, path, key).strip("\"'")
    for value in resolver.values(path, holder) if key is not None else ():
        if isinstance(value, Instance) and value.of.node != holder:
            yield from types.declared_types(resolver, resolver.members(value, name))


def _find_types_of_attribute(resolver: Resolver, path: str, _node: Node, above: Node) -> _Typed:
    return types.declared_types(resolver, nodes.meanings_of(resolver, path, above.named_children[0]))


_TYPE_READERS: Mapping[str, Callable[[Resolver, str, Node, Node], _Typed]] = reading_table(
    ("variable_declarator public_field_definition", _find_types_of_declaration),
    ("required_parameter optional_parameter", _find_types_of_declaration),
    ("assignment_expression", _find_types_of_assignment),
    ("binary_expression", _find_types_of_comparison),
    ("switch_case", _find_types_of_case),
    ("return_statement arrow_function", _find_types_of_return),
    ("arguments", _find_types_of_argument),
    ("pair", _find_types_of_property),
    ("jsx_attribute", _find_types_of_attribute),
)
"""By the type of the node around an expression: reading of its expected types."""


_LISTING = frozenset({f"Object.{does}" for does in ("keys", "entries", "getOwnPropertyNames")})
_TYPED = ("typescript", "tsx")


def find_enum_reader(resolver: Resolver, place: Place) -> str:
    """Return the place where the name of an enum member is read as text; empty if there is none."""
    body = nodes.ancestor(place.mention.node, "enum_body") if place.mention.kind == "enumerator" else None
    enum = nodes.parent_of(body)
    if body is None or enum is None or nodes.has_child(enum, "const"):
        return ""
    name = modules.text(resolver, place.path, find_part(enum, "name"))
    found = _find_readers(resolver, Class(place.path, body), name)
    return f"{found[0]} reads its name as text" if found else ""


@cache_answers
def _find_readers(resolver: Resolver, enum: Class, name: str) -> Iterator[str]:
    for path, lexical in resolver.parsed_files(name):
        for node in (
            _find_enumerated_objects(resolver, path) if lexical.syntax.language.name in _TYPED else ()
        ):
            if enum.key in map(key_of, resolver.values(path, node)):
                yield f"{path}:{resolver.line(path, node.start_byte)}"


def _find_enumerated_objects(resolver: Resolver, path: str) -> Iterator[Node]:
    """Yield the expressions of a file whose member names may be read as text."""
    syntax = resolver.lexical(path).syntax
    found: list[Node | None] = []
    for node in syntax.of_type("subscript_expression"):
        if nodes.type_of(find_part(node, "index")) not in ("", "string"):
            found.append(find_part(node, "object"))
    for node in syntax.of_type("call_expression"):
        if modules.text(resolver, path, find_part(node, "function")) in _LISTING:
            found.append(find_part(find_part(node, "arguments"), 0))
    for node in syntax.of_type("for_in_statement"):
        if nodes.has_child(node, "in"):
            found.append(find_part(node, "right"))
    yield from (each for each in found if each is not None)


_OPENED = re.compile(rb"""\[\s*['"`]\Z""")
_CLOSED = re.compile(rb"""['"`]\s*\]""")
_ELEMENTS = re.compile(rb"</\w|/>")
_CHILDREN = "children"
_OF_ELEMENTS = frozenset(
    {
        *("Element", "ElementClass", "ElementType", "ElementAttributesProperty", "ElementChildrenAttribute"),
        *("IntrinsicElements", "IntrinsicAttributes", "IntrinsicClassAttributes", "LibraryManagedAttributes"),
    }
)
"""Names that compilers look up in the namespace ``JSX``:
https://www.typescriptlang.org/docs/handbook/jsx.html."""


def dynamic_lookup_reason(resolver: Resolver, place: Place) -> str:
    """Return why elements or computed keys may look up a definition by its name; empty if they do not."""
    name, lexical = place.mention.name, resolver.lexical(place.path)
    around = (find_part(scope.node.parent, "name") for scope in place.mention.scopes)
    is_in_jsx = any(node is not None and node.text == b"JSX" for node in around)
    if name == "JSX" or (name in _OF_ELEMENTS and is_in_jsx):
        return "compilers know it by this name, where there are elements"
    is_reachable = unresolved_notes.is_reachable(resolver, place)
    is_child = name == _CHILDREN and is_reachable
    if is_child and place.path.endswith(("x", "js")) and _ELEMENTS.search(lexical.text):
        return "elements pass their content by this name"
    for each in unresolved_notes.find_composed(lexical.text, name) if is_reachable else ():
        before = lexical.text[lexical.text.rfind(b"\n", 0, each.start()) + 1 : each.start()]
        if _OPENED.search(before) or _CLOSED.match(lexical.text, each.end()):
            return unresolved_notes.describe_place(resolver, place.path, each)
    return ""


_VALUES = nodes.ValuePositions(
    dotted="member_expression",
    holding=frozenset(
        {"arguments", "return_statement", "arrow_function", "array", "pair", "ternary_expression"}
    ),
    given={"variable_declarator": "value"},
)


class JavaScript(Language):
    """Imports, values and members of JavaScript."""

    rules = SCOPES
    importer = "javascript"

    def free(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        found = tuple(imports.reopened_members(resolver, path, mention))
        return found or tuple(imports.shared_globals(resolver, path, mention.name)) or (Elsewhere("globals"),)

    def find_in_open_scope(
        self, resolver: Resolver, path: str, scope: Scope, mention: Mention
    ) -> Iterable[Meaning]:
        return (*resolver.own_scope_meanings(path, mention), Unknown("the object of `with` may have it"))

    resolve_imported = staticmethod(import_target)

    values = staticmethod(infer_expression)

    values_at_binding = staticmethod(infer_binding)

    receiver = staticmethod(member_holder)

    is_set = staticmethod(is_member_set)

    def files_defining(self, resolver: Resolver, binding: Binding) -> Iterable[str]:
        return (binding.path,)

    def resolve_origin(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        if mention.kind == "export":
            return imports.resolve_export(resolver, path, mention) if mention.key else ()
        is_kept = imports.keeps_name(resolver, path, mention)
        return imports.import_target(resolver, path, mention) if is_kept else ()

    def key(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the member that ``{ x }`` or a parameter property also names, or the exported name."""
        if mention.kind == "export":
            return imports.resolve_export(resolver, path, mention)
        return classes.resolve_key(resolver, path, mention)

    def resolve_in_string(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        if mention.role == "comment":
            return types.resolve_in_comment(resolver, path, mention)
        return (
            *imports.imported_file(resolver, path, mention),
            *resolve_string(resolver, path, mention),
        )

    def replace_name(self, resolver: Resolver, path: str, mention: Mention, form: str, new: str) -> Splice:
        """Return the splice of a name, which keeps the old one as a key or in an import."""
        return mention.make_splice(_write_name(mention, form, mention.name, new))

    find_redeclarations = staticmethod(property_redeclarations)

    def is_open(self, resolver: Resolver, binding: Binding) -> bool:
        """Return True for types with a part from outside the tree, and names that others may declare."""
        declaration = types.find_declaring_class(resolver, binding) or binding
        return classes.has_sibling_parts(resolver, binding) or imports.is_ambient(resolver, declaration)

    def may_be_member_value(self, resolver: Resolver, binding: Binding) -> bool:
        """Return True for the exports of a module, except names that `module.exports` maps to others."""
        module = Module(binding.path, resolver.lexical(binding.path).syntax.language.name)
        return binding in imports.module_member(resolver, module, binding.name)

    keyword = staticmethod(resolve_attribute)

    def is_class_passed(self, node: Node) -> bool:
        return nodes.value_holder(node, _VALUES) is not None

    bases = staticmethod(bases_of)

    def has_unordered_bases(self, of: Class) -> bool:
        """Return True for objects with spread parts."""
        return of.node.type == "object"

    def address_doubt(self, resolver: Resolver, path: str, mention: Mention) -> str:
        is_element = mention.role == "keyword" and mention.node.type == "identifier"
        return (
            f"{mention.name} is an element of the page, as all are that are called so" if is_element else ""
        )

    def name_error(self, resolver: Resolver, places: Iterable[Place], to: str) -> str:
        """Return why a name may not change: a component would become a page element, a string other text."""
        found = list(places)
        why = calls.component_name_error(resolver, found, to) or string_name_error(resolver, found, to)
        return why or super().name_error(resolver, found, to)

    def lookup_reason(self, resolver: Resolver, place: Place) -> str:
        why = (
            super().lookup_reason(resolver, place)
            or dynamic_lookup_reason(resolver, place)
            or classes.language_call_reason(resolver, place)
            or find_enum_reader(resolver, place)
        )
        is_elsewhere = not why and imports.is_declared_only(resolver, place)
        return "what it declares is defined elsewhere, under this name" if is_elsewhere else why

    function_as_class = staticmethod(function_class)

    def is_private(self, resolver: Resolver, binding: Binding) -> bool:
        twins = classes.property_redeclarations(resolver, binding) if binding.kind == "generic" else ()
        return imports.is_private(resolver, binding) and all(each.path == binding.path for each in twins)

    find_undeclared_members = staticmethod(added_members)

    def module_member(self, resolver: Resolver, module: Module, name: str) -> Iterable[Meaning]:
        return imports.module_member(resolver, module, name) or imports.unnamed_default(
            resolver, module, name
        )


class TypeScript(JavaScript):
    """Name resolution of TypeScript: that of JavaScript, with types."""

    def is_structural(self, resolver: Resolver, member: Binding) -> bool:
        """Return True, since any value with the members of a type is of that type."""
        return True

    find_other_names = staticmethod(default_names)

    fits_structurally = staticmethod(is_assignable)

    def find_passed_values(self, resolver: Resolver, expected: Class) -> Iterable[PassedValue]:
        return ExpectedType(resolver).passed_values(expected)


def _write_name(mention: Mention, form: str, old: str, new: str) -> str:
    if form == "plain" or (form == "alias" and not imports.is_specifier(mention)):
        return new
    if mention.kind == "export":
        return f"{new} as {old}" if form == "key" else f"{old} as {new}"
    if form == "alias":
        return f"{old} as {new}"
    return f"{new}: {old}" if form == "key" else f"{old}: {new}"
