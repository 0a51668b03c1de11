"""Python nodes as parsed by LibCST, with their byte ranges, for selectors that name its classes.

LibCST is optional (the extra ``python``) and slow to load. So only selectors that need it use this module,
and ``python.libcst`` lists its classes by name: a selector without them never loads it.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gitscalpel.errors import DoesNotFit, Misconfigured
from gitscalpel.syntax.captures import iter_modules
from gitscalpel.syntax.languages import Language
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.selector_nodes import DEFINED, Place, Places, is_definition, subtree_ends, types_of
from gitscalpel.syntax.symbols import LeadingTrivia, Symbol
from gitscalpel.text.line_refs import NodeRef

if TYPE_CHECKING:
    import libcst


BOM = b"\xef\xbb\xbf"
_BLANKS = b" \t\r\n\f\\"
WHITE = frozenset(
    {"EmptyLine", "Newline", "ParenthesizedWhitespace", "SimpleWhitespace", "TrailingWhitespace"}
)
"""Classes whose text is white space."""
_HINT = "use the node types of the grammar, such as if_statement"


class CstNode:
    """A LibCST node.

    Attributes:
        id: index in the list of all nodes.
        type: name of its class.
        above: index of the parent, or its own for the root.
        inner: the node itself.
        number: number among the nodes of the same class and range, from 1 (white space may be empty).
    """

    __slots__ = ("above", "end_byte", "id", "inner", "number", "source", "start_byte", "type")

    def __init__(self, place: int, above: int, inner: libcst.CSTNode, span: tuple[int, int], source: bytes):
        self.id, self.above, self.inner, self.source = place, above, inner, source
        self.type = type(inner).__name__
        self.start_byte, self.end_byte = span
        self.number = 1

    @property
    def text(self) -> bytes:
        return self.source[self.start_byte : self.end_byte]

    @property
    def ref(self) -> NodeRef:
        """Reference to the node, as accepted by ``node``."""
        number = f"#{self.number}" if self.number > 1 else ""
        return NodeRef(f"{self.type}{number}", self.start_byte, self.end_byte)


class CstTree:
    """All nodes of a text, parents before children, siblings in document order.

    Raises ``unsupported_language`` if LibCST cannot parse the text, ``too_large``, or ``unavailable`` if
    LibCST is not installed.
    """

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.nodes: list[CstNode] = []
        try:
            self._read_nodes(_parse(text))
        except RecursionError:
            raise DoesNotFit("too_large", "the text nests too deeply for LibCST", _HINT) from None
        self.ends = subtree_ends([node.above for node in self.nodes])
        self.counts = Counter(node.above for node in self.nodes[1:])
        self._starts = [0, *(at + 1 for at in range(len(text)) if text[at] == 10)]

    def line_at(self, offset: int) -> int:
        return bisect(self._starts, offset)

    def field(self, node: CstNode, name: str) -> CstNode | str | None:
        """Return the value of a node's field, or None for nothing, several nodes, or no such field."""
        value = getattr(node.inner, name, None)
        if isinstance(value, bool):
            return str(value).lower()
        return value if isinstance(value, str) else self._by_inner.get(id(value))

    def at(self, ref: NodeRef) -> CstNode | None:
        return next((node for node in self.nodes if node.ref == ref), None)

    def _read_nodes(self, module: libcst.Module) -> None:
        from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper

        lead = len(self.text) - len(self.text.removeprefix(BOM))
        spans = MetadataWrapper(module, unsafe_skip_copy=True).resolve(ByteSpanPositionProvider)
        seen: Counter[tuple[str, int, int]] = Counter()

        def span(inner: libcst.CSTNode) -> tuple[int, int]:
            found: Any = spans[inner]
            start, end = lead + found.start, lead + found.start + found.length
            if type(inner).__name__ in WHITE:
                return start, end
            covered = self.text[start:end]  # some, such as AsName, begin with the blank before them
            stripped = covered.strip(_BLANKS)
            start += len(covered) - len(covered.lstrip(_BLANKS)) if stripped else 0
            return start, start + len(stripped)

        pending: list[tuple[libcst.CSTNode, tuple[int, int], int]] = [(module, (0, len(self.text)), 0)]
        while pending:
            inner, own, above = pending.pop()
            node = CstNode(len(self.nodes), above, inner, own, self.text)
            key = (node.type, *own)
            seen[key] += 1
            node.number = seen[key]
            self.nodes.append(node)
            present = (child for child in _iter_children(inner) if child in spans)  # some blanks are never
            children = sorted(((child, span(child)) for child in present), key=lambda pair: pair[1])
            pending += [(child, extent, node.id) for child, extent in reversed(children)]
        self._by_inner = {id(node.inner): node for node in self.nodes}


