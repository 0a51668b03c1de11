"""Name resolution of Python."""

from __future__ import annotations

import builtins
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
    Unknown,
    Value,
)
from gitscalpel.names.languages.python import (
    classes,
    imports,
    modules,
    name_nodes,
    parameters,
    pytest_fixtures,
    redeclarations,
    strings,
)
from gitscalpel.names.languages.python.classes import (
    find_function_class,
    fits_protocol,
    mangled_names,
    protocol_objects,
)
from gitscalpel.names.languages.python.imports import find_hidden_submodules, resolve_import
from gitscalpel.names.languages.python.parameters import resolve_keyword
from gitscalpel.names.languages.python.redeclarations import method_of_parameter
from gitscalpel.names.languages.python.strings import debug_format_reason, resolve_quoted
from gitscalpel.names.languages.python.values import infer_binding, infer_expression
from gitscalpel.names.nodes import find_part
from gitscalpel.names.resolver import Language, Place, Resolver
from gitscalpel.names.scope_rules import Scoping
from gitscalpel.syntax.occurrences import Mention, Scope
from gitscalpel.text.splice import Splice

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
        """A name that a star import brings, a built-in one, or one of the module that nothing binds."""
        found = imports.star_members(resolver, path, mention.name, imports.lookup_position(mention))
        if found:
            return found
        if mention.name in _BUILTIN or mention.name in _MODULE_NAMES:
            return (Elsewhere("builtins"),)
        return (Unknown("nothing here defines it"),)

    def filled(
        self, resolver: Resolver, path: str, mention: Mention, scope: Scope, own: list[Meaning]
    ) -> Iterable[Meaning]:
        """What a star import brings may be had as well under a name that the module binds."""
        if scope.kind != "module" or not imports.star_statements(resolver.lexical(path).syntax):
            return own
        return imports.resolve_starred(resolver, path, mention, scope, own)

    def extended(self, resolver: Resolver, path: str, mention: Mention, value: Value) -> Iterable[Meaning]:
        """What nothing defines in its class: that of whoever inherits from it, or is mixed with it."""
        holder = value.of if isinstance(value, Instance) else value
        is_own = mention.name.startswith("__")  # ``__dict__``, ``__class__``: what every object has
        if isinstance(holder, Class) and not is_own and not resolver.members(value, mention.name):
            return (Unknown("its class defines no such thing"),)
        return ()

    imported = staticmethod(resolve_import)

    hidden = staticmethod(find_hidden_submodules)

    values = staticmethod(infer_expression)

    bound = staticmethod(infer_binding)

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        """What stands before the dot."""
        above = mention.node.parent
        if above is None or above.type != "attribute":
            return mention.node.prev_named_sibling  # of a dotted name in a pattern
        return above.child_by_field_name("object")

    def is_set(self, mention: Mention) -> bool:
        """Whether it is the target of an assignment."""
        above = mention.node.parent
        while above is not None and above.parent is not None:
            holder = above.parent
            if holder.type in ("assignment", "augmented_assignment", "for_statement"):
                left = holder.child_by_field_name("left")
                return left is not None and left.id == above.id
            if holder.type == "as_pattern_target":
                return True
            if holder.type not in ("pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern"):
                return False
            above = holder
        return False

    def definers(self, resolver: Resolver, binding: Binding) -> Iterable[str]:
        """Its own file: in functions of its own (``self.x = …``), or of others that know the class."""
        return (binding.path,)

    def brings(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """What an import without an alias binds."""
        if imports.has_alias(resolver, path, mention):
            return
        for each in imports.import_target(resolver, path, mention):
            if isinstance(each, Elsewhere) and not modules.is_library(resolver.files, each.what):
                yield Unknown(f"nothing says where {each.what or 'it'} comes from")
            else:
                yield each

    quoted = staticmethod(resolve_quoted)

    def respelled(self, resolver: Resolver, path: str, mention: Mention, form: str, new: str) -> Splice:
        """``new``, or ``x as new``: Python has no other form."""
        return mention.renamed(new if form == "plain" else f"{mention.name} as {new}")

    def twins(self, resolver: Resolver, binding: Binding) -> Iterator[Binding]:
        """The same name in a stub, in overloads; what a star brings; what a parameter overrides."""
        yield from redeclarations.stub_redeclarations(resolver, binding)
        yield from redeclarations.overload_redeclarations(resolver, binding)
        yield from pytest_fixtures.related_fixtures(resolver, binding)
        yield from redeclarations.dispatch_redeclarations(resolver, binding)
        for each in (
            *imports.star_redeclarations(resolver, binding),
            *redeclarations.overridden_parameters(resolver, binding),
        ):
            if isinstance(each, Binding):
                yield each

    def is_open(self, resolver: Resolver, binding: Binding) -> bool:
        """Whether it is a parameter of a method whose class has a base outside of the tree."""
        return any(
            not isinstance(each, Binding) for each in redeclarations.overridden_parameters(resolver, binding)
        )

    def requests(self, resolver: Resolver, path: str, mention: Mention) -> bool:
        """Return True for the parameter of a test or fixture that requests a fixture."""
        return bool(pytest_fixtures.requested_fixtures(resolver, path, mention))

    def given(self, resolver: Resolver, place: Place) -> str:
        """Return why the parameter of a test or fixture has its name from a plugin of pytest."""
        return (
            "pytest gives it what a fixture of this name is"
            if pytest_fixtures.is_given(resolver, place)
            else ""
        )

    def becomes(self, resolver: Resolver, place: Place, to: str) -> str:
        """Return what Python or pytest makes of a name that they call, or no longer call."""
        was, now = pytest_fixtures.is_collected(place), pytest_fixtures.is_collected(place, to)
        if was != now:
            return f"pytest collects it {'no longer' if was else 'from now on'}"
        is_new = name_nodes.is_special(to) and not name_nodes.is_special(place.mention.name)
        if is_new:
            return f"Python itself calls or reads {to}"
        return super().becomes(resolver, place, to)

    shown = staticmethod(debug_format_reason)

    def unfit(self, resolver: Resolver, places: Iterable[Place], to: str) -> str:
        """Nor is what would be the own name of several classes."""
        named = list(places)
        return classes.private_name_error(resolver, named, to) or super().unfit(resolver, named, to)

    spelt = staticmethod(mangled_names)

    def known(self, resolver: Resolver, place: Place) -> str:
        """A parameter that type checkers know, a name that the language reads, or that is put together."""
        if name_nodes.is_special(place.mention.name):
            return "the language knows it by this name"
        return (
            parameters.field_specifier_reason(resolver, place)
            or strings.set_name_reason(resolver, place)
            or strings.dynamic_lookup_reason(resolver, place)
        )

    def overrides(self, resolver: Resolver, place: Place) -> bool:
        """What the language calls (``__init__``), or one of its own classes has."""
        return name_nodes.is_special(place.mention.name) or redeclarations.is_builtin_member(resolver, place)

    keyword = staticmethod(resolve_keyword)

    def hands(self, node: tree_sitter.Node) -> bool:
        """As an argument that is not only asked about, in what is returned or assigned."""
        around = nodes.value_holder(node, _VALUES)
        above = around.parent if around is not None else None
        called = find_part(above, "function")
        is_asked = called is not None and called.text in (b"isinstance", b"issubclass")
        return around is not None and not is_asked and (above is None or above.type != "class_definition")

    def bases(self, resolver: Resolver, of: Class) -> Iterator[Value]:
        """What stands in its brackets, and for which classes these stand."""
        given = of.node.child_by_field_name("superclasses")
        for node in given.named_children if given else ():
            if node.type in ("keyword_argument", "comment"):
                continue
            yield from self._base(resolver, of.path, node) or (_UNREAD,)

    def _base(self, resolver: Resolver, path: str, node: tree_sitter.Node) -> list[Value]:
        """What one word of these stands for: of ``Generic[T]`` it is the class, of a list's item nothing."""
        bare = node.child_by_field_name("value") if node.type == "subscript" else None
        if bare is None:
            return [*resolver.values(path, node)]
        found = [
            each for each in resolver.values(path, bare) if isinstance(each, (Class, Elsewhere, Unknown))
        ]
        is_object = nodes.text(resolver, path, bare) not in _BUILTIN
        return [each for each in found if not (is_object and each == Elsewhere("builtins"))]

    made = staticmethod(find_function_class)

    def lacking(self, resolver: Resolver, value: Value, name: str) -> Iterable[Meaning]:
        """Return what a function may have beside the attributes that its file sets."""
        return (classes.find_missing_attribute(value, name),) if isinstance(value, Function) else ()

    method = staticmethod(method_of_parameter)

    def asks(self, resolver: Resolver, member: Binding) -> bool:
        """That of a protocol."""
        return classes.may_define_protocols(resolver, member.path)

    fits = staticmethod(fits_protocol)

    handed = staticmethod(protocol_objects)

    module_member = staticmethod(imports.module_member)
