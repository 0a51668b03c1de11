"""Name resolution of PHP, with variables that functions share.

One variable may belong to a function and its closures, be a property that a constructor declares among
its parameters, or be a global variable of files that include each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import Binding, Class, Elsewhere, Function, Meaning, Module, Unknown, Value
from gitscalpel.names.languages import namespaced
from gitscalpel.names.languages.php import classes
from gitscalpel.names.languages.php.classes import base_types, import_meanings, look_up_outside
from gitscalpel.names.languages.php.scopes import SCOPES
from gitscalpel.names.languages.php.values import binding_values, expression_values
from gitscalpel.names.resolver import Place, Resolver
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text.splice import Splice

_PARAMETERS = ("simple_parameter", "variadic_parameter")


def same_variables(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """What else is the same: around a closure, as a property, or declared again in its namespace."""
    places = resolver.binders(binding)
    for place in places:
        if place.mention.kind == "variable" and binding.kind == "function":
            yield from _outer(resolver, binding, places)
            yield from _promoted(resolver, binding, place)
            return
        if place.mention.kind in classes.NAMESPACE_RULES.kinds and binding.kind in namespaced.OPEN_SCOPES:
            space = classes.namespace_at(resolver, place.path, place.mention.node)
            yield from classes.declared_in(resolver, space, binding.name, place.mention.kind)


def _outer(resolver: Resolver, binding: Binding, places: tuple[Place, ...]) -> Iterator[Binding]:
    mention = places[0].mention
    at = next((at for at, each in enumerate(mention.scopes) if each.span == binding.scope), None)
    if at is None:
        return
    kind, around = mention.scopes[at].node.type, mention.scopes[at + 1 :]
    above = [each.mention.node.parent and each.mention.node.parent.parent for each in places]
    is_own = any(each is not None and each.type in _PARAMETERS for each in above)
    given = any(nodes.ancestor(each.mention.node, "anonymous_function_use_clause") for each in places)
    if (kind == "arrow_function" and not is_own) or (kind == "anonymous_function" and given):
        for scope in around:
            if scope.kind in ("function", "module"):
                yield Binding(
                    binding.path, scope.span, scope.kind, binding.name, _space(resolver, binding, scope)
                )
                return


def _space(resolver: Resolver, binding: Binding, scope: object) -> str:
    """Which of several names of a scope that are spelt alike the variable is."""
    lexical = resolver.lexical(binding.path)
    for mention in lexical.of(binding.name):
        if mention.role == "bind" and mention.kind == "variable" and lexical.holder(mention) == scope:
            return lexical.spaces(mention, lexical.holder(mention))[0]
    return ""


def _promoted(resolver: Resolver, binding: Binding, place: Place) -> Iterator[Binding]:
    """The property that a parameter of this constructor is as well."""
    lexical = resolver.lexical(binding.path)
    for mention in lexical.of(binding.name):
        above = nodes.ancestor(mention.node, "property_promotion_parameter")
        method = nodes.ancestor(above, "method_declaration") if above is not None else None
        is_own = method is not None and (method.start_byte, method.end_byte) == binding.scope
        if mention.kind == "property" and is_own and place.path == binding.path:
            found = resolver.written(binding.path, mention)
            yield from (each for each in found if isinstance(each, Binding))


def same_globals(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """Variables of other files' own that may be the same, as files include each other."""
    if binding.kind not in namespaced.OPEN_SCOPES:
        return
    if not any(place.mention.kind == "variable" for place in resolver.binders(binding)):
        return
    for path in namespaced.files_with(resolver, classes.NAMESPACE_RULES, binding.name):
        for mention in resolver.lexical(path).of(binding.name):
            if mention.role in ("bind", "global") and mention.kind in ("variable", ""):
                for each in resolver.written(path, mention):
                    if isinstance(each, Binding) and each.kind in namespaced.OPEN_SCOPES and each != binding:
                        yield each


_RUNS = Unknown("its class may have it when the program runs")


class PHP(namespaced.NamespacedLanguage):
    """Imports, values and members of PHP."""

    rules = SCOPES

    def used(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """By namespaces and ``use``."""
        if mention.kind == "prefix":
            is_import = any(
                each.kind in ("import", "alias") for each in resolver.lexical(path).of(mention.name)
            )
            return (Unknown("it is the beginning of a name"),) if is_import else ()
        if mention.kind == "trait":
            return (Unknown("it says how a trait is used"),)
        return classes.look_up_outside(resolver, path, mention)

    free = staticmethod(look_up_outside)

    def settled(
        self, resolver: Resolver, path: str, mention: Mention, found: tuple[Meaning, ...]
    ) -> Iterable[Meaning]:
        """A method is no property; what is neither may be there when the program runs."""
        if mention.role != "member":
            return dict.fromkeys(found)
        if not classes.has_members(resolver, mention.name):
            return (Elsewhere("no class in the tree has it"),)
        return namespaced.fitting_meanings(resolver, mention, dict.fromkeys(found)) or (_RUNS,)

    def extended(self, resolver: Resolver, path: str, mention: Mention, value: Value) -> Iterable[Meaning]:
        """A class that extends it may have it, and so may what answers to every name."""
        return () if isinstance(value, (Module, Unknown)) else (_RUNS,)

    akin = staticmethod(same_globals)

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
        """What stands before the sign."""
        above = mention.node.parent
        if above is not None and above.type == "variable_name":
            above = above.parent
        if above is None:
            return None
        before = above.child_by_field_name("object") or above.child_by_field_name("scope")
        return before or above.named_children[0]

    bases = staticmethod(base_types)

    def twins(self, resolver: Resolver, binding: Binding) -> Iterable[Binding]:
        """What is the same around a closure, as a property, or declared again."""
        return resolver.once(("twins", binding), lambda: same_variables(resolver, binding), ())

    def parameters(self, resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
        """Return the parameters of that name of all that may be called."""
        listed = nodes.ancestor(mention.node, "arguments")
        call = listed.parent if listed is not None else None
        called = (
            call.child_by_field_name("name") or call.child_by_field_name("function")
            if call is not None
            else None
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
