"""Rust's answers to what ``resolve.py`` asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning.plain import Plain
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.rust import (
    bindings,
    classes,
    debug_output,
    derived,
    given,
    lifetimes,
    modules,
    names,
    selves,
    spelling,
    trees,
    uses,
    values,
    words,
)
from gitscalpel.meaning.things import WHOLE, Binding, Class, Instance, Meaning, Module, Unknown, Value
from gitscalpel.syntax.occurrences import Mention, Scope
from gitscalpel.text.splice import Splice


class Rust(Plain):
    """See :class:`gitscalpel.meaning.resolve.Dialect`."""

    def free(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """A macro of another file, a crate, or what is not of the tree."""
        return names.free(resolver, path, mention)

    def opened(self, resolver: Resolver, path: str, scope: Scope, mention: Mention) -> Iterable[Meaning]:
        """What a ``use`` begins with, and what globs bring."""
        return names.opened(resolver, path, scope, mention)

    def extended(self, resolver: Resolver, path: str, mention: Mention, value: Value) -> Iterable[Meaning]:
        """What a trait of the tree may give to any type."""
        receiver = self.receiver(mention)
        is_open = not isinstance(value, (Unknown, Module)) and not self.is_set(mention)
        if receiver is None or not is_open or _is_field(mention):
            return ()
        return given.by_traits(resolver, path, mention, receiver)

    def imported(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """The module that ``self`` in a path is; other names there are members of what stands before them."""
        return selves.module(resolver, path, mention)

    def values(self, resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
        """What an expression may be worth."""
        return values.of(resolver, path, node)

    def bound(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
        """What a name is worth where it is bound."""
        return bindings.worth(resolver, path, mention)

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        """What stands before the dot or ``::``; the type or trait whose item is defined."""
        block = classes.implements(mention)
        above = mention.node.parent
        if block is not None:
            return block.child_by_field_name("trait") or block.child_by_field_name("type")
        if above is None or above.type in ("scoped_identifier", "scoped_type_identifier"):
            return above and above.child_by_field_name("path")
        if above.type == "field_expression":
            return mention.node if _is_field(mention) else above.child_by_field_name("value")
        if above.type == "type_binding":
            return words.around(above, "generic_type")
        return above.parent

    def is_set(self, mention: Mention) -> bool:
        """Whether it is defined in an ``impl``."""
        return classes.implements(mention) is not None

    def definers(self, resolver: Resolver, binding: Binding) -> Iterable[str]:
        """The files that may hold an ``impl`` of the type or trait."""
        return classes.definers(resolver, binding)

    def brings(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """What a ``use`` without ``as`` binds."""
        return () if uses.is_new(mention) else uses.origin(resolver, path, mention)

    def key(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """The field that ``S { x }`` names as well."""
        above = mention.node.parent
        holder = above.parent if above is not None else None
        found: list[Meaning] = []
        for value in resolver.values(path, holder) if holder is not None else ():
            of = value.of if isinstance(value, Instance) else value
            found += resolver.members(value, mention.name) or (
                [resolver.of_class(of, mention.name)] if isinstance(of, Class) else []
            )
        return found or (Unknown("nothing is known of what has it"),)

    def quoted(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """``{x}`` in a format."""
        return trees.quoted(resolver, path, mention)

    def respelled(self, resolver: Resolver, path: str, mention: Mention, form: str, new: str) -> Splice:
        """``new: old`` for a field, ``old: new`` for what it holds, ``old as new`` for an import."""
        return (
            selves.respelled(mention, new)
            or lifetimes.declared(resolver, path, mention, new)
            or spelling.respelled(mention, form, new)
        )

    def holder(self, resolver: Resolver, path: str, mention: Mention) -> object:
        """The type for which a trait's item is defined or used."""
        return given.holder(resolver, path, mention, self.receiver(mention))

    def bare(self, mention: Mention, wished: str) -> str:
        """The name of a lifetime or label."""
        return wished.removeprefix("'") if mention.kind in ("lifetime", "label") else wished

    def unfit(self, resolver: Resolver, places: Iterable[Place], to: str) -> str:
        """A receiver may become a parameter, a parameter the receiver; what nobody uses may be blank."""
        named = list(places)
        return selves.unfit(resolver, named, to) or lifetimes.unfit(resolver, named, to)

    def known(self, resolver: Resolver, place: Place) -> str:
        """Return why derived code, or what runs programs, knows a name."""
        why = derived.why(place) or debug_output.find_reason(resolver, place)
        return why or super().known(resolver, place)

    def twins(self, resolver: Resolver, binding: Binding) -> Iterator[Binding]:
        """A module's name and its file; what has one name under several conditions."""
        for place in resolver.binders(binding) if binding.scope != WHOLE and binding.kind != "class" else ():
            yield from names.otherwise(resolver, place)
            item = place.mention.node.parent
            if place.mention.kind == "mod" and item is not None and item.child_by_field_name("body") is None:
                module = modules.declared(resolver, place.path, item)
                if module is not None:
                    yield Binding(module.path, WHOLE, "rust", binding.name)

    def keyword(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """A word of a macro call."""
        return trees.meant(resolver, path, mention)

    def bases(self, resolver: Resolver, of: Class) -> Iterable[Value]:
        """Traits that a type implements, or a trait or parameter names."""
        return classes.bases(resolver, of)

    def module_member(self, resolver: Resolver, module: Module, name: str) -> Iterable[Meaning]:
        """An item of a module."""
        return names.member(resolver, module, name)


def _is_field(mention: Mention) -> bool:
    """Whether a member after a dot is not called."""
    above = mention.node.parent
    if above is None or above.type != "field_expression":
        return False
    called = above.parent
    if called is not None and called.type == "generic_function":
        return False
    return called is None or called.type != "call_expression" or not words.is_field(above, called, "function")
