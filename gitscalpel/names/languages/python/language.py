"""Name resolution of Python, with declarations of one name.

All declarations of a name must be renamed together: a module and its stub (PEP 484), the parameters of
overloads and of functions in other branches, those of functions registered with
``functools.singledispatch``, and those of a method and the method that it overrides.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from gitscalpel.names import nodes
from gitscalpel.names.entities import (
    WHOLE,
    Binding,
    Class,
    Elsewhere,
    Function,
    Meaning,
    Module,
    Unknown,
    Value,
    bindings_in,
    functions_in,
    type_of,
)
from gitscalpel.names.files import Files
from gitscalpel.names.languages.python import (
    classes,
    imports,
    modules,
    pytest_fixtures,
    strings,
    type_annotations,
)
from gitscalpel.names.languages.python.classes import (
    find_function_class,
    fits_protocol,
    mangled_names,
    protocol_objects,
    resolve_keyword,
)
from gitscalpel.names.languages.python.imports import find_hidden_submodules, resolve_import
from gitscalpel.names.languages.python.strings import debug_format_reason, resolve_quoted
from gitscalpel.names.languages.python.values import infer_binding, infer_expression
from gitscalpel.names.nodes import children_of, find_part
from gitscalpel.names.resolver import Language, Place, Resolver
from gitscalpel.names.scope_rules import Scoping
from gitscalpel.syntax.occurrences import Mention, Scope
from gitscalpel.syntax.parse import Syntax
from gitscalpel.text.splice import Splice

_DEFINITIONS = ("class_definition", "function_definition")


def stub_redeclarations(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """Yield the same name in the module's stub, or in the stub's module."""
    twin = binding.path + "i" if binding.path.endswith(".py") else binding.path[:-1]
    lexical = resolver.files.lexical(twin) if binding.path.endswith((".py", ".pyi")) else None
    if lexical is None:
        return
    if binding.scope == WHOLE:
        yield Binding(twin, WHOLE, binding.kind, modules.name_of(twin))
        return
    definitions = _read_definition_names(resolver, binding)
    found = _find_definitions(lexical.syntax, definitions)
    for node in found:
        yield Binding(twin, nodes.span_of(node), binding.kind, binding.name)
    if not found and definitions and twin.endswith(".py"):
        yield from _find_reexported(resolver, twin, definitions, binding)


def is_declared_in_stub(files: Files, path: str, name: str) -> bool:
    """Return True if a stub exists and defines a name itself, not only by an import."""
    lexical = files.lexical(path) if files.is_file(path) else None
    bound = imports.own_bindings(lexical, name) if lexical is not None else ()
    return any(each.kind != "import" for each in bound)


def _find_reexported(
    resolver: Resolver, path: str, definitions: list[bytes], binding: Binding
) -> Iterator[Binding]:
    """Yield the same name where the module imports a name that its stub declares."""
    values: list[Value] = [Module(path, "python")]
    for name in definitions:
        word = name.decode("utf-8", "replace")
        values = [each for value in values for each in resolver.member_values(value, word)]
    for value in values:
        if isinstance(value, (Class, Function)):
            yield Binding(value.path, nodes.span_of(value.node), binding.kind, binding.name)


def _read_definition_names(resolver: Resolver, binding: Binding) -> list[bytes] | None:
    """Return the names of the definitions from the top level down to a scope; None if one has no name."""
    node = resolver.node_at(binding.path, binding.scope)
    if nodes.parent_of(node) is not None and nodes.type_of(node) not in _DEFINITIONS:
        return None
    found: list[bytes] = []
    while node is not None and node.parent is not None:
        if node.type in _DEFINITIONS:
            found.insert(0, _read_name(node))
        node = node.parent
    return found


def _find_definitions(syntax: Syntax, names: list[bytes] | None) -> list[Node]:
    found = [] if names is None else [syntax.root]
    for name in names or ():
        found = [
            node for above in found for node in _iter_child_definitions(above) if _read_name(node) == name
        ]
    return found


def _iter_child_definitions(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        if child.type in _DEFINITIONS:
            yield child
        elif child.type not in ("lambda", "expression_statement"):
            yield from _iter_child_definitions(child)


def _read_name(node: Node) -> bytes:
    return nodes.node_text(find_part(node, "name")).encode("utf-8", "surrogateescape")


_BRANCHING = ("if_statement", "try_statement", "match_statement", "case_clause")


def overload_redeclarations(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """Yield the same parameter of the other declarations of an overload and of its implementation."""
    if binding.kind != "function" or not _is_parameter(resolver, binding):
        return
    syntax = resolver.lexical(binding.path).syntax
    same = _find_definitions(syntax, _read_definition_names(resolver, binding))
    found = [Function(binding.path, node) for node in same if node.type == "function_definition"]
    if not any(classes.is_decorated(resolver, each, "overload") for each in found):
        found = [each for each in found if _is_alternative(each.node, binding.scope)]
    for each in found:
        other = binding._replace(scope=nodes.span_of(each.node))
        if other != binding and _is_parameter(resolver, other):
            yield other


def _is_alternative(node: Node, scope: tuple[int, int]) -> bool:
    """Return True if a function is defined in another branch than the one at a span (``if``, ``try``)."""
    above = node.parent
    while above is not None and not nodes.covers(above, scope[0]):
        above = above.parent
    return nodes.type_of(above) in _BRANCHING


def _is_parameter(resolver: Resolver, binding: Binding) -> bool:
    return any(place.mention.kind == "parameter" for place in resolver.binders(binding))


_REGISTER = "register"


def dispatch_redeclarations(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """Yield the parameters of registered functions that take the same keyword (``singledispatch``)."""
    for path, mention in resolver.binders(binding) if binding.kind == "function" else ():
        function = mention.scopes[0].node if mention.kind == "parameter" and mention.scopes else None
        if function is None or function.type != "function_definition":
            continue
        for generic in _find_generic_functions(resolver, Function(path, function)):
            for each in (generic, *_find_registered_functions(resolver, generic)):
                if _is_keyword_of(resolver, each, binding.name):
                    yield Binding(each.path, nodes.span_of(each.node), "function", binding.name)


def _find_generic_functions(resolver: Resolver, function: Function) -> Iterator[Function]:
    """Yield the generic function that a function is or is registered for."""
    if classes.is_decorated(resolver, function, "singledispatch", "singledispatchmethod"):
        yield function
    for decorator in classes.decorators_of(function.node):
        for each in functions_in(resolver.values(function.path, _find_generic_name(decorator))):
            if each != function and each in _find_generic_functions(resolver, each):
                yield each


def _find_registered_functions(resolver: Resolver, generic: Function) -> Iterator[Function]:
    for path in resolver.files.naming(_REGISTER, "python"):
        for mention in resolver.lexical(path).occurrences_of(_REGISTER):
            around = nodes.ancestor(mention.node.parent, "decorated_definition", "block", "module")
            function = find_part(around, "definition")
            if function is not None and function.type == "function_definition":
                registered = Function(path, function)
                if generic in _find_generic_functions(resolver, registered):
                    yield registered


def _find_generic_name(decorator: Node) -> Node | None:
    """Return ``f`` of ``f.register``."""
    attribute = find_part(decorator, "attribute") if decorator.type == "attribute" else None
    is_register = attribute is not None and attribute.text == _REGISTER.encode()
    return find_part(decorator, "object") if is_register else None


def _is_keyword_of(resolver: Resolver, function: Function, name: str) -> bool:
    """Return True if a function takes a keyword other than the argument that selects the implementation."""
    bound = resolver.lexical(function.path).bindings_by_scope(name).get(function.node.id, ())
    first = find_part(find_part(function.node, "parameters"), 0)
    places = [each.start for each in bound if each.kind == "parameter"]
    return bool(places) and not nodes.covers(first, places[0])


def overridden_parameters(resolver: Resolver, binding: Binding) -> Iterator[Meaning]:
    """Yield the same parameter of overridden methods, and unknown bases outside the tree."""
    method = _find_method(resolver, binding) if binding.kind == "function" else None
    if method is None:
        return
    name, owner = method
    for base in resolver.ancestry(owner)[1:]:
        if isinstance(base, Class):
            for member in resolver.own_members(base, name):
                yield from _find_parameter(resolver, member, binding.name)
        elif isinstance(base, (Elsewhere, Unknown)) and base != Elsewhere("builtins"):
            yield base


def method_of_parameter(resolver: Resolver, binding: Binding) -> Binding | None:
    name, owner = _find_method(resolver, binding) or ("", None)
    return None if owner is None else next(iter(resolver.own_members(owner, name)), None)


def is_builtin_member(resolver: Resolver, place: Place) -> bool:
    """Return True if a built-in class that a member's class inherits from has the member."""
    node = nodes.ancestor(place.mention.node, "class_definition")
    if node is None or place.mention.role != "bind":
        return False
    classes_above = resolver.ancestry(Class(place.path, node))
    return any(
        _has_builtin_member(resolver, each, place.mention.name)
        for each in classes_above
        if isinstance(each, Class)
    )


