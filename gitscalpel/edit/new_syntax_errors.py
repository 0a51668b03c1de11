"""Syntax errors that an edit adds to a file.

Edits, merges and the syntax gate all use this check, so that none of them refuses a text that another
one accepts. A file that parses costs no more than its parse.

A file that did not parse before may not get worse. The number of errors cannot show that, since a
parser that has lost its way reports a missing bracket or a whole page as one error. So the tokens
inside an error that belong to no node below it are counted, line by line.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

import msgspec
import tree_sitter

from gitscalpel.edit.source import Source
from gitscalpel.syntax.outline import Outline, outline
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.symbols import Span
from gitscalpel.syntax.syntax_errors import SyntaxFault, faults
from gitscalpel.text.line_diff import diff_lines

if TYPE_CHECKING:
    from gitscalpel.edit.error_attribution import Attribution, Macros


class NewSyntaxErrors(msgspec.Struct, frozen=True):
    """Faults of the grammar that a file did not have before.

    Attributes:
        found: the faults, in document order.
        attribution: their cause; None if there are none.
    """

    found: tuple[SyntaxFault, ...] = ()
    attribution: Attribution | None = None

    @property
    def faults(self) -> tuple[SyntaxFault, ...]:
        """The faults for which the text is to blame."""
        return self.found if self.attribution is not None and self.attribution.is_broken else ()


NONE = NewSyntaxErrors()


def find_new_errors(
    old: Source | None, new: Source, macros: Callable[[], Macros] | None = None
) -> NewSyntaxErrors:
    """Compare the faults of a file with those that it had.

    Args:
        old: the file before; None if it is new.
        new: the file as it is to be.
        macros: returns the macros of all files; None looks for them in the files around ``new``.
    """
    if new.language is None or not has_syntax_errors(new):
        return NONE
    before = old.readings if old is not None else ()
    pairs = zip_longest(before[: len(new.readings)], new.readings)
    found = tuple(dict.fromkeys(fault for was, now in pairs if faults(now) for fault in _find(was, now)))
    if not found:
        return NONE
    has_parsed = old is not None and not has_syntax_errors(old)
    return NewSyntaxErrors(
        found, _attribution(new, macros, old.text if old is not None and has_parsed else None)
    )


def has_syntax_errors(source: Source) -> bool:
    """Return True if the grammar has something against a reading of a file."""
    return any(faults(syntax) for syntax in source.readings)


def is_source_sound(source: Source) -> bool:
    """Return True if a file parses, or its grammar alone is to blame; a template is not known to be sound."""
    if not has_syntax_errors(source):
        return True
    cause = _attribution(source, None, None)
    return cause.is_judged and not cause.is_broken


def with_text(source: Source, text: bytes) -> Source:
    """Return a file with another text, to be compared with what it is."""
    return msgspec.structs.replace(source, document=source.document.with_text(text))


def read_outlines(*syntaxes: Syntax) -> list[Outline]:
    """Return outlines that can be compared: of all texts in older syntax if a grammar does not know one."""
    if any(syntax.root.has_error for syntax in syntaxes):
        return [outline(Syntax(each.language, each.text, takes_newer=True)) for each in syntaxes]
    return [outline(each) for each in syntaxes]


def _attribution(source: Source, macros: Callable[[], Macros] | None, parsed: bytes | None) -> Attribution:
    # Few texts need it, and its tables take longer to load than an edit does.
    from gitscalpel.edit.error_attribution import Macros, attribute

    return attribute(source, macros() if macros else Macros(source.files), parsed)


def _find(old: Syntax | None, new: Syntax) -> Iterator[SyntaxFault]:
    if old is not None and not is_worse(old, new):
        return
    known = {fault.message for fault in faults(old)} if old is not None else set()
    yield from [fault for fault in faults(new) if fault.message not in known] or faults(new)


_Lost = Mapping[int, Sequence[bytes]]
_WORD = re.compile(rb"\w+|[^\w\s]")


def is_worse(old: Syntax, new: Syntax) -> bool:
    """Return True if ``new`` has more faults than ``old``, or faults that cover more than they did.

    What takes the place of lines none of which parsed may be anything: nobody can tell whether it is worse.
    In the place of others at least half of what does not parse has to be what did not parse before.
    """
    if len(faults(new)) > len(faults(old)):
        return True
    before, after = _find_lost_words(old), _find_lost_words(new)
    lines = [syntax.text.split(b"\n") for syntax in (old, new)]
    excess, at, upto = 0, 0, 0
    for a, b, c, d in [*diff_lines(*lines), (len(lines[0]),) * 2 + (len(lines[1]),) * 2]:
        excess += (
            _count_words(after, upto, c).total() - _count_words(before, at, a).total()
        )  # what is as it was
        if not _is_lost(before, lines[0], a, b):
            were, are = _count_words(before, a, b), _count_words(after, c, d)
            excess += are.total() - were.total()
            if 2 * (are & were).total() < are.total():
                return True
        at, upto = b, d
    return excess > 0


def _is_lost(lost: _Lost, lines: Sequence[bytes], start: int, end: int) -> bool:
    """Return True if nothing in these lines parsed; where there are none, nothing in those around them."""
    rows = range(start, end) if end > start else range(start - 1, start + 1)
    return all(lost.get(row) or not 0 <= row < len(lines) or not lines[row].strip() for row in rows)


def _count_words(lost: _Lost, start: int, end: int) -> Counter[bytes]:
    return Counter(word for row in range(start, end) for word in lost.get(row, ()))


def _find_lost_words(syntax: Syntax) -> _Lost:
    """Return the words of each line, from 0, that stand in a fault and belong to nothing within it."""
    found: defaultdict[int, list[bytes]] = defaultdict(list)
    at = row = 0
    for start, end in sorted(_loose(syntax.root)):
        for word in _WORD.finditer(syntax.text, start, end):
            row += syntax.text.count(b"\n", at, word.start())
            at = word.start()
            found[row].append(word.group())
    return found


def _loose(root: tree_sitter.Node) -> Iterator[Span]:
    """Yield the stretches of faults that no node within them has made sense of."""
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
