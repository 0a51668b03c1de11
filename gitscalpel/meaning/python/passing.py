"""What a function gives back of what it is given: ``def same(x): return x``."""

from __future__ import annotations

import tree_sitter

from gitscalpel.meaning.python import fitting, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Function


def handed(
    resolver: Resolver, path: str, call: tree_sitter.Node, function: Function, result: tree_sitter.Node
) -> tree_sitter.Node | None:
    """The argument of a call that one of the function's results is; None: it is none, or nobody can tell.

    Args:
        resolver: of the tree.
        path: of the call's file.
        call: of the function.
        function: what is called.
        result: what one of its return statements gives.
    """
    if result.type != "identifier" or _is_method(function.node) or not _stays(resolver, function, result):
        return None
    takes = fitting.parameters(resolver, function.path, function.node)
    arguments = call.child_by_field_name("arguments")
    if takes is None or arguments is None:
        return None
    name = words.text(resolver, function.path, result)
    given = [each for each in arguments.named_children if each.type != "comment"]
    if arguments.type != "argument_list" or any(each.type.endswith("_splat") for each in given):
        return None
    named = [each for each in given if each.type == "keyword_argument"]
    for each in named:
        key = each.child_by_field_name("name")
        if key is not None and words.text(resolver, path, key) == name:
            return each.child_by_field_name("value")
    by_place = [each for each in given if each not in named]
    at = takes.by_place.index(name) if name in takes.by_place else len(by_place)
    return by_place[at] if at < len(by_place) else None


def _is_method(function: tree_sitter.Node) -> bool:
    """Whether its first parameter may be given by what it is called on."""
    block = function.parent
    return block is not None and block.parent is not None and block.parent.type == "class_definition"


def _stays(resolver: Resolver, function: Function, result: tree_sitter.Node) -> bool:
    """Whether a name is a parameter of the function, to which nothing else is ever bound."""
    meanings = resolver.meanings(function.path, words.mention(resolver, function.path, result))
    binders = [place for each in meanings if isinstance(each, Binding) for place in resolver.binders(each)]
    own = function.node.child_by_field_name("parameters")
    return (
        len(binders) == 1
        and binders[0].mention.kind == "parameter"
        and own is not None
        and own.start_byte <= binders[0].mention.start < own.end_byte
    )
