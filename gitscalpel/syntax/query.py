"""The query files: what each language's grammar calls a definition, a comment, a string.

Captures that the outline understands:

    definition.<kind>    a definition; a binding (variable, field, member) inside a function is none
    definition.assigned  an assignment, a definition only if a function or class is assigned
    name                 its name; dots in it separate segments (``exports.f``)
    owner                the type whose path comes before the name (a receiver), its arguments aside
    declarator           a node around the name; it goes on in its field ``declarator`` or first child
    callable             a declarator that makes what it names a function
    qualified            a name that brings its owner, in the fields ``scope`` and ``name``
    rest                 where a name ends, within it
    body                 what follows the header; its children, where it is a block
    value                what is bound; the header ends where it begins
    whole                a statement that only holds one definition, and is its extent
    group                a statement of that sort that holds several definitions, so is none's extent
    wrapper              a node whose beginning is the lead of the definition in it (``export``)
    decorator, word      parts of a lead: decorators and attributes, visibility words
    modifiers            a node that gathers decorators, words and other beginnings of a definition
    function             a function of any kind, named or not: what it binds is local
    class                a class expression; where no name is bound to it, a segment ``<anon>``
    block                a node that holds statements or members as its children
    shared               a definition that may share its name with others (overloads, accessors)
    declared             one that only announces what is defined elsewhere, and steps back for that;
                         so does a function without a body that its declarator made one
    comment, string      tokens that some rules look at

Without a capture, name, body and value are the fields that grammars name so.
Patterns stay flat on purpose: compiling a nested one costs milliseconds at
every start, a flat one next to nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

import tree_sitter

from gitscalpel.syntax.languages import Language
from gitscalpel.syntax.names import Name, Names
from gitscalpel.syntax.parse import Syntax, grammar
from gitscalpel.syntax.symbols import BINDINGS

_QUERIES = Path(__file__).parent / "queries"
Found = dict[str, list[tree_sitter.Node]]
_INHERITS = re.compile(r"\A; inherits: (\w+)")


class Definition(NamedTuple):
    """One match of a ``definition.<kind>`` pattern; of two for one name the earlier pattern counts."""

    pattern: int
    kind: str
    node: tree_sitter.Node
    name: Name
    body: tree_sitter.Node | None
    value: tree_sitter.Node | None
    declared: bool


class Captures(NamedTuple):
    """Everything the queries found in one tree."""

    definitions: list[Definition]
    nodes: dict[str, list[tree_sitter.Node]]
    ids: dict[str, set[int]]

    def holds(self, name: str, node: tree_sitter.Node) -> bool:
        """Whether ``node`` was captured as ``name``."""
        return node.id in self.ids.get(name, ())


@cache
def compiled(language: Language) -> tree_sitter.Query:
    """The language's query, with those it inherits."""
    query: tree_sitter.Query = tree_sitter.Query(grammar(language.grammar), _source(language.name))
    return query


def captures(syntax: Syntax) -> Captures:
    """Run the language's query over a tree."""
    found_definitions: list[tuple[int, str, Found]] = []
    nodes: dict[str, list[tree_sitter.Node]] = defaultdict(list)
    cursor = tree_sitter.QueryCursor(compiled(syntax.language))
    for pattern, found in cursor.matches(syntax.root):
        kind = next((name for name in found if name.startswith("definition.")), None)
        if kind is None:
            for name, captured in found.items():
                nodes[name] += captured
        else:
            found_definitions.append((pattern, kind, found))
    ids = {name: {node.id for node in captured} for name, captured in nodes.items()}
    names = Names(ids)
    definitions = (_definition(*match, names) for match in found_definitions)
    return Captures([d for d in definitions if d is not None], nodes, ids)


def _definition(pattern: int, capture: str, found: Found, names: Names) -> Definition | None:
    node = found[capture][0]
    named = _part(found, node, "name")
    if named is None:
        return None
    kind, owner = capture.removeprefix("definition."), found.get("owner")
    name = names.read(named, owner[0] if owner else None)
    body, value = _part(found, node, "body"), _part(found, node, "value", "right") or name.value
    announced = name.callable and kind in BINDINGS
    if announced or kind == "function":
        kind = "method" if name.owned else "function"
    return Definition(pattern, kind, node, name, body, value, announced)


def _part(found: Found, node: tree_sitter.Node, name: str, *other: str) -> tree_sitter.Node | None:
    if name in found:
        return found[name][0]
    fields = (node.child_by_field_name(field) for field in (name, *other))
    return next((part for part in fields if part is not None), None)


def _source(name: str) -> str:
    text = (_QUERIES / f"{name}.scm").read_text("utf-8")
    parent = _INHERITS.match(text)
    return (_source(parent.group(1)) if parent else "") + text
