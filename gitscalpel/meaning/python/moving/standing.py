"""Where a method stands once it is a function: behind its class, or behind the branch that has the class.

A function is there whichever branch is taken, if what is evaluated where it is defined is there as well:
decorators, annotations, default values. https://docs.python.org/3/reference/compound_stmts.html#function-definitions
"""

from __future__ import annotations

from collections.abc import Iterable

import tree_sitter

from gitscalpel.meaning.python.moving import needs
from gitscalpel.meaning.references import Reference
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import Symbol

_BRANCHES = frozenset({"if_statement", "try_statement", "with_statement", "for_statement", "while_statement"})


def branch(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The statement at the top level of a module in a branch of which a node stands; None: in none."""
    while node.parent is not None and node.parent.parent is not None:
        node = node.parent
    return node if node.type in _BRANCHES else None


def is_free(resolver: Resolver, path: str, method: tree_sitter.Node, found: Iterable[Reference]) -> bool:
    """Whether a method may stand behind the branch: what both need of each other is there."""
    around, body = branch(method), method.child_by_field_name("body")
    if around is None or body is None:
        return False
    span = around.start_byte, around.end_byte
    is_early = any(
        each.path == path and span[0] <= each.mention.start < span[1] and _is_run_at_once(each.mention)
        for each in found
        if each.kind == "use"
    )
    lexical = resolver.lexical(path)
    start = method.parent.start_byte if method.parent is not None else method.start_byte
    header = (start if _is_decorated(method) else method.start_byte), body.start_byte
    evaluated = needs.names(resolver, path, header)
    bound = {name: lexical.bound(name).get(lexical.syntax.root.id, []) for name in evaluated}
    return not is_early and all(any(_is_there(each, span[1]) for each in bound[name]) for name in evaluated)


def address(outline: Outline, symbol: Symbol) -> str:
    """What names one symbol alone, by its number where several have its name."""
    alike = [each for each in outline.walk() if each.path == symbol.path]
    several = f"#{alike.index(symbol) + 1}" if len(alike) > 1 else ""
    return symbol.qualname + several


def apart(outline: Outline, name: str) -> bytes:
    """A module with two blank lines around one of its functions."""
    symbol = next(each for each in outline.walk() if each.path == (name,))
    text = outline.syntax.text
    end = b"\r\n" if b"\r\n" in text else b"\n"
    before, own, after = text[: symbol.outer], text[symbol.outer : symbol.end], text[symbol.end :]
    rest = after.lstrip(b"\r\n")
    return before.rstrip() + end * 3 + own.rstrip() + end * (3 if rest else 1) + rest


def _is_there(mention: Mention, end: int) -> bool:
    return mention.start < end and branch(mention.node) is None


def _is_run_at_once(mention: Mention) -> bool:
    return not any(scope.kind == "function" for scope in mention.scopes)


def _is_decorated(method: tree_sitter.Node) -> bool:
    return method.parent is not None and method.parent.type == "decorated_definition"
