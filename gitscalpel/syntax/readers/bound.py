"""Everything in a Python file that binds a name, as Python itself reads it.

The outline knows definitions and plain assignments. A name is also bound by imports, loops, ``with``,
``:=``, from within a function by ``global``, and under another spelling that Python takes for the same.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping

from gitscalpel.syntax.readers.python import parsed

STAR = "*"
"""What an ``import *`` binds, whatever that is."""


def bound(raw: bytes) -> Mapping[str, tuple[str, ...]] | None:
    """How each name is bound, in document order, by its path (``Outer.inner``).

    Functions and classes are given by their sort alone, other statements as a whole. None: Python at hand
    cannot read the file.
    """
    tree = parsed(raw)
    if tree is None:
        return None
    found: defaultdict[str, list[str]] = defaultdict(list)
    try:
        for path, how in _Scope(()).within(tree):
            found[path].append(how)
    except RecursionError:
        return None
    return {path: tuple(hows) for path, hows in found.items()}


class _Scope:
    """A module, class or function, by its path, and the names in it that are the module's."""

    def __init__(self, path: tuple[str, ...]) -> None:
        self.path = path
        self.elsewhere: set[str] = set()

    def within(self, tree: ast.AST) -> Iterator[tuple[str, str]]:
        """What binds a name in ``tree``: where and how."""
        declared = [node for node in ast.walk(tree) if isinstance(node, (ast.Global, ast.Nonlocal))]
        self.elsewhere = {name for node in declared for name in node.names}
        for child in ast.iter_child_nodes(tree):
            yield from self._of(child, child)

    def _of(self, node: ast.AST, statement: ast.AST) -> Iterator[tuple[str, str]]:
        if isinstance(node, ast.stmt):
            statement = node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield self._named(node.name), type(node).__name__
            for child in _outside(node):
                yield from self._of(child, child)
            yield from _Scope((*self.path, node.name)).within(node)
            return
        for name in _names(node):
            yield self._named(name), ast.dump(statement)
        inner = [node.iter, *node.ifs] if isinstance(node, ast.comprehension) else ast.iter_child_nodes(node)
        for child in inner:
            yield from self._of(child, statement)

    def _named(self, name: str) -> str:
        """Where a name is bound; one that is declared global or nonlocal counts as the module's."""
        is_whole = "." in name or name == STAR or name in self.elsewhere
        return name if is_whole else ".".join((*self.path, name))


def _outside(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[ast.AST]:
    """What of a definition is run where it stands: decorators, defaults, annotations, bases."""
    yield from node.decorator_list
    if isinstance(node, ast.ClassDef):
        yield from (*node.bases, *node.keywords)
        return
    given = node.args
    yield from (*given.defaults, *filter(None, (*given.kw_defaults, node.returns)))
    for each in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
        if each is not None and each.annotation is not None:
            yield each.annotation


def _names(node: ast.AST) -> list[str]:
    """What a node itself binds."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        return [] if isinstance(node.ctx, ast.Load) else _dotted(node)
    if isinstance(node, ast.alias):
        return [node.asname or node.name.partition(".")[0]]
    if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        return [node.name] if node.name else []
    return [node.rest] if isinstance(node, ast.MatchMapping) and node.rest else []


def _dotted(node: ast.expr) -> list[str]:
    """``a.b.c`` where a chain of attributes begins at a name, else nothing."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return [".".join([node.id, *reversed(parts)])] if isinstance(node, ast.Name) else []
