"""Parse a text with its grammar, within limits; this is the only module that calls the parser.

Text where a grammar expects none, such as the macros of C, is hidden: replaced by blanks of the same length,
so that every position stays.

A text beyond the limits of nesting depth and parse steps is refused. Some grammars keep open blocks in 1 kB,
unchecked: the process dies of 255 of them (``serialize`` of tree-sitter-markdown and tree-sitter-yaml writes
4 bytes for each into a buffer of ``TREE_SITTER_SERIALIZATION_BUFFER_SIZE``), and Kotlin's keeps strings
within strings there. Others recover from errors in time quadratic in the text, and queries visit for each
node all those around it. Handwritten texts are far from it: in 5,000 files of 16 projects the deepest tree
has 160 levels, none took more than 40 steps for 1 kB, and none more than 380 reads (in Scala; 50 in the
others).
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec
import tree_sitter

from gitscalpel.errors import DoesNotFit
from gitscalpel.syntax import masks
from gitscalpel.syntax.languages import Language
from gitscalpel.syntax.symbols import Span
from gitscalpel.text.line_diff import common_prefix_length

OPEN_BLOCKS = 200
OPEN_STRINGS = 500
TREE, TREE_OF_DATA = 3_000, 800
"""Long chains of operators or ``else if`` are deep trees, too; data has none."""
SYMBOLS = 250
DEFINITIONS = 30_000
"""Definitions of one file. Each takes 65 microseconds and 5 kB (measured), and an edit reads a file twice."""
_STEPS, _STEPS_FOR_1_KB = 2_000, 150
"""Steps of 100 operations each, as tree-sitter counts them: a bound that does not depend on the machine."""
MAX_STEPS = 50_000
"""Steps that any text may take: a tree has 3 to 5 kB for each in every language (measured), so 250 MB."""
TOO_MANY_DEFINITIONS = f"it has more than {DEFINITIONS:,} definitions"
MAX_PAIRS = 150_000_000
"""Definitions times the nodes side by side in what does not parse: each looks through its neighbours."""
TOO_MANY_IN_FAULTS = "it has too many definitions in a part that does not parse"
HINT = "reduce the nesting, or commit the file with `git commit`"
_WITHOUT_SYMBOLS = "use text or lines operations, which need no symbols"
TOO_MANY_STEPS = f"its syntax tree is too large: it takes more than {MAX_STEPS:,} steps to parse"
OF_SIZE = (TOO_MANY_STEPS, TOO_MANY_DEFINITIONS, TOO_MANY_IN_FAULTS)
"""Bounds that an edit may pass."""
_READ = 512
"""Bytes that a parser is given at once."""
_READS, _READS_FOR_1_KB, _MOST_READS = 50_000, 600, 500_000
"""Scanners that search an end from each character read the rest repeatedly, as Python's after a block."""
_TAB = 4
_MARKERS = {
    "markdown": rb"(?:[ \t]|>|(?:[-+*]|\d{1,9}[.)])(?=[ \t\r\n]|\Z))",
    "yaml": rb"(?:[ \t]|[-?:](?=[ \t\r\n]|\Z))",
}
"""By grammar: markers before the text of a line that open blocks, or show the block of the line."""
_LINES = {"yaml": 1 << 15}
"""By grammar: lines of a file that it can count. The scanner of tree-sitter-yaml keeps a line's number in 16
bits (``int16_t row``), and finds a fault in whatever is longer."""
_TEMPLATES = frozenset({"kotlin"})
_BRACES = re.compile(rb"[{}]")


def require_open_limit(grammar: str, text: bytes) -> None:
    """Raise ``too_large`` if a text has more open blocks, or strings, than its grammar can store."""
    _refuse_open_blocks(grammar, text)
    if grammar in _TEMPLATES and text.count(b"${") > OPEN_STRINGS:
        depth = 0
        for found in _BRACES.finditer(text):
            depth = max(depth + (1 if found[0] == b"{" else -1), 0)
            if depth > OPEN_STRINGS:
                raise too_large_error(f"byte {found.start()} is in more than {OPEN_STRINGS} braces")