def _has_builtin_member(resolver: Resolver, of: Class, name: str) -> bool:
    """Return True if a built-in class that a class names as a base has a member."""
    for base in children_of(find_part(of.node, "superclasses")):
        if Elsewhere("builtins") in resolver.values(of.path, base):
            builtin = getattr(builtins, nodes.text(resolver, of.path, base), None)
            if isinstance(builtin, type) and builtin is not object and hasattr(builtin, name):
                return True
    return False


def _find_parameter(resolver: Resolver, member: Binding, name: str) -> Iterator[Meaning]:
    for path, mention in resolver.binders(member):
        node = nodes.parent_of(mention.node, "function_definition")
        if node is not None and classes.has_parameter(resolver, Function(path, node), name):
            yield Binding(path, nodes.span_of(node), "function", name)


def _find_method(resolver: Resolver, binding: Binding) -> tuple[str, Class] | None:
    path = binding.path
    node = resolver.node_at(path, binding.scope)
    if node is None or node.type != "function_definition":
        return None
    name = type_annotations.text(resolver, path, find_part(node, "name"))
    definition = nodes.parent_of(node, "decorated_definition") or node
    owner = nodes.parent_of(nodes.parent_of(definition), "class_definition")
    is_passed = classes.has_parameter(resolver, Function(path, node), binding.name)
    if owner is None or name.startswith("__") or not is_passed:
        return None
    return None if _is_positional_only(resolver, binding, node) else (name, Class(path, owner))


