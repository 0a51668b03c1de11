"""Words in macro calls and in strings that are formats: who is called says what they are.

What can be told is what they are as plain names. That is certain for what is of the function around, where
nothing in the call may bind it anew, and for all names in calls of macros that are known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec
import tree_sitter

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.rust import bound, classes, macros, words
from gitscalpel.meaning.things import Binding, Meaning, Unknown
from gitscalpel.syntax.occurrences import Mention

_DECIDES = Unknown("a macro decides what it means", anywhere=True)
_FIELD = _DECIDES._replace(anywhere=False)


def meant(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a word of a macro call means."""
    above, sign = _outermost(mention.node).parent, _sign(mention.node.prev_sibling)
    if above is not None and above.type in ("attribute", "attribute_item", "inner_attribute_item"):
        return _unsure(_plain(resolver, path, mention, "any"))
    if _is_attribute(mention.node):
        return _plain(resolver, path, mention, "attribute")
    is_handed_on = macros.hand_on(resolver, path, mention.node)
    read = _member if sign in (".", "::") else _name
    return read(resolver, path, mention, is_handed_on=is_handed_on)


def _name(resolver: Resolver, path: str, mention: Mention, *, is_handed_on: bool) -> Iterable[Meaning]:
    """What a word that stands alone, or first, means."""
    tree, before = _outermost(mention.node), _sign(mention.node.prev_sibling)
    after, inner, above = _sign(mention.node.next_sibling), mention.node.parent, tree.parent
    if after == "=" and _is_named(tree, resolver, path, mention.name):
        return (_argument(path, tree, mention.name),)
    found = tuple(_plain(resolver, path, mention, {"!": "called", "::": "path"}.get(after, "any")))
    in_braces = before in ("{", ",") and inner is not None and _is_braced(inner)
    if in_braces and after == ":":  # a field, where the macro takes expressions
        return (_FIELD,) if is_handed_on else _unsure(found)
    if in_braces and after in (",", "}") and _may_be_literal(resolver, path, inner):
        return _unsure(found)
    is_certain = above is not None and above.type == "macro_invocation" and (_is_local(found) or is_handed_on)
    return found if is_certain and mention.name not in bound.names(resolver, path, tree) else _unsure(found)


def quoted(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What ``{x}`` in a format names."""
    literal = mention.node if mention.node.type.endswith("string_literal") else mention.node.parent
    tree = literal.parent if literal is not None else None
    if literal is None or tree is None or tree.type != "token_tree":
        return ()
    text = resolver.lexical(path).text
    inner = text[literal.start_byte : literal.end_byte]
    at = mention.start - literal.start_byte
    holes = [m.span(1) for m in re.finditer(rb"\{\{|\}\}|\{(\w+)(?=[:}])", inner) if m[1]]
    holes += [m.span(1) for m in re.finditer(rb"\{\w*:[^{}]*?(\w+)\$", inner)]
    if (at, at + len(mention.name.encode())) not in holes:
        return ()
    if _is_named(tree, resolver, path, mention.name):
        return (_argument(path, _outermost(literal), mention.name),)
    found = tuple(_plain(resolver, path, mention, "value"))
    is_certain = _is_local(found) or macros.hand_on(resolver, path, literal)
    return found if is_certain and mention.name not in bound.names(resolver, path, tree) else _unsure(found)


def _plain(resolver: Resolver, path: str, mention: Mention, kind: str) -> Iterable[Meaning]:
    """What a word means as a plain name."""
    return resolver.named(path, msgspec.structs.replace(mention, role="use", kind=kind))


def _unsure(found: Iterable[Meaning]) -> Iterable[Meaning]:
    bindings = [each for each in found if isinstance(each, Binding)]
    return (*bindings, _DECIDES)


def _is_local(found: tuple[Meaning, ...]) -> bool:
    return bool(found) and all(
        isinstance(each, Binding) and each.kind in ("let", "block", "function") for each in found
    )


def _outermost(node: tree_sitter.Node) -> tree_sitter.Node:
    """The whole of what a macro is given."""
    tree = words.around(node, "token_tree")
    while tree is not None and tree.parent is not None and tree.parent.type == "token_tree":
        tree = tree.parent
    return tree or node


def _is_braced(tree: tree_sitter.Node) -> bool:
    return tree.type == "token_tree" and tree.children[0].type == "{"


def _may_be_literal(resolver: Resolver, path: str, tree: tree_sitter.Node | None) -> bool:
    """Whether a struct's name may stand before the braces, so that a word in them is a field as well."""
    before = tree.prev_sibling if tree is not None else None
    if before is None or before.type != "identifier":
        return _sign(before) == ">"
    return not _is_local(tuple(_plain(resolver, path, words.mention(resolver, path, before), "any")))


def _member(resolver: Resolver, path: str, mention: Mention, *, is_handed_on: bool) -> Iterable[Meaning]:
    """What a word behind a dot or ``::`` means."""
    sign, after = mention.node.prev_sibling, mention.node.next_sibling
    before = sign.prev_sibling if sign is not None else None
    decides = _FIELD if _sign(sign) == "." else _DECIDES
    if not is_handed_on or before is None or not before.is_named:
        return (decides,)
    found = resolver.values(path, before)
    is_field = decides is _FIELD and (after is None or after.type not in ("token_tree", "::"))
    return resolver.of_values(path, mention, map(classes.fields, found) if is_field else found)


def _is_attribute(node: tree_sitter.Node) -> bool:
    """Whether a word begins ``#[…]`` in what a macro is given, or makes."""
    tree, before = node.parent, node.prev_sibling
    is_first = tree is not None and before is not None and before.type == "["
    return is_first and tree is not None and _sign(tree.prev_sibling) in ("#", "#!")


def _is_named(tree: tree_sitter.Node, resolver: Resolver, path: str, name: str) -> bool:
    """Whether a macro is given an argument of this name (``x = 1``)."""
    return any(
        each.type == "identifier"
        and _sign(each.next_sibling) == "="
        and words.text(resolver, path, each) == name
        and _sign(each.prev_sibling) in (",", "(", "[", "{")
        for each in _outermost(tree).children + tree.children
    )


def _argument(path: str, tree: tree_sitter.Node, name: str) -> Binding:
    return Binding(path, (tree.start_byte, tree.end_byte), "arguments", name)


def _sign(node: tree_sitter.Node | None) -> str:
    return "" if node is None or node.is_named else node.type
