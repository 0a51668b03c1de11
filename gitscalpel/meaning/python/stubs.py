"""A module and its stub declare the same names (PEP 484): ``a.py`` beside ``a.pyi``."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import modules
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import WHOLE, Binding, Class, Function, Module, Value
from gitscalpel.syntax.parse import Syntax

_DEFINITIONS = ("class_definition", "function_definition")


def twins(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """The same name in the file beside it."""
    beside = binding.path + "i" if binding.path.endswith(".py") else binding.path[:-1]
    lexical = resolver.files.lexical(beside) if binding.path.endswith((".py", ".pyi")) else None
    if lexical is None:
        return
    if binding.scope == WHOLE:
        yield Binding(beside, WHOLE, binding.kind, modules.name(beside))
        return
    line = _line(resolver.lexical(binding.path).syntax, binding.scope)
    found = _scopes(lexical.syntax, line)
    for node in found:
        yield Binding(beside, (node.start_byte, node.end_byte), binding.kind, binding.name)
    if not found and line and beside.endswith(".py"):
        yield from _handed_on(resolver, beside, line, binding)


def declares(files: Files, path: str, name: str) -> bool:
    """Return True if a stub is there and defines a name itself, and does not just import it."""
    lexical = files.lexical(path) if files.is_file(path) else None
    bound = lexical.bound(name).get(lexical.syntax.root.id, []) if lexical is not None else []
    return any(each.kind != "import" for each in bound)


def alike(syntax: Syntax, scope: tuple[int, int]) -> list[tree_sitter.Node]:
    """The functions of a file that are called like the one of these bytes, and stand where it does."""
    found = _scopes(syntax, _line(syntax, scope))
    return [node for node in found if node.type == "function_definition"]


def _handed_on(resolver: Resolver, path: str, line: list[bytes], binding: Binding) -> Iterator[Binding]:
    """The same name where the module takes from elsewhere what its stub declares."""
    values: list[Value] = [Module(path, "python")]
    for name in line:
        members = [m for value in values for m in resolver.members(value, name.decode("utf-8", "replace"))]
        values = [value for member in members for value in resolver.worth(member)]
    for value in values:
        if isinstance(value, (Class, Function)):
            yield Binding(
                value.path, (value.node.start_byte, value.node.end_byte), binding.kind, binding.name
            )


def _line(syntax: Syntax, scope: tuple[int, int]) -> list[bytes] | None:
    """The names of the definitions from the file's top down to a scope; None where one has no name."""
    node = syntax.root.descendant_for_byte_range(scope[0], max(scope[0], scope[1] - 1))
    while node is not None and (node.start_byte, node.end_byte) != scope:
        node = node.parent
    if node is not None and node.parent is not None and node.type not in _DEFINITIONS:
        return None
    found: list[bytes] = []
    while node is not None and node.parent is not None:
        if node.type in _DEFINITIONS:
            found.insert(0, _name(syntax, node))
        node = node.parent
    return found


def _scopes(syntax: Syntax, names: list[bytes] | None) -> list[tree_sitter.Node]:
    """The definitions of that line in another file."""
    if names is None:
        return []
    found = [syntax.root]
    for name in names:
        found = [node for above in found for node in _inside(above) if _name(syntax, node) == name]
    return found


def _inside(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """The definitions right in a node, in blocks of conditions as well."""
    for child in node.named_children:
        if child.type in _DEFINITIONS:
            yield child
        elif child.type not in ("lambda", "expression_statement"):
            yield from _inside(child)


def _name(syntax: Syntax, node: tree_sitter.Node) -> bytes:
    named = node.child_by_field_name("name")
    return b"" if named is None else syntax.text[named.start_byte : named.end_byte]
