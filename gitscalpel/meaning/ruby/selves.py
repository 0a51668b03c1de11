"""What ``self`` is where it stands, and what is called on it without saying so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.ruby import constants
from gitscalpel.meaning.spread import spaces
from gitscalpel.meaning.things import Binding, Class, Elsewhere, Instance, Meaning, Unknown, Value
from gitscalpel.syntax.occurrences import Mention

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


def at(path: str, node: tree_sitter.Node) -> Value:
    """What ``self`` is where a node stands."""
    around = nodes.around(node, *constants.TYPES)
    method = nodes.around(node, *_METHODS, *constants.TYPES)
    if around is None:
        return Unknown("self is the program's own object")
    own = Class(path, around)
    if method is None or method.type in constants.TYPES or is_static(method):
        return own
    return Instance(own)


def is_static(method: tree_sitter.Node) -> bool:
    """Whether a method is one of its class."""
    around = nodes.around(method, "singleton_class", *constants.TYPES)
    return method.type == "singleton_method" or (around is not None and around.type == "singleton_class")


def is_rebound(node: tree_sitter.Node) -> bool:
    """Whether a block around a node may be run for another object."""
    above = node.parent
    while above is not None and above.type not in (*_METHODS, *constants.TYPES):
        holder = above.parent
        if above.type in ("block", "do_block") and holder is not None and holder.type == "call":
            name = holder.child_by_field_name("method")
            if name is None or (name.text or b"").decode("utf-8", "replace") not in _PLAIN:
                return True
        above = above.parent
    return False


def called(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a call without a receiver means."""
    if not has_methods(resolver, mention.name):
        return (Elsewhere("no class of the tree has it"),)
    own = at(path, mention.node)
    if mention.kind == "own" and isinstance(own, Class):
        own = Instance(own)
    found = [*fitting(resolver, own, resolver.members(own, mention.name))]
    doubt = (_BLOCK,) if is_rebound(mention.node) else ()
    if found and not isinstance(own, Unknown):
        return (*found, *doubt)
    top = list(dict.fromkeys(_top(resolver, mention.name)))
    is_top = nodes.around(mention.node, *constants.TYPES) is None
    return (*top, *(doubt if is_top and top else (_ELSE,)))


def has_methods(resolver: Resolver, name: str) -> bool:
    """Whether the tree defines a method of a name."""
    return bool(resolver.once(("has methods", name), lambda: _methods(resolver, name), ()))


def _methods(resolver: Resolver, name: str) -> Iterator[bool]:
    for path in spaces.files(resolver, constants.SPREAD, name):
        found = resolver.lexical(path).of(name)
        if any(each.role == "bind" and each.kind in ("method", "static", "attribute") for each in found):
            yield True
            return


def fitting(resolver: Resolver, value: Value, found: Iterable[Meaning]) -> Iterator[Binding]:
    """Methods of objects for an object, those of the class for a class."""
    kind = "static" if isinstance(value, Class) else "method"
    for each in found:
        if isinstance(each, Binding):
            meet = resolver.lexical(each.path).rules.meet
            if any(meet(place.mention.kind, kind) for place in resolver.binders(each)):
                yield each


def _top(resolver: Resolver, name: str) -> Iterator[Binding]:
    """The methods that files define outside of classes."""
    for path in spaces.files(resolver, constants.SPREAD, name):
        lexical = resolver.lexical(path)
        for mention in lexical.of(name):
            is_method = mention.role == "bind" and mention.kind == "method"
            if is_method and lexical.holder(mention).kind == "module":
                yield from (each for each in resolver.written(path, mention) if isinstance(each, Binding))
