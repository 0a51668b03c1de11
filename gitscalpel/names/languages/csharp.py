"""Name resolution of C#.

A type is identified by its declaration; a partial type has several.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec
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
    base_objects,
    class_itself,
    declared_results,
    element_by_type,
    elements_of,
    instance_of,
    instances_of,
    object_around,
    read_expressions,
    result_of,
    unknown_outside,
    value_of,
    value_of_each,
    values_of_name,
)
from gitscalpel.names.resolver import Place, Resolver, cache_answers, cache_value
from gitscalpel.names.scope_rules import BOTH, TYPE, VALUE, Scoping
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text.splice import Splice

_WORDS = """
abstract as base bool break byte case catch char checked class const continue decimal default delegate do
double else enum event explicit extern false finally fixed float for foreach goto if implicit in int
interface internal is lock long namespace new null object operator out override params private protected
public readonly ref return sbyte sealed short sizeof stackalloc static string struct switch this throw true
try typeof uint ulong unchecked unsafe ushort using virtual void volatile while
"""
_MEMBERS = frozenset({"field", "method", "property", "component"})
_NOT_OF_FUNCTIONS = _MEMBERS | {"class", "import"}
SCOPES = Scoping(
    entries=frozenset({"Main"}),
    declared=True,
    only={
        "class": _MEMBERS | {"class", "generic"},
        "arm": frozenset({"pattern"}),
    },
    never={
        **dict.fromkeys(("module", "namespace"), _MEMBERS | {"generic", "parameter"}),
        "block": _NOT_OF_FUNCTIONS | {"generic"},
        "function": _NOT_OF_FUNCTIONS,
    },
    spaces={
        **dict.fromkeys(("class", "generic", "type"), TYPE),
        **dict.fromkeys((*_MEMBERS, "local", "pattern", "parameter", "value"), VALUE),
        "any": BOTH,
        "import": TYPE,
    },
    hiding=frozenset({"field", "class", "generic"}),
    filed=frozenset({"class"}),
    reserved=frozenset(_WORDS.split()),
    linked=True,
    overloads=frozenset({"method"}),
    reached=frozenset({"class", "module", "namespace"}),
)


def namespace_at(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    parts: list[str] = []
    above = node.parent
    while above is not None:
        if above.type == "namespace_declaration":
            parts.insert(0, _declared_name(resolver, path, above))
        elif above.type == "compilation_unit":
            file_scoped = (
                each for each in above.children if each.type == "file_scoped_namespace_declaration"
            )
            parts[:0] = [_declared_name(resolver, path, each) for each in file_scoped]
        above = above.parent
    return ".".join(parts)


def _declared_name(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    return "".join(nodes.text(resolver, path, node.child_by_field_name("name")).split())


NAMESPACE_RULES = namespaced.NamespaceRules("csharp", namespace_at, frozenset({"class"}))


def look_up_outside(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    if mention.kind == "type" and mention.name == "dynamic":
        return (Unknown("it is decided at run time"),)
    lexical = resolver.lexical(path)
    scope = lexical.scope_of(mention)
    alias = lexical.bindings_by_scope(mention.name).get(scope.node.id, []) if scope is not None else []
    if scope is not None and any(each.kind in ("import", "local", "pattern") for each in alias):
        return resolver.own_scope_meanings(path, mention)
    own = namespace_at(resolver, path, mention.node)
    for space in namespaced.enclosing_namespaces(own):
        bindings = namespaced.declared_in(resolver, NAMESPACE_RULES, space, mention.name)
        if bindings and space == own:
            return bindings
        if bindings:
            return dict.fromkeys((*bindings, *_imported_meanings(resolver, path, mention)))
    return tuple(dict.fromkeys(_imported_meanings(resolver, path, mention))) or _namespace_meaning(
        resolver, own, mention
    )


def is_implied(mention: Mention) -> bool:
    """Return True for a name that the language gives: ``value`` in a setter, ``nameof``."""
    accessor = nodes.ancestor(mention.node, "accessor_declaration") if mention.name == "value" else None
    is_setter = accessor is not None and not any(each.type == "get" for each in accessor.children)
    return mention.name in ("nameof", "_") or is_setter


def _namespace_meaning(resolver: Resolver, namespace: str, mention: Mention) -> tuple[Meaning, ...]:
    """Return the namespace that a name in ``namespace`` means, or the reason why the name is unknown."""
    if mention.kind in ("type", "any"):
        for space in namespaced.enclosing_namespaces(namespace):
            full_name = f"{space}.{mention.name}" if space else mention.name
            if is_namespace(resolver, full_name):
                return (Binding(full_name, WHOLE, "csharp", mention.name),)
    if mention.kind == "type" and not namespaced.is_declared(
        resolver, NAMESPACE_RULES, mention.name, "class", "import", "generic"
    ):
        return (Elsewhere("another library"),)
    return (namespaced.UNDECLARED,)


@cache_value(False)
def is_namespace(resolver: Resolver, full_name: str) -> bool:
    """Return True if the tree declares this namespace or one inside it."""
    for path in namespaced.files_with(resolver, NAMESPACE_RULES, full_name.rpartition(".")[2]):
        for kind in ("namespace_declaration", "file_scoped_namespace_declaration"):
            for node in resolver.lexical(path).syntax.of_type(kind):
                name = node.child_by_field_name("name")
                namespace = namespace_at(resolver, path, name) if name is not None else ""
                if kind.startswith("file"):
                    namespace = _declared_name(resolver, path, node)
                if f"{namespace}.".startswith(f"{full_name}."):
                    return True
    return False


def namespace_member(resolver: Resolver, space: str, name: str) -> tuple[Meaning, ...]:
    bindings = namespaced.declared_in(resolver, NAMESPACE_RULES, space, name)
    if bindings:
        return bindings
    full_name = f"{space}.{name}"
    return (
        (Binding(full_name, WHOLE, "csharp", name),)
        if is_namespace(resolver, full_name)
        else (Elsewhere("a library"),)
    )


def _imported_meanings(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """Yield the meanings that ``using`` brings; ``global using`` in any file applies to all files."""
    own = namespace_at(resolver, path, mention.node)
    for using_path, node in _using_directives(resolver, path):
        is_static = any(each.type == "static" for each in node.children)
        target = node.named_children[-1]
        if node.child_by_field_name("name") is not None:
            alias = node.child_by_field_name("name")
            if (
                alias is not None
                and using_path != path
                and nodes.text(resolver, using_path, alias) == mention.name
            ):
                yield from resolver.own_scope_meanings(using_path, nodes.mention(resolver, using_path, alias))
        elif is_static:
            for value in resolver.values(using_path, target):
                members = resolver.members(value, mention.name)
                yield from (each for each in members if isinstance(each, Binding))
        else:
            name = "".join(nodes.text(resolver, using_path, target).split()).removeprefix("global::")
            inner = nodes.ancestor(node, "namespace_declaration") is not None
            for space in namespaced.enclosing_namespaces(own) if inner else ("",):
                full_name = f"{space}.{name}" if space else name
                yield from namespaced.declared_in(resolver, NAMESPACE_RULES, full_name, mention.name)


@cache_answers
def _using_directives(resolver: Resolver, path: str) -> Iterator[tuple[str, tree_sitter.Node]]:
    for node in resolver.lexical(path).syntax.of_type("using_directive"):
        yield path, node
    yield from (each for each in _global_usings(resolver) if each[0] != path)


@cache_answers
def _global_usings(resolver: Resolver) -> Iterator[tuple[str, tree_sitter.Node]]:
    for path in namespaced.files_with(resolver, NAMESPACE_RULES, "global"):
        for node in resolver.lexical(path).syntax.of_type("using_directive"):
            if node.children[0].type == "global":
                yield path, node


TYPES = (
    "class_declaration",
    "struct_declaration",
    "record_declaration",
    "interface_declaration",
    "enum_declaration",
)
INTERFACE = Elsewhere("an interface")
_INTERFACE_NAME = re.compile(r"I[A-Z]")


def base_types(resolver: Resolver, of: Class) -> Iterator[Value]:
    listed = (each for each in of.node.named_children if each.type == "base_list")
    for kind in (base for each in listed for base in each.named_children if base.type != "argument_list"):
        for value in resolver.values(of.path, kind):
            type_name = nodes.text(resolver, of.path, kind).rpartition(".")[2]
            is_interface = not isinstance(value, Class) and _INTERFACE_NAME.match(type_name)
            yield INTERFACE if is_interface else value


def is_partial(node: tree_sitter.Node) -> bool:
    return any(each.type == "modifier" and each.text == b"partial" for each in node.children)


def other_parts(resolver: Resolver, of: Class) -> Iterator[Class]:
    name = of.node.child_by_field_name("name")
    if name is None or of.node.type not in TYPES or not is_partial(of.node):
        return
    for binding in resolver.own_bindings(of.path, nodes.mention(resolver, of.path, name)):
        for same in (*same_in_other_parts(resolver, binding), binding):
            for each in namespaced.classes_of(resolver, same):
                if each != of and is_partial(each.node):
                    yield each


def same_in_other_parts(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    if binding.scope == WHOLE:
        return
    if binding.kind == "class":
        holder = resolver.class_of_member(binding)
        for each in other_parts(resolver, holder) if holder is not None else ():
            yield from resolver.own_members(each, binding.name)
    elif binding.kind in namespaced.OPEN_SCOPES:
        for place in resolver.binders(binding):
            if place.mention.kind == "class":
                space = namespace_at(resolver, place.path, place.mention.node)
                yield from namespaced.declared_in(resolver, NAMESPACE_RULES, space, binding.name)


def _bases_of_all_parts(resolver: Resolver, of: Class) -> Iterator[Value]:
    for part in (of, *other_parts(resolver, of)):
        yield from base_types(resolver, part)


@cache_answers
def extension_methods(resolver: Resolver, name: str) -> Iterator[tuple[Binding, str, tree_sitter.Node]]:
    """Yield the extension methods with a name, each with its file and its receiver parameter."""
    for path, mention in namespaced.iter_bindings(resolver, NAMESPACE_RULES, name, "method"):
        first = find_part(find_part(mention.node.parent, "parameters"), 0)
        if first is not None and any(each.text == b"this" for each in first.children):
            for binding in resolver.own_bindings(path, mention):
                yield binding, path, first


def _values_of_nullable(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for value in value_of("type")(resolver, path, node):
        is_value = isinstance(value, Class) and value.node.type not in _REFERENCE_TYPES
        yield Unknown("it may have no value") if is_value else value


_REFERENCE_TYPES = ("class_declaration", "interface_declaration")
_element = element_by_type("array_type", "type")
expression_values = read_expressions(
    "string_literal verbatim_string_literal raw_string_literal interpolated_string_expression "
    "integer_literal real_literal boolean_literal character_literal null_literal predefined_type "
    "typeof_expression sizeof_expression",
    ("identifier", values_of_name),
    ("generic_name parenthesized_expression checked_expression", value_of(0)),
    (
        "qualified_name member_access_expression member_binding_expression",
        unknown_outside(value_of("name")),
    ),
    ("alias_qualified_name", value_of("name")),
    ("this this_expression", object_around("this is outside of any type", *TYPES)),
    ("base base_expression", base_objects(_bases_of_all_parts, "object", *TYPES)),
    ("invocation_expression", result_of(value_of("function"), declared_results("returns", "type"))),
    ("object_creation_expression cast_expression as_expression", instance_of("type", "right")),
    ("conditional_access_expression", value_of(-1)),
    ("element_access_expression", elements_of(value_of("expression"), _element)),
    ("conditional_expression", value_of_each("consequence", "alternative")),
    ("assignment_expression", value_of("left")),
    ("nullable_type", _values_of_nullable),
    ("array_type", class_itself),
)


def binding_values(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    above = mention.node.parent
    if above is None or mention.node.type == "implicit_parameter":
        return (Unknown("it is bound by a function that says no type"),)
    if above.type in TYPES or above.type == "delegate_declaration":
        return (Class(path, above),)
    if above.type in ("method_declaration", "local_function_statement"):
        return (Function(path, above),)
    if above.type == "using_directive":
        return resolver.values(path, above.named_children[-1])
    if above.type == "enum_member_declaration":
        holder = nodes.ancestor(above, "enum_declaration")
        return (Instance(Class(path, holder)),) if holder is not None else ()
    return _bound_declaration(resolver, path, above)


def _bound_declaration(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterable[Value]:
    """Return the values by the declared type; for ``var``, by the assigned value."""
    holder = above.parent if above.type == "variable_declarator" else above
    kind = find_part(holder, "type") if above.type != "type_parameter" else None
    if kind is not None and kind.type != "implicit_type":
        return instances_of(resolver, path, kind)
    if kind is not None and above.type == "variable_declarator" and len(above.named_children) > 1:
        return value_of(-1)(resolver, path, above)
    if kind is not None and above.type == "foreach_statement":
        return elements_of(value_of("right"), _element)(resolver, path, above)
    return (Unknown("it declares no type"),)


def receiver_of(node: tree_sitter.Node) -> tree_sitter.Node | None:
    above = node.parent
    if above is not None and above.type == "generic_name":
        above = above.parent
    read = _RECEIVERS.get(above.type) if above is not None else None
    if above is None or read is not None:
        return read(above) if read is not None and above is not None else None
    return find_part(above, "expression", "qualifier")


def _find_created_type(above: tree_sitter.Node) -> tree_sitter.Node | None:
    listed = above.parent
    made = listed.parent if listed is not None else None
    if made is not None and made.type == "assignment_expression":
        return made.child_by_field_name("left")
    is_made = made is not None and made.type == "object_creation_expression"
    return made if is_made else None


def _find_matched_value(part: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the type of a pattern, or else the expression before ``is``."""
    pattern = nodes.ancestor(part, "recursive_pattern")
    kind = find_part(pattern, "type")
    if pattern is None or kind is not None:
        return kind
    test = pattern.parent
    is_test = test is not None and test.type == "is_pattern_expression"
    return find_part(test, "expression") if is_test else None


