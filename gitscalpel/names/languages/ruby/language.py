"""Name resolution of Ruby.

Meanings that are decided at run time are unresolved.
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
    Unknown,
    Value,
)
from gitscalpel.names.languages import namespaced
from gitscalpel.names.languages.ruby import classes
from gitscalpel.names.languages.ruby.scopes import SCOPES
from gitscalpel.names.languages.ruby.values import base_classes, binding_values, expression_values
from gitscalpel.names.resolver import Place, Resolver
from gitscalpel.syntax.occurrences import Mention

_RUNS = Unknown("its class may have it when the program runs")
_MIXED = Unknown("constants of several modules are bound in one place")
_VALUES = nodes.ValuePositions(
    dotted="scope_resolution",
    holding=frozenset({"argument_list", "array", "pair"}),
    given={"assignment": "right"},
)
_LOCAL = ("local", "parameter")
_SIGNS = {"instance": "@", "shared": "@@", "global": "$"}
"""Signs before the names of variables, by the kind of these."""


class Ruby(namespaced.NamespacedLanguage):
    """Imports, values and members of Ruby."""

    rules = SCOPES

    def used(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """A constant, a variable, or a method of the object at hand."""
        if mention.kind in ("symbol", "unknown"):
            return (Unknown("it may be the name of a method"),)
        if mention.kind == "constant":
            return classes.look_up_constant(resolver, path, mention)
        if mention.kind == "value":
            found = tuple(_variable(resolver, path, mention))
            if found:
                return found
        return classes.called_methods(resolver, path, mention)

    def free(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """What a name means that no scope of its file binds."""
        return self.used(resolver, path, mention)

    def settled(
        self, resolver: Resolver, path: str, mention: Mention, found: tuple[Meaning, ...]
    ) -> Iterable[Meaning]:
        """Of members: methods of objects on objects, methods of classes on classes."""
        before = self.receiver(mention) if mention.role == "member" and mention.kind == "call" else None
        if before is None:
            is_mixed = mention.kind == "constant" and any(_is_mixed(resolver, each) for each in found)
            return dict.fromkeys((*found, *((_MIXED,) if is_mixed else ())))
        if not classes.has_method(resolver, mention.name):
            return (Elsewhere("no class of the tree has it"),)
        known: list[Meaning] = [each for each in found if not isinstance(each, Binding)]
        for value in resolver.values(path, before):
            known += list(classes.fitting_methods(resolver, value, found)) or [_RUNS]
        return dict.fromkeys(known)

    def extended(self, resolver: Resolver, path: str, mention: Mention, value: Value) -> Iterable[Meaning]:
        """The constants of a module in other files; what may be there when the program runs."""
        own = value.of if isinstance(value, Instance) else value
        found = classes.constants_of(resolver, own, mention.name) if isinstance(own, Class) else ()
        return found if mention.kind == "constant" and found else (_RUNS,)

    values = staticmethod(expression_values)

    bound = staticmethod(binding_values)

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        """What stands before the dot."""
        above = mention.node.parent
        if above is None:
            return None
        return above.child_by_field_name("receiver") or above.child_by_field_name("scope")

    def bare(self, mention: Mention, wished: str) -> str:
        """Return the name of a variable without its signs."""
        sign = _SIGNS.get(mention.kind, "")
        return wished.removeprefix(sign) if sign else wished

    def parts(self, resolver: Resolver, of: Class) -> Iterable[Class]:
        """Where else it is opened."""
        key = ("parts", of.path, of.scope)
        return resolver.once(key, lambda: dict.fromkeys(classes.other_parts(resolver, of)), ())

    def hands(self, node: tree_sitter.Node) -> bool:
        """As an argument, in what is returned or listed, by another name."""
        return nodes.value_holder(node, _VALUES) is not None

    bases = staticmethod(base_classes)

    def twins(self, resolver: Resolver, binding: Binding) -> Iterable[Binding]:
        """The same where a class is opened again, and a variable in the blocks that see it."""
        return resolver.once(("twins", binding), lambda: _twins(resolver, binding), ())

    def parameters(self, resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
        """Return the parameters of that name of all that may be called."""
        pair = mention.node.parent
        call = nodes.ancestor(mention.node, "call")
        name = call.child_by_field_name("method") if call is not None else None
        if pair is None or pair.child_by_field_name("value") is None:
            return
        if name is None or pair.parent is None or pair.parent.type != "argument_list":
            yield Unknown("a lambda may take it, or a call that is given the hash (**)", called="")
            return
        for meaning in resolver.meanings(path, nodes.mention(resolver, path, name)):
            for value in resolver.worth(meaning):
                given = value.node.child_by_field_name("parameters") if isinstance(value, Function) else None
                if not isinstance(value, Function) or given is None:
                    yield Unknown("nobody can tell what is called")
                    continue
                for each in given.named_children:
                    said = each.child_by_field_name("name") if each.type == "keyword_parameter" else None
                    if said is not None and nodes.text(resolver, value.path, said) == mention.name:
                        yield from resolver.written(value.path, nodes.mention(resolver, value.path, said))


def _is_mixed(resolver: Resolver, meaning: Meaning) -> bool:
    """Whether ``class A::B`` and ``class B`` stand in one scope."""
    places = resolver.binders(meaning) if isinstance(meaning, Binding) and meaning.scope != WHOLE else ()
    return len({classes.constant_holder(resolver, each.path, each.mention.node) for each in places}) > 1


def _variable(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """The variable that a plain name is, if it is one."""
    lexical = resolver.lexical(path)
    later: list[Mention] = []
    for scope in mention.scopes:
        bound = [e for e in lexical.bound(mention.name).get(scope.node.id, []) if e.kind in _LOCAL]
        before = [each for each in bound if each.start < mention.start]
        if before:
            yield from resolver.written(path, before[0])
            return
        later += bound
        if scope.kind in ("function", "class"):
            break
    if later:
        yield from resolver.written(path, later[0])
        yield Unknown("it may be called before it is a variable")


def _twins(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    if binding.scope == WHOLE:
        return
    places = resolver.binders(binding)
    kinds = {place.mention.kind for place in places}
    if "constant" in kinds:
        for place in places:
            space = classes.constant_holder(resolver, place.path, place.mention.node)
            yield from namespaced.declared_in(resolver, classes.NAMESPACE_RULES, space, binding.name)
    elif "global" in kinds:
        yield from _globals(resolver, binding)
    elif binding.kind == "class":
        holder = namespaced.class_of_member(resolver, binding)
        for part in classes.other_parts(resolver, holder) if holder is not None else ():
            yield from (
                each for each in resolver.own_members(part, binding.name) if _is_alike(resolver, each, kinds)
            )
    elif binding.kind == "block" and "parameter" not in kinds:
        yield from _outer(resolver, places)


def _is_alike(resolver: Resolver, binding: Binding, kinds: set[str]) -> bool:
    meet = resolver.lexical(binding.path).rules.meet
    return any(meet(place.mention.kind, kind) for place in resolver.binders(binding) for kind in kinds)


def _globals(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    for path in namespaced.files_with(resolver, classes.NAMESPACE_RULES, binding.name):
        for mention in resolver.lexical(path).of(binding.name):
            if mention.role == "bind" and mention.kind == "global":
                yield from (each for each in resolver.written(path, mention) if isinstance(each, Binding))


def _outer(resolver: Resolver, places: tuple[Place, ...]) -> Iterator[Binding]:
    """The variable around a block that is set in it, if there is one before."""
    path, mention = next(iter(places))
    lexical = resolver.lexical(path)
    own = lexical.holder(mention)
    for scope in mention.scopes[mention.scopes.index(own) + 1 :]:
        bound = lexical.bound(mention.name).get(scope.node.id, [])
        if any(each.kind in _LOCAL and each.start < own.span[0] for each in bound):
            yield from (e for e in resolver.written(path, bound[0]) if isinstance(e, Binding))
            return
        if scope.kind != "block":
            return
