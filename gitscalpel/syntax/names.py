"""The path segments that a definition adds: its owner's, where the name brings one, and its own.

Some grammars wrap a name in what is said about it (pointers, parameters), and
in some a name brings its owner (``Foo::bar``, a receiver); both are told by
captures, so that queries stay flat however deep the wrapping is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec
import tree_sitter

_UTF8 = ("utf-8", "surrogateescape")
_SEPARATOR = re.compile(r"\s*(?:\?\.|\.|::?|\\)\s*")
_PLAIN_PATH = re.compile(r"[\w$#.?:\s\\]+\Z")
_LETTER = re.compile(r"\w")
_WORD = re.compile(rb"\w+")
_QUOTED = re.compile(r"@?(['\"`])(.+)\1\Z", re.DOTALL)
_ARGUMENTS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")


class Name(msgspec.Struct, frozen=True):
    """A definition's name in the tree.

    Attributes:
        node: the name alone, without what is wrapped around it.
        segments: what it adds to a path.
        value: what is bound to it, if that stands in the wrapping.
        callable: the wrapping makes it a function.
        owned: the segments begin with those of an owner.
    """

    node: tree_sitter.Node
    segments: tuple[str, ...]
    value: tree_sitter.Node | None
    callable: bool
    owned: bool


class Names:
    """The parts of names that the query of one tree captured, by their ids."""

    def __init__(self, text: bytes, ids: Mapping[str, set[int]]) -> None:
        self._whole = text
        self._callables = ids.get("callable", set())
        self._declarators = ids.get("declarator", set())
        self._qualified = ids.get("qualified", set())
        self._misread = ids.get("misread", set())
        self._rest = ids.get("rest", set())
        self._unnamed = ids.get("unnamed", set())
        self._literal = ids.get("literal", set())
        self._dotted = ids.get("dotted", set())

    def read(
        self, node: tree_sitter.Node, owner: tree_sitter.Node | None, last: tree_sitter.Node
    ) -> Name | None:
        """The name that ``node`` is or wraps, or that goes on to ``last``, under what ``owner`` names.

        None if that is no name.
        """
        owners = _owners(owner)
        if node.id in self._unnamed:
            return Name(node, owners, None, False, bool(owners))
        text = None if last == node else self._whole[node.start_byte : last.end_byte].decode(*_UTF8)
        value, is_callable = None, False
        while (inner := self._inside(node)) is not None:
            if node.id in self._qualified:
                owners += _owners(node.child_by_field_name("scope"))
            elif node.children[0].type != "(":  # brackets change nothing
                is_callable = node.id in self._callables
                value = value or node.child_by_field_name("value")
            node = inner
        if node.id in self._misread or node.start_byte == node.end_byte:
            return None
        is_callable = is_callable or node.id in self._callables
        segments = owners + self._segments(node, text or self._text(node))
        if "" in segments and node.id not in self._literal:
            return None
        return Name(node, segments, value, is_callable, bool(owners))

    def _inside(self, node: tree_sitter.Node) -> tree_sitter.Node | None:
        """The name, or the next node around it; None if ``node`` is the name."""
        if node.id in self._declarators:
            return node.child_by_field_name("declarator") or node.named_child(0)
        return node.child_by_field_name("name") if node.id in self._qualified else None

    def _segments(self, node: tree_sitter.Node, text: str) -> tuple[str, ...]:
        if node.id in self._dotted:
            return tuple(_unquoted(part.text) for part in _leaves(node))
        return (_unquoted(text.encode(*_UTF8)),) if node.id in self._literal else _segments(node, text)

    def _text(self, node: tree_sitter.Node) -> str:
        """The name's text, up to what the query says is no part of it."""
        end, part = node.end_byte, node.child_by_field_name("declarator") if node.child_count else None
        inner = node.children if self._rest else ()
        while part is not None:
            inner, part = (*inner, part), part.child_by_field_name("declarator")
        end = next((part.start_byte for part in inner if part.id in self._rest), end)
        return self._whole[node.start_byte : end].decode(*_UTF8).strip()

    def word(self, node: tree_sitter.Node) -> str:
        """The word in the text that begins where ``node`` does, in small letters."""
        found = _WORD.match(self._whole, node.start_byte)
        return (found.group() if found else b"").decode(*_UTF8).lower()


def _owners(node: tree_sitter.Node | None) -> tuple[str, ...]:
    """The path of a type, without its arguments, pointers and brackets."""
    if node is None:
        return ()
    text = (node.text or b"").decode(*_UTF8)
    while (bare := _ARGUMENTS.sub("", text)) != text:
        text = bare
    parts = (part.strip('"`') for part in _SEPARATOR.split(text.strip("*&()? \t\r\n")))
    return tuple(part for part in parts if part)


def _leaves(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """The names in a node that nests them (``a.b."c"``)."""
    for child in node.named_children:
        if child.type == node.type:
            yield from _leaves(child)
        else:
            yield child


def _unquoted(raw: bytes | None) -> str:
    """A name as it is spelt, without the quotes around it; lines are joined."""
    text = " ".join((raw or b"").decode(*_UTF8).split())
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _segments(node: tree_sitter.Node, text: str) -> tuple[str, ...]:
    if text.isidentifier():  # as most are
        return (text,)
    if quoted := _QUOTED.match(text):
        return (quoted.group(2),)
    if node.type.endswith("string") or text[:1] in "'\"`":
        return (text.strip("'\"`"),)
    if (node.text or b"")[:1] == b'"':
        return (text[1:-1],)  # in brackets, which the grammar is shown as quotes
    if not _PLAIN_PATH.match(text) or not _LETTER.search(text):
        return (" ".join(text.split()),)
    segments = tuple(part for part in _SEPARATOR.split(text.lstrip(":")) if part)
    return segments[1:] if len(segments) > 1 and segments[0] == "this" else segments or (text,)