_RECEIVERS: Mapping[str, Callable[[tree_sitter.Node], tree_sitter.Node | None]] = {
    **dict.fromkeys(
        ("method_declaration", "property_declaration", "event_declaration"),
        lambda above: find_part(child_of_type(above, "explicit_interface_specifier"), 0),
    ),
    "member_binding_expression": lambda above: find_part(
        nodes.ancestor(above, "conditional_access_expression"), "condition"
    ),
    "assignment_expression": _find_created_type,
    "with_initializer": lambda above: find_part(above.parent, 0),
    "subpattern": _find_matched_value,
}
"""By the type of the node around a name: finder of its receiver."""


_NAMES_A_MEMBER = Unknown("a tuple, or an object without a type, takes its name from it")
_TYPE_AND_VALUE = Unknown("it is a type and what has it at once")


class CSharp(namespaced.NamespacedLanguage):
    """Imports, values and members of C#."""

    rules = SCOPES

    def resolve_use(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the meanings of a name; before a dot, those of an object and of a type."""
        if is_implied(mention):
            return (Elsewhere("the accessor around it"),)
        if mention.kind != "any":
            return namespaced.look_up(resolver, path, mention, look_up_outside)
        kinds = (msgspec.structs.replace(mention, kind=kind) for kind in ("value", "type"))
        value, kind = (list(namespaced.look_up(resolver, path, each, look_up_outside)) for each in kinds)
        named = [each for each in value if isinstance(each, Binding)]
        if not named:
            doubt = [each for each in value if isinstance(each, Unknown) and "base" in each.why]
            return (*kind, *doubt)
        return (
            *value,
            *((_TYPE_AND_VALUE,) if any(_has_name_of_type(resolver, each) for each in named) else ()),
        )

    free = staticmethod(look_up_outside)

    def settle_meanings(
        self, resolver: Resolver, path: str, mention: Mention, found: tuple[Meaning, ...]
    ) -> Iterable[Meaning]:
        """Return the meanings, with a doubt for an attribute whose declared name may be longer."""
        above = mention.node.parent
        if above is not None and above.type == "member_access_expression" and _is_named_after(above):
            return (*found, _NAMES_A_MEMBER)
        if above is not None and above.type == "attribute" and mention.kind == "type":
            longer = f"{mention.name}Attribute"
            if any(True for _ in namespaced.files_with(resolver, NAMESPACE_RULES, longer)):
                return (*found, Unknown("an attribute may be called so without its last word"))
        return dict.fromkeys(found)

    def find_added_members(
        self, resolver: Resolver, path: str, mention: Mention, value: Value
    ) -> Iterable[Meaning]:
        extensions = extension_methods(resolver, mention.name)
        if not extensions or isinstance(value, (Module, Unknown)):
            return ()
        own = value.of if isinstance(value, Instance) else value
        if len(extensions) == 1 and isinstance(own, Class):
            binding, method_path, parameter = extensions[0]
            kinds = resolver.values(method_path, parameter.child_by_field_name("type") or parameter)
            if len(kinds) == 1 and kinds[0] in resolver.ancestry(own):
                return (binding,)
        return (Unknown("a method that extends some type may be called"),)

    values = staticmethod(expression_values)

    values_at_binding = staticmethod(binding_values)

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        return receiver_of(mention.node)

    other_parts = staticmethod(other_parts)
    bases = staticmethod(base_types)

    other_declarations = staticmethod(same_in_other_parts)

    def module_member(self, resolver: Resolver, module: Module, name: str) -> Iterable[Meaning]:
        return namespace_member(resolver, module.path, name)

    def key(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the member of a tuple or anonymous object that is named after its value."""
        target = nodes.ancestor(mention.node, "assignment_expression", "tuple_expression")
        while target is not None and target.parent is not None and target.type == "tuple_expression":
            target = target.parent
        is_target = target is not None and target.type == "assignment_expression"
        if is_target and target is not None and mention.start < (target.children[0].end_byte):
            return resolver.meanings(path, mention)
        return (Elsewhere("an object without a type"),)

    def replace_name(self, resolver: Resolver, path: str, mention: Mention, form: str, new: str) -> Splice:
        """Return the edit of a name; a tuple or anonymous object keeps the old name of the member."""
        if form != "value":
            return mention.make_splice(new)
        sign = ": " if nodes.ancestor(mention.node, "tuple_expression") is not None else " = "
        above = mention.node.parent
        is_object = above is not None and above.type == "anonymous_object_creation_expression"
        return mention.make_splice(f"{mention.name}{' = ' if is_object else sign}{new}")

    def parameters(self, resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
        call = nodes.ancestor(
            mention.node, "invocation_expression", "object_creation_expression", "attribute"
        )
        for value in resolver.values(path, find_part(call, "function")):
            if not isinstance(value, Function):
                yield value if isinstance(value, Unknown) else Unknown("the called function is unknown")
                continue
            parameters = value.node.child_by_field_name("parameters")
            yield from namespaced.parameters_named(
                resolver, value.path, parameters, mention.name, lambda each: find_part(each, "name")
            )

    def overrides(self, resolver: Resolver, place: Place) -> bool:
        return nodes.has_modifier(place.mention.node, "override")

    def name_error(self, resolver: Resolver, places: Iterable[Place], to: str) -> str:
        """Return why an attribute with a shorter name may not change its name; empty if it may."""
        for each in places:
            is_type = each.mention.role == "bind" and each.mention.kind == "class"
            short = each.mention.name.removesuffix("Attribute")
            if is_type and short != each.mention.name:
                for path in namespaced.files_with(resolver, NAMESPACE_RULES, short):
                    for occurrence in resolver.lexical(path).occurrences_of(short)[
                        :1
                    ]:  # it may be a part of other words
                        line = resolver.line(path, occurrence.start)
                        return f"{path}:{line} may call {each.mention.name} as {short}, which stays"
        return super().name_error(resolver, places, to)


def _is_named_after(node: tree_sitter.Node) -> bool:
    """Return True if a tuple or anonymous object names a value after a member."""
    before, above = node.prev_sibling, node.parent
    if above is not None and above.type == "argument":
        is_tuple = above.parent is not None and above.parent.type == "tuple_expression"
        return is_tuple and above.child_by_field_name("name") is None
    is_object = above is not None and above.type == "anonymous_object_creation_expression"
    return is_object and (before is None or before.type != "=")


def _has_name_of_type(resolver: Resolver, binding: Binding) -> bool:
    for place in resolver.binders(binding):
        above = place.mention.node.parent
        holder = above.parent if above is not None and above.type == "variable_declarator" else above
        kind = find_part(holder, "type")
        type_name = nodes.text(resolver, place.path, kind).rstrip("?").rpartition(".")[2]
        if type_name.partition("<")[0] == binding.name:
            return True
    return False
