"""Nodes of one text as a selector sees them: type, name, calls, ancestors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import tree_sitter

from gitscalpel.syntax.captures import is_import, iter_modules
from gitscalpel.syntax.languages import Language
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.parse import compile_query, load_grammar
from gitscalpel.syntax.symbols import FUNCTIONS, TYPES, Symbol
from gitscalpel.text.line_refs import NodeRef

ALIASES = (
    *("module", "class", "function", "method", "stmt", "smallstmt", "import", "decorator", "call", "node"),
)
DEFINED = ("class", "method", "function")
_STATEMENTS = ("stmt", "smallstmt", "import")
_BARE = ("argument_list", "parenthesized_expression", "type")
"""Nodes without a name in the table, which are skipped between a parent and its child."""
_NAMES = Path(__file__).parent / "queries"


class Place(NamedTuple):
    """A node; ``symbol`` is set if it is a definition."""

    node: tree_sitter.Node
    symbol: Symbol | None

    @property
    def ref(self) -> NodeRef:
        """Reference to the node, as accepted by ``node``."""
        return NodeRef(self.node.type, self.node.start_byte, self.node.end_byte)


class Places:
    """All named nodes of an outline's text, in document order, parents before children."""

    def __init__(self, outline: Outline, module: str = "") -> None:
        self.outline = outline
        self.module = module
        self._types = types_of(outline.syntax.language)
        self._ids_by_pattern: dict[str, set[int]] = {}
        self._blocks = {node.id for node in outline.nodes("block")} - outline.definitions.keys()
        self._decorators = {node.id for node in outline.nodes("decorator")}

    @cached_property
    def _wrapper_ids(self) -> set[int]:
        found: set[int] = set()
        for symbol in self.outline.walk():
            node = symbol.own
            found.add(symbol.node.id)
            while node.id != symbol.node.id and node.parent is not None:
                node = node.parent
                found.add(node.id)
        return found - self.outline.definitions.keys()

    @property
    def all(self) -> list[Place]:
        return self._walked[0]

    @cached_property
    def _walked(self) -> tuple[list[Place], list[int]]:
        """All places, and for each the index of its parent: ``Node.parent`` is slow with many siblings."""
        root = self.outline.syntax.root
        places: list[Place] = []
        above: list[int] = []
        pending = [(root, 0)]
        while pending:
            node, parent = pending.pop()
            pending += [(child, len(places)) for child in reversed(node.named_children)]
            places.append(Place(node, self.outline.definitions.get(node.id)))
            above.append(parent)
        return places, above

    @cached_property
    def _at(self) -> dict[int, int]:
        return {place.node.id: index for index, place in enumerate(self.all)}

    @cached_property
    def _subtree_ends(self) -> list[int]:
        return subtree_ends(self._walked[1])

    def of_type(self, scope: Place | None, type_name: str) -> list[Place]:
        """Return the places of a type below a place, or in the whole text if it is None."""
        candidates = (
            self.below(scope) if scope is not None or "_walked" in vars(self) else self._query(type_name)
        )
        return [
            place for place in (self.all if candidates is None else candidates) if self.is_a(place, type_name)
        ]

    def _query(self, type_name: str) -> list[Place] | None:
        """Return the places that may be of a type, without a walk, or None if node types do not decide."""
        symbols = self.outline.definitions
        known_name = type_name if type_name in self._types else type_name.lower()
        if known_name in DEFINED:
            nodes = [self.outline.own_node(symbol) for symbol in symbols.values()]
        elif (query := _query_for(self.outline.syntax.language, known_name)) is not None:
            captured = tree_sitter.QueryCursor(query).captures(self.outline.syntax.root)
            nodes = captured.get("it", [])
        else:
            return None
        nodes = sorted(nodes, key=lambda node: (node.start_byte, -node.end_byte))
        return [Place(node, symbols.get(node.id)) for node in nodes]

    def below(self, place: Place | None) -> list[Place]:
        if place is None:
            return self.all
        at = self._at[place.node.id]
        return self.all[at + 1 : self._subtree_ends[at]]

    def is_child(self, place: Place, scope: Place, type_name: str) -> bool:
        """Return True if a place, which the selector names as type ``type_name``, is directly in another.

        Wrappers and blocks that only contain a body are skipped.
        """
        is_bare = type_name in self._types and type_name != type_name.lower()
        node = self._parent_of(place.node)
        while node is not None and node.id != scope.node.id:
            is_wrapper = node.id in self._blocks or node.id in self._wrapper_ids
            if not (is_wrapper or (is_bare and node.type in _BARE)):
                return False
            node = self._parent_of(node)
        return node is not None

    def iter_results(self, places: Iterable[Place]) -> Iterator[Place]:
        ids = {place.node.id for place in places}
        return (place for place in self.all if place.node.id in ids)

    def _parent_of(self, node: tree_sitter.Node) -> tree_sitter.Node | None:
        at = self._at[node.id]
        return self.all[self._walked[1][at]].node if at else None

    def is_a(self, place: Place, type_name: str) -> bool:
        """Return True if a place is of a type: an alias, or a node type in any case."""
        node, symbol = place
        known_name = type_name if type_name in self._types else type_name.lower()
        if known_name in DEFINED:
            return symbol is not None and is_definition(symbol, known_name)
        if known_name in _STATEMENTS:
            return self._is_statement(node, known_name)
        if known_name == "module":
            return node.id == self.outline.syntax.root.id
        if known_name == "decorator":
            return node.id in self._decorators
        if known_name == "call":
            return is_call(node)
        return known_name in ("*", "node") or self._is_of_type(place, known_name)

    def _is_of_type(self, place: Place, known_name: str) -> bool:
        """Return True if a node is of a type of the grammar, or of the language's table."""
        node, types = place.node, self._types
        if known_name in types.patterns:
            return node.id in self._capture_ids(known_name)
        if known_name in types.without and self.is_a(place, types.without[known_name]):
            return False
        meant, kind = types[known_name], node.type.lower()
        return kind in meant or (f">{kind}" in meant and self._is_statement(node, "stmt"))

    def is_called(self, place: Place, name: str) -> bool:
        """Return True if the name is the node type of a place, or the language's other name for it."""
        is_known = name.lower() in self._types
        return place.node.type == name or (is_known and self.is_a(place, name))

    def _capture_ids(self, type_name: str) -> set[int]:
        if type_name not in self._ids_by_pattern:
            syntax = self.outline.syntax
            query = compile_query(syntax.language.grammar, self._types.patterns[type_name])
            nodes = tree_sitter.QueryCursor(query).captures(syntax.root).get("it", ())
            may_be_beside = type_name not in self._types.below
            self._ids_by_pattern[type_name] = {
                node.id for node in nodes if may_be_beside or _begins_below(node)
            }
        return self._ids_by_pattern[type_name]

    def values(self, place: Place, attribute: str, type_name: str) -> tuple[str | int, ...]:
        """Return the values of an attribute of a place, several only for imports and calls.

        ``type_name`` is the type in the selector. For a call type the name is that of the called function.
        """
        type_name = type_name.lower()
        if attribute == "module" and is_import(place.node):
            named = tuple(iter_modules(place.node))
            return named or (self.module,)
        if attribute == "name" and type_name not in ("*", "node", *DEFINED):
            if is_call(place.node):
                return called_names(place.node)
            if type_name in _NAMED and self.outline.syntax.language.name == "python":
                return (_first_identifier(place.node),)
        return (self._attribute_value(place, attribute),)

    def _attribute_value(self, place: Place, attribute: str) -> str | int:
        node, symbol = place
        if attribute == "name":
            return symbol.name if symbol else ""
        if attribute == "qualname":
            owner = symbol or self.outline.around(node.start_byte, node.end_byte)
            return owner.qualname if owner else ""
        if attribute == "kind":
            return symbol.kind if symbol else node.type
        if attribute == "start_line":
            return node.start_point.row + 1
        if attribute == "end_line":
            return node.end_point.row + 1
        values: dict[str, str | int] = {
            "type": node.type,
            "module": self.module,
            "children_count": node.named_child_count,
        }
        return values[attribute]

    def _is_statement(self, node: tree_sitter.Node, alias: str) -> bool:
        parent = self._parent_of(node)
        if parent is None or node.is_extra or node.id in self._blocks:
            return False
        if self._parent_of(parent) is not None and parent.id not in self._blocks:
            return False
        if alias == "import":
            return is_import(node)
        return alias == "stmt" or not self._has_block(node)

    def _has_block(self, node: tree_sitter.Node) -> bool:
        """Return True if a statement, or the definition that it decorates, has a block."""
        inside = node.named_children
        if any(child.id in self._blocks for child in inside):
            return True
        return node.id in self._wrapper_ids and any(map(self._has_block, inside))


