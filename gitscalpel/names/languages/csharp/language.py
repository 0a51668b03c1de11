"""Name resolution of C#, with the receivers of members.

The receiver of a member is the expression before the dot, or the type that is created, matched or
implemented.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec
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
from gitscalpel.names.languages.csharp import classes
from gitscalpel.names.languages.csharp.classes import base_types, look_up_outside
from gitscalpel.names.languages.csharp.scopes import SCOPES
from gitscalpel.names.languages.csharp.values import binding_values, expression_values
from gitscalpel.names.resolver import Place, Resolver
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text.splice import Splice


def receiver_of(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The expression or type of which a name's node is a member."""
    above = node.parent
    if above is not None and above.type == "generic_name":
        above = above.parent
    read = _READ.get(above.type) if above is not None else None
    if above is None or read is not None:
        return read(above) if read is not None and above is not None else None
    return above.child_by_field_name("expression") or above.child_by_field_name("qualifier")


def _implemented(above: tree_sitter.Node) -> tree_sitter.Node | None:
    explicit = next((each for each in above.children if each.type == "explicit_interface_specifier"), None)
    return explicit.named_children[0] if explicit is not None else None


def _asked(above: tree_sitter.Node) -> tree_sitter.Node | None:
    access = nodes.ancestor(above, "conditional_access_expression")
    return access.child_by_field_name("condition") if access is not None else None


def _changed(above: tree_sitter.Node) -> tree_sitter.Node | None:
    return above.parent.named_children[0] if above.parent is not None else None


def _made(above: tree_sitter.Node) -> tree_sitter.Node | None:
    """What an initializer is of."""
    listed = above.parent
    made = listed.parent if listed is not None else None
    if made is not None and made.type == "assignment_expression":
        return made.child_by_field_name("left")
    is_made = made is not None and made.type == "object_creation_expression"
    return made if is_made else None


def _matched(part: tree_sitter.Node) -> tree_sitter.Node | None:
    """What a pattern is held against: by its type, else by what stands before ``is``."""
    pattern = nodes.ancestor(part, "recursive_pattern")
    kind = pattern.child_by_field_name("type") if pattern is not None else None
    if pattern is None or kind is not None:
        return kind
    test = pattern.parent
    return (
        test.child_by_field_name("expression")
        if test is not None and test.type == "is_pattern_expression"
        else None
    )


_READ: Mapping[str, Callable[[tree_sitter.Node], tree_sitter.Node | None]] = {
    **dict.fromkeys(("method_declaration", "property_declaration", "event_declaration"), _implemented),
    "member_binding_expression": _asked,
    "assignment_expression": _made,
    "with_initializer": _changed,
    "subpattern": _matched,
}
"""Where it is found, by what stands around the name."""


_GIVEN = Unknown("a tuple, or an object without a type, takes its name from it")
_BOTH = Unknown("it is a type and what has it at once")