def _is_positional_only(resolver: Resolver, binding: Binding, function: Node) -> bool:
    """Return True if a parameter is the receiver or precedes a ``/``."""
    children = children_of(find_part(function, "parameters"))
    bound = resolver.lexical(binding.path).bindings_by_scope(binding.name).get(function.id, ())
    starts = [mention.start for mention in bound if mention.kind == "parameter"]
    at = next((n for n, each in enumerate(children) for start in starts if nodes.covers(each, start)), None)
    if at is None:
        return False
    is_static = classes.is_decorated(resolver, Function(binding.path, function), "staticmethod")
    is_before_slash = any(each.type == "positional_separator" for each in children[at + 1 :])
    return (at == 0 and not is_static) or is_before_slash


SCOPES = Scoping(
    only={"comprehension": frozenset({"target"})},
    classes_enclose=False,
    own=frozenset(dir(builtins)),
    reached=frozenset({"class", "module"}),
)


_BUILTIN = frozenset(dir(builtins))
_MODULE_NAMES = frozenset({"__file__", "__name__", "__doc__", "__path__", "__package__", "__spec__"})
_VALUES = nodes.ValuePositions(
    dotted="attribute",
    holding=frozenset(
        {"argument_list", "keyword_argument", "return_statement", "lambda", "list", "tuple", "pair"}
        | {"expression_list", "conditional_expression", "default_parameter"}
    ),
    given={"assignment": "right"},
)
_UNREAD = Unknown("it inherits from what cannot be read here")


