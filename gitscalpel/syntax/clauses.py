"""What belongs to a definition though it stands in nodes of its own: clauses, and pragmas that name it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec
import tree_sitter

from gitscalpel.syntax.definition import Definition
from gitscalpel.syntax.query import Captures
from gitscalpel.syntax.siblings import Siblings
from gitscalpel.syntax.symbols import BINDINGS

_NAMES = re.compile(r"[\w']+|[^\w\s'\"(),;\[\]{}]+")


def joined(definitions: Iterable[Definition], captures: Captures) -> list[Definition]:
    """The definitions in the order in which they came, clauses within what they go on with."""
    found: list[Definition] = []
    last: dict[int, int] = {}
    for one in definitions:
        block = one.node.parent.id if one.node.parent else 0
        at = last.get(block)
        if at is not None and captures.holds("clause", one.node) and _goes_on(one, found[at]):
            kind = one.kind if found[at].kind in BINDINGS else found[at].kind
            found[at] = msgspec.structs.replace(found[at], kind=kind, more=(*found[at].more, one.node))
            continue
        last[block] = len(found)
        found.append(one)
    return found


def _goes_on(one: Definition, before: Definition) -> bool:
    return one.name.segments == before.name.segments and one.node.id != before.node.id


def is_about(node: tree_sitter.Node, name: str, captures: Captures) -> bool:
    """Whether ``node`` says something about the definition ``name``."""
    if not captures.holds("about", node):
        return False
    return name in _NAMES.findall((node.text or b"").decode("utf-8", "surrogateescape"))


def above(
    node: tree_sitter.Node, name: str, captures: Captures, siblings: Siblings
) -> Iterator[tree_sitter.Node]:
    """What stands before a definition and is about it, comments in between aside, the nearest first."""
    if not captures.has("about"):
        return
    outer = node.parent
    opens = outer is not None and outer.parent is not None and outer.start_byte == node.start_byte
    for before in siblings.before(outer if opens and outer is not None else node):
        if is_about(before, name, captures):
            yield before
        elif not captures.holds("comment", before):
            return
