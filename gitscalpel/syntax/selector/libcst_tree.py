"""A Python text as LibCST reads it: a list of nodes with the bytes of each.

LibCST is optional (the extra ``python``) and slow to load, so only selectors that name what it alone knows
come here.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from gitscalpel.errors import DoesNotFit, Misconfigured
from gitscalpel.text.anchors import NodeRef

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
    """A node of LibCST.

    Attributes:
        id: its place in the list of all nodes.
        type: the name of its class.
        start_byte, end_byte: its text.
        above: the place of its parent, its own at the top.
        inner: the node itself.
        number: its place among the nodes of the same class and text, from 1 (white space may be empty).
    """

    __slots__ = ("above", "end_byte", "id", "inner", "number", "source", "start_byte", "type")

    def __init__(self, place: int, above: int, inner: libcst.CSTNode, span: tuple[int, int], source: bytes):
        self.id, self.above, self.inner, self.source = place, above, inner, source
        self.type = type(inner).__name__
        self.start_byte, self.end_byte = span
        self.number = 1

    @property
    def text(self) -> bytes:
        """Its text."""
        return self.source[self.start_byte : self.end_byte]

    @property
    def ref(self) -> NodeRef:
        """Its reference, which ``node`` takes."""
        number = f"#{self.number}" if self.number > 1 else ""
        return NodeRef(f"{self.type}{number}", self.start_byte, self.end_byte)


class CstTree:
    """All nodes of a text: parents before children, siblings in the order of the text."""

    def __init__(self, text: bytes) -> None:
        """Read a text.

        Raises:
            DoesNotFit: ``unsupported_language`` if LibCST cannot parse the text, or ``too_large``.
            Misconfigured: ``unavailable`` if LibCST is not installed.
        """
        self.text = text
        self.nodes: list[CstNode] = []
        try:
            self._read(_parse(text))
        except RecursionError:
            raise DoesNotFit("too_large", "the text nests too deeply for LibCST", _HINT) from None
        self.ends = self._ends()
        self.counts = Counter(node.above for node in self.nodes[1:])
        self._starts = [0, *(at + 1 for at in range(len(text)) if text[at] == 10)]

    def line_at(self, offset: int) -> int:
        """Return the line of an offset, from 1."""
        return bisect(self._starts, offset)

    def field(self, node: CstNode, name: str) -> CstNode | str | None:
        """Return what a field of a node holds. None for nothing, several nodes, or no such field."""
        value = getattr(node.inner, name, None)
        if isinstance(value, bool):
            return str(value).lower()
        return value if isinstance(value, str) else self._by_inner.get(id(value))

    def at(self, ref: NodeRef) -> CstNode | None:
        """Return the node of a reference."""
        return next((node for node in self.nodes if node.ref == ref), None)

    def _read(self, module: libcst.Module) -> None:
        from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper

        lead = len(self.text) - len(self.text.removeprefix(BOM))
        spans = MetadataWrapper(module, unsafe_skip_copy=True).resolve(ByteSpanPositionProvider)
        seen: Counter[tuple[str, int, int]] = Counter()

        def span(inner: libcst.CSTNode) -> tuple[int, int]:
            found: Any = spans[inner]
            start, end = lead + found.start, lead + found.start + found.length
            if type(inner).__name__ in WHITE:
                return start, end
            held = self.text[start:end]  # some, such as AsName, begin with the blank before them
            bare = held.strip(_BLANKS)
            start += len(held) - len(held.lstrip(_BLANKS)) if bare else 0
            return start, start + len(bare)

        pending: list[tuple[libcst.CSTNode, tuple[int, int], int]] = [(module, (0, len(self.text)), 0)]
        while pending:
            inner, own, above = pending.pop()
            node = CstNode(len(self.nodes), above, inner, own, self.text)
            key = (node.type, *own)
            seen[key] += 1
            node.number = seen[key]
            self.nodes.append(node)
            written = (child for child in _children(inner) if child in spans)  # some blanks are never
            below = sorted(((child, span(child)) for child in written), key=lambda pair: pair[1])
            pending += [(child, extent, node.id) for child, extent in reversed(below)]
        self._by_inner = {id(node.inner): node for node in self.nodes}

    def _ends(self) -> list[int]:
        """Return for each node the place behind the last one below it."""
        ends = list(range(1, len(self.nodes) + 1))
        for node in reversed(self.nodes[1:]):
            ends[node.above] = max(ends[node.above], ends[node.id])
        return ends


@lru_cache(maxsize=2)
def read(text: bytes) -> CstTree:
    """Return the nodes of a text; raises as :class:`CstTree`."""
    return CstTree(text)


def _parse(text: bytes) -> libcst.Module:
    try:
        import libcst
    except ImportError:
        raise Misconfigured(
            "unavailable",
            "the selector names a node of LibCST, and libcst is not installed",
            "pip install 'gitscalpel[python]'",
        ) from None
    try:
        said = text.removeprefix(BOM).decode("utf-8")
        module = libcst.parse_module(said, libcst.PartialParserConfig(encoding="utf-8"))
    except UnicodeDecodeError:
        raise DoesNotFit(
            "unsupported_language", "the file is not in UTF-8, so LibCST cannot read it", _HINT
        ) from None
    except libcst.ParserSyntaxError as error:
        where = f"line {error.raw_line}, column {error.raw_column + 1}"
        raise DoesNotFit("unsupported_language", f"LibCST cannot parse the file: {where}", _HINT) from None
    written = module.code
    if written != said:
        same = next(n for n in range(len(said) + 1) if written[n : n + 1] != said[n : n + 1])
        line = said.count("\n", 0, same) + 1
        words = f"LibCST does not keep the white space of the file at line {line}"
        raise DoesNotFit("unsupported_language", words, _HINT)
    return module


def _children(node: libcst.CSTNode) -> Iterator[libcst.CSTNode]:
    """Yield the nodes in the fields of a node; ``CSTNode.children`` copies them all."""
    import libcst

    for name in _fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, libcst.CSTNode):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from (each for each in value if isinstance(each, libcst.CSTNode))


@cache
def _fields(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))
