"""Name resolution of Kotlin, with delegated members.

In ``class A : I by x { … }`` the grammar reads the body of the class as a lambda that is passed to
``x``. So a name that means something declared there cannot be resolved with certainty.
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
from gitscalpel.names.languages.kotlin import classes, values
from gitscalpel.names.languages.kotlin.classes import base_types, import_meanings, look_up_outside
from gitscalpel.names.languages.kotlin.scopes import SCOPES
from gitscalpel.names.languages.kotlin.values import binding_values, expression_values
from gitscalpel.names.resolver import Place, Resolver
from gitscalpel.syntax.occurrences import Mention, Scope
from gitscalpel.text.splice import Splice

_UP = ("statements", "lambda_literal", "annotated_lambda", "call_suffix", "call_expression")
_WHY = Unknown("it stands in the body of a class behind `by`, which the grammar takes for a lambda")


def doubt_delegated(resolver: Resolver, found: Iterable[Meaning]) -> Iterator[Meaning]:
    """What a name means, but for what is declared in such a body."""
    for each in found:
        yield _WHY if isinstance(each, Binding) and _is_inside(resolver, each) else each


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
    for kind in _UP:
        if above is None or above.type != kind:
            return False
        above = above.parent
    return above is not None and above.type == "explicit_delegation"


_IMPLICIT = frozenset({"field", "it"})
_LAMBDA = Unknown("the receiver of a lambda may have it")


class Kotlin(namespaced.NamespacedLanguage):
    """Imports, values and members of Kotlin."""

    rules = SCOPES

    def used(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """By scopes, classes, receivers, the package and imports."""
        return namespaced.look_up(resolver, path, mention, classes.look_up_outside, _between)

    free = staticmethod(look_up_outside)

    def extended(self, resolver: Resolver, path: str, mention: Mention, value: Value) -> Iterable[Meaning]:
        """Functions that extend a type; what has been found to be of another type has more members."""
        if isinstance(value, (Module, Unknown)):
            return ()
        found = list(_extending(resolver, mention.name))
        own = value.of if isinstance(value, Instance) else value
        if found and isinstance(own, Class):
            kinds = [resolver.values(binding.path, kind) for binding, kind in found]
            if all(len(each) == 1 and each[0] in resolver.ancestry(own) for each in kinds):
                return dict.fromkeys(binding for binding, _ in found)
        if value == values.LITERAL and not found:
            return ()
        return (Unknown("a check or a function that extends its type may give it that"),)

    imported = staticmethod(import_meanings)

    def brings(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """What an import brings."""
        return classes.import_meanings(resolver, path, mention) if mention.kind == "import" else ()

    def respelled(self, resolver: Resolver, path: str, mention: Mention, form: str, new: str) -> Splice:
        """The name; what an import brings from outside gets an alias."""
        return mention.renamed(f"{mention.name} as {new}" if form == "alias" else new)

    values = staticmethod(expression_values)

    bound = staticmethod(binding_values)

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        """What stands before the dot."""
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

    def parts(self, resolver: Resolver, of: Class) -> Iterable[Class]:
        """Its other declarations (``expect``, ``actual``)."""
        key = ("parts", of.path, of.scope)
        return resolver.once(key, lambda: dict.fromkeys(classes.other_parts(resolver, of)), ())

    bases = staticmethod(base_types)

    def twins(self, resolver: Resolver, binding: Binding) -> Iterable[Binding]:
        """What its package declares under the same name."""
        return resolver.once(("twins", binding), lambda: classes.same_in_package(resolver, binding), ())

    def settled(
        self, resolver: Resolver, path: str, mention: Mention, found: tuple[Meaning, ...]
    ) -> Iterable[Meaning]:
        """What is taken of a class by its name (``A.f``, not ``A::f``) is what its companion has."""
        above = mention.node.parent
        if mention.role == "member" and above is not None and above.type == "navigation_suffix":
            receiver = self.receiver(mention)
            own = (
                classes.companion_member(resolver, path, receiver, mention.name)
                if receiver is not None
                else []
            )
            return dict.fromkeys(own) or found
        return doubt_delegated(resolver, super().settled(resolver, path, mention, found))

    def overridden(self, resolver: Resolver, binding: Binding, member: Binding) -> bool:
        """A class does not override what its companion has."""
        if classes.is_of_companion(resolver, member) != classes.is_of_companion(resolver, binding):
            return False
        return super().overridden(resolver, binding, member)

    def module_member(self, resolver: Resolver, module: Module, name: str) -> Iterable[Meaning]:
        """Packages are no values here."""
        return (Unknown("it stands behind the name of a package"),)

    def parameters(self, resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
        """Return the parameters of that name of all that may be called."""
        call = nodes.ancestor(mention.node, "call_expression", "constructor_invocation")
        for value in resolver.values(path, call.named_children[0]) if call is not None else ():
            of = value.of if isinstance(value, Instance) else value
            given = (*_PRIMARY, *_SECONDARY) if isinstance(of, Class) else _SECONDARY
            if not isinstance(of, (Class, Function)):
                yield of if isinstance(of, Unknown) else Elsewhere("a library")
                continue
            found = False
            for listed in (each for each in of.node.named_children if each.type in given):
                for each in listed.named_children:
                    name = next((one for one in each.named_children if one.type == "simple_identifier"), None)
                    if name is not None and nodes.text(resolver, of.path, name) == mention.name:
                        found = True
                        yield from resolver.written(of.path, nodes.mention(resolver, of.path, name))
            if not found:
                yield Unknown("what is called says no such parameter here")

    def overrides(self, resolver: Resolver, place: Place) -> bool:
        """Whether ``override`` stands before it."""
        return nodes.has_modifier(place.mention.node, "override")

    def unfit(self, resolver: Resolver, places: Iterable[Place], to: str) -> str:
        """Operators are called by their signs."""
        for each in places:
            above = each.mention.node.parent
            words = above.children[0].text if above is not None and each.mention.kind == "function" else b""
            if each.mention.role == "bind" and b"operator" in (words or b"").split():
                return f"{each.mention.name} in {each.path} is an operator, and called by its sign"
        return super().unfit(resolver, places, to)


def _between(resolver: Resolver, path: str, scope: Scope, mention: Mention) -> Iterable[Meaning]:
    """What the receiver of a lambda, or of a function that extends a type, may have."""
    if mention.kind == "type":
        return ()
    if mention.name in _IMPLICIT and scope.node.type in ("getter", "setter", "lambda_literal"):
        return (Unknown("the language names it so here"),)
    if scope.node.type == "lambda_literal":
        return (_LAMBDA,) if classes.may_have_receiver(scope.node) else ()
    holder = scope.node
    if holder.type in ("getter", "setter"):
        before = holder.prev_named_sibling
        is_beside = before is not None and before.type == "property_declaration"
        holder = (before if is_beside else holder.parent) or holder
    kind = classes.extended_type(holder)
    if kind is None or kind.start_byte <= mention.start < kind.end_byte:
        return ()
    found = [each for value in resolver.values(path, kind) for each in _had(resolver, value, mention)]
    return namespaced.fitting_meanings(resolver, mention, found)


def _had(resolver: Resolver, value: Value, mention: Mention) -> Iterable[Meaning]:
    if isinstance(value, Class):
        return namespaced.inherited_members(resolver, value, mention)
    return () if value == values.LITERAL else (Unknown("what it extends may have it"),)


def _extending(resolver: Resolver, name: str) -> Iterator[tuple[Binding, tree_sitter.Node]]:
    for path in namespaced.files_with(resolver, classes.NAMESPACE_RULES, name):
        for mention in resolver.lexical(path).of(name):
            above = nodes.ancestor(mention.node, "function_declaration", "property_declaration")
            kind = classes.extended_type(above) if mention.role == "bind" and above is not None else None
            if kind is not None and mention.kind in ("function", "property"):
                for each in resolver.written(path, mention):
                    if isinstance(each, Binding):
                        yield each, kind


_PRIMARY = ("primary_constructor",)
_SECONDARY = ("function_value_parameters",)
