"""Name resolution of Kotlin. A function that extends a type has the members of that type in scope.

In ``class A : I by x { ... }`` the grammar reads the body of the class as a lambda that is passed to ``x``.
So a name that means something declared there cannot be resolved with certainty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import (
    WHOLE,
    Binding,
    Class,
    Elsewhere,
    Function,
    Instance,
    Meaning,
    Module,
    Unknown,
    Value,
)
from gitscalpel.names.languages import namespaced
from gitscalpel.names.nodes import child_of_type, find_part
from gitscalpel.names.readings import (
    OF_LANGUAGE,
    base_objects,
    class_itself,
    function_itself,
    instance_of,
    instances_of,
    object_itself,
    read_expressions,
    reading_table,
    result_of,
    unknown_outside,
    value_of,
    values_of_name,
)
from gitscalpel.names.resolver import Place, Resolver, cache_value
from gitscalpel.names.scope_rules import BOTH, TYPE, VALUE, Scoping
from gitscalpel.syntax.occurrences import Mention, Scope

_WORDS = """
as break class continue do else false for fun if in interface is null object package return super this throw
true try typealias typeof val var when while
"""
_OF_CLASSES = frozenset({"member", "property", "class", "function", "generic"})
SCOPES = Scoping(
    entries=frozenset({"main"}),
    declared=True,
    only={
        "class": _OF_CLASSES,
        "item": frozenset({"generic"}),
        "let": frozenset({"local"}),
    },
    never={
        "module": frozenset({"member", "generic", "parameter"}),
        "block": frozenset({"member", "property", "generic", "import", "alias"}),
        "function": frozenset({"member", "property", "import", "alias"}),
    },
    spaces={
        **dict.fromkeys(("generic", "type"), TYPE),
        **dict.fromkeys(("member", "property", "function", "local", "parameter", "value"), VALUE),
        **dict.fromkeys(("class", "import", "alias"), BOTH),
    },
    sequels=frozenset({"let"}),
    hiding=frozenset({"class", "generic"}),
    filed=frozenset({"class"}),
    reserved=frozenset(_WORDS.split()),
    linked=True,
    overloads=frozenset({"member", "function"}),
    reached=frozenset({"class", "module"}),
)


@cache_value("")
def package_of(resolver: Resolver, path: str) -> str:
    return _dotted_name(resolver, path, child_of_type(resolver.lexical(path).syntax.root, "package_header"))


def _dotted_name(resolver: Resolver, path: str, header: tree_sitter.Node | None) -> str:
    return "".join(nodes.text(resolver, path, child_of_type(header, "identifier")).split())


NAMESPACE_RULES = namespaced.NamespaceRules(
    "kotlin",
    lambda resolver, path, _node: package_of(resolver, path),
    frozenset({"class", "function", "property"}),
)


def declared_in(resolver: Resolver, path: str, package: str, name: str) -> Iterator[Binding]:
    for space, binding, place in namespaced.namespace_places(resolver, NAMESPACE_RULES, name):
        if space == package and (place.path == path or not is_private(place.mention.node)):
            yield binding


def is_private(node: tree_sitter.Node) -> bool:
    above = nodes.ancestor(node, "class_declaration", "object_declaration", *_DECLARED)
    words = (each for each in (above.children if above is not None else ()) if each.type == "modifiers")
    return any(b"private" in (each.text or b"").split() for each in words)


_DECLARED = ("function_declaration", "property_declaration", "type_alias")


def look_up_outside(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    lexical = resolver.lexical(path)
    scope = lexical.scope_of(mention)
    if scope is not None:
        return list(resolver.own_scope_meanings(path, mention))
    own = dict.fromkeys(declared_in(resolver, path, package_of(resolver, path), mention.name))
    own = own or dict.fromkeys(_imported_by_wildcard(resolver, path, mention.name))
    bindings = [each for each in own if resolver.may_have_kind(each, mention.kind)]
    if bindings:
        return bindings
    if mention.kind == "type" and not namespaced.is_declared(
        resolver, NAMESPACE_RULES, mention.name, "class", "generic", "alias"
    ):
        return (Elsewhere("another library"),)
    return (namespaced.UNDECLARED,)


def imports_of(resolver: Resolver, path: str) -> list[tree_sitter.Node]:
    return resolver.lexical(path).syntax.of_type("import_header")


def _imported_by_wildcard(resolver: Resolver, path: str, name: str) -> Iterator[Binding]:
    """Yield the names that ``import a.*`` brings from a package or class."""
    for header in imports_of(resolver, path):
        if any(each.type == "wildcard_import" for each in header.children):
            parts = _dotted_name(resolver, path, header).split(".")
            yield from declared_in(resolver, path, ".".join(parts), name)
            for each in look_up_dotted(resolver, path, parts):
                for value in resolver.values_of(each):
                    yield from (
                        member for member in resolver.members(value, name) if isinstance(member, Binding)
                    )


def look_up_dotted(resolver: Resolver, path: str, parts: list[str]) -> tuple[Binding, ...]:
    """Return the bindings of a dotted name: declarations of a package, or members of one."""
    for at in range(len(parts) - 1, -1, -1):
        bindings = tuple(declared_in(resolver, path, ".".join(parts[:at]), parts[at]))
        for name in parts[at + 1 :]:
            values = [value for each in bindings for value in resolver.values_of(each)]
            members = (member for value in values for member in resolver.members(value, name))
            bindings = tuple(dict.fromkeys(member for member in members if isinstance(member, Binding)))
        if bindings:
            return bindings
    return ()


def import_meanings(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    parts: list[str] = []
    node: tree_sitter.Node | None = mention.node
    while node is not None:
        if node.is_named:
            parts.insert(0, nodes.text(resolver, path, node))
        node = node.prev_sibling
    return look_up_dotted(resolver, path, parts) or (Elsewhere("another library, or a package"),)


TYPES = ("class_declaration", "object_declaration", "companion_object", "object_literal", "enum_entry")
_PLAIN_WORDS = """
map filter forEach let also lazy any all none first firstOrNull last takeIf takeUnless repeat use
synchronized mapNotNull flatMap filterNot associate associateBy associateWith groupBy sortedBy sumOf find
count maxOf minOf forEachIndexed mapIndexed fold reduce require check joinToString getOrPut
"""
_WITHOUT_RECEIVER = frozenset(_PLAIN_WORDS.split())
"""Library functions whose lambdas have no receiver."""


def base_types(resolver: Resolver, of: Class) -> Iterator[Value]:
    """Yield the bases and the companion object of a class."""
    if of.node.type == "enum_entry":
        enum = nodes.ancestor(of.node, "class_declaration")
        yield from (Class(of.path, enum),) if enum is not None else ()
    for each in of.node.named_children:
        kind = _class_name(each) if each.type == "delegation_specifier" else None
        yield from resolver.values(of.path, kind)
    yield from companions_of(of)


def companions_of(of: Class) -> Iterator[Class]:
    """Yield the companion objects of a class, whose members its name has as a value."""
    for body in (each for each in of.node.named_children if each.type.endswith("class_body")):
        yield from (Class(of.path, each) for each in body.named_children if each.type == "companion_object")


def companion_member(resolver: Resolver, path: str, receiver: tree_sitter.Node, name: str) -> list[Binding]:
    return [
        member
        for value in resolver.values(path, receiver)
        if isinstance(value, Class)
        for each in companions_of(value)
        for member in resolver.members(each, name)
        if isinstance(member, Binding)
    ]


def _class_name(node: tree_sitter.Node) -> tree_sitter.Node | None:
    while node.type != "user_type" and node.named_children:
        node = node.named_children[0]
    return node


def other_parts(resolver: Resolver, of: Class) -> Iterator[Class]:
    name = child_of_type(of.node, "type_identifier")
    if name is None or of.node.parent is None or of.node.parent.type != "source_file":
        return
    for binding in resolver.own_bindings(of.path, nodes.mention(resolver, of.path, name)):
        for twin in same_in_package(resolver, binding):
            yield from (each for each in namespaced.classes_of(resolver, twin) if each != of)


def same_in_package(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    if binding.scope == WHOLE:
        return
    if binding.kind == "class":
        holder = resolver.class_of_member(binding)
        for each in other_parts(resolver, holder) if holder is not None else ():
            yield from resolver.own_members(each, binding.name)
    elif binding.kind in namespaced.OPEN_SCOPES:
        for place in resolver.binders(binding):
            if place.mention.kind in NAMESPACE_RULES.kinds and not is_private(place.mention.node):
                package = package_of(resolver, place.path)
                yield from declared_in(resolver, "", package, binding.name)


def is_companion_member(resolver: Resolver, binding: Binding) -> bool:
    holder = resolver.class_of_member(binding)
    return holder is not None and holder.node.type == "companion_object"


def may_have_receiver(literal: tree_sitter.Node) -> bool:
    call = nodes.ancestor(literal, "call_expression", "value_argument", "statements", "class_body")
    if call is None or call.type != "call_expression" or not call.named_children:
        return True
    called = call.named_children[0]
    last = (called.text or b"").decode("utf-8", "replace").replace("?.", ".").rpartition(".")[2]
    return last.strip() not in _WITHOUT_RECEIVER


def type_of_this(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """Yield the type of ``this`` at a node; for ``this@A``, of the class with that name."""
    label = child_of_type(node, "type_identifier")
    if label is not None:
        yield from _labelled_types(path, node, label)
        return
    above = node.parent
    while above is not None:
        if above.type == "lambda_literal" and may_have_receiver(above):
            yield Unknown("a lambda may have a receiver")
            return
        kind = extended_type(above)
        if kind is not None:
            yield from instances_of(resolver, path, kind)
            return
        if above.type in TYPES:
            yield Instance(Class(path, above))
            return
        above = above.parent
    yield Unknown("this is outside of any class")


def _labelled_types(path: str, node: tree_sitter.Node, label: tree_sitter.Node) -> Iterator[Value]:
    for above in nodes.iter_ancestors(node, *TYPES):
        name = child_of_type(above, "type_identifier")
        if name is not None and name.text == label.text:
            yield Instance(Class(path, above))
            return
    yield Unknown("the called function is unknown")


def extended_type(node: tree_sitter.Node) -> tree_sitter.Node | None:
    if node.type not in ("function_declaration", "property_declaration", "anonymous_function"):
        return None
    return find_part(child_of_type(node, "receiver_type"), -1)


_FINAL = frozenset(
    {"String", "Int", "Long", "Boolean", "Byte", "Short", "Char", "Float", "Double", "Unit", "ByteArray"}
)
_TYPES = ("user_type", "nullable_type", "function_type", "parenthesized_type", "not_nullable_type")


def declared_type(node: tree_sitter.Node) -> tree_sitter.Node | None:
    return child_of_type(node, *_TYPES)


def binding_values(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    above = mention.node.parent
    if mention.kind in ("import", "alias"):
        header = nodes.ancestor(mention.node, "import_header")
        values = _values_of_header(resolver, path, header) if header is not None else ()
        return values or (Elsewhere("another library"),)
    read = _BINDING_READERS.get(above.type, _bound_declaration) if above is not None else None
    return read(resolver, path, above) if read is not None and above is not None else ()


_BINDING_READERS = reading_table(
    ("class_declaration object_declaration companion_object", class_itself),
    ("type_alias", lambda resolver, path, above: resolver.values(path, declared_type(above))),
    ("function_declaration", function_itself),
    ("enum_entry", object_itself),
)
"""By the type of the node around a bound name: reader of the value."""


def _values_of_header(resolver: Resolver, path: str, header: tree_sitter.Node) -> list[Value]:
    parts = "".join(nodes.text(resolver, path, header.named_children[0]).split()).split(".")
    return [value for each in look_up_dotted(resolver, path, parts) for value in resolver.values_of(each)]


def _bound_declaration(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    declared, holder = declared_type(above), above.parent
    if declared is not None and above.type != "type_parameter":
        yield from instances_of(resolver, path, declared)
        return
    if above.type == "variable_declaration" and holder is not None and holder.type == "property_declaration":
        sign = next((at for at, each in enumerate(holder.children) if each.type == "="), None)
        if sign is not None:
            yield from resolver.values(path, holder.children[sign + 1])
            return
    yield Unknown("it declares no type")


def _values_of_type(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    names = [each for each in node.named_children if each.type == "type_identifier"]
    values = resolver.values(path, names[-1]) if names else ()
    is_final = len(names) == 1 and nodes.text(resolver, path, names[0]) in _FINAL
    return [OF_LANGUAGE if is_final and isinstance(each, Elsewhere) else each for each in values]


def _results_of(resolver: Resolver, of: Function) -> Iterable[Value]:
    return instances_of(resolver, of.path, declared_type(of.node))


expression_values = read_expressions(
    "string_literal integer_literal long_literal real_literal boolean_literal character_literal null_literal "
    "null hex_literal bin_literal unsigned_literal",
    ("simple_identifier type_identifier interpolated_identifier", values_of_name),
    ("user_type", _values_of_type),
    ("nullable_type parenthesized_expression postfix_expression", value_of(0)),
    ("navigation_expression navigation_suffix", unknown_outside(value_of(-1))),
    ("call_expression", result_of(value_of(0), _results_of, creates=True)),
    ("as_expression", instance_of(-1)),
    ("this_expression", type_of_this),
    ("super_expression", base_objects(base_types, "Any", *TYPES)),
)


_DELEGATION_NODES = ("statements", "lambda_literal", "annotated_lambda", "call_suffix", "call_expression")
_DELEGATED = Unknown("it is in a class body after `by`, which the grammar reads as a lambda")


def doubt_delegated(resolver: Resolver, meanings: Iterable[Meaning]) -> Iterator[Meaning]:
    """Yield the meanings, unsure if declared in a class body that the grammar reads as a lambda."""
    for each in meanings:
        yield _DELEGATED if isinstance(each, Binding) and _is_inside(resolver, each) else each


def _is_inside(resolver: Resolver, binding: Binding) -> bool:
    if binding.scope == WHOLE or binding.kind not in ("block", "let"):
        return False
    start, end = binding.scope
    node = resolver.lexical(binding.path).syntax.root.descendant_for_byte_range(start, max(start, end - 1))
    while node is not None and node.type != "statements" and node.start_byte >= start:
        node = node.parent
    return node is not None and _is_body(node)


def _is_body(node: tree_sitter.Node) -> bool:
    above: tree_sitter.Node | None = node
    for kind in _DELEGATION_NODES:
        if above is None or above.type != kind:
            return False
        above = above.parent
    return above is not None and above.type == "explicit_delegation"


_IMPLICIT = frozenset({"field", "it"})
_LAMBDA_RECEIVER = Unknown("the receiver of a lambda may have it")


class Kotlin(namespaced.NamespacedLanguage):
    """Imports, values and members of Kotlin."""

    rules = SCOPES

    def resolve_use(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        return namespaced.look_up(resolver, path, mention, look_up_outside, _members_of_receiver)

    free = staticmethod(look_up_outside)

    def find_added_members(
        self, resolver: Resolver, path: str, mention: Mention, value: Value
    ) -> Iterable[Meaning]:
        """Return extension functions, and a doubt about members that a smart cast may add."""
        if isinstance(value, (Module, Unknown)):
            return ()
        extensions = list(_extension_functions(resolver, mention.name))
        own = value.of if isinstance(value, Instance) else value
        if extensions and isinstance(own, Class):
            kinds = [resolver.values(binding.path, kind) for binding, kind in extensions]
            if all(len(each) == 1 and each[0] in resolver.ancestry(own) for each in kinds):
                return dict.fromkeys(binding for binding, _ in extensions)
        if value == OF_LANGUAGE and not extensions:
            return ()
        return (Unknown("a check or a function that extends its type may give it that"),)

    resolve_imported = staticmethod(import_meanings)

    values = staticmethod(expression_values)

    values_at_binding = staticmethod(binding_values)

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        above = mention.node.parent
        if above is None:
            return None
        if above.type == "navigation_suffix":
            return above.parent.named_children[0] if above.parent is not None else None
        if above.type == "user_type":
            names = [each for each in above.named_children if each.type == "type_identifier"]
            at = next((at for at, each in enumerate(names) if each.id == mention.node.id), 0)
            return names[at - 1] if at else None
        return above.named_children[0]

    other_parts = staticmethod(other_parts)
    bases = staticmethod(base_types)

    other_declarations = staticmethod(same_in_package)

    def settle_meanings(
        self, resolver: Resolver, path: str, mention: Mention, found: tuple[Meaning, ...]
    ) -> Iterable[Meaning]:
        """Return the companion's member for a class name and a dot (``A.f``, not ``A::f``)."""
        above = mention.node.parent
        if mention.role == "member" and above is not None and above.type == "navigation_suffix":
            receiver = self.receiver(mention)
            members = companion_member(resolver, path, receiver, mention.name) if receiver is not None else []
            return dict.fromkeys(members) or found
        return doubt_delegated(resolver, super().settle_meanings(resolver, path, mention, found))

    def is_override_of(self, resolver: Resolver, binding: Binding, member: Binding) -> bool:
        """Return False for members of a companion, which a class does not override."""
        if is_companion_member(resolver, member) != is_companion_member(resolver, binding):
            return False
        return super().is_override_of(resolver, binding, member)

    def module_member(self, resolver: Resolver, module: Module, name: str) -> Iterable[Meaning]:
        """Return no members, since packages are not values here."""
        return (Unknown("it follows the name of a package"),)

    def parameters(self, resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
        call = nodes.ancestor(mention.node, "call_expression", "constructor_invocation")
        for value in resolver.values(path, call.named_children[0]) if call is not None else ():
            of = value.of if isinstance(value, Instance) else value
            if not isinstance(of, (Class, Function)):
                yield of if isinstance(of, Unknown) else Elsewhere("a library")
                continue
            list_types = _CLASS_PARAMETERS if isinstance(of, Class) else _CLASS_PARAMETERS[1:]
            parameters = [
                parameter
                for listed in of.node.named_children
                if listed.type in list_types
                for parameter in namespaced.parameters_named(
                    resolver, of.path, listed, mention.name, _name_of_parameter
                )
            ]
            yield from parameters or (Unknown("the called function has no such parameter here"),)

    def overrides(self, resolver: Resolver, place: Place) -> bool:
        return nodes.has_modifier(place.mention.node, "override")

    def name_error(self, resolver: Resolver, places: Iterable[Place], to: str) -> str:
        """Return why an operator, which is called by its sign, may not be renamed; empty if it may."""
        for each in places:
            above = each.mention.node.parent
            words = above.children[0].text if above is not None and each.mention.kind == "function" else b""
            if each.mention.role == "bind" and b"operator" in (words or b"").split():
                return f"{each.mention.name} in {each.path} is an operator, and called by its sign"
        return super().name_error(resolver, places, to)


def _members_of_receiver(resolver: Resolver, path: str, scope: Scope, mention: Mention) -> Iterable[Meaning]:
    if mention.kind == "type":
        return ()
    if mention.name in _IMPLICIT and scope.node.type in ("getter", "setter", "lambda_literal"):
        return (Unknown("the language gives it this name here"),)
    if scope.node.type == "lambda_literal":
        return (_LAMBDA_RECEIVER,) if may_have_receiver(scope.node) else ()
    holder = scope.node
    if holder.type in ("getter", "setter"):
        before = holder.prev_named_sibling
        is_beside = before is not None and before.type == "property_declaration"
        holder = (before if is_beside else holder.parent) or holder
    kind = extended_type(holder)
    if kind is None or kind.start_byte <= mention.start < kind.end_byte:
        return ()
    members = [
        each for value in resolver.values(path, kind) for each in _members_named(resolver, value, mention)
    ]
    return namespaced.fitting_meanings(resolver, mention, members)


def _members_named(resolver: Resolver, value: Value, mention: Mention) -> Iterable[Meaning]:
    if isinstance(value, Class):
        return namespaced.inherited_members(resolver, value, mention)
    return () if value == OF_LANGUAGE else (Unknown("a base may have it"),)


def _extension_functions(resolver: Resolver, name: str) -> Iterator[tuple[Binding, tree_sitter.Node]]:
    for place in namespaced.iter_bindings(resolver, NAMESPACE_RULES, name, "function", "property"):
        above = nodes.ancestor(place.mention.node, "function_declaration", "property_declaration")
        kind = extended_type(above) if above is not None else None
        if kind is not None:
            yield from ((each, kind) for each in resolver.own_bindings(*place))


def _name_of_parameter(parameter: tree_sitter.Node) -> tree_sitter.Node | None:
    return child_of_type(parameter, "simple_identifier")


_CLASS_PARAMETERS = ("primary_constructor", "function_value_parameters")
