"""C's and C++'s answers to what ``resolve.py`` asks."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import tree_sitter

from gitscalpel.meaning.c import (
    arguments,
    bindings,
    classes,
    linkage,
    macros,
    names,
    receivers,
    spaces,
    values,
)
from gitscalpel.meaning.plain import Plain
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Class, Elsewhere, Instance, Meaning, Module, Unknown, Value
from gitscalpel.syntax.occurrences import Mention, Scope


class C(Plain):
    """See :class:`gitscalpel.meaning.resolve.Linking`."""

    def used(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """By its scopes, wherever they go on."""
        return names.used(resolver, path, mention)

    def settled(
        self, resolver: Resolver, path: str, mention: Mention, found: tuple[Meaning, ...]
    ) -> Iterable[Meaning]:
        """Of several functions the one that is called; doubtful, where macros are."""
        if mention.role == "fragment":
            return macros.fragment(resolver, path, mention)
        if mention.role in ("comment", "string", "text", "label"):
            return found
        if mention.role == "bind" and mention.kind == "macro":
            return found
        chosen = arguments.chosen(resolver, path, mention, receivers.visible(resolver, path, mention, found))
        return receivers.doubted(resolver, path, mention, tuple(dict.fromkeys(chosen)))

    def akin(self, resolver: Resolver, binding: Binding) -> Iterable[Binding]:
        """What a linker may join with it."""
        return linkage.akin(resolver, binding)

    def overridden(self, resolver: Resolver, binding: Binding, member: Binding) -> bool:
        """Whether it takes the place of a virtual function."""
        return linkage.overridden(resolver, binding, member)

    def free(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """Names that no scope of their file binds are looked up with all others."""
        return names.used(resolver, path, mention)

    def opened(self, resolver: Resolver, path: str, scope: Scope, mention: Mention) -> Iterable[Meaning]:
        """What a scope has without binding it."""
        return names.opened(resolver, path, scope, mention)

    def extended(self, resolver: Resolver, path: str, mention: Mention, value: Value) -> Iterable[Meaning]:
        """A class's own name; what an enum gives to the scope around it; a base's initialiser."""
        of = value.of if isinstance(value, Instance) else value
        found = tuple(classes.injected(resolver, of, mention.name)) if isinstance(of, Class) else ()
        if not found and isinstance(of, Class):
            found = tuple(classes.inherited(resolver, of, mention.name))
        above = mention.node.parent
        while not found and above is not None and above.type == "template_method":
            above = above.parent
        if not found and above is not None and above.type == "field_initializer":
            return names.used(resolver, path, msgspec.structs.replace(mention, role="use", kind="type"))
        return found

    def values(self, resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
        """What an expression may be worth."""
        return values.of(resolver, path, node)

    def bound(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
        """What a name is worth where it is bound."""
        return bindings.worth(resolver, path, mention)

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        """What stands before the sign."""
        return receivers.of(mention)

    def twins(self, resolver: Resolver, binding: Binding) -> Iterable[Binding]:
        """What else declares the same."""
        return resolver.once(("twins", binding), lambda: linkage.twins(resolver, binding), ())

    def taken(self, resolver: Resolver, of: Class, name: str) -> Iterable[Meaning]:
        """What ``using`` brings into a class beside its own."""
        return classes.taken(resolver, of, name)

    def bringing(self, resolver: Resolver, path: str, name: str) -> Iterable[tuple[str, tree_sitter.Node]]:
        """What ``using`` declares."""
        return spaces.bringing(resolver, path, name)

    def bases(self, resolver: Resolver, of: Class) -> Iterable[Value]:
        """What a class inherits from."""
        return classes.bases(resolver, of)

    def module_member(self, resolver: Resolver, module: Module, name: str) -> Iterable[Meaning]:
        """What a namespace has under a name."""
        found = [each for each in spaces.declared(resolver, module.path, name) if each.kind != "macro"]
        enums = spaces.enums_of_space(resolver, module.path) if not found else ()
        brought = [one for each in enums for one in classes.of_enum(resolver, *each, name)]
        if brought:
            return brought
        if not found and module.path and macros.opens(resolver, module.path.rpartition("::")[2]):
            return (Unknown("a macro opens that namespace, and may do so around it"),)
        if not found and spaces.is_opened_to(resolver, module.path):
            return (Unknown("that namespace takes in another one"),)
        if not found:
            return (Elsewhere("nothing in the tree has it"),)
        return [*(each.binding for each in found), *spaces.brought(resolver, None, module.path, name)]
