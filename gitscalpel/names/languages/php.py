"""Name resolution of PHP.

One variable may belong to a function and its closures, be a property that a constructor declares among its
parameters, or be a global variable of files that include each other.
https://www.php.net/manual/en/language.namespaces.rules.php
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import (
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
from gitscalpel.names.nodes import child_of_type, children_of, find_part
from gitscalpel.names.readings import (
    class_itself,
    declared_results,
    function_itself,
    instances_of,
    object_around,
    read_expressions,
    reading_table,
    result_of,
    unknown_outside,
    value_of,
    values_of_name,
)
from gitscalpel.names.resolver import Place, Resolver
from gitscalpel.names.scope_rules import TYPE, Scoping
from gitscalpel.syntax.occurrences import Mention

_MEMBERS = frozenset({"property", "method", "constant"})
_PROTOCOL = """
__call __callStatic __clone __construct __debugInfo __destruct __get __invoke __isset __serialize __set
__set_state __sleep __toString __unserialize __unset __wakeup
"""
SCOPES = Scoping(
    protocol=frozenset(_PROTOCOL.split()),
    only={"class": _MEMBERS, "function": frozenset({"variable"})},
    never=dict.fromkeys(("module", "namespace"), frozenset({"property", "method"})),
    spaces={
        **dict.fromkeys(("class", "type"), TYPE),
        **dict.fromkeys(("import", "alias"), frozenset({"import"})),
        **{each: frozenset({each}) for each in (*_MEMBERS, "variable", "function", "prefix", "trait")},
    },
    hides={"function": frozenset({"variable"})},
    filed=frozenset({"class"}),
    reserved=frozenset(
        {"this", "self", "static", "parent", "class", "function", "fn", "new", "array", "list", "GLOBALS"}
        | {"_SERVER", "_GET", "_POST", "_FILES", "_COOKIE", "_SESSION", "_REQUEST", "_ENV"}
    ),
    linked=True,
    reached=frozenset({"class", "module", "namespace"}),
)


_QUALIFIED = ("qualified_name", "relative_name")


def namespace_at(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    """Return the namespace of a node: of a block around it, or the last one that begins before."""
    around = nodes.ancestor(node, "namespace_definition")
    if around is None:
        before = [
            each
            for each in resolver.lexical(path).syntax.root.named_children
            if each.type == "namespace_definition" and each.start_byte <= node.start_byte
        ]
        around = before[-1] if before else None
    name = find_part(around, "name")
    return nodes.text(resolver, path, name).replace(" ", "")


NAMESPACE_RULES = namespaced.NamespaceRules("php", namespace_at, frozenset({"class", "function", "constant"}))


def declared_in(resolver: Resolver, space: str, name: str, kind: str) -> list[Binding]:
    """Return the names of one kind in a namespace: types, functions and constants are separate."""
    places = namespaced.namespace_places(resolver, NAMESPACE_RULES, name)
    return list(
        dict.fromkeys(
            binding
            for namespace, binding, place in places
            if namespace == space and SCOPES.meet(place.mention.kind, kind)
        )
    )


def look_up_outside(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    above = mention.node.parent
    if above is not None and above.type in _QUALIFIED:
        return _look_up_qualified(resolver, path, mention, nodes.text(resolver, path, above))
    for each in resolver.lexical(path).occurrences_of(mention.name):
        if each.kind in ("import", "alias") and each.role == "bind" and import_kind(each) == mention.kind:
            return resolver.own_scope_meanings(path, each)
    own = namespace_at(resolver, path, mention.node)
    bindings = declared_in(resolver, own, mention.name, mention.kind)
    if not bindings and mention.kind != "type":
        bindings = declared_in(resolver, "", mention.name, mention.kind)
    return bindings or _unresolved_meaning(resolver, mention)


def _unresolved_meaning(resolver: Resolver, mention: Mention) -> tuple[Meaning, ...]:
    known = {
        place.mention.kind
        for _, _, place in namespaced.namespace_places(resolver, NAMESPACE_RULES, mention.name)
    }
    is_known = ("class" if mention.kind == "type" else mention.kind) in known
    if not is_known:
        return (Elsewhere("the tree declares no such thing"),)
    return (namespaced.UNDECLARED,)


def import_kind(mention: Mention) -> str:
    """Return the kind of names that an import brings: types by default."""
    clause = nodes.ancestor(mention.node, "namespace_use_clause")
    holder = nodes.ancestor(mention.node, "namespace_use_declaration")
    words = {each.type for part in (clause, holder) if part is not None for each in part.children}
    return "function" if "function" in words else "constant" if "const" in words else "type"


def _look_up_qualified(resolver: Resolver, path: str, mention: Mention, qualified: str) -> Iterable[Meaning]:
    """Return the meanings of a name with backslashes: absolute, or relative to an import or namespace."""
    own = namespace_at(resolver, path, mention.node)
    prefix = qualified.rpartition("\\")[0]
    if qualified.startswith("\\"):
        namespace = prefix[1:]
    elif prefix.partition("\\")[0].lower() == "namespace":
        namespace = "\\".join(each for each in (own, prefix.partition("\\")[2]) if each)
    else:
        first, _, rest = prefix.partition("\\")
        start = _imported_name(resolver, path, first) or "\\".join(each for each in (own, first) if each)
        namespace = "\\".join(each for each in (start, rest) if each)
    return declared_in(resolver, namespace, mention.name, mention.kind) or _unresolved_meaning(
        resolver, mention
    )


def _imported_name(resolver: Resolver, path: str, name: str) -> str:
    for each in resolver.lexical(path).occurrences_of(name):
        if each.role == "bind" and each.kind in ("import", "alias") and import_kind(each) == "type":
            return qualified_name(resolver, path, each)
    return ""


def qualified_name(resolver: Resolver, path: str, mention: Mention) -> str:
    clause = nodes.ancestor(mention.node, "namespace_use_clause")
    if clause is None:
        return ""
    name = nodes.text(resolver, path, clause.named_children[0])
    holder = clause.parent
    if holder is not None and holder.type == "namespace_use_group" and holder.parent is not None:
        prefix = child_of_type(holder.parent, "namespace_name")
        name = f"{nodes.text(resolver, path, prefix)}\\{name}"
    return name.lstrip("\\")


def import_meanings(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    space, _, name = qualified_name(resolver, path, mention).rpartition("\\")
    return declared_in(resolver, space, name, import_kind(mention)) or (
        Elsewhere("another library, or a namespace"),
    )


TYPES = (
    "class_declaration",
    "interface_declaration",
    "trait_declaration",
    "enum_declaration",
    "anonymous_class",
)
_CLAUSES = ("base_clause", "class_interface_clause", "use_declaration")


def base_types(resolver: Resolver, of: Class) -> Iterator[Value]:
    body = of.node.child_by_field_name("body")
    for clause in (*(children_of(body)), *of.node.named_children):
        for kind in clause.named_children if clause.type in _CLAUSES else ():
            if kind.type in ("name", "qualified_name"):
                yield from resolver.values(of.path, kind)


def enclosing_class(path: str, node: tree_sitter.Node) -> Class | None:
    around = nodes.ancestor(node, *TYPES)
    return Class(path, around) if around is not None else None


_values_of_this = object_around("$this is outside of any class", *TYPES)


def relative_type(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """Yield the types of ``self``, ``static`` and ``parent`` at a node."""
    of = enclosing_class(path, node)
    if of is None:
        yield Unknown("it is outside of any class")
    elif nodes.text(resolver, path, node).lower() != "parent":
        yield of
    else:
        yield from base_types(resolver, of)
        if not any(True for _ in base_types(resolver, of)):
            yield Elsewhere("nothing")


_PARAMETERS = ("simple_parameter", "property_promotion_parameter")
_CHANGING = (
    *("foreach_statement", "list_literal", "catch_clause", "global_declaration", "by_ref", "pair"),
    *("static_variable_declaration", "anonymous_function_use_clause", "variadic_parameter"),
    *("augmented_assignment_expression", "reference_assignment_expression", "unset_statement"),
)


def binding_values(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    above = mention.node.parent
    if mention.kind in ("import", "alias"):
        meanings = import_meanings(resolver, path, mention)
        return [value for each in meanings for value in resolver.values_of(each)]
    read = _BINDING_READERS.get(mention.kind, _bound_case)
    return read(resolver, path, above) if above is not None else ()


def _bound_case(_resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterable[Value]:
    """Return the enum of a case; other constants have unknown values."""
    own = enclosing_class(path, above) if above.type == "enum_case" else None
    return (Instance(own),) if own is not None else (Unknown("its value is unknown"),)


def _bound_variable(resolver: Resolver, path: str, variable: tree_sitter.Node) -> Iterable[Value]:
    holder = variable.parent
    if holder is None or holder.type in _CHANGING:
        return (Unknown("it declares no type"),)
    if holder.type in _PARAMETERS:
        return instances_of(resolver, path, holder.child_by_field_name("type"))
    if holder.type == "property_element":
        declaration = holder.parent
        return instances_of(resolver, path, declaration and declaration.child_by_field_name("type"))
    target, value = holder.child_by_field_name("left"), holder.child_by_field_name("right")
    if holder.type == "assignment_expression" and target == variable and value is not None:
        return resolver.values(path, value)
    return ()


_BINDING_READERS = reading_table(
    ("class", class_itself), ("function method", function_itself), ("variable property", _bound_variable)
)
"""By kind of name and type of the node around it: reader of the value."""


def _values_of_name(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    if nodes.text(resolver, path, node).lower() in ("self", "static", "parent"):
        return relative_type(resolver, path, node)
    return values_of_name(resolver, path, node)


def _values_of_variable(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    if nodes.text(resolver, path, node) == "$this":
        return _values_of_this(resolver, path, node)
    return _values_of_name(resolver, path, node.named_children[0])


def _values_of_member(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    name = node.child_by_field_name("name")
    if name is not None and name.type == "variable_name":
        name = name.named_children[0]
    if name is None or name.type != "name":
        return (Unknown("it is decided at run time"),)
    return resolver.values(path, name)


def _created_object(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    first = node.named_children[0]
    if first.type == "anonymous_class":
        yield Instance(Class(path, first))
    elif first.type in ("name", "qualified_name"):
        yield from instances_of(resolver, path, first)
    else:
        yield Unknown("it is decided at run time")


expression_values = read_expressions(
    "string encapsed_string integer float boolean null primitive_type",
    ("name", _values_of_name),
    ("variable_name", _values_of_variable),
    ("qualified_name", value_of(-1)),
    ("named_type optional_type parenthesized_expression clone_expression", value_of(0)),
    ("relative_scope", relative_type),
    (
        "member_access_expression nullsafe_member_access_expression scoped_property_access_expression",
        unknown_outside(_values_of_member),
    ),
    ("class_constant_access_expression", unknown_outside(value_of(-1))),
    (
        "member_call_expression nullsafe_member_call_expression scoped_call_expression "
        "function_call_expression",
        result_of(value_of("name", "function"), declared_results("return_type")),
    ),
    ("object_creation_expression", _created_object),
)


_OWN_PARAMETERS = ("simple_parameter", "variadic_parameter")


def same_variables(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """Yield the same variable around a closure, as a property, or in another declaration."""
    places = resolver.binders(binding)
    for place in places:
        if place.mention.kind == "variable" and binding.kind == "function":
            yield from _outer_variables(resolver, binding, places)
            yield from _promoted_property(resolver, binding, place)
            return
        if place.mention.kind in NAMESPACE_RULES.kinds and binding.kind in namespaced.OPEN_SCOPES:
            space = namespace_at(resolver, place.path, place.mention.node)
            yield from declared_in(resolver, space, binding.name, place.mention.kind)


def _outer_variables(resolver: Resolver, binding: Binding, places: tuple[Place, ...]) -> Iterator[Binding]:
    mention = places[0].mention
    at = next((at for at, each in enumerate(mention.scopes) if each.span == binding.scope), None)
    if at is None:
        return
    kind, around = mention.scopes[at].node.type, mention.scopes[at + 1 :]
    above = [each.mention.node.parent and each.mention.node.parent.parent for each in places]
    is_own = any(each is not None and each.type in _OWN_PARAMETERS for each in above)
    is_captured = any(nodes.ancestor(each.mention.node, "anonymous_function_use_clause") for each in places)
    if (kind == "arrow_function" and not is_own) or (kind == "anonymous_function" and is_captured):
        for scope in around:
            if scope.kind in ("function", "module"):
                yield Binding(
                    binding.path,
                    scope.span,
                    scope.kind,
                    binding.name,
                    _namespace_of_variable(resolver, binding, scope),
                )
                return


def _namespace_of_variable(resolver: Resolver, binding: Binding, scope: object) -> str:
    lexical = resolver.lexical(binding.path)
    for mention in lexical.occurrences_of(binding.name):
        if mention.role == "bind" and mention.kind == "variable" and lexical.holder(mention) == scope:
            return lexical.spaces(mention, lexical.holder(mention))[0]
    return ""


def _promoted_property(resolver: Resolver, binding: Binding, place: Place) -> Iterator[Binding]:
    """Yield the property that a constructor parameter also declares."""
    lexical = resolver.lexical(binding.path)
    for mention in lexical.occurrences_of(binding.name):
        above = nodes.ancestor(mention.node, "property_promotion_parameter")
        method = nodes.ancestor(above, "method_declaration")
        is_own = method is not None and (method.start_byte, method.end_byte) == binding.scope
        if mention.kind == "property" and is_own and place.path == binding.path:
            yield from resolver.own_bindings(binding.path, mention)


def same_globals(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """Yield the global variables of other files that may be the same, as files include each other."""
    if binding.kind not in namespaced.OPEN_SCOPES:
        return
    if not any(place.mention.kind == "variable" for place in resolver.binders(binding)):
        return
    for path in namespaced.files_with(resolver, NAMESPACE_RULES, binding.name):
        for mention in resolver.lexical(path).occurrences_of(binding.name):
            if mention.role in ("bind", "global") and mention.kind in ("variable", ""):
                for each in resolver.own_bindings(path, mention):
                    if each.kind in namespaced.OPEN_SCOPES and each != binding:
                        yield each


class PHP(namespaced.NamespacedLanguage):
    """Imports, values and members of PHP."""

    rules = SCOPES

    def resolve_use(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        if mention.kind == "prefix":
            is_import = any(
                each.kind in ("import", "alias")
                for each in resolver.lexical(path).occurrences_of(mention.name)
            )
            return (Unknown("it is the beginning of a name"),) if is_import else ()
        if mention.kind == "trait":
            return (Unknown("it says how a trait is used"),)
        return look_up_outside(resolver, path, mention)

    free = staticmethod(look_up_outside)

    def settle_meanings(
        self, resolver: Resolver, path: str, mention: Mention, found: tuple[Meaning, ...]
    ) -> Iterable[Meaning]:
        """Return the meanings of the right kind, method or property, and possible dynamic ones."""
        if mention.role != "member":
            return dict.fromkeys(found)
        if not namespaced.is_declared(resolver, NAMESPACE_RULES, mention.name, *_MEMBERS):
            return (Elsewhere("no class in the tree has it"),)
        return namespaced.fitting_meanings(resolver, mention, dict.fromkeys(found)) or (namespaced.DYNAMIC,)

    def find_added_members(
        self, resolver: Resolver, path: str, mention: Mention, value: Value
    ) -> Iterable[Meaning]:
        """Return a doubt: subclasses and classes with ``__get`` or ``__call`` may have the member."""
        return () if isinstance(value, (Module, Unknown)) else (namespaced.DYNAMIC,)

    find_related = staticmethod(same_globals)

    resolve_imported = staticmethod(import_meanings)

    values = staticmethod(expression_values)

    values_at_binding = staticmethod(binding_values)

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        above = mention.node.parent
        if above is not None and above.type == "variable_name":
            above = above.parent
        if above is None:
            return None
        before = find_part(above, "object", "scope")
        return before or above.named_children[0]

    bases = staticmethod(base_types)

    other_declarations = staticmethod(same_variables)

    def parameters(self, resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
        listed = nodes.ancestor(mention.node, "arguments")
        call = listed.parent if listed is not None else None
        called = find_part(call, "name", "function")
        if call is not None and called is None and call.type == "object_creation_expression":
            called = call.named_children[0]
        for value in resolver.values(path, called):
            for each in _called_functions(resolver, value):
                given = each.node.child_by_field_name("parameters") if isinstance(each, Function) else None
                if not isinstance(each, Function) or given is None:
                    yield Unknown("the called function is unknown")
                    continue
                yield from namespaced.parameters_named(
                    resolver,
                    each.path,
                    given,
                    mention.name,
                    lambda parameter: find_part(find_part(parameter, "name"), 0),
                )


def _called_functions(resolver: Resolver, value: Value) -> Iterator[Value]:
    if isinstance(value, Class):
        for meaning in resolver.members(value, "__construct"):
            yield from resolver.values_of(meaning)
    else:
        yield value
