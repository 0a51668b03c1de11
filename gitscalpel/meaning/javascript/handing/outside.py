"""Objects from outside of the tree that are handed where a type of the tree is asked for.

``const s: Storage = window.localStorage`` and ``new Map()`` have the members that the type asks for, and no
rename of the tree gives them other names.
"""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.javascript import constructors, words
from gitscalpel.meaning.javascript.handing.steps import Gives, Steps
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Elsewhere

_AROUND = ("parenthesized_expression", "satisfies_expression", "non_null_expression", "await_expression")
_CHOICES = ("consequence", "alternative", "left", "right")
_FUNCTIONS = ("arrow_function", "function_expression")
_NAMES = frozenset(
    {"undefined", "NaN", "Infinity", "arguments", "Date", "RegExp", "Error", "TypeError", "Array", "Promise"}
)
"""Global names of no objects, and of values that a type says beside its own: ``string | Date | T``."""


def objects(
    resolver: Resolver, path: str, node: tree_sitter.Node, steps: Steps
) -> Iterator[tree_sitter.Node]:
    """Yield the expressions in what is handed that are objects from outside.

    Args:
        resolver: of the tree.
        path: of the file.
        node: what is handed.
        steps: lead to the part of it that is asked for.
    """
    if node.type in _AROUND and node.named_children:
        yield from objects(resolver, path, node.named_children[0], steps)
    elif node.type in ("ternary_expression", "binary_expression"):
        parts = [node.child_by_field_name(field) for field in _CHOICES]
        if node.type == "ternary_expression" or _is_choice(node):
            for each in parts:
                yield from objects(resolver, path, each, steps) if each is not None else ()
    elif node.type in _FUNCTIONS and steps and isinstance(steps[0], Gives):
        body = node.child_by_field_name("body")
        is_block = body is not None and body.type == "statement_block"
        for each in constructors.results(body) if is_block and body is not None else [body]:
            yield from objects(resolver, path, each, steps[1:]) if each is not None else ()
    elif not steps and _is_outside(resolver, path, node):
        yield node


def _is_choice(node: tree_sitter.Node) -> bool:
    operator = node.child_by_field_name("operator")
    return operator is not None and operator.type in ("||", "&&", "??")


def _is_outside(resolver: Resolver, path: str, node: tree_sitter.Node) -> bool:
    """Return True for a global object, a member of one, or what its constructor makes."""
    if node.type == "new_expression":
        made = node.child_by_field_name("constructor")
        return made is not None and made.type == "identifier" and _is_global(resolver, path, made)
    while node.type == "member_expression":
        inner = node.child_by_field_name("object")
        if inner is None:
            return False
        node = inner
    return node.type == "identifier" and _is_global(resolver, path, node)


def _is_global(resolver: Resolver, path: str, name: tree_sitter.Node) -> bool:
    """Return True if nothing of the tree defines a name."""
    mention = words.mention(resolver, path, name)
    meant = resolver.meanings(path, mention)
    return mention.name not in _NAMES and [*meant] == [Elsewhere("globals")]