def subtree_ends(parents: list[int]) -> list[int]:
    """Return the index after the last descendant of each node of a walk, given the index of each parent."""
    ends = list(range(1, len(parents) + 1))
    for index in range(len(parents) - 1, 0, -1):
        ends[parents[index]] = max(ends[parents[index]], ends[index])
    return ends


class Types(dict[str, frozenset[str]]):
    """The type names of selectors, and the node types to which they refer.

    The grammar's own are in lower case. Those of a table are as it spells them, and in lower case if the
    grammar has no type of that name. A type with a ``>`` before it is restricted to statements.

    Attributes:
        patterns: types defined by a query, whose capture ``it`` they are.
        below: types of ``patterns`` whose nodes begin on a line below the previous token.
        without: types that exclude the nodes of another.
    """

    patterns: Mapping[str, str] = MappingProxyType({})
    below: frozenset[str] = frozenset()
    without: Mapping[str, str] = MappingProxyType({})


@cache
def types_of(language: Language) -> Types:
    loaded = load_grammar(language.grammar)
    named = (
        loaded.node_kind_for_id(number)
        for number in range(loaded.node_kind_count)
        if loaded.node_kind_is_named(number)
    )
    grammar_types = {name.lower(): frozenset({name.lower()}) for name in named if name}
    file = _NAMES / f"{language.name}.names"
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    table = dict(line.split(maxsplit=1) for line in lines if line and not line.startswith("#"))
    rows = {name.lower(): row for name, row in table.items() if name.lower() not in grammar_types} | table
    found = Types({name: frozenset(row.split()) for name, row in rows.items()} | grammar_types)
    found.below = frozenset(name for name, row in rows.items() if row.startswith(_BELOW))
    found.patterns = {
        name: row.removeprefix(_BELOW) for name, row in rows.items() if row.startswith(("(", _BELOW))
    }
    found.without = {name: row.rpartition(" -")[2] for name, row in rows.items() if " -" in row}
    return found


