"""Java's answers to what ``resolve.py`` asks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.java import bindings, classes, names, overloads, packages, values
from gitscalpel.meaning.plain import Plain
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Binding, Class, Instance, Meaning, Module, Unknown, Value
from gitscalpel.syntax.occurrences import Mention, Scope
from gitscalpel.text.splice import Splice


class Java(Plain):
    """See :class:`gitscalpel.meaning.resolve.Dialect`."""

    def free(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """A type of the package, what is imported with others, or a package."""
        return names.free(resolver, path, mention)

    def opened(self, resolver: Resolver, path: str, scope: Scope, mention: Mention) -> Iterable[Meaning]:
        """What a class inherits."""
        return names.inherited(resolver, path, scope, mention)

    def extended(self, resolver: Resolver, path: str, mention: Mention, value: Value) -> Iterable[Meaning]:
        """The component of a record."""
        del path
        of = value.of if isinstance(value, Instance) else value
        found = classes.component(resolver, of, mention.name) if isinstance(of, Class) else None
        return () if found is None else (found,)

    def values(self, resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
        """What an expression may be worth."""
        return values.of(resolver, path, node)

    def bound(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
        """What a name is worth where it is bound."""
        return bindings.worth(resolver, path, mention)

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        """What stands before the dot."""
        above = mention.node.parent
        if above is not None and above.type == "generic_type":  # a.new B<>()
            above = above.parent
        if above is None:
            return None
        before = above.child_by_field_name("object") or above.child_by_field_name("scope")
        return before or above.named_children[0]

    def brings(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """What an import brings."""
        return packages.brings(resolver, path, mention)

    def twins(self, resolver: Resolver, binding: Binding) -> Iterable[Binding]:
        """The methods that a component of a record is one with."""
        return classes.accessors(resolver, binding)

    def overrides(self, resolver: Resolver, place: Place) -> bool:
        """Whether ``@Override`` says so, or ``Object`` has it."""
        del resolver
        return classes.overrides(place)

    def may_override(self, resolver: Resolver, one: Place, other: Place, *, exactly: bool) -> bool:
        """Return True if both may take the same."""
        return overloads.may_override(resolver, one, other, exactly=exactly)

    def choose_overloads(self, resolver: Resolver, use: Place, methods: Sequence[Place]) -> Sequence[Place]:
        """Return those that take what is given."""
        return overloads.choose_methods(resolver, use, methods)

    def respelled(self, resolver: Resolver, path: str, mention: Mention, form: str, new: str) -> Splice:
        """Import a second name of a class beside the first, if other overloads keep that."""
        statement = nodes.around(mention.node, "import_declaration")
        if form != "both" or statement is None:
            return super().respelled(resolver, path, mention, form, new)
        text = resolver.lexical(path).text
        line = text[statement.start_byte : mention.start].decode("utf-8", "surrogateescape")
        end = "\r\n" if b"\r\n" in text else "\n"
        return mention.renamed(f"{mention.name};{end}{line}{new}")

    def known(self, resolver: Resolver, place: Place) -> str:
        """Return the reason why the name of ``main``, or of the class that has it, is known outside."""
        is_started = place.mention.kind == "class" and classes.has_main(place.mention.node)
        return "what runs programs knows it by this name" if is_started else super().known(resolver, place)

    def keyword(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """A constant of the enum that a ``switch`` is about; an element of an annotation."""
        above = mention.node.parent
        holder = nodes.around(mention.node, "switch_expression", "annotation")
        if above is None or holder is None:
            return ()
        subject = holder.child_by_field_name("name") or holder.child_by_field_name("condition")
        found = [
            each
            for value in (resolver.values(path, subject) if subject is not None else ())
            for each in resolver.members(value, mention.name)
        ]
        if any(isinstance(each, Binding) for each in found) or above.type == "element_value_pair":
            return dict.fromkeys(found)
        plain = msgspec.structs.replace(mention, role="use", kind="value")
        named = [each for each in resolver.named(path, plain) if isinstance(each, Binding)]
        return named or found or (Unknown("nothing is known of what is looked at"),)

    def bases(self, resolver: Resolver, of: Class) -> Iterable[Value]:
        """What it extends and implements."""
        return classes.bases(resolver, of)

    def module_member(self, resolver: Resolver, module: Module, name: str) -> Iterable[Meaning]:
        """A type of a package, or a package in it."""
        return packages.member(resolver, module.path, name)
