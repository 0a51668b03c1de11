"""What a definition says of the module to which it goes: there the names stand alone.

A module that imports itself has no attribute of its package yet while it runs, so ``pkg.b.A`` in ``pkg/b.py``
fails where it is evaluated at once. https://docs.python.org/3/reference/import.html#submodules
"""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Module
from gitscalpel.text.splice import Splice


def bare(resolver: Resolver, path: str, span: tuple[int, int], to: str) -> list[Splice]:
    """Takes the module ``to`` away before its names in some bytes of a file, where they mean the same."""
    found = _attributes(resolver.lexical(path).syntax.root, span)
    return [each for node in found for each in _bare(resolver, path, span, to, node)]


def _bare(
    resolver: Resolver, path: str, span: tuple[int, int], to: str, node: tree_sitter.Node
) -> Iterator[Splice]:
    module, name = node.child_by_field_name("object"), node.child_by_field_name("attribute")
    if module is None or name is None or _is_deleted(node) or not _is_dotted(module):
        return
    lexical = resolver.lexical(path)
    mention = lexical.mentions.at((name.text or b"").decode("utf-8", "surrogateescape"), name.start_byte)
    inside = (each for found in lexical.bound(mention.name).values() for each in found)
    if any(span[0] <= each.start < span[1] for each in inside) or dialect("python").is_set(mention):
        return
    values = resolver.values(path, module)
    is_it = bool(values) and all(isinstance(each, Module) and each.path == to for each in values)
    if is_it and not _is_only_inside(resolver, path, to, node, mention.name):
        yield Splice(module.start_byte, name.start_byte, b"")


def _is_only_inside(resolver: Resolver, path: str, to: str, node: tree_sitter.Node, name: str) -> bool:
    """Whether a module in a package is said, which the package's own file has under no name."""
    there = resolver.files.lexical(to)
    is_bound = there is not None and there.syntax.root.id in there.bound(name)
    return not is_bound and any(isinstance(each, Module) for each in resolver.values(path, node))


def _is_deleted(node: tree_sitter.Node) -> bool:
    above = node.parent
    if above is not None and above.type == "expression_list":
        above = above.parent
    return above is not None and above.type == "delete_statement"


def _is_dotted(node: tree_sitter.Node) -> bool:
    return node.type == "identifier" or (node.type == "attribute" and _is_dotted(node.named_children[0]))


def _attributes(root: tree_sitter.Node, span: tuple[int, int]) -> Iterator[tree_sitter.Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.end_byte <= span[0] or node.start_byte >= span[1]:
            continue
        if node.type == "attribute":
            yield node
        waiting += reversed(node.children)
