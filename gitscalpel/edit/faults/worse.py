"""Whether a file that did not parse parses even less: what its faults cover is compared, not their number.

A parser that has lost its way calls anything one fault, a missing bracket or a page of noise. What it could
make no sense of are the words in a fault that belong to nothing within it; these are counted, line by line.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import tree_sitter

from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.symbols import Span
from gitscalpel.syntax.syntax_errors import faults
from gitscalpel.text.changes import changes

_Lost = Mapping[int, Sequence[bytes]]
_WORD = re.compile(rb"\w+|[^\w\s]")


def is_worse(old: Syntax, new: Syntax) -> bool:
    """Whether ``new`` has more faults than ``old``, or faults that cover more than they did.

    What takes the place of lines none of which parsed may be anything: nobody can tell whether it is worse.
    In the place of others at least half of what does not parse has to be what did not parse before.
    """
    if len(faults(new)) > len(faults(old)):
        return True
    before, after = _lost(old), _lost(new)
    lines = [syntax.text.split(b"\n") for syntax in (old, new)]
    excess, at, upto = 0, 0, 0
    for a, b, c, d in [*changes(*lines), (len(lines[0]),) * 2 + (len(lines[1]),) * 2]:
        excess += _within(after, upto, c).total() - _within(before, at, a).total()  # what is as it was
        if not _was_lost(before, lines[0], a, b):
            were, are = _within(before, a, b), _within(after, c, d)
            excess += are.total() - were.total()
            if 2 * (are & were).total() < are.total():
                return True
        at, upto = b, d
    return excess > 0


def _was_lost(lost: _Lost, lines: Sequence[bytes], start: int, end: int) -> bool:
    """Whether nothing in these lines parsed; where there are none, nothing in those around them."""
    rows = range(start, end) if end > start else range(start - 1, start + 1)
    return all(lost.get(row) or not 0 <= row < len(lines) or not lines[row].strip() for row in rows)


def _within(lost: _Lost, start: int, end: int) -> Counter[bytes]:
    return Counter(word for row in range(start, end) for word in lost.get(row, ()))


def _lost(syntax: Syntax) -> _Lost:
    """The words of each line, from 0, that stand in a fault and belong to nothing within it."""
    found: defaultdict[int, list[bytes]] = defaultdict(list)
    at = row = 0
    for start, end in sorted(_loose(syntax.root)):
        for word in _WORD.finditer(syntax.text, start, end):
            row += syntax.text.count(b"\n", at, word.start())
            at = word.start()
            found[row].append(word.group())
    return found


def _loose(root: tree_sitter.Node) -> Iterator[Span]:
    """The stretches of faults that no node within them has made sense of."""
    waiting = [root] if root.has_error else []
    while waiting:
        node = waiting.pop()
        at = node.start_byte
        for child in node.children:
            if child.has_error:
                waiting.append(child)
            if node.is_error and (child.child_count or child.is_error):
                yield Span(at, child.start_byte)
                at = child.end_byte
        if node.is_error:
            yield Span(at, node.end_byte)
