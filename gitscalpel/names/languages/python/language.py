"""Name resolution of Python."""

from __future__ import annotations

import builtins
from collections.abc import Collection, Iterable, Iterator

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
from gitscalpel.names.language import PassedValue
from gitscalpel.names.language_defaults import DefaultDialect
from gitscalpel.names.languages.python import (
    classes,
    imports,
    modules,
    name_nodes,
    parameters,
    pytest_fixtures,
    redeclarations,
    strings,
    values,
)
from gitscalpel.names.resolver import Place, Resolver
from gitscalpel.syntax.occurrences import Mention, Scope
from gitscalpel.text.splice import Splice

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


class Python(DefaultDialect):
    """See :class:`gitscalpel.names.resolver.Dialect`."""

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
        del path
        holder = value.of if isinstance(value, Instance) else value
        is_own = mention.name.startswith("__")  # ``__dict__``, ``__class__``: what every object has
        if isinstance(holder, Class) and not is_own and not resolver.members(value, mention.name):
            return (Unknown("its class defines no such thing"),)
        return ()

    def imported(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """What a name in an import statement leads to."""
        return imports.resolve_import(resolver, path, mention)

    def hidden(
        self, resolver: Resolver, members: Collection[Binding], name: str
    ) -> Iterable[tuple[Place, str]]:
        """Modules in the folder of a package that has one of these."""
        return imports.find_hidden_submodules(resolver, members, name)

    def values(self, resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
        """What an expression may be worth."""
        return values.infer_expression(resolver, path, node)

    def bound(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
        """What a name is worth where it is bound."""
        return values.infer_binding(resolver, path, mention)

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
        del resolver
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

    def quoted(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """A name in ``__all__``, or in an annotation in quotes."""
        return strings.resolve_quoted(resolver, path, mention)

    def respelled(self, resolver: Resolver, path: str, mention: Mention, form: str, new: str) -> Splice:
        """``new``, or ``x as new``: Python has no other form."""
        del resolver, path
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

    def shown(self, resolver: Resolver, place: Place) -> str:
        """Return why a use prints its own name (``f"{x=}"``)."""
        return strings.debug_format_reason(resolver, place)

    def unfit(self, resolver: Resolver, places: Iterable[Place], to: str) -> str:
        """Nor is what would be the own name of several classes."""
        named = list(places)
        return classes.private_name_error(resolver, named, to) or super().unfit(resolver, named, to)

    def spelt(self, resolver: Resolver, binding: Binding) -> Iterable[tuple[str, str]]:
        """What a class has for itself, as others say it."""
        return classes.mangled_names(resolver, binding)

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

    def keyword(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """The parameter of the function, or the field of the class, that is called."""
        return parameters.resolve_keyword(resolver, path, mention)

    def hands(self, node: tree_sitter.Node) -> bool:
        """As an argument that is not only asked about, in what is returned or assigned."""
        around = nodes.value_holder(node, _VALUES)
        above = around.parent if around is not None else None
        called = above.child_by_field_name("function") if above is not None else None
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

    def made(self, function: Function) -> Class | None:
        """Return what holds the attributes that are set on a function."""
        return classes.find_function_class(function)

    def lacking(self, resolver: Resolver, value: Value, name: str) -> Iterable[Meaning]:
        """Return what a function may have beside the attributes that its file sets."""
        del resolver
        return (classes.find_missing_attribute(value, name),) if isinstance(value, Function) else ()

    def method(self, resolver: Resolver, binding: Binding) -> Binding | None:
        """Return the method of a parameter that a keyword may name."""
        return redeclarations.method_of_parameter(resolver, binding)

    def asks(self, resolver: Resolver, member: Binding) -> bool:
        """That of a protocol."""
        return classes.may_define_protocols(resolver, member.path)

    def fits(self, resolver: Resolver, given: Class, asked: Class) -> bool:
        """What has all that a protocol asks for."""
        return classes.fits_protocol(resolver, given, asked)

    def handed(self, resolver: Resolver, asked: Class) -> Iterable[PassedValue]:
        """Whatever fits a protocol may be."""
        return classes.protocol_objects(resolver, asked)

    def module_member(self, resolver: Resolver, module: Module, name: str) -> Iterable[Meaning]:
        """A name that the module binds, one of its modules, or what it has by a star import."""
        return imports.module_member(resolver, module, name)