def _refuse_open_blocks(grammar: str, text: bytes) -> None:
    """Raise if too many blocks are open.

    Each takes a column before the text of a line, so a file without deep indentation cannot have many.
    """
    marker = _MARKERS.get(grammar)
    if marker is None or not re.search(b"^%s{%d}" % (marker, OPEN_BLOCKS // _TAB), text, re.MULTILINE):
        return
    opened: list[int] = []
    # As a possessive ``*+`` takes them, which Python has from 3.11 on.
    markers = b"^(?=(%s*))\\1" % marker
    for number, found in enumerate(re.finditer(markers, text, re.MULTILINE), 1):
        columns = [
            n for n, byte in enumerate(found[0].expandtabs(_TAB) + b"x") if byte not in b" \t0123456789"
        ]
        while opened and opened[-1] >= columns[0]:
            opened.pop()
        opened += columns
        if len(opened) > OPEN_BLOCKS:
            raise too_large_error(f"line {number} is in more than {OPEN_BLOCKS} blocks")


def undecidable_reason(grammar: str, text: bytes) -> str | None:
    """Return the reason why a grammar cannot decide whether a text parses, or None if it can."""
    lines = _LINES.get(grammar)
    if lines is None or text.count(b"\n") <= lines:
        return None
    return f"it has more lines than the grammar of {grammar} can count ({lines})"


class LimitedReader:
    """A text as input of a parser, which stops after a maximum of steps or backward reads.

    Neither limit depends on the machine, or on the clock.
    """

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._parts: dict[int, bytes] = {}
        of_size = _STEPS + _STEPS_FOR_1_KB * len(text) // 1_000
        self._is_bounded_by_size = of_size <= MAX_STEPS
        self._steps = min(of_size, MAX_STEPS)
        self._reads = min(_READS + _READS_FOR_1_KB * len(text) // 1_000, _MOST_READS + len(text) // _READ)

    def read(self, at: int, _: object) -> bytes:
        """Return the next bytes from ``at`` on; nodes read their text in the same way."""
        self._reads -= 1
        if at % _READ:  # the rest up to where the parts begin that are read again and again
            return self._text[at : at + _READ - at % _READ]
        part = self._parts.get(at)
        if part is None:
            part = self._parts[at] = self._text[at : at + _READ]
        return part

    def stop(self, _: int, __: bool) -> bool:
        """Return True if a limit is exceeded; called before each step."""
        self._steps -= 1
        return self._steps < 0 or self._reads < 0

    @property
    def why(self) -> str:
        if self._steps < 0 and self._reads >= 0 and not self._is_bounded_by_size:
            return TOO_MANY_STEPS
        return "it takes far more steps to parse than a text of its size should"


def require_depth_limit(root: tree_sitter.Node, levels: int) -> None:
    """Raise ``too_large`` if a tree has more than ``levels`` levels.

    A node with fewer nodes below than levels are left cannot exceed the limit, so most files are read only in
    part.
    """
    pending = [(root, levels)]
    while pending:
        node, levels_left = pending.pop()
        if node.descendant_count <= levels_left:
            continue
        if not levels_left:
            raise too_large_error(f"line {node.start_point.row + 1} nests more than {levels} levels deep")
        pending += [(child, levels_left - 1) for child in node.children]


def require_nesting_limit(spans: Iterable[tuple[int, int]]) -> None:
    """Raise ``too_large`` if too many definitions, or parts of data, are nested in each other."""
    around: list[int] = []
    for start, negative_end in sorted({(start, -end) for start, end in spans}):
        while around and around[-1] <= start:
            around.pop()
        around.append(-negative_end)
        if len(around) > SYMBOLS:
            raise too_large_error(f"byte {start} is in more than {SYMBOLS} definitions or parts")


def definition_limit_reason(root: tree_sitter.Node, count: int) -> str:
    """Return the reason why ``count`` definitions of a tree are too many to read, or ""."""
    if count > DEFINITIONS:
        return TOO_MANY_DEFINITIONS
    if count * _widest_fault(root, MAX_PAIRS // max(count, 1)) > MAX_PAIRS:
        return TOO_MANY_IN_FAULTS
    return ""


def _widest_fault(root: tree_sitter.Node, min_descendants: int) -> int:
    """Return the number of children of the widest error node with at least ``min_descendants``."""
    widest, waiting = 0, [root] if root.has_error else []
    while waiting:
        node = waiting.pop()
        if node.type == "ERROR":
            widest = max(widest, node.child_count)
        if node.descendant_count > min_descendants:
            waiting += [child for child in node.children if child.has_error]
    return widest


def too_large_error(why: str) -> DoesNotFit:
    return DoesNotFit("too_large", why, _WITHOUT_SYMBOLS if why in OF_SIZE else HINT)


_LETTERED = "gitscalpel.lettered"
_SEEN = re.compile(rb"[^\r\n]")


class Masked(msgspec.Struct, frozen=True):
    """A text as shown to the grammar, and the hidden spans that belong to a node."""

    text: bytes  # the original text
    shown: bytes  # the text shown to the grammar, of the same length
    attributes: tuple[Span, ...]  # spans that belong to the next node, like decorators
    modifiers: tuple[Span, ...]  # spans that begin the header of the next node
    more: tuple[Span, ...]  # spans that belong to the node before them, including bodies
    bodies: frozenset[int]  # offsets at which bodies begin
    strings: tuple[Span, ...]  # insides of strings

    def behind(self, end: int) -> Iterator[Span]:
        """Yield the consecutive hidden spans that continue the node which ends at ``end``."""
        at = bisect_left(self.more, (end,))
        while at < len(self.more) and not self.text[end : self.more[at].start].strip():
            yield self.more[at]
            end, at = self.more[at].end, at + 1


def mask_text(text: bytes, patterns: tuple[bytes, ...], words: Mapping[str, bytes]) -> Masked:
    """Hide the named groups of ``patterns``, one pattern after the other.

    Groups named ``attribute…`` belong to what follows, like decorators, and ``modifier…`` begin its header.
    Groups named ``more…`` belong to what comes before them, and so do ``body…``, where its header ends.
    Groups named ``string…`` are the insides of strings, and all others belong to nothing, or lie within.
    Groups named ``as_3d…`` are shown as the byte 3D. Others are shown as their word in ``words``, padded with
    blanks, or as blanks.
    """
    original = text
    spans: dict[str, list[Span]] = {"attribute": [], "modifier": [], "more": [], "body": [], "string": []}
    for pattern in patterns:
        pieces, at = [], 0
        for found in _compile(pattern).finditer(text):
            for name, group in found.groupdict().items():
                if group is None:
                    continue
                start, end = found.span(name)
                word = words.get(name, b"")[: len(group)]
                pieces += [text[at:start], word, _SEEN.sub(_mask_byte(name), group[len(word) :])]
                at = end
                own = Span(end - len(group.lstrip()), start + len(group.rstrip()))
                sort = _sort_of_group(name, spans)
                if sort is not None and own.start < own.end:
                    spans[sort].append(Span(start, end) if sort == "string" else own)
        text = b"".join([*pieces, text[at:]]) if pieces else text
    bodies = frozenset(span.start for span in spans["body"])
    more = tuple(sorted([*spans["more"], *spans["body"]]))
    leading = (tuple(sorted(spans["attribute"])), tuple(sorted(spans["modifier"])))
    return Masked(original, _replace_invalid(text), *leading, more, bodies, tuple(sorted(spans["string"])))


def _replace_invalid(text: bytes) -> bytes:
    """Return the text with a letter for each invalid byte, since query conditions need characters."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("utf-8", _LETTERED).encode("utf-8")
    return text


def _replace_letters(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101 - it is only used to decode
    return "_" * (error.end - error.start), error.end


def _sort_of_group(name: str, sorts: Iterable[str]) -> str | None:
    """Return the sort of the node to which a group's match belongs, or None."""
    group_name = name[6:] if name.startswith("as_") else name
    return next((sort for sort in sorts if group_name.startswith(sort)), None)


codecs.register_error(_LETTERED, _replace_letters)


def _mask_byte(name: str) -> bytes:
    return bytes.fromhex(name[3:5]) if name.startswith("as_") else b" "


@cache
def _compile(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(pattern, re.MULTILINE | re.VERBOSE)


_FROM_THE_BEGINNING = frozenset({"rst"})
"""Grammars whose scanners do not keep all of their state."""
Parse = Callable[[tree_sitter.Tree | None], tree_sitter.Tree]


def reparse(
    grammar: str, old: tuple[bytes, tree_sitter.Tree], new: bytes, parse: Parse
) -> tree_sitter.Tree | None:
    """Return the tree of ``new``, derived from ``old``, if it equals that of a full parse, else None.

    In a text that does not parse, a parser's recovery depends on where it began, and so does that of some
    scanners.
    """
    text, tree = old
    if grammar in _FROM_THE_BEGINNING or tree.root_node.has_error:
        return None
    found = parse(_edit_tree(tree, text, new))
    return None if found.root_node.has_error else found


def _edit_tree(tree: tree_sitter.Tree, old: bytes, new: bytes) -> tree_sitter.Tree:
    """Return the tree of ``old`` with offsets for ``new``, which differs in one stretch."""
    start = common_prefix_length(old, new)
    rest = common_prefix_length(old[start:][::-1], new[start:][::-1])
    old_end, new_end = len(old) - rest, len(new) - rest
    moved = tree.copy()
    moved.edit(
        start,
        old_end,
        new_end,
        _row_and_column(old, start),
        _row_and_column(old, old_end),
        _row_and_column(new, new_end),
    )
    return moved


def _row_and_column(text: bytes, at: int) -> tuple[int, int]:
    return text.count(b"\n", 0, at), at - (text.rfind(b"\n", 0, at) + 1)


_PACK = "tree_sitter_language_pack"
_PACKAGES = "tree_sitter_"
"""Prefix of the packages of single grammars; some are newer than those in the pack."""
Read = TypeVar("Read")


@cache
def load_grammar(name: str) -> tree_sitter.Language:
    """Load a grammar from the language pack, without the pack's own module, or from a package."""
    if name.startswith(_PACKAGES):
        return tree_sitter.Language(import_module(name).language())
    pack = find_spec(_PACK)
    for folder in (pack.submodule_search_locations or ()) if pack else ():
        for suffix in EXTENSION_SUFFIXES:
            library = Path(folder) / "bindings" / f"{name}{suffix}"
            if library.exists():
                # Under its full name: a library of this kind enters itself as a module, and json is one.
                full = f"{_PACK}.bindings.{name}"
                loader = ExtensionFileLoader(full, str(library))
                module = module_from_spec(spec_from_loader(full, loader))  # type: ignore[arg-type]
                return tree_sitter.Language(module.language())
    # Some grammars are packages of their own, which the pack knows.
    import tree_sitter_language_pack

    return tree_sitter_language_pack.get_language(name)  # type: ignore[arg-type]


class Syntax:
    """A parsed text, and a cache of results derived from it.

    The tree may be derived from that of ``since``, a similar text. With ``is_masked`` nothing is hidden from
    the grammar. With ``takes_newer`` syntax newer than the grammar is shown in older words. Names may be
    hidden by that, so only gates use it.
    """

    def __init__(
        self,
        language: Language,
        text: bytes,
        since: Syntax | None = None,
        *,
        is_masked: bool = False,
        takes_newer: bool = False,
    ) -> None:
        self._takes_newer = takes_newer
        self.language = language
        self._is_masked = is_masked
        self.text = text
        self._similar = since
        self._reads: dict[object, Any] = {}
        self._nodes_by_query: dict[str, list[tree_sitter.Node]] = {}
        self._shown = b""

    def compute_once(self, read: Callable[[Syntax], Read]) -> Read:
        if read not in self._reads:
            self._reads[read] = read(self)
        return cast("Read", self._reads[read])

    @cached_property
    def masked(self) -> Masked:
        return mask_text(self.text, *masks.find_mask("" if self._is_masked else self.language.hidden))

    @property
    def tree(self) -> tree_sitter.Tree:
        """The tree, parsed on first use. Raises ``too_large``, see the limits in the module."""
        if isinstance(self._tree_or_error, DoesNotFit):
            raise too_large_error(self._tree_or_error.message)
        return self._tree_or_error

    def read(self) -> Syntax:
        """Return this text after parsing it. Raises like :attr:`tree`."""
        self.tree  # noqa: B018 - parses the text, or raises
        return self

    @cached_property
    def _tree_or_error(self) -> tree_sitter.Tree | DoesNotFit:
        shown = self.masked.shown
        since, self._similar = self._similar, None
        why = ""
        try:
            require_open_limit(self.language.grammar, shown)
            tree = parse_text(self.language.grammar, shown, since.shown_tree if since else None)
            if tree.root_node.has_error and self._takes_newer:
                tree, shown = self._in_older_syntax(tree, shown)
            levels = TREE_OF_DATA if self.language.data else TREE
            require_depth_limit(tree.root_node, levels)
        except DoesNotFit as error:
            why = error.message
        if why:  # without what led to the error: it would keep the parser, and hundreds of megabytes
            return too_large_error(why)
        self._shown = shown
        return tree

    def _in_older_syntax(self, tree: tree_sitter.Tree, shown: bytes) -> tuple[tree_sitter.Tree, bytes]:
        """Return the tree and text in older syntax, if less of it does not parse."""
        grammar = self.language.grammar
        patterns = masks.NEWER.get(grammar, ())
        older = mask_text(shown, patterns, masks.SHOWN.get(grammar, {})).shown
        if older == shown:
            return tree, shown
        found = parse_text(grammar, older)
        if _unparsed_bytes(found.root_node) >= _unparsed_bytes(tree.root_node):
            return tree, shown
        return found, older

    @property
    def shown_tree(self) -> tuple[bytes, tree_sitter.Tree] | None:
        """The text shown to the grammar and its tree, or None if not parsed yet."""
        tree = self.__dict__.get("_made")
        return (self._shown, tree) if isinstance(tree, tree_sitter.Tree) else None

    @property
    def root(self) -> tree_sitter.Node:
        return self.tree.root_node

    def of_type(self, node_type: str | None) -> list[tree_sitter.Node]:
        """Return the nodes of one type, in document order; none for an unknown type or None."""
        return [] if node_type is None else self.query_nodes(f"({node_type}) @found")

    def of_types(self, *node_types: str) -> list[list[tree_sitter.Node]]:
        """Return the nodes of each type, in document order, from one search for all of them."""
        found: dict[str, list[tree_sitter.Node]] = {each: [] for each in node_types}
        for node in self.query_nodes(f"[{' '.join(f'({each})' for each in node_types)}] @found"):
            found[node.type].append(node)
        return [*found.values()]

    def query_nodes(self, query: str) -> list[tree_sitter.Node]:
        """Return the nodes captured as ``found`` by a query, in document order. Compiling one is slow."""
        if query not in self._nodes_by_query:
            cursor = tree_sitter.QueryCursor(compile_query(self.language.grammar, query))
            found = cursor.captures(self.root).get("found", [])  # in whatever order the library has
            self._nodes_by_query[query] = sorted(found, key=lambda node: (node.start_byte, -node.end_byte))
        return self._nodes_by_query[query]


def parse_text(
    name: str, text: bytes, since: tuple[bytes, tree_sitter.Tree] | None = None
) -> tree_sitter.Tree:
    """Parse a text, reusing unchanged parts of an old tree. Raises ``too_large``."""
    reading = LimitedReader(text)

    def parse(old: tree_sitter.Tree | None = None) -> tree_sitter.Tree:
        # Given as a whole, a text is parsed to the end, however long it takes.
        nonlocal reading
        reading, parser = LimitedReader(text), tree_sitter.Parser(load_grammar(name))
        if old is None:
            return parser.parse(reading.read, progress_callback=reading.stop)
        return parser.parse(reading.read, old, progress_callback=reading.stop)

    try:
        return (reparse(name, since, text, parse) if since else None) or parse()
    except ValueError:
        raise too_large_error(reading.why) from None


def iter_unparsed(root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the outermost nodes that do not parse, without recursion since trees may be deep."""
    waiting = [root] if root.has_error else []
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            yield node
        else:
            waiting += [child for child in reversed(node.children) if child.has_error or child.is_missing]


def _unparsed_bytes(root: tree_sitter.Node) -> int:
    """Return the number of bytes in errors, plus one for each missing token."""
    return sum(1 + node.end_byte - node.start_byte for node in iter_unparsed(root))


@cache
def compile_query(grammar: str, source: str) -> tree_sitter.Query:
    query: tree_sitter.Query = tree_sitter.Query(load_grammar(grammar), source)
    return query
