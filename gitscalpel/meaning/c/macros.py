"""Macros: where one of a name is seen, and what makes a word in or before one doubtful."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.c import includes
from gitscalpel.meaning.c.signatures import word
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Meaning, Unknown
from gitscalpel.syntax.occurrences import Mention

_CALLED = re.compile(rb"([A-Za-z_]\w*)\s*\Z")
_NEAR = 400
"""Bytes before an argument in which a macro's name is looked for."""
_Argument: TypeAlias = tuple[str, int]
"""The name of what is called, and which argument of it, from 0."""
_OF_MEMBERS = frozenset({("offsetof", 1), ("__builtin_offsetof", 1), ("container_of", 2), ("list_entry", 2)})
"""Arguments of macros from outside of the repository that are members."""


def visible(resolver: Resolver, path: str, name: str) -> tuple[Place, ...]:
    """Where macros of a name are defined, in what a file sees."""
    found = resolver.once(("macros", name), lambda: _defined(resolver, name), ())
    if not found:
        return ()
    own = includes.seen(resolver, path)
    here = tuple(each for each in found if each.path in own)
    around = {*includes.including(resolver, path)} if not here else set()
    return here or tuple(
        each for each in found if not around.isdisjoint(includes.including(resolver, each.path))
    )


def _defined(resolver: Resolver, name: str) -> Iterator[Place]:
    defines = _definition_of(name)
    for path in resolver.once(("holding", name), lambda: resolver.files.holding(name), ()):
        source = resolver.files.source(path)
        if source is None or not defines.search(source.text):
            continue
        for mention in includes.bare(resolver, path, name):
            if mention.kind == "macro" and mention.role == "bind":
                yield Place(path, mention)


def _definition_of(name: str) -> re.Pattern[bytes]:
    """Return a pattern that is found in every text that may define a macro of a name.

    No place of the name is looked at where there is none, however many there are.
    """
    if not name.isascii():
        return re.compile(rb"define")  # its letters may be spelled as ``\u00e9``
    letters = rb"(?:\\\r?\n)*".join(re.escape(each.encode()) for each in name)
    return re.compile(rb"define(?:\s|\\|/\*(?s:.*?)\*/)+%s(?!\w)" % letters)


def bindings(resolver: Resolver, places: tuple[Place, ...]) -> tuple[Meaning, ...]:
    """What the definitions of macros define."""
    return tuple(dict.fromkeys(each for place in places for each in resolver.written(*place)))


def fragment(resolver: Resolver, path: str, mention: Mention) -> tuple[Meaning, ...]:
    """What a word in the text of a macro may be."""
    holder = nodes.around(mention.node, "preproc_function_def")
    given = holder.child_by_field_name("parameters") if holder is not None else None
    if given is not None and mention.name in {word(each) for each in given.named_children}:
        return ()
    found = bindings(resolver, visible(resolver, path, mention.name))
    return (*found, Unknown("it stands in a macro"))


def is_pasted(resolver: Resolver, path: str, node: tree_sitter.Node) -> bool:
    """Whether a word is an argument of a macro that makes text of its arguments."""
    above = nodes.around(node, "call_expression")
    while above is not None:
        called = above.child_by_field_name("function")
        if called is not None and called.type == "identifier" and called != node:
            for place in visible(resolver, path, word(called)):
                holder = place.mention.node.parent
                if holder is not None and "#" in word(holder.child_by_field_name("value")):
                    return True
        above = nodes.around(above, "call_expression")
    return False


def picks_member(resolver: Resolver, path: str, mention: Mention) -> bool:
    """Return True if a word is an argument that a macro makes a member, or a part of another name, of."""
    if mention.role == "member":
        return False
    text = resolver.lexical(path).text
    return any(_picks(resolver, path, call, ()) for call in _called_around(text, mention.start))


def _picks(resolver: Resolver, path: str, call: _Argument, above: tuple[_Argument, ...]) -> bool:
    """Return True if a macro does so with an argument, itself or by handing it on to another one."""
    name, position = call
    places = visible(resolver, path, name)
    for place in places:
        holder = place.mention.node.parent
        given = holder.child_by_field_name("parameters") if holder is not None else None
        names = [word(each) for each in given.named_children] if given is not None else []
        value = word(holder.child_by_field_name("value")) if holder is not None else ""
        own = re.escape(names[position]) if position < len(names) else r"__VA_ARGS__"
        if re.search(rf"(?:\.|->|##)\s*{own}\b|\b{own}\s*##", value):
            return True
        inner = value.encode()
        handed = {
            each
            for found in re.finditer(rf"\b{own}\b".encode(), inner)
            for each in _called_around(inner, found.start())
        }
        if any(_picks(resolver, path, each, (*above, call)) for each in handed.difference(above, (call,))):
            return True
    return not places and call in _OF_MEMBERS


def _called_around(text: bytes, at: int) -> Iterator[_Argument]:
    """Yield the names before the parentheses that are open at a byte, and which argument stands there."""
    depth = commas = 0
    for position in range(at - 1, max(at - _NEAR, 0) - 1, -1):
        byte = text[position : position + 1]
        if byte in (b";", b"{", b"}"):
            return
        depth += (byte == b")") - (byte == b"(")
        commas += depth == 0 and byte == b","
        if depth < 0:
            called = _CALLED.search(text[max(position - _NEAR, 0) : position])
            yield from ((called[1].decode(), commas),) if called is not None else ()
            depth = commas = 0


def opens(resolver: Resolver, name: str) -> bool:
    """Whether the text of a macro may open a namespace of a name."""
    return bool(resolver.once(("opened by macros", name), lambda: _opening(resolver, name), ()))


def _opening(resolver: Resolver, name: str) -> Iterator[str]:
    for path in resolver.files.holding(name):
        source = resolver.files.source(path)
        if source is None or b"namespace" not in source.text:
            continue
        for mention in includes.bare(resolver, path, name):
            if mention.role == "fragment" and "namespace" in word(mention.node):
                yield path
