"""Run the query of each language, and read definitions, comments and strings from its captures.

Captures that the outline understands:

    definition.<kind>    a definition; a binding (variable, field, member) inside a function is none
    definition.assigned  an assignment, a definition only if a function or class is assigned
    name                 its name; dots in it separate segments (``exports.f``); two captures are
                         the first and the last token of one name (``operator ==``)
    owner                the type whose path precedes the name (a receiver), without type arguments
    declarator           a node around the name, which is in its field ``declarator`` or its first child
    callable             a declarator or name of a function, which has no body elsewhere
    qualified            a name that includes its owner, in the fields ``scope`` and ``name``
    misread              a word that cannot be a name, so there is no definition
    aside                a node that contains no definitions
    literal              a name that is one segment, including dots, without quotes around it
    dotted               a name whose leaves are its segments (``a.b."c"``)
    unnamed              a ``definition.item``, or an owner of one, with a position ``[n]`` as its name
    rest                 the end of a name or header whose node continues
    header               a node at which a header ends, even if more follows
    anchor               another name of the definition that contains it in its header, shown as ``#name``
    level                signs that show the depth of a heading, see ``outline.py``
    body                 the node after the header; a block contains the definition's children
    value                the bound value, before which the header ends
    clause               a node that continues the previous definition of the same name in its block
    about                a node next to a definition that names and belongs to it (a pragma)
    last                 the last node of a definition whose own node continues
    head                 a node that begins the definition after it (its type, ``pub``, ``and`` of several)
    tail                 a node that continues the definition before it (an accessor, a body)
    prefix               a definition that, without a body, is the scope of what follows it
    whole                a statement that is the extent of its definition, if it contains only one
    group                such a statement with several definitions, so it is the extent of none
    wrapper              a node around a definition, which begins with its decorators or words
    wrapped              a node that forms such a wrapper with the one around it (``private def f``),
                         as do the pairs of the same type around it
    decorator            a part of the leading trivia, in or before its node
    export               a word of a wrapper that is leading trivia; other words begin the header
    modifiers            a node that groups decorators and modifiers, which begin a header
    function             a function of any kind, named or not, whose bindings are local
    local                any other node whose bindings are local (a block in a class's body)
    class                a class expression, which is a segment ``<anon>`` if it is not bound to a name
    block                a node that holds statements or members as its children
    label                a line between the members of a block that is not a member (``public:``)
    first, early         a statement that stays first in its block, for ``early`` except its own sort
    keeps                a text that includes the line ending after it and, with a ``+`` in its first
                         line, the blank lines below it
    filler               a node between members that is not a member (text between elements)
    shared               a definition that may share its name with others (overloads, accessors), or
                         a word that makes it one (``partial``)
    complete             a node that is a definition only with a body
    kind                 a word in the text that is, in lower case, the kind of a definition
    announces            a word by which a definition only declares what is defined elsewhere
    comment, string      tokens for other rules
    doc                  a string that is documentation if it opens a block

``(#set! name "…")`` in a pattern of definitions sets the name if it is not written in the text, or is written
differently; the capture ``name`` then only gives its position. ``(#set! level "…")`` sets the depth of a
heading.

Without a capture, name, body and value are the fields of these names (a name may be ``left``, a value
``right``); names may also be in several fields ``declarator``; a definition without a name but with arguments
defines the names in these (``attr_reader :a, :b``). If the field ``type`` contains a definition without a
name, its body is the definition's. A value that is both a definition and a block gives its kind as well
(``const A = struct {…}``). A declaration is dropped if the definition is captured as well.

Patterns are flat on purpose: compiling a nested one costs milliseconds at every start, a flat one next to
nothing. So the required parent of a node is given by ``#has-parent? @capture TYPE…``, as in Neovim, and
checked when the node is found.

Import statements are read as the modules they name, as written, without quotes and aliases.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Literal

import msgspec
import tree_sitter

from gitscalpel.syntax import parse
from gitscalpel.syntax.languages import Language
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.symbols import BINDINGS, NAMELESS, Name, Names

Found = dict[str, list[tree_sitter.Node]]
"""The captured nodes of one match, by capture."""


class Definition(msgspec.Struct, frozen=True):
    """A definition found by a query. Of two for one name, the one with the earlier pattern is used."""

    pattern: int  # index of the pattern in the query
    kind: str  # function, class, field, …
    node: tree_sitter.Node  # node of the whole definition
    name: Name  # node of the name
    body: tree_sitter.Node | None  # node after the header
    value: tree_sitter.Node | None  # node of the value that is bound to the name
    declared: bool = False  # True if it only declares what may be defined elsewhere
    more: tuple[tree_sitter.Node, ...] = ()  # clauses that continue it, in order
    level: str | None = None  # depth of a heading


def read_definition(
    pattern: int, kind: str, node: tree_sitter.Node, found: Found, names: Names
) -> Iterator[Definition]:
    """Yield the definitions of one match, one for each captured name or name field."""
    owner = found.get("owner")
    body, value = _find_part(found, node, "body"), _find_part(found, node, "value", "right", "default_value")
    for first, last in _pair_name_ends(found, node):
        name = names.read(first, owner[0] if owner else None, last)
        if name is None:
            continue
        announced = name.callable and kind in BINDINGS
        own = "function" if announced else kind
        own = "method" if own == "function" and name.owned and "kind" not in found else own
        if kind == "item":
            name = msgspec.structs.replace(name, segments=(*name.segments, NAMELESS))
        yield Definition(
            pattern, own, node, name, body, value or name.value, announced, level=_heading_style(found)
        )


def apply_settings(definition: Definition, settings: Mapping[str, str | None]) -> Definition:
    """Return the definition with the name or level that its pattern sets, instead of the captured one."""
    if name := settings.get("name"):
        definition = msgspec.structs.replace(
            definition,
            name=msgspec.structs.replace(definition.name, segments=(*definition.name.segments[:-1], name)),
        )
    return (
        msgspec.structs.replace(definition, level=settings.get("level"))
        if "level" in settings
        else definition
    )


def _heading_style(found: Found) -> str | None:
    """Return the style of a heading: its signs, sorted, or None."""
    if "level" not in found:
        return None
    return (
        "".join(sorted((sign.text or b"").decode("utf-8", "replace")[:1] for sign in found["level"])) or None
    )


def _pair_name_ends(found: Found, node: tree_sitter.Node) -> list[tuple[tree_sitter.Node, tree_sitter.Node]]:
    if "name" in found:
        tokens = sorted(found["name"], key=lambda token: token.start_byte)
        return [(tokens[0], tokens[-1])]
    name_node = _find_part(found, node, "name", "left")
    name_nodes = [name_node] if name_node else node.children_by_field_name("declarator")
    if not name_nodes and (arguments := node.child_by_field_name("arguments")):
        name_nodes = [argument for argument in arguments.named_children if not argument.is_extra]
    return [(name, name) for name in name_nodes]


def _find_part(found: Found, node: tree_sitter.Node, name: str, *fields: str) -> tree_sitter.Node | None:
    if name in found:
        return found[name][0]
    parts = map(node.child_by_field_name, (name, *fields))
    return next((part for part in parts if part is not None), None)


QUERIES = Path(__file__).parent / "queries"
_DEFINITION = "definition."
_PART = 1_000_000
"""Bytes of a large text in which definitions are counted before all of it is read."""
_INHERITS = re.compile(r"\A; inherits: ([\w.]+)")


class Captures(msgspec.Struct, frozen=True):
    """All captures of the queries in one tree."""

    definitions: list[Definition]  # definitions in no certain order, maybe several for one name
    nodes: dict[str, list[tree_sitter.Node]]  # the other captures
    ids: dict[str, set[int]]  # ids of the captured nodes
    kinds: dict[int, str]  # kinds of the nodes captured as definitions, named or not, by id
    cut: str = ""  # description of why nothing was kept, if there are too many definitions

    def holds(self, name: str, node: tree_sitter.Node) -> bool:
        return node.id in self.ids.get(name, ())

    def has(self, name: str) -> bool:
        return bool(self.ids.get(name))

    def among(self, name: str, node: tree_sitter.Node) -> list[tree_sitter.Node]:
        ids = self.ids.get(name)
        return [child for child in node.children if child.id in ids] if ids else []


@cache
def compile_query(language: Language) -> tree_sitter.Query:
    return parse.compile_query(language.grammar, read_queries(language.name))


def read_captures(syntax: Syntax) -> Captures:
    query = compile_query(syntax.language)
    if _has_too_many(query, syntax):
        return Captures([], defaultdict(list), {}, {}, cut=parse.TOO_MANY_DEFINITIONS)
    defining = _definition_captures(query)
    matches: list[tuple[int, str, Found]] = []
    nodes: dict[str, list[tree_sitter.Node]] = defaultdict(list)
    cursor = tree_sitter.QueryCursor(query)
    for pattern, found in cursor.matches(syntax.root, has_required_parent):
        for name in found:
            if name in defining:
                matches.append((pattern, name, found))
                break
        else:
            for name, captured in found.items():
                nodes[name] += captured
    cut = parse.definition_limit_reason(syntax.root, len(matches))
    if cut:
        return Captures([], defaultdict(list), {}, {}, cut=cut)
    ids = {name: {node.id for node in captured} for name, captured in nodes.items()}
    names = Names(syntax.text, ids)
    definitions: list[Definition] = []
    kinds: dict[int, str] = {}
    settings_of = {
        pattern: query.pattern_settings(pattern) for pattern in {pattern for pattern, *_ in matches}
    }
    for pattern, capture, found in matches:
        node = found[capture][0]
        kind = names.word(found["kind"][0]) if "kind" in found else capture.removeprefix(_DEFINITION)
        kinds.setdefault(node.id, kind)
        read = read_definition(pattern, kind, node, found, names)
        settings = settings_of[pattern]
        definitions += map(partial(apply_settings, settings=settings), read) if settings else read
    return Captures(definitions, nodes, ids, kinds)


def _has_too_many(query: tree_sitter.Query, syntax: Syntax) -> bool:
    """Return True if the first part of a large text has more definitions than are read.

    The matches of a whole file come as one list, which takes 500 MB for 200,000 of them.
    """
    if len(syntax.text) <= _PART:
        return False
    cursor = tree_sitter.QueryCursor(query)
    cursor.set_byte_range(0, _PART)
    defining = _definition_captures(query)
    found = sum(
        not defining.isdisjoint(names) for _, names in cursor.matches(syntax.root, has_required_parent)
    )
    return found > parse.DEFINITIONS


@cache
def _definition_captures(query: tree_sitter.Query) -> frozenset[str]:
    names = map(query.capture_name, range(query.capture_count))
    return frozenset(name for name in names if name.startswith(_DEFINITION))


def has_required_parent(
    predicate: str,
    args: list[tuple[str, Literal["capture", "string"]]],
    pattern_index: int,
    captures: dict[str, list[tree_sitter.Node]],
) -> bool:
    assert predicate == "has-parent?", predicate  # noqa: S101 - our own queries have no other
    del pattern_index
    (capture, _), *types = args
    parents = {kind for kind, _ in types}
    return all(node.parent is not None and node.parent.type in parents for node in captures[capture])


def read_queries(name: str) -> str:
    text = (QUERIES / f"{name}.scm").read_text("utf-8")
    parent = _INHERITS.match(text)
    return (read_queries(parent.group(1)) if parent else "") + text


_IMPORTS = re.compile(r"import|use_declaration|using_directive|include|require")
_FIELDS = ("module_name", "source", "module", "path", "argument")
"""Fields of grammars for the imported module."""
_PARTS = frozenset(
    {
        *("import_spec_list", "import_spec", "namespace_use_clause", "import_require_clause"),
        *("library_import", "library_export", "import_specification", "configurable_uri"),
        *("aliased_import", "use_as_clause", "scoped_use_list", "use_wildcard"),
    }
)
"""Nodes in imports around a name, maybe with an alias."""
_MARKS = " \t\"'`<>"


def is_import(node: tree_sitter.Node) -> bool:
    return bool(_IMPORTS.search(node.type))


def iter_modules(node: tree_sitter.Node) -> Iterator[str]:
    """Yield the modules, packages, files or names that an import names."""
    if node.type == "future_import_statement":
        yield "__future__"
        return
    found = next((named for field in _FIELDS if (named := node.children_by_field_name(field))), [])
    if found and found[0].type not in _PARTS:
        yield _text_between(found[0], found[-1])
        return
    parts = found or [child for child in node.named_children if child.type in _PARTS]
    name_nodes = node.children_by_field_name("name")
    for part in name_nodes if set(name_nodes) & set(parts) else parts:
        yield from iter_modules(part) if part.type in _PARTS else iter([_text_between(part, part)])
    if not parts:
        yield from _named_modules(node)


def _named_modules(node: tree_sitter.Node) -> Iterator[str]:
    own = {child.id for field in ("name", "alias") for child in node.children_by_field_name(field)}
    rest = [child for child in node.named_children if child.id not in own]
    for child in rest[:1] or node.children_by_field_name("name"):
        yield _text_between(child, child)


def _text_between(first: tree_sitter.Node, last: tree_sitter.Node) -> str:
    parent = first.parent
    if parent is None:
        return ""
    source = (parent.text or b"")[first.start_byte - parent.start_byte : last.end_byte - parent.start_byte]
    return source.decode("utf-8", "replace").strip(_MARKS)
