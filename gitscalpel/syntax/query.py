"""The query files: what each language's grammar calls a definition, a comment, a string.

Captures that the outline understands:

    definition.<kind>    a definition; a binding (variable, field, member) inside a function is none
    definition.assigned  an assignment, a definition only if a function or class is assigned
    name                 its name; dots in it separate segments (``exports.f``)
    body                 what follows the header; its children, where it is a block
    value                what is bound; the header ends where it begins
    whole                a statement that only holds one definition, and is its extent
    wrapper              a node whose beginning is the lead of the definition in it (``export``)
    decorator, word      parts of a lead: decorators and attributes, visibility words
    function             a function of any kind, named or not: what it binds is local
    class                a class expression; where no name is bound to it, a segment ``<anon>``
    block                a node that holds statements or members as its children
    shared               a definition that may share its name with others (overloads, accessors)
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
from gitscalpel.syntax.parse import Syntax, grammar

_QUERIES = Path(__file__).parent / "queries"
_INHERITS = re.compile(r"\A; inherits: (\w+)")


class Definition(NamedTuple):
    """One match of a ``definition.<kind>`` pattern; of two for one name the earlier pattern counts."""

    pattern: int
    kind: str
    node: tree_sitter.Node
    name: tree_sitter.Node
    body: tree_sitter.Node | None
    value: tree_sitter.Node | None


class Captures(NamedTuple):
    """Everything the queries found in one tree."""

    definitions: list[Definition]
    nodes: dict[str, list[tree_sitter.Node]]


@cache
def compiled(language: Language) -> tree_sitter.Query:
    """The language's query, with those it inherits."""
    query: tree_sitter.Query = tree_sitter.Query(grammar(language.grammar), _source(language.name))
    return query


def captures(syntax: Syntax) -> Captures:
    """Run the language's query over a tree."""
    definitions: list[Definition] = []
    nodes: dict[str, list[tree_sitter.Node]] = defaultdict(list)
    cursor = tree_sitter.QueryCursor(compiled(syntax.language))
    for pattern, found in cursor.matches(syntax.root):
        kind = next((name for name in found if name.startswith("definition.")), None)
        if kind is None:
            for name, captured in found.items():
                nodes[name] += captured
            continue
        node = found[kind][0]
        named = _part(found, node, "name")
        if named is not None:
            body, value = _part(found, node, "body"), _part(found, node, "value", "right")
            definitions.append(
                Definition(pattern, kind.removeprefix("definition."), node, named, body, value)
            )
    return Captures(definitions, nodes)


def _part(
    found: dict[str, list[tree_sitter.Node]], node: tree_sitter.Node, name: str, *other: str
) -> tree_sitter.Node | None:
    if name in found:
        return found[name][0]
    fields = (node.child_by_field_name(field) for field in (name, *other))
    return next((part for part in fields if part is not None), None)


def _source(name: str) -> str:
    text = (_QUERIES / f"{name}.scm").read_text("utf-8")
    parent = _INHERITS.match(text)
    return (_source(parent.group(1)) if parent else "") + text