@lru_cache(maxsize=2)
def read(text: bytes) -> CstTree:
    """Return the nodes of a text. Raises like :class:`CstTree`."""
    return CstTree(text)


def _parse(text: bytes) -> libcst.Module:
    try:
        import libcst
    except ImportError:
        raise Misconfigured(
            "unavailable",
            "the selector names a LibCST node, but libcst is not installed",
            "install it: pip install 'gitscalpel[python]'",
        ) from None
    try:
        source = text.removeprefix(BOM).decode("utf-8")
        module = libcst.parse_module(source, libcst.PartialParserConfig(encoding="utf-8"))
    except UnicodeDecodeError:
        raise DoesNotFit(
            "unsupported_language", "the file is not in UTF-8, so LibCST cannot read it", _HINT
        ) from None
    except libcst.ParserSyntaxError as error:
        position = f"line {error.raw_line}, column {error.raw_column + 1}"
        raise DoesNotFit("unsupported_language", f"LibCST cannot parse the file: {position}", _HINT) from None
    rendered = module.code
    if rendered != source:
        first_difference = next(n for n in range(len(source) + 1) if rendered[n : n + 1] != source[n : n + 1])
        line = source.count("\n", 0, first_difference) + 1
        words = f"LibCST does not keep the white space of the file at line {line}"
        raise DoesNotFit("unsupported_language", words, _HINT)
    return module


def _iter_children(node: libcst.CSTNode) -> Iterator[libcst.CSTNode]:
    """Yield the nodes in the fields of a node, without the copies of ``CSTNode.children``."""
    import libcst

    for name in _field_names(type(node)):
        value = getattr(node, name)
        if isinstance(value, libcst.CSTNode):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from (each for each in value if isinstance(each, libcst.CSTNode))


@cache
def _field_names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


LANGUAGE = "python"
ROWS = Path(__file__).parent / "queries" / "python.libcst"


@cache
def classes() -> dict[str, frozenset[str]]:
    """Return the fields of each class that contain one text, flag or node."""
    rows = (row.split() for row in ROWS.read_text("utf-8").splitlines() if not row.startswith("#"))
    return {name: frozenset(fields) for name, *fields in rows}


@cache
def attributes() -> frozenset[str]:
    return frozenset().union(*classes().values())


@cache
def _spellings() -> dict[str, str]:
    return {name.lower(): name for name in classes()}


def class_named(name: str) -> str:
    """Return the class of this name in any case, or "" if LibCST has none."""
    return name if name in classes() else _spellings().get(name.lower(), "")


_TRANSPARENT = frozenset({"IndentedBlock", "SimpleStatementSuite", "SimpleStatementLine"})
"""Classes that only wrap a body. A step with ``>`` may name or omit them."""
_DEFINING = {
    "ClassDef": "class_definition",
    "FunctionDef": "function_definition",
    "Assign": "assignment",
    "AnnAssign": "assignment",
    "AugAssign": "augmented_assignment",
    "TypeAlias": "type_alias_statement",
}
"""Node types of the grammar for the definitions of a class."""
_ALIASES = {
    "*": "CSTNode",
    "node": "CSTNode",
    "module": "Module",
    "decorator": "Decorator",
    "call": "Call",
    "import": "Import ImportFrom LazyImport LazyImportFrom",
    "stmt": "BaseCompoundStatement BaseSmallStatement",
    "smallstmt": "BaseSmallStatement",
}


class CstPlace(NamedTuple):
    """A LibCST node; ``symbol`` is set if it is a definition."""

    node: CstNode
    symbol: Symbol | None

    @property
    def ref(self) -> NodeRef:
        """Reference to the node, as accepted by ``node``."""
        return self.node.ref