_BELOW = "below "


@cache
def _query_for(language: Language, type_name: str) -> tree_sitter.Query | None:
    """Return a query for the nodes of a type as ``it``. None for types that node types do not decide."""
    types, loaded = types_of(language), load_grammar(language.grammar)
    if type_name == "call":
        node_types = _CALLS
    elif type_name not in (*ALIASES, *types.patterns, *types.without) and type_name in types:
        node_types = types[type_name]
    else:
        return None
    kinds = {
        kind
        for number in range(loaded.node_kind_count)
        if loaded.node_kind_is_named(number)
        and (kind := loaded.node_kind_for_id(number))
        and kind.lower() in node_types
    }
    try:
        return (
            tree_sitter.Query(loaded, f"[{' '.join(f'({kind})' for kind in sorted(kinds))}] @it")
            if kinds
            else None
        )
    except tree_sitter.QueryError:  # a name of the grammar's that no node has
        return None


def _begins_below(node: tree_sitter.Node) -> bool:
    before = node.prev_sibling
    return before is not None and before.end_point.row < node.start_point.row


_NAMED = ("name", "param")
"""Names of LibCST for nodes that have a name without being definitions."""


def _first_identifier(node: tree_sitter.Node) -> str:
    """Return the name of a parameter, or a name itself."""
    inner: tree_sitter.Node | None = node
    while inner is not None and inner.named_child_count:
        inner = inner.child_by_field_name("name") or inner.named_children[0]
    return ((inner or node).text or b"").decode("utf-8", "replace")


def is_definition(symbol: Symbol, alias: str) -> bool:
    """Return True if a definition matches ``class``, ``method`` or ``function``."""
    brings_type = symbol.kind == "method" and len(symbol.segments) > 1
    in_type = brings_type or (symbol.parent is not None and symbol.parent.kind in TYPES)
    return {
        "class": symbol.kind in TYPES,
        "method": symbol.kind in FUNCTIONS and in_type,
        "function": symbol.kind in FUNCTIONS and not in_type and not symbol.local,
    }[alias]


_CALLS = frozenset(
    {
        *("call", "call_expression", "function_call", "function_call_expression", "command", "apply"),
        *("member_call_expression", "nullsafe_member_call_expression", "scoped_call_expression"),
        *("method_invocation", "macro_invocation", "constructor_invocation", "invocation_expression"),
    }
)
"""Node types of calls."""
_FIELDS = ("method", "function", "name", "macro")
"""Fields for the target of a call; without one it is the first child."""
_LAST = re.compile(r"[^\W\d][\w$]*[!?]?$")


def is_call(node: tree_sitter.Node) -> bool:
    return node.type in _CALLS


def called_names(node: tree_sitter.Node) -> tuple[str, ...]:
    """Return the names of a call's target: ``os.path.join`` and ``join``."""
    fields = (node.child_by_field_name(field) for field in _FIELDS)
    target = next((field for field in (*fields, *node.named_children) if field is not None), None)
    if target is None:
        return ()
    full_name = (node.text or b"")[: target.end_byte - node.start_byte].decode("utf-8", "replace")
    last = _LAST.search(full_name)
    return tuple(dict.fromkeys((full_name, last[0] if last else full_name)))