class Python(Language):
    """Imports, values and members of Python."""

    rules = SCOPES
    importer = "python"

    def free(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        found = imports.star_members(resolver, path, mention.name, imports.lookup_position(mention))
        if found:
            return found
        if mention.name in _BUILTIN or mention.name in _MODULE_NAMES:
            return (Elsewhere("builtins"),)
        return (Unknown("nothing here defines it"),)

    def add_unnamed_imports(
        self, resolver: Resolver, path: str, mention: Mention, scope: Scope, own: list[Meaning]
    ) -> Iterable[Meaning]:
        if scope.kind != "module" or not imports.star_statements(resolver.lexical(path).syntax):
            return own
        return imports.resolve_starred(resolver, path, mention, scope, own)

    def find_added_members(
        self, resolver: Resolver, path: str, mention: Mention, value: Value
    ) -> Iterable[Meaning]:
        """Return a member that the class does not define, but a subclass or mixin may."""
        is_own = mention.name.startswith("__")  # ``__dict__``, ``__class__``: what every object has
        if isinstance(type_of(value), Class) and not is_own and not resolver.members(value, mention.name):
            return (Unknown("its class defines no such member"),)
        return ()

    resolve_imported = staticmethod(resolve_import)

    find_hidden_uses = staticmethod(find_hidden_submodules)

    values = staticmethod(infer_expression)

    values_at_binding = staticmethod(infer_binding)

    def receiver(self, mention: Mention) -> Node | None:
        attribute = nodes.parent_of(mention.node, "attribute")
        if attribute is None:
            return mention.node.prev_named_sibling  # of a dotted name in a pattern
        return find_part(attribute, "object")

    def is_set(self, mention: Mention) -> bool:
        """Return True if the attribute is the target of an assignment."""
        above = mention.node.parent
        while above is not None and above.parent is not None:
            holder = above.parent.type
            if holder in ("assignment", "augmented_assignment", "for_statement"):
                return nodes.is_part(above, "left")
            if holder not in ("pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern"):
                return holder == "as_pattern_target"
            above = above.parent
        return False

    def files_defining(self, resolver: Resolver, binding: Binding) -> Iterable[str]:
        """Return the class's own file, whose functions may define members (``self.x = ...``)."""
        return (binding.path,)

    def resolve_origin(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        if imports.has_alias(resolver, path, mention):
            return
        for each in imports.import_target(resolver, path, mention):
            if isinstance(each, Elsewhere) and not modules.is_library(resolver.files, each.what):
                yield Unknown(f"the origin of {each.what or 'it'} is unknown")
            else:
                yield each

    resolve_in_string = staticmethod(resolve_quoted)

    def replace_name(self, resolver: Resolver, path: str, mention: Mention, form: str, new: str) -> Splice:
        return mention.make_splice(new if form == "plain" else f"{mention.name} as {new}")

    def find_redeclarations(self, resolver: Resolver, binding: Binding) -> Iterator[Binding]:
        yield from stub_redeclarations(resolver, binding)
        yield from overload_redeclarations(resolver, binding)
        yield from pytest_fixtures.related_fixtures(resolver, binding)
        yield from dispatch_redeclarations(resolver, binding)
        yield from bindings_in(imports.star_redeclarations(resolver, binding))
        yield from bindings_in(overridden_parameters(resolver, binding))

    def is_open(self, resolver: Resolver, binding: Binding) -> bool:
        """Return True for a parameter of a method whose class has a base outside the tree."""
        return any(not isinstance(each, Binding) for each in overridden_parameters(resolver, binding))

    def is_request(self, resolver: Resolver, path: str, mention: Mention) -> bool:
        return bool(pytest_fixtures.requested_fixtures(resolver, path, mention))

    def external_value_reason(self, resolver: Resolver, place: Place) -> str:
        is_fixture = pytest_fixtures.is_plugin_fixture(resolver, place)
        return "pytest gives it what a fixture of this name is" if is_fixture else ""

    def new_name_effect(self, resolver: Resolver, place: Place, to: str) -> str:
        was, now = pytest_fixtures.is_collected(place), pytest_fixtures.is_collected(place, to)
        if was != now:
            return f"pytest collects it {'no longer' if was else 'from now on'}"
        is_new = type_annotations.is_special(to) and not type_annotations.is_special(place.mention.name)
        if is_new:
            return f"Python itself calls or reads {to}"
        return super().new_name_effect(resolver, place, to)

    printed_name_reason = staticmethod(debug_format_reason)

    def name_error(self, resolver: Resolver, places: Iterable[Place], to: str) -> str:
        """Return why a name may not change to ``to``: it would become private to several classes."""
        named = list(places)
        return classes.private_name_error(resolver, named, to) or super().name_error(resolver, named, to)

    iter_longer_words = staticmethod(mangled_names)

    def lookup_reason(self, resolver: Resolver, place: Place) -> str:
        if type_annotations.is_special(place.mention.name):
            return "the language knows it by this name"
        return (
            classes.field_specifier_reason(resolver, place)
            or strings.set_name_reason(resolver, place)
            or strings.dynamic_lookup_reason(resolver, place)
        )

    def overrides(self, resolver: Resolver, place: Place) -> bool:
        return type_annotations.is_special(place.mention.name) or is_builtin_member(resolver, place)

    keyword = staticmethod(resolve_keyword)

    def is_class_passed(self, node: Node) -> bool:
        around = nodes.value_holder(node, _VALUES)
        above = nodes.parent_of(around)
        called = find_part(above, "function")
        is_asked = called is not None and called.text in (b"isinstance", b"issubclass")
        return around is not None and not is_asked and nodes.type_of(above) != "class_definition"

    def bases(self, resolver: Resolver, of: Class) -> Iterator[Value]:
        for node in children_of(find_part(of.node, "superclasses")):
            if node.type not in ("keyword_argument", "comment"):
                yield from self._infer_base(resolver, of.path, node) or (_UNREAD,)

    def _infer_base(self, resolver: Resolver, path: str, node: Node) -> list[Value]:
        """Return the values of one base: of ``Generic[T]`` the class, of a list's item nothing."""
        bare = find_part(node, "value") if node.type == "subscript" else None
        if bare is None:
            return [*resolver.values(path, node)]
        is_object = nodes.text(resolver, path, bare) not in _BUILTIN
        return [
            each
            for each in resolver.values(path, bare)
            if isinstance(each, (Class, Elsewhere, Unknown))
            and not (is_object and each == Elsewhere("builtins"))
        ]

    function_as_class = staticmethod(find_function_class)

    def find_undeclared_members(self, resolver: Resolver, value: Value, name: str) -> Iterable[Meaning]:
        return (classes.find_missing_attribute(value, name),) if isinstance(value, Function) else ()

    method = staticmethod(method_of_parameter)

    def is_structural(self, resolver: Resolver, member: Binding) -> bool:
        return classes.may_define_protocols(resolver, member.path)

    fits_structurally = staticmethod(fits_protocol)

    find_passed_values = staticmethod(protocol_objects)

    module_member = staticmethod(imports.module_member)
