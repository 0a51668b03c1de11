"""Constants, classes and modules, and the class of self.

Any file may open a class or module again, so it is identified by its whole name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import Binding, Class, Elsewhere, Instance, Meaning, Unknown, Value
from gitscalpel.names.languages import namespaced
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention

TYPES = ("class", "module")


def qualified_name(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    """The whole name of a class or module."""
    said = nodes.text(resolver, path, node.child_by_field_name("name"))
    around = nodes.ancestor(node, *TYPES)
    if said.startswith("::") or around is None:
        return said.removeprefix("::")
    return f"{qualified_name(resolver, path, around)}::{said}"


def constant_holder(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    """The class or module whose constant a node names."""
    above = node.parent
    around = nodes.ancestor(node, *TYPES)
    if above is not None and above.type == "scope_resolution" and above.parent is not None:
        holder = above.parent
        if holder.type in TYPES and holder.child_by_field_name("name") == above:
            return qualified_name(resolver, path, holder).rpartition("::")[0]
    if around is not None and around.child_by_field_name("name") == node:
        around = nodes.ancestor(around, *TYPES)
    return qualified_name(resolver, path, around) if around is not None else ""


NAMESPACE_RULES = namespaced.NamespaceRules(
    "ruby", constant_holder, frozenset({"constant"}), ("module", "class")
)


def look_up_constant(resolver: Resolver, path: str, mention: Mention) -> tuple[Meaning, ...]:
    """What a constant means: of the classes and modules around it, of their bases, or of none."""
    around = [scope for scope in mention.scopes if scope.kind == "class"]
    for scope in around:
        found = namespaced.declared_in(
            resolver, NAMESPACE_RULES, qualified_name(resolver, path, scope.node), mention.name
        )
        if found:
            return found
    for scope in around[:1]:
        for each in resolver.ancestry(Class(path, scope.node)):
            found = constants_of(resolver, each, mention.name) if isinstance(each, Class) else ()
            if found:
                return found
    found = namespaced.declared_in(resolver, NAMESPACE_RULES, "", mention.name)
    if found or not namespaced.namespace_places(resolver, NAMESPACE_RULES, mention.name):
        return found or (Elsewhere("a library"),)
    return (Unknown("nothing that is known here declares it"),)


def constants_of(resolver: Resolver, of: Class, name: str) -> tuple[Binding, ...]:
    """The constants of a class or module under a name."""
    if of.node.type not in TYPES:
        return ()
    return namespaced.declared_in(resolver, NAMESPACE_RULES, qualified_name(resolver, of.path, of.node), name)


def other_parts(resolver: Resolver, of: Class) -> Iterator[Class]:
    """Where else a class or module is opened."""
    said = of.node.child_by_field_name("name")
    if of.node.type not in TYPES or said is None:
        return
    space, _, name = qualified_name(resolver, of.path, of.node).rpartition("::")
    for where, _, place in namespaced.namespace_places(resolver, NAMESPACE_RULES, name):
        above = place.mention.node.parent
        if above is not None and above.type == "scope_resolution":
            above = above.parent
        if where == space and above is not None and above.type in TYPES:
            each = Class(place.path, above)
            if each != of:
                yield each


_PLAIN_WORDS = """
each reverse_each map select reject each_with_index each_with_object inject reduce find detect any? all?
none? sort_by group_by flat_map collect times upto downto each_pair each_key each_value tap then lambda proc
loop min_by max_by sum count partition filter filter_map delete_if reject! map! select! fetch open
synchronize catch each_line step zip to_h
"""
_PLAIN = frozenset(_PLAIN_WORDS.split())
"""Methods of the library that leave ``self`` alone in their blocks."""
_ELSE = Unknown("a base, a module or who includes it may have it")
_BLOCK = Unknown("a block may be run for another object")
_METHODS = ("method", "singleton_method")


def type_of_self(path: str, node: tree_sitter.Node) -> Value:
    """What ``self`` is where a node stands."""
    around = nodes.ancestor(node, *TYPES)
    method = nodes.ancestor(node, *_METHODS, *TYPES)
    if around is None:
        return Unknown("self is the program's own object")
    own = Class(path, around)
    if method is None or method.type in TYPES or is_class_method(method):
        return own
    return Instance(own)


def is_class_method(method: tree_sitter.Node) -> bool:
    """Whether a method is one of its class."""
    around = nodes.ancestor(method, "singleton_class", *TYPES)
    return method.type == "singleton_method" or (around is not None and around.type == "singleton_class")


def is_rebound(node: tree_sitter.Node) -> bool:
    """Whether a block around a node may be run for another object."""
    above = node.parent
    while above is not None and above.type not in (*_METHODS, *TYPES):
        holder = above.parent
        if above.type in ("block", "do_block") and holder is not None and holder.type == "call":
            name = holder.child_by_field_name("method")
            if name is None or (name.text or b"").decode("utf-8", "replace") not in _PLAIN:
                return True
        above = above.parent
    return False


def called_methods(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a call without a receiver means."""
    if not has_method(resolver, mention.name):
        return (Elsewhere("no class of the tree has it"),)
    own = type_of_self(path, mention.node)
    if mention.kind == "own" and isinstance(own, Class):
        own = Instance(own)
    found = [*fitting_methods(resolver, own, resolver.members(own, mention.name))]
    doubt = (_BLOCK,) if is_rebound(mention.node) else ()
    if found and not isinstance(own, Unknown):
        return (*found, *doubt)
    top = list(dict.fromkeys(_top(resolver, mention.name)))
    is_top = nodes.ancestor(mention.node, *TYPES) is None
    return (*top, *(doubt if is_top and top else (_ELSE,)))


def has_method(resolver: Resolver, name: str) -> bool:
    """Whether the tree defines a method of a name."""
    return bool(resolver.once(("has methods", name), lambda: _methods(resolver, name), ()))


def _methods(resolver: Resolver, name: str) -> Iterator[bool]:
    for path in namespaced.files_with(resolver, NAMESPACE_RULES, name):
        found = resolver.lexical(path).of(name)
        if any(each.role == "bind" and each.kind in ("method", "static", "attribute") for each in found):
            yield True
            return


def fitting_methods(resolver: Resolver, value: Value, found: Iterable[Meaning]) -> Iterator[Binding]:
    """Methods of objects for an object, those of the class for a class."""
    kind = "static" if isinstance(value, Class) else "method"
    for each in found:
        if isinstance(each, Binding):
            meet = resolver.lexical(each.path).rules.meet
            if any(meet(place.mention.kind, kind) for place in resolver.binders(each)):
                yield each


def _top(resolver: Resolver, name: str) -> Iterator[Binding]:
    """The methods that files define outside of classes."""
    for path in namespaced.files_with(resolver, NAMESPACE_RULES, name):
        lexical = resolver.lexical(path)
        for mention in lexical.of(name):
            is_method = mention.role == "bind" and mention.kind == "method"
            if is_method and lexical.holder(mention).kind == "module":
                yield from (each for each in resolver.written(path, mention) if isinstance(each, Binding))