class CstPlaces:
    """All LibCST nodes of an outline's text."""

    def __init__(self, outline: Outline, module: str = "") -> None:
        self.outline = outline
        self.module = module
        self.tree = read(outline.syntax.text)
        self._pairs_by_class: dict[str, dict[int, Place]] = {}
        self._ids_by_type: dict[str, set[int]] = {}
        self.all = [CstPlace(node, self._symbol_of(node)) for node in self.tree.nodes]

    def of_type(self, scope: CstPlace | None, type_name: str) -> list[CstPlace]:
        """Return the places of a type below a place, or in the whole text if it is None."""
        inside = self.all if scope is None else self.all[scope.node.id + 1 : self.tree.ends[scope.node.id]]
        return [place for place in inside if self.is_a(place, type_name)]

    def is_child(self, place: CstPlace, scope: CstPlace, _type_name: str) -> bool:
        """Return True if a place is directly in another, ignoring nodes that only wrap a body."""
        node = place.node
        while node.id:
            node = self.tree.nodes[node.above]
            if node.id == scope.node.id:
                return True
            if node.type not in _TRANSPARENT:
                return False
        return False

    def is_a(self, place: CstPlace, type_name: str) -> bool:
        """Return True if a place is of a type: a LibCST class, an alias, or a node type of the grammar."""
        lower = type_name.lower()
        if lower in DEFINED and type_name not in classes():
            return place.symbol is not None and is_definition(place.symbol, lower)
        if lower == "stmt" and self._is_elif(place.node):
            return False
        named = class_named(type_name) if type_name in classes() else ""
        for name in (named or _ALIASES.get(lower, "") or class_named(type_name)).split():
            if any(each.__name__ == name for each in type(place.node.inner).__mro__):
                return True
        return self._is_of_grammar(lower) and place.node.id in self._ids_of_type(lower)

    def _is_elif(self, node: CstNode) -> bool:
        """Return True for an ``elif`` clause, which is an ``If`` in LibCST."""
        return node.type == "If" and self.tree.nodes[node.above].type == "If"

    def is_called(self, place: CstPlace, name: str) -> bool:
        """Return True if the name is the LibCST class or node type of a place."""
        known = class_named(name) or name.lower() in types_of(self.outline.syntax.language)
        return bool(known) and self.is_a(place, name)

    def values(self, place: CstPlace, attribute: str, type_name: str) -> tuple[str | int, ...]:
        """Return the values of an attribute of a place: one of ``ATTRIBUTES``, or a field of its class."""
        node, symbol = place
        if attribute == "name":
            return self._list_names(place, type_name)
        if attribute == "module":
            return self._list_modules(node)
        if attribute == "qualname":
            owner = symbol or self.outline.around(node.start_byte, node.end_byte)
            return (owner.qualname if owner else "",)
        values: dict[str, str | int] = {
            "kind": symbol.kind if symbol else node.type,
            "type": node.type,
            "start_line": self.tree.line_at(node.start_byte),
            "end_line": self.tree.line_at(max(node.start_byte, node.end_byte - 1)),
            "children_count": self.tree.counts[node.id],
        }
        if attribute in values:
            return (values[attribute],)
        return self._list_words(self.tree.field(node, attribute))

    def iter_results(self, places: Iterable[CstPlace]) -> Iterator[Place | CstPlace]:
        """Yield the results for places, as grammar nodes if the grammar has such."""
        seen: set[NodeRef] = set()
        for place in sorted(places, key=lambda each: (each.node.start_byte, -each.node.end_byte)):
            answer = self._grammar_twins(place.node.type).get(place.node.id, place)
            if answer.ref not in seen:
                seen.add(answer.ref)
                yield answer

    def _symbol_of(self, node: CstNode) -> Symbol | None:
        return self._symbols_by_range.get((node.start_byte, _DEFINING.get(node.type, "")))

    @cached_property
    def _symbols_by_range(self) -> dict[tuple[int, str], Symbol]:
        found: dict[tuple[int, str], Symbol] = {}
        for symbol in self.outline.definitions.values():
            node = symbol.own
            kind = node.type
            while kind == "decorated_definition":
                node = node.named_children[-1]
                kind = node.type
            found.setdefault((node.start_byte, kind), symbol)
        return found

    def _list_names(self, place: CstPlace, type_name: str) -> tuple[str, ...]:
        node, symbol = place
        if symbol is not None:
            return (symbol.name,)
        if type_name.lower() in ("*", "node", *DEFINED):
            return ("",)
        if node.type == "Call":
            called = self._list_words(self.tree.field(node, "func"))
            return tuple(dict.fromkeys(part for name in called for part in (name, name.rpartition(".")[2])))
        return self._list_words(self.tree.field(node, "value" if node.type == "Name" else "name")) or ("",)

    def _list_modules(self, node: CstNode) -> tuple[str, ...]:
        if node.type not in ("Import", "ImportFrom"):
            return (self.module,)
        twin = self._grammar_twins(node.type).get(node.id)
        return (tuple(iter_modules(twin.node)) if twin else ()) or (self.module,)

    def _list_words(self, value: CstNode | str | None) -> tuple[str, ...]:
        if value is None:
            return ()
        if isinstance(value, str):
            return (value,)
        if value.type == "AsName":
            return self._list_words(self.tree.field(value, "name"))
        return (value.text.decode("utf-8", "replace"),)

    @cached_property
    def _grammar_places(self) -> Places:
        return Places(self.outline, self.module)

    def _grammar_twins(self, name: str) -> dict[int, Place]:
        """Return the grammar nodes for the nodes of a class, by index, if the grammar has such."""
        if name not in self._pairs_by_class:
            is_known = name.lower() in types_of(self.outline.syntax.language)
            grammar_places = (
                [place for place in self._grammar_places.all if self._grammar_places.is_a(place, name)]
                if is_known
                else []
            )
            self._pairs_by_class[name] = _pair_nodes(
                [node for node in self.tree.nodes if node.type == name], grammar_places
            )
        return self._pairs_by_class[name]

    def _is_of_grammar(self, lower: str) -> bool:
        return lower in types_of(self.outline.syntax.language) and not class_named(lower)

    def _ids_of_type(self, lower: str) -> set[int]:
        """Return the nodes with the same text as the grammar's nodes of a type.

        Raises ``unsupported_language`` if LibCST has no node for one of them.
        """
        if lower not in self._ids_by_type:
            unpaired = {
                place.node.id: place.node for place in self._grammar_places.all if place.node.type == lower
            }
            found: set[int] = set()
            for name in _classes_of(lower, self.outline.syntax.language):
                for at, twin in self._grammar_twins(name).items():
                    if unpaired.pop(twin.node.id, None) is not None:
                        found.add(at)
            if unpaired:
                line = self.tree.line_at(min(node.start_byte for node in unpaired.values()))
                words = (
                    f"LibCST has no node for the {lower} at line {line}, and the selector names its nodes too"
                )
                raise DoesNotFit("unsupported_language", words, "use only LibCST's names in the selector")
            self._ids_by_type[lower] = found
        return self._ids_by_type[lower]


