"""Scopes that a text does not close, as in the middle of an edit: what stands in them may stand behind them.

Where a bracket is missing, a grammar thinks of one at some later place, and takes what follows for a
part of what is open: calls for methods, and what they are given for parameters.
"""

from __future__ import annotations

from typing import NamedTuple

import tree_sitter

from gitscalpel.meaning.lexical import Lexical
from gitscalpel.syntax.occurrences import Mention, Scope


class Unclosed(NamedTuple):
    """A scope that is not closed, and one around it that binds the same name."""

    scope: Scope
    around: Scope


def beside(lexical: Lexical, mention: Mention) -> Unclosed | None:
    """Why what a scope binds may be that of one around it; None: it is not."""
    if mention.role not in ("bind", "early", "use"):
        return None
    own, bound = lexical.scope_of(mention), lexical.bound(mention.name)
    at = mention.scopes.index(own) if own in mention.scopes else len(mention.scopes)
    for n, scope in enumerate(mention.scopes[at:], at + 1):
        around = next((each for each in mention.scopes[n:] if each.node.id in bound), None)
        if around is not None and _is_unclosed(scope.node):
            return Unclosed(scope, around)
    return None


def _is_unclosed(node: tree_sitter.Node) -> bool:
    """Whether the grammar had to think of what ends it."""
    while node.children:
        node = node.children[-1]
    return node.is_missing
