"""The query files: what each language's grammar calls a definition, a comment, a string.

Captures that the outline understands:

    definition.<kind>  a definition; a binding (variable, field, member) inside a function is none
    name               its name; dots in it separate segments (``exports.f``)
    body               the block with its children; the header ends where it begins
    value              what is bound, where there is no block; the header ends where it begins
    whole              a statement that only holds one definition, and is its extent
    wrapper            a node whose beginning is the lead of the definition in it (``export``)
    decorator, word    parts of a lead: decorators and attributes, visibility words
    function           a function of any kind, named or not: what it binds is local
    anonymous          an anonymous class: a segment ``<anon>``
    shared             a definition that may share its name with others (overloads, accessors)
    comment, string, docstring, identifier    tokens that some rules look at
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
        body, value = found.get("body"), found.get("value")
        definitions.append(
            Definition(
                pattern,
                kind.removeprefix("definition."),
                found[kind][0],
                found["name"][0],
                body[0] if body else None,
                value[0] if value else None,
            )
        )
    return Captures(definitions, nodes)


def _source(name: str) -> str:
    text = (_QUERIES / f"{name}.scm").read_text("utf-8")
    parent = _INHERITS.match(text)
    return (_source(parent.group(1)) if parent else "") + text
