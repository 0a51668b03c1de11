"""PHP's answers to what ``resolve.py`` asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.php import classes, spaces, values, variables
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.spread import dialect, lookup
from gitscalpel.meaning.things import Binding, Class, Elsewhere, Function, Meaning, Module, Unknown, Value
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text.splice import Splice

_RUNS = Unknown("its class may have it when the program runs")


class PHP(dialect.Spread):
    """See :class:`gitscalpel.meaning.resolve.Linking`."""

    def used(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """By namespaces and ``use``."""
        if mention.kind == "prefix":
            is_import = any(
                each.kind in ("import", "alias") for each in resolver.lexical(path).of(mention.name)
            )
            return (Unknown("it is the beginning of a name"),) if is_import else ()
        if mention.kind == "trait":
            return (Unknown("it says how a trait is used"),)
        return spaces.outside(resolver, path, mention)

    def free(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """What a name means that no scope of its file binds."""
        return spaces.outside(resolver, path, mention)

    def settled(
        self, resolver: Resolver, path: str, mention: Mention, found: tuple[Meaning, ...]
    ) -> Iterable[Meaning]:
        """A method is no property; what is neither may be there when the program runs."""
        del path
        if mention.role != "member":
            return dict.fromkeys(found)
        if not classes.has_members(resolver, mention.name):
            return (Elsewhere("no class in the tree has it"),)
        return lookup.fitting(resolver, mention, dict.fromkeys(found)) or (_RUNS,)

    def extended(self, resolver: Resolver, path: str, mention: Mention, value: Value) -> Iterable[Meaning]:
        """A class that extends it may have it, and so may what answers to every name."""
        del resolver, path, mention
        return () if isinstance(value, (Module, Unknown)) else (_RUNS,)

    def akin(self, resolver: Resolver, binding: Binding) -> Iterable[Binding]:
        """Variables of files that may include each other."""
        return variables.globals_(resolver, binding)

    def imported(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """What an import is about that has an alias."""
        return spaces.brought(resolver, path, mention)

    def brings(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """What an import brings."""
        return spaces.brought(resolver, path, mention) if mention.kind == "import" else ()

    def respelled(self, resolver: Resolver, path: str, mention: Mention, form: str, new: str) -> Splice:
        """The name; what an import brings from outside gets an alias."""
        del resolver, path
        return mention.renamed(f"{mention.name} as {new}" if form == "alias" else new)

    def values(self, resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
        """What an expression may be worth."""
        return values.of(resolver, path, node)

    def bound(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
        """What a name is worth where it is bound."""
        return values.bound(resolver, path, mention)

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        """What stands before the sign."""
        above = mention.node.parent
        if above is not None and above.type == "variable_name":
            above = above.parent
        if above is None:
            return None
        before = above.child_by_field_name("object") or above.child_by_field_name("scope")
        return before or above.named_children[0]

    def bases(self, resolver: Resolver, of: Class) -> Iterable[Value]:
        """What it extends, implements and uses."""
        return classes.bases(resolver, of)

    def twins(self, resolver: Resolver, binding: Binding) -> Iterable[Binding]:
        """What is the same around a closure, as a property, or declared again."""
        return resolver.once(("twins", binding), lambda: variables.twins(resolver, binding), ())

    def parameters(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """See :class:`gitscalpel.meaning.spread.dialect.Spread`."""
        return _parameters(resolver, path, mention)


def _parameters(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    listed = nodes.around(mention.node, "arguments")
    call = listed.parent if listed is not None else None
    called = (
        call.child_by_field_name("name") or call.child_by_field_name("function") if call is not None else None
    )
    if call is not None and called is None and call.type == "object_creation_expression":
        called = call.named_children[0]
    for value in resolver.values(path, called) if called is not None else ():
        for each in _functions(resolver, value):
            given = each.node.child_by_field_name("parameters") if isinstance(each, Function) else None
            if not isinstance(each, Function) or given is None:
                yield Unknown("nobody can tell what is called")
                continue
            for one in given.named_children:
                name = one.child_by_field_name("name")
                if name is not None and nodes.text(resolver, each.path, name) == f"${mention.name}":
                    inner = nodes.mention(resolver, each.path, name.named_children[0])
                    yield from resolver.written(each.path, inner)


def _functions(resolver: Resolver, value: Value) -> Iterator[Value]:
    """What is called; of a class, its constructor."""
    if isinstance(value, Class):
        for meaning in resolver.members(value, "__construct"):
            yield from resolver.worth(meaning)
    else:
        yield value
