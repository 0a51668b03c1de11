"""Go's answers to what ``resolve.py`` asks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning.go import (
    bindings,
    comments,
    embedded,
    fields,
    literals,
    methods,
    names,
    packages,
    tests,
    types,
    values,
)
from gitscalpel.meaning.plain import Plain
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import (
    WHOLE,
    Binding,
    Class,
    Elsewhere,
    Instance,
    Meaning,
    Module,
    Unknown,
    Value,
)
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text.splice import Splice

_TESTS = re.compile("(?:Test|Benchmark|Fuzz|Example)(?![a-z])")

_CHOSEN = (Unknown("its type is chosen elsewhere"),)


class Go(Plain):
    """See :class:`gitscalpel.meaning.resolve.Dialect`."""

    def free(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """A name of the package, of an import, or of the language."""
        return names.free(resolver, path, mention)

    def extended(self, resolver: Resolver, path: str, mention: Mention, value: Value) -> Iterable[Meaning]:
        """Return the field that an embedded type is, or what a type has that is chosen for a parameter."""
        del path
        found = tuple(embedded.named(resolver, value, mention.name))
        # An interface has no fields: a type that it constrains has them.
        return found or (_CHOSEN if _is_interface(resolver, value) and not _is_called(mention) else ())

    def lacking(self, resolver: Resolver, value: Value, name: str) -> Iterable[Meaning]:
        """Return what a type that is chosen for a parameter may have beside what its constraint asks for."""
        return _CHOSEN if _is_interface(resolver, value) else super().lacking(resolver, value, name)

    def values(self, resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
        """What an expression may be worth."""
        return values.of(resolver, path, node)

    def bound(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
        """What a name is worth where it is bound."""
        return bindings.worth(resolver, path, mention)

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        """What stands before the dot; the type of which a method is defined."""
        above = mention.node.parent
        if above is None or above.type == "method_declaration":
            return methods.defined(mention.node)
        return above.child_by_field_name("operand") or above.child_by_field_name("package")

    def is_set(self, mention: Mention) -> bool:
        """Whether it is the name of a method."""
        return methods.defined(mention.node) is not None

    def definers(self, resolver: Resolver, binding: Binding) -> Iterable[str]:
        """The files of the package with the word."""
        return packages.files(resolver, binding.path, binding.name)

    def respelled(self, resolver: Resolver, path: str, mention: Mention, form: str, new: str) -> Splice:
        """The name; that of a package is said where it is imported, unless it is the package's own."""
        del form
        return packages.respelled(resolver, path, mention, new)

    def implied(self, resolver: Resolver, path: str, word: str) -> Iterable[Mention]:
        """An import without a name, of a package that is called so."""
        return packages.implied(resolver, path, word)

    def sees(self, resolver: Resolver, path: str, binding: Binding) -> bool:
        """What begins with a capital, and all in its own package; what tests define, in tests."""
        if not packages.is_test(path) and all(packages.is_test(p) for p, _ in resolver.binders(binding)):
            return False
        return binding.name[:1].isupper() or packages.is_one(resolver, path, binding.path)

    def besides(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[tuple[Binding, str]]:
        """What tests define nearer, of which what they are compiled with knows nothing."""
        return tests.nearer(resolver, path, mention)

    def customary(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Place]:
        """The receivers of a type's other methods."""
        return methods.receivers(resolver, path, mention)

    def twins(self, resolver: Resolver, binding: Binding) -> Iterator[Binding]:
        """What other files of the package declare under the name; methods of interfaces and their types."""
        yield from methods.twins(resolver, binding)
        yield from fields.twins(resolver, binding)
        if binding.kind == "module" and binding.scope != WHOLE:
            # No file of a package may import under a name that another one declares: there it would be one.
            files = packages.files(resolver, binding.path, binding.name)
            others = [path for path in files if path != binding.path]
            yield from packages.declared(resolver, others, binding.name)

    def known(self, resolver: Resolver, place: Place) -> str:
        """What the library calls, and what tests are."""
        if packages.is_test(place.path) and _TESTS.match(place.mention.name):
            return "what runs tests knows it by this name"
        is_local = place.mention.kind not in ("func", "member", "name", "")
        return "" if is_local else super().known(resolver, place) or fields.encoded(resolver, place)

    def is_open(self, resolver: Resolver, binding: Binding) -> bool:
        """What an interface asks for, which types from outside may have."""
        return methods.is_asked(resolver, binding)

    def quoted(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """The package in the path of an import, and what a comment above a declaration begins with."""
        return names.documented(resolver, path, mention)

    def begun(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """What is declared under a comment: its name is the first word there."""
        return comments.begun(resolver, path, mention) if mention.role == "comment" else ()

    def keyword(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """A key of what is written out."""
        return literals.meant(resolver, path, mention)

    def bases(self, resolver: Resolver, of: Class) -> Iterable[Value]:
        """What it consists of, and what is embedded."""
        return methods.bases(resolver, of)

    def module_member(self, resolver: Resolver, module: Module, name: str) -> Iterable[Meaning]:
        """What a package exports."""
        return packages.member(resolver, module, name) or (Elsewhere("it is not exported"),)


def _is_interface(resolver: Resolver, value: Value) -> bool:
    kinds = types.underlying(resolver, value) if isinstance(value, Instance) else ()
    return any(isinstance(each, Class) and each.node.type == "interface_type" for each in kinds)


def _is_called(mention: Mention) -> bool:
    selected = mention.node.parent
    call = selected.parent if selected is not None else None
    return call is not None and call.child_by_field_name("function") == selected