def _classes_of(kind: str, language: Language) -> list[str]:
    """Return the classes whose nodes may match a node type of the grammar."""
    types = types_of(language)
    return [name for name in classes() if kind in types.get(name, ()) or kind in types.patterns.get(name, "")]


def _pair_nodes(nodes: list[CstNode], places: list[Place]) -> dict[int, Place]:
    """Return pairs of nodes with the same text in both trees, or else the n-th overlapping ones."""
    by_span = {(place.node.start_byte, place.node.end_byte): place for place in places}
    if len(nodes) == len(places):
        nodes = sorted(nodes, key=lambda node: (node.start_byte, -node.end_byte))
        places = sorted(places, key=lambda place: (place.node.start_byte, -place.node.end_byte))
        pairs = list(zip(nodes, places, strict=True))
        if all(_overlaps(node, place) for node, place in pairs):
            return {node.id: place for node, place in pairs}
    spans = ((node.id, by_span.get((node.start_byte, node.end_byte))) for node in nodes)
    return {place: found for place, found in spans if found is not None}


def _overlaps(node: CstNode, place: Place) -> bool:
    start, end = place.node.start_byte, place.node.end_byte
    return start <= node.start_byte <= node.end_byte <= end or (
        node.start_byte <= start and end <= node.end_byte
    )


def node_at(outline: Outline, ref: NodeRef) -> Symbol | None:
    """Return the LibCST node of a reference as a symbol, or None."""
    name = ref.type.partition("#")[0]
    if outline.syntax.language.name != LANGUAGE or name not in classes():
        return None
    node = read(outline.syntax.text).at(ref)
    return None if node is None else pointed_at(outline, node)


def pointed_at(outline: Outline, node: CstNode) -> Symbol:
    """Return a LibCST node as a symbol with the extent that edits need.

    If the grammar has a node of the same text, edits use it, else only the byte range.
    """
    own = outline.syntax.root.named_descendant_for_byte_range(node.start_byte, node.end_byte)
    own = own or outline.syntax.root
    is_ink = node.start_byte < node.end_byte and node.type not in WHITE
    if is_ink and (own.start_byte, own.end_byte) == (node.start_byte, node.end_byte):
        symbol = outline.pointed_at(own)
        symbol.segments, symbol.kind = (node.type,), node.type
        return symbol
    return Symbol(
        segments=(node.type,),
        kind=node.type,
        full_start=node.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        header_end=node.end_byte,
        body=None,
        lead=LeadingTrivia(),
        node=own,
        own=own,
        body_node=None,
        defines=False,
        named=False,
        verbatim=True,
        parent=outline.around(node.start_byte, node.end_byte),
    )
