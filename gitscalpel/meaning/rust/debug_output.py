"""Formats with ``{:?}`` that print the names of a type on which ``derive(Debug)`` stands.

The derived code prints the name of a struct, a variant or a field. A format is found if its argument is of
the type, or of a type that contains one. An argument of unknown type counts only where the type is named in
the function around the format, or in a declaration of a word of the argument.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.rust import classes, derived, words
from gitscalpel.meaning.things import Binding, Class, Elsewhere, Instance, Unknown, Value

_HOLE = re.compile(rb"\{\{|\}\}|\{([^{}]*)\}")
_PRINTED = ("struct_item", "enum_variant", "field_declaration")
_DECLARATIONS = ("let_declaration", "parameter", "field_declaration", "const_item", "static_item")
_BEFORE_A_VALUE = frozenset({"&", "*", "mutable_specifier"})
_CHAIN = frozenset({"identifier", "self", ".", "::"})
_SPOTS = 5
"""Formats that a reason names; more are counted."""


class _Argument(NamedTuple):
    """Argument that is formatted with ``{:?}``.

    Attributes:
        path: path of the file.
        literal: string literal that is the format.
        nodes: tokens of the argument; none for a name in the format.
        name: name in the format; "" for tokens.
        start: byte of the name in the file.
    """

    path: str
    literal: tree_sitter.Node
    nodes: tuple[tree_sitter.Node, ...]
    name: str = ""
    start: int = 0


def find_reason(resolver: Resolver, place: Place) -> str:
    """Return why ``derive(Debug)`` makes a name part of the output; "" if no format is found."""
    item = _printed_item(place.mention.node.parent)
    if item is None or not derived.derives(item, b"Debug"):
        return ""
    return next(_reasons(resolver, place.path, item), "")


def _printed_item(node: tree_sitter.Node | None) -> tree_sitter.Node | None:
    """Return the item whose derived code prints what a node defines."""
    if node is None or node.type not in _PRINTED:
        return None
    return node if node.type == "struct_item" else nodes.around(node, "struct_item", "enum_item")


def _reasons(resolver: Resolver, path: str, item: tree_sitter.Node) -> Iterator[str]:
    type_name, of = words.name(resolver, path, item), classes.of_item(path, item)
    doubtful: dict[str, None] = {}
    for argument in _arguments(resolver):
        spot = f"{argument.path}:{resolver.line(argument.path, argument.literal.start_byte)}"
        values = tuple(_values(resolver, argument))
        if any(_contains(resolver, value, of, set()) for value in values):
            yield f"derive(Debug) prints it under {{:?}} in {spot}"
            return
        if _may_be(resolver, argument, values, type_name):
            doubtful[spot] = None
    if doubtful:
        more = f" and {len(doubtful) - _SPOTS} more lines" if len(doubtful) > _SPOTS else ""
        yield f"derive(Debug) may print it under {{:?}} in {', '.join([*doubtful][:_SPOTS])}{more}"


def _arguments(resolver: Resolver) -> Iterable[_Argument]:
    """Return what the tree formats with ``{:?}``."""
    return resolver.once(("debug formats",), lambda: _find_arguments(resolver), ())


def _find_arguments(resolver: Resolver) -> Iterator[_Argument]:
    for path in resolver.files.holding("?}"):
        lexical = resolver.files.lexical(path) if path.endswith(".rs") else None
        for kind in ("string_literal", "raw_string_literal") if lexical is not None else ():
            for literal in lexical.syntax.of_type(kind) if lexical is not None else ():
                tree = literal.parent
                if tree is not None and tree.type == "token_tree":
                    yield from _formatted(path, literal, tree)


def _formatted(path: str, literal: tree_sitter.Node, tree: tree_sitter.Node) -> Iterator[_Argument]:
    """Yield the arguments of the holes ``{:?}`` of a format."""
    text, parts, place = literal.text or b"", _parts_after(tree, literal), 0
    for hole in _HOLE.finditer(text):
        if hole[1] is None:
            continue
        name, _, form = hole[1].decode("utf-8", "replace").partition(":")
        at = int(name) if name.isdecimal() else place
        place += not name
        if not form.rstrip().endswith("?"):
            continue
        if name and not name.isdecimal():
            said = next((part[2:] for part in parts if _is_named(part, name)), ())
            yield _Argument(path, literal, said, "" if said else name, literal.start_byte + hole.start(1))
        elif at < len(parts):
            yield _Argument(path, literal, parts[at])


def _is_named(part: tuple[tree_sitter.Node, ...], name: str) -> bool:
    """Return True for ``name = value``."""
    return len(part) > 2 and part[1].type == "=" and part[0].text == name.encode()


def _parts_after(tree: tree_sitter.Node, literal: tree_sitter.Node) -> list[tuple[tree_sitter.Node, ...]]:
    """Return the arguments behind a format."""
    found = list[list[tree_sitter.Node]]()
    for each in tree.children[1:-1]:
        if each.start_byte <= literal.start_byte:
            continue
        if each.type == ",":
            found.append([])
        elif found:
            found[-1].append(each)
    return [tuple(part) for part in found if part]


def _values(resolver: Resolver, argument: _Argument) -> Iterator[Value]:
    if argument.name:
        mention = resolver.lexical(argument.path).mentions.at(argument.name, argument.start)
        for meaning in resolver.dialect(argument.path).quoted(resolver, argument.path, mention):
            yield from resolver.worth(meaning)
        return
    tokens = list(argument.nodes)
    while tokens and tokens[0].type in _BEFORE_A_VALUE:
        del tokens[0]
    if tokens and all(each.type in _CHAIN or _is_call(each) for each in tokens):
        yield from resolver.values(argument.path, tokens[-1])
    elif len(tokens) != 1 or not tokens[0].type.endswith("_literal"):
        yield Unknown("what is formatted is no chain of names")


def _is_call(node: tree_sitter.Node) -> bool:
    return node.type == "token_tree" and node.children[0].type == "("


def _contains(resolver: Resolver, value: Value, of: Class, seen: set[tuple[str, int]]) -> bool:
    """Return True if a value is of a type, or of one that has it in its fields."""
    holder = value.of if isinstance(value, Instance) else value
    if not isinstance(holder, Class) or (holder.path, holder.node.start_byte) in seen:
        return False
    if holder == of:
        return True
    seen.add((holder.path, holder.node.start_byte))
    item = holder.node if holder.node.type in classes.ITEMS else nodes.around(holder.node, *classes.ITEMS)
    body = item.child_by_field_name("body") if item is not None else None
    if body is None:
        return False
    if item is not None and classes.of_item(holder.path, item) == of:
        return True
    inner = (each for each in _descendants(body) if each.type == "type_identifier")
    return any(
        _contains(resolver, each, of, seen) for node in inner for each in resolver.values(holder.path, node)
    )


def _may_be(resolver: Resolver, argument: _Argument, values: tuple[Value, ...], type_name: str) -> bool:
    """Return True if an argument of unknown type may be of a type that is named beside it."""
    if values and all(_is_known(each) for each in values):
        return False
    word = re.compile(rf"\b{re.escape(type_name)}\b")
    texts = [text for each in _declared(resolver, argument) for text in (words.text(resolver, *each),)]
    around = words.around(argument.literal, "function_item")
    if around is not None and not any(isinstance(each, Elsewhere) for each in values):
        texts.append(words.text(resolver, argument.path, around))
    return any(word.search(text) for text in texts)


def _is_known(value: Value) -> bool:
    """Return True if a value is of a type of the tree."""
    of = value.of if isinstance(value, Instance) else value
    return isinstance(of, Class) and of.node.type in (*classes.ITEMS, "enum_variant")


def _declared(resolver: Resolver, argument: _Argument) -> Iterator[tuple[str, tree_sitter.Node]]:
    """Yield what declares the words of an argument: a ``let``, a parameter, the type that is returned."""
    path, found = argument.path, list[Binding]()
    mentions = [words.mention(resolver, path, each) for each in argument.nodes if each.type == "identifier"]
    meanings = [each for mention in mentions for each in resolver.meanings(path, mention)]
    if argument.name:
        mention = resolver.lexical(path).mentions.at(argument.name, argument.start)
        meanings += resolver.dialect(path).quoted(resolver, path, mention)
    found += [each for each in meanings if isinstance(each, Binding)]
    for place in (place for each in dict.fromkeys(found) for place in resolver.binders(each)):
        above = place.mention.node.parent
        given = above.child_by_field_name("return_type") if above is not None else None
        node = given or nodes.around(place.mention.node, *_DECLARATIONS)
        if node is not None:
            yield place.path, node


def _descendants(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    for each in node.children:
        yield each
        yield from _descendants(each)
