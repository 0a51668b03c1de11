"""Limits of nesting depth and parse steps, beyond which a text is refused.

Some grammars keep open blocks in 1 kB, unchecked: the process dies of 255 of them (``serialize`` of
tree-sitter-markdown and tree-sitter-yaml writes 4 bytes for each into a buffer of
``TREE_SITTER_SERIALIZATION_BUFFER_SIZE``), and Kotlin's keeps strings within strings there. Others
recover from faults in time quadratic in the text, and queries ask for each node about all those around
it. Texts that people write are far from it: in 5,000 files of 16 projects the deepest tree has 160
levels, none took more than 40 steps for 1 kB, and none more than 380 reads (in Scala; 50 in the others).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import tree_sitter

from gitscalpel.errors import DoesNotFit

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
HINT = "nest less; git itself can commit such a file as it is"
_WITHOUT_SYMBOLS = "use text or lines operations, which need no symbols"
TOO_MANY_STEPS = f"its syntax tree is too large: it takes more than {MAX_STEPS:,} steps to parse"
OF_SIZE = (TOO_MANY_STEPS, TOO_MANY_DEFINITIONS, TOO_MANY_IN_FAULTS)
"""Bounds that an edit may pass."""
_READ = 512
"""Bytes that a parser is given at once."""
_READS, _READS_FOR_1_KB, _MOST_READS = 50_000, 600, 500_000
"""Scanners that look for the end of something from each of its characters read the rest again and again.

Python's does so at each comment behind a block. What was read is kept, so the same part is the same object.
"""
_TAB = 4
_MARKERS = {
    "markdown": rb"(?:[ \t]|>|(?:[-+*]|\d{1,9}[.)])(?=[ \t\r\n]|\Z))",
    "yaml": rb"(?:[ \t]|[-?:](?=[ \t\r\n]|\Z))",
}
"""By grammar: what may stand before the text of a line, and opens blocks or says in which it is."""
_LINES = {"yaml": 1 << 15}
"""By grammar: lines of a file that it can count. The scanner of tree-sitter-yaml keeps a line's number in 16
bits (``int16_t row``), and finds a fault in whatever is longer."""
_TEMPLATES = frozenset({"kotlin"})
_BRACES = re.compile(rb"[{}]")


def refuse_open(grammar: str, text: bytes) -> None:
    """Refuse a text with more blocks, or strings, open than its grammar has room for.

    Raises:
        DoesNotFit: ``too_large``.
    """
    _refuse_open_blocks(grammar, text)
    if grammar in _TEMPLATES and text.count(b"${") > OPEN_STRINGS:
        depth = 0
        for found in _BRACES.finditer(text):
            depth = max(depth + (1 if found[0] == b"{" else -1), 0)
            if depth > OPEN_STRINGS:
                raise refusal(f"byte {found.start()} stands in more than {OPEN_STRINGS} braces")


def _refuse_open_blocks(grammar: str, text: bytes) -> None:
    """Refuse too many open blocks.

    Each takes a column before the text of a line, so a file whose lines all begin soon cannot have many.
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
            raise refusal(f"line {number} stands in more than {OPEN_BLOCKS} blocks")


def uncounted(grammar: str, text: bytes) -> str | None:
    """Why a grammar cannot tell whether a text parses, in words; None: it can."""
    lines = _LINES.get(grammar)
    if lines is None or text.count(b"\n") <= lines:
        return None
    return f"it has more lines than the grammar of {grammar} can count ({lines})"


class Reading:
    """A text as a parser reads it, until it has taken more steps, or looked back more, than it should need.

    Neither bound depends on the machine, or on the clock.
    """

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._parts: dict[int, bytes] = {}
        of_size = _STEPS + _STEPS_FOR_1_KB * len(text) // 1_000
        self._is_bounded_by_size = of_size <= MAX_STEPS
        self._steps = min(of_size, MAX_STEPS)
        self._reads = min(_READS + _READS_FOR_1_KB * len(text) // 1_000, _MOST_READS + len(text) // _READ)

    def read(self, at: int, _: object) -> bytes:
        """The next bytes from ``at`` on; nodes ask for their text likewise."""
        self._reads -= 1
        if at % _READ:  # the rest up to where the parts begin that are read again and again
            return self._text[at : at + _READ - at % _READ]
        part = self._parts.get(at)
        if part is None:
            part = self._parts[at] = self._text[at : at + _READ]
        return part

    def stop(self, _: int, __: bool) -> bool:
        """Whether it has been enough; asked before each step."""
        self._steps -= 1
        return self._steps < 0 or self._reads < 0

    @property
    def why(self) -> str:
        """Why it has been enough, in words."""
        if self._steps < 0 and self._reads >= 0 and not self._is_bounded_by_size:
            return TOO_MANY_STEPS
        return "it takes far more steps to parse than a text of its size should"


def refuse_deep(root: tree_sitter.Node, levels: int) -> None:
    """Refuse a tree with more than so many levels.

    What has fewer nodes than there are levels left cannot reach them: of most files only some are looked at.

    Raises:
        DoesNotFit: ``too_large``.
    """
    waiting = [(root, levels)]
    while waiting:
        node, left = waiting.pop()
        if node.descendant_count <= left:
            continue
        if not left:
            raise refusal(f"line {node.start_point.row + 1} nests more than {levels} levels deep")
        waiting += [(child, left - 1) for child in node.children]


def refuse_nested(spans: Iterable[tuple[int, int]]) -> None:
    """Refuse definitions, or parts of data, of which too many stand in each other.

    Raises:
        DoesNotFit: ``too_large``.
    """
    around: list[int] = []
    for start, negative_end in sorted({(start, -end) for start, end in spans}):
        while around and around[-1] <= start:
            around.pop()
        around.append(-negative_end)
        if len(around) > SYMBOLS:
            raise refusal(f"what begins at byte {start} is in more than {SYMBOLS} definitions or parts")


def definitions_cut(root: tree_sitter.Node, count: int) -> str:
    """Return why so many definitions of a tree are not read, in words; empty if they are."""
    if count > DEFINITIONS:
        return TOO_MANY_DEFINITIONS
    if count * _widest_fault(root, MAX_PAIRS // max(count, 1)) > MAX_PAIRS:
        return TOO_MANY_IN_FAULTS
    return ""


def _widest_fault(root: tree_sitter.Node, least: int) -> int:
    """Return how many children the widest fault has, if these are at least so many."""
    widest, waiting = 0, [root] if root.has_error else []
    while waiting:
        node = waiting.pop()
        if node.type == "ERROR":
            widest = max(widest, node.child_count)
        if node.descendant_count > least:
            waiting += [child for child in node.children if child.has_error]
    return widest


def too_many_definitions(why: str) -> DoesNotFit:
    """Return the refusal of a file with too many definitions."""
    return DoesNotFit("too_large", why, _WITHOUT_SYMBOLS)


def refusal(why: str) -> DoesNotFit:
    """What is said of a text that is not read."""
    return DoesNotFit("too_large", why, _WITHOUT_SYMBOLS if why == TOO_MANY_STEPS else HINT)
