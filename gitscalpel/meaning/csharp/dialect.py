"""C#'s answers to what ``resolve.py`` asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.csharp import classes, receivers, spaces, values
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.spread import dialect, lookup
from gitscalpel.meaning.spread import spaces as spread
from gitscalpel.meaning.things import (
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
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text.splice import Splice

_GIVEN = Unknown("a tuple, or an object without a type, takes its name from it")
_BOTH = Unknown("it is a type and what has it at once")


class CSharp(dialect.Spread):
    """See :class:`gitscalpel.meaning.resolve.Linking`."""

    def used(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """By scopes, types and namespaces; what stands before a dot may be an object or a type."""
        if spaces.is_implied(mention):
            return (Elsewhere("the accessor around it"),)
        if mention.kind != "any":
            return lookup.used(resolver, path, mention, spaces.outside)
        kinds = (msgspec.structs.replace(mention, kind=kind) for kind in ("value", "type"))
        value, kind = (list(lookup.used(resolver, path, each, spaces.outside)) for each in kinds)
        named = [each for each in value if isinstance(each, Binding)]
        if not named:
            doubt = [each for each in value if isinstance(each, Unknown) and "base" in each.why]
            return (*kind, *doubt)
        return (*value, *((_BOTH,) if any(_is_color(resolver, each) for each in named) else ()))

    def free(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """What a name means that no scope of its file binds."""
        return spaces.outside(resolver, path, mention)

    def settled(
        self, resolver: Resolver, path: str, mention: Mention, found: tuple[Meaning, ...]
    ) -> Iterable[Meaning]:
        """What a file says that an attribute is called may be a longer name."""
        del path
        above = mention.node.parent
        if above is not None and above.type == "member_access_expression" and _is_named_after(above):
            return (*found, _GIVEN)
        if above is not None and above.type == "attribute" and mention.kind == "type":
            longer = f"{mention.name}Attribute"
            if any(True for _ in spread.files(resolver, spaces.SPREAD, longer)):
                return (*found, Unknown("an attribute may be called so without its last word"))
        return dict.fromkeys(found)

    def extended(self, resolver: Resolver, path: str, mention: Mention, value: Value) -> Iterable[Meaning]:
        """Methods that extend its type may be called on anything."""
        del path
        found = classes.extending(resolver, mention.name)
        if not found or isinstance(value, (Module, Unknown)):
            return ()
        own = value.of if isinstance(value, Instance) else value
        if len(found) == 1 and isinstance(own, Class):
            binding, where, parameter = found[0]
            kinds = resolver.values(where, parameter.child_by_field_name("type") or parameter)
            if len(kinds) == 1 and kinds[0] in resolver.ancestry(own):
                return (binding,)
        return (Unknown("a method that extends some type may be called"),)

    def values(self, resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
        """What an expression may be worth."""
        return values.of(resolver, path, node)

    def bound(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
        """What a name is worth where it is bound."""
        return values.bound(resolver, path, mention)

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        """What stands before the dot."""
        return receivers.of(mention.node)

    def parts(self, resolver: Resolver, of: Class) -> Iterable[Class]:
        """Its other parts."""
        key = ("parts", of.path, of.scope)
        return resolver.once(key, lambda: dict.fromkeys(classes.parts(resolver, of)), ())

    def bases(self, resolver: Resolver, of: Class) -> Iterable[Value]:
        """What it inherits from."""
        return classes.bases(resolver, of)

    def twins(self, resolver: Resolver, binding: Binding) -> Iterable[Binding]:
        """The same in another part."""
        return resolver.once(("twins", binding), lambda: classes.twins(resolver, binding), ())

    def module_member(self, resolver: Resolver, module: Module, name: str) -> Iterable[Meaning]:
        """A type of a namespace, or a namespace in it."""
        return spaces.member(resolver, module.path, name)

    def key(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """What a tuple or an object without a type calls what it is given."""
        left = nodes.around(mention.node, "assignment_expression", "tuple_expression")
        while left is not None and left.parent is not None and left.type == "tuple_expression":
            left = left.parent
        is_target = left is not None and left.type == "assignment_expression"
        if is_target and left is not None and mention.start < (left.children[0].end_byte):
            return resolver.meanings(path, mention)
        return (Elsewhere("an object without a type"),)

    def respelled(self, resolver: Resolver, path: str, mention: Mention, form: str, new: str) -> Splice:
        """Beside the name that a tuple or an object without a type has it under."""
        del resolver, path
        if form != "value":
            return mention.renamed(new)
        sign = ": " if nodes.around(mention.node, "tuple_expression") is not None else " = "
        above = mention.node.parent
        is_object = above is not None and above.type == "anonymous_object_creation_expression"
        return mention.renamed(f"{mention.name}{' = ' if is_object else sign}{new}")

    def parameters(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """See :class:`gitscalpel.meaning.spread.dialect.Spread`."""
        return _parameters(resolver, path, mention)

    def overrides(self, resolver: Resolver, place: Place) -> bool:
        """Whether ``override`` stands before it."""
        del resolver
        return nodes.has_modifier(place.mention.node, "override")

    def unfit(self, resolver: Resolver, places: Iterable[Place], to: str) -> str:
        """An attribute is called by a shorter name too."""
        for each in places:
            is_type = each.mention.role == "bind" and each.mention.kind == "class"
            short = each.mention.name.removesuffix("Attribute")
            if is_type and short != each.mention.name:
                for path in spread.files(resolver, spaces.SPREAD, short):
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


def _parameters(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    call = nodes.around(mention.node, "invocation_expression", "object_creation_expression", "attribute")
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