class CSharp(namespaced.NamespacedLanguage):
    """Imports, values and members of C#."""

    rules = SCOPES

    def used(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """By scopes, types and namespaces; what stands before a dot may be an object or a type."""
        if classes.is_implied(mention):
            return (Elsewhere("the accessor around it"),)
        if mention.kind != "any":
            return namespaced.look_up(resolver, path, mention, classes.look_up_outside)
        kinds = (msgspec.structs.replace(mention, kind=kind) for kind in ("value", "type"))
        value, kind = (
            list(namespaced.look_up(resolver, path, each, classes.look_up_outside)) for each in kinds
        )
        named = [each for each in value if isinstance(each, Binding)]
        if not named:
            doubt = [each for each in value if isinstance(each, Unknown) and "base" in each.why]
            return (*kind, *doubt)
        return (*value, *((_BOTH,) if any(_is_color(resolver, each) for each in named) else ()))

    free = staticmethod(look_up_outside)

    def settled(
        self, resolver: Resolver, path: str, mention: Mention, found: tuple[Meaning, ...]
    ) -> Iterable[Meaning]:
        """What a file says that an attribute is called may be a longer name."""
        above = mention.node.parent
        if above is not None and above.type == "member_access_expression" and _is_named_after(above):
            return (*found, _GIVEN)
        if above is not None and above.type == "attribute" and mention.kind == "type":
            longer = f"{mention.name}Attribute"
            if any(True for _ in namespaced.files_with(resolver, classes.NAMESPACE_RULES, longer)):
                return (*found, Unknown("an attribute may be called so without its last word"))
        return dict.fromkeys(found)

    def extended(self, resolver: Resolver, path: str, mention: Mention, value: Value) -> Iterable[Meaning]:
        """Methods that extend its type may be called on anything."""
        found = classes.extension_methods(resolver, mention.name)
        if not found or isinstance(value, (Module, Unknown)):
            return ()
        own = value.of if isinstance(value, Instance) else value
        if len(found) == 1 and isinstance(own, Class):
            binding, where, parameter = found[0]
            kinds = resolver.values(where, parameter.child_by_field_name("type") or parameter)
            if len(kinds) == 1 and kinds[0] in resolver.ancestry(own):
                return (binding,)
        return (Unknown("a method that extends some type may be called"),)

    values = staticmethod(expression_values)

    bound = staticmethod(binding_values)

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        """What stands before the dot."""
        return receiver_of(mention.node)

    def parts(self, resolver: Resolver, of: Class) -> Iterable[Class]:
        """Its other parts."""
        key = ("parts", of.path, of.scope)
        return resolver.once(key, lambda: dict.fromkeys(classes.other_parts(resolver, of)), ())

    bases = staticmethod(base_types)

    def twins(self, resolver: Resolver, binding: Binding) -> Iterable[Binding]:
        """The same in another part."""
        return resolver.once(("twins", binding), lambda: classes.same_in_other_parts(resolver, binding), ())

    def module_member(self, resolver: Resolver, module: Module, name: str) -> Iterable[Meaning]:
        """A type of a namespace, or a namespace in it."""
        return classes.namespace_member(resolver, module.path, name)

    def key(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """What a tuple or an object without a type calls what it is given."""
        left = nodes.ancestor(mention.node, "assignment_expression", "tuple_expression")
        while left is not None and left.parent is not None and left.type == "tuple_expression":
            left = left.parent
        is_target = left is not None and left.type == "assignment_expression"
        if is_target and left is not None and mention.start < (left.children[0].end_byte):
            return resolver.meanings(path, mention)
        return (Elsewhere("an object without a type"),)

    def respelled(self, resolver: Resolver, path: str, mention: Mention, form: str, new: str) -> Splice:
        """Beside the name that a tuple or an object without a type has it under."""
        if form != "value":
            return mention.renamed(new)
        sign = ": " if nodes.ancestor(mention.node, "tuple_expression") is not None else " = "
        above = mention.node.parent
        is_object = above is not None and above.type == "anonymous_object_creation_expression"
        return mention.renamed(f"{mention.name}{' = ' if is_object else sign}{new}")

    def parameters(self, resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
        """Return the parameters of that name of all that may be called."""
        call = nodes.ancestor(
            mention.node, "invocation_expression", "object_creation_expression", "attribute"
        )
        called = call.child_by_field_name("function") if call is not None else None
        for value in resolver.values(path, called) if called is not None else ():
            if not isinstance(value, Function):
                yield value if isinstance(value, Unknown) else Unknown("nobody can tell what is called")
                continue
            given = value.node.child_by_field_name("parameters")
            for each in given.named_children if given is not None else ():
                name = each.child_by_field_name("name")
                if name is not None and nodes.text(resolver, value.path, name) == mention.name:
                    yield from resolver.written(value.path, nodes.mention(resolver, value.path, name))

    def overrides(self, resolver: Resolver, place: Place) -> bool:
        """Whether ``override`` stands before it."""
        return nodes.has_modifier(place.mention.node, "override")

    def unfit(self, resolver: Resolver, places: Iterable[Place], to: str) -> str:
        """An attribute is called by a shorter name too."""
        for each in places:
            is_type = each.mention.role == "bind" and each.mention.kind == "class"
            short = each.mention.name.removesuffix("Attribute")
            if is_type and short != each.mention.name:
                for path in namespaced.files_with(resolver, classes.NAMESPACE_RULES, short):
                    for said in resolver.lexical(path).of(short)[:1]:  # it may be a part of other words
                        line = resolver.line(path, said.start)
                        return f"{path}:{line} may call {each.mention.name} as {short}, which stays"
        return super().unfit(resolver, places, to)


def _is_named_after(node: tree_sitter.Node) -> bool:
    """Whether a tuple, or an object without a type, calls what it is given as a member is called."""
    before, above = node.prev_sibling, node.parent
    if above is not None and above.type == "argument":
        is_tuple = above.parent is not None and above.parent.type == "tuple_expression"
        return is_tuple and above.child_by_field_name("name") is None
    is_object = above is not None and above.type == "anonymous_object_creation_expression"
    return is_object and (before is None or before.type != "=")


def _is_color(resolver: Resolver, binding: Binding) -> bool:
    """Whether something is called as its type."""
    for place in resolver.binders(binding):
        above = place.mention.node.parent
        holder = above.parent if above is not None and above.type == "variable_declarator" else above
        kind = holder.child_by_field_name("type") if holder is not None else None
        said = nodes.text(resolver, place.path, kind).rstrip("?").rpartition(".")[2]
        if said.partition("<")[0] == binding.name:
            return True
    return False
